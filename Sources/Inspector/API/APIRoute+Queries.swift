import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// Full text and SQL.
extension APIRoute {
  static let ofQueries: [APIRoute] = [search, sql, gql]

  private static let search = APIRoute(
    .get, "search", "Full text, the best hits first", .reads,
    [
      CallParameter("text", .text, required: true, "The words."), .anyCollection, .at,
      .limit(50, 200),
    ],
    results: [
      .init("hits", SchemaType.array, "Collection, id, score and a snippet."),
      .init("match", SchemaType.text, "`all` words, or `any` if nothing has all of them."),
    ]
  ) { inspection, arguments in
    let store = try await inspection.reading(at: arguments.text("at"))
    // Characters that no text should have mark the words that were found: a page makes elements
    // of them, and never HTML.
    let (hits, match) = try await store.searchAllOrAny(
      try arguments.required("text"), in: arguments.text("collection"),
      limit: arguments.integer("limit") ?? 50, markers: ("\u{E000}", "\u{E001}"))
    return [
      ("match", .text(match == .any ? "any" : "all")),
      (
        "hits",
        .array(
          hits.map { hit in
            .object([
              ("collection", .text(hit.collection)), ("id", .text(hit.id)),
              ("score", .real(hit.score)), ("snippet", .text(hit.snippet)),
            ])
          })
      ),
    ]
  }

  private static let seconds = CallParameter(
    "seconds", .integer(1...GuardedQuery.secondsMax),
    "The longest time it may run; left out, \(GuardedQuery.secondsUsual).")

  /// The members of a page of rows.
  private static func rowPage(plan: String) -> [Result] {
    [
      .init("columns", SchemaType.array, "The names of the columns."),
      .init("rows", SchemaType.array, "An array of values for each row."),
      .init("plan", SchemaType.optional(SchemaType.array), plan),
      .init("milliseconds", SchemaType.number, "How long it took."),
      .init("truncated", SchemaType.boolean, "Whether there are more rows."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  }

  private static let sql = APIRoute(
    .post, "sql", "One SELECT, on a connection that can only read", .reads,
    [
      CallParameter("sql", .text, required: true, "One statement."),
      CallParameter("parameters", .sqlArguments, "The values of its parameters."), .at,
      CallParameter("plan", .boolean, "Whether to return how SQLite runs it."),
      seconds, .limit(200), .cursor,
    ],
    results: rowPage(plan: "The steps, each with its depth.")
  ) { inspection, arguments in
    let store = try await inspection.reading(at: arguments.text("at"))
    let text = try arguments.required("sql")
    let (offset, budget) = (try arguments.offset(), arguments.inspectorBudget(200))
    let parameters = try SQLParameters(arguments["parameters"])
    let names = try await store.schema().sorted.map(\.name)
    let wantsPlan = arguments.boolean("plan") == true
    return try await inspection.oneOfFewQueries {
      try await GuardedQuery(store).run(
        seconds: arguments.integer("seconds") ?? GuardedQuery.secondsUsual
      ) { db in
        let began = ContinuousClock.now
        let page = try SQLPage(db, text, parameters, after: offset, budget, tables: names)
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        // After the statement, so that it is known to be one that reads.
        let plan = wantsPlan ? try QueryPlan.json(of: text, parameters, db) : .null
        return [
          ("columns", .array(page.columns.map { .text($0) })), ("plan", plan),
          ("milliseconds", .real(took)),
        ] + page.budget.members("rows", after: offset, of: arguments.mark)
      }
    }
  }
}

extension APIRoute {
  private static let gql = APIRoute(
    .post, "gql", "One query in GQL that only reads", .reads,
    [
      CallParameter("query", .text, required: true, "One statement, in openCypher or GQL."),
      CallParameter("parameters", .fields, "The values of its parameters, by name without $."), .at,
      CallParameter("plan", .boolean, "Whether to return the steps of its plan."),
      seconds, .limit(200), .cursor,
    ],
    results: rowPage(plan: "The steps, a text each.") + [
      .init("notes", SchemaType.array, "Names in the query that nothing has, a text each.")
    ]
  ) { inspection, arguments in
    let store = try await inspection.reading(at: arguments.text("at"))
    let text = try arguments.required("query")
    let (offset, budget) = (try arguments.offset(), arguments.inspectorBudget(200))
    let wantsPlan = arguments.boolean("plan") == true
    let seconds = arguments.integer("seconds") ?? GuardedQuery.secondsUsual
    return try await inspection.oneOfFewQueries {
      let began = ContinuousClock.now
      let page = try await GQLPage(
        store, text, arguments.members("parameters"), seconds: seconds, after: offset, budget)
      let took = (ContinuousClock.now - began) / .milliseconds(1)
      let plan: JSONValue = wantsPlan ? .array(try await GQLPage.plan(of: text, store)) : .null
      return [
        ("columns", .array(page.columns.map { .text($0) })), ("plan", plan),
        ("milliseconds", .real(took)), ("notes", .array(page.notes)),
      ] + page.budget.members("rows", after: offset, of: arguments.mark)
    }
  }
}

/// How SQLite runs a statement.
private enum QueryPlan {
  static func json(of sql: String, _ parameters: SQLParameters, _ db: Database) throws
    -> JSONValue
  {
    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
    var depths: [Int64: Int64] = [:]
    var steps: [JSONValue] = []
    try db.forEachRow(of: statement, arguments: parameters.arguments) { row in
      let (id, parent) = (row.integer(0), row.integer(1))
      let depth = depths[parent].map { $0 + 1 } ?? 0
      depths[id] = depth
      steps.append(.object([("depth", .integer(depth)), ("step", .text(row.text(3)))]))
    }
    return .array(steps)
  }
}
