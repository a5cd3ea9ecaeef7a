import Daybook
import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// The tools that read what the store shows now.
extension AgentTool {
  static let reading: [AgentTool] = [schema, get, query, gql, search]

  private static let schema = AgentTool(
    name: "schema", title: "Collections and fields",
    description:
      "Lists the collections of the store, one line of text each; with a collection, all about its "
      + "fields. Call it first.",
    effect: .reads,
    parameters: [
      CallParameter("collection", .text, "The collection to describe; left out, all in short.")
    ],
    results: [
      ("collections", SchemaType.array, "A text for each collection, or one object with details.")
    ]
  ) { session, arguments in
    let schema = try await session.store.schema()
    guard let name = arguments.text("collection") else {
      return [("collections", .array(schema.sorted.map { .text(line($0)) }))]
    }
    return [("collections", .array([AnswerJSON.collection(try collection(name, schema))]))]
  }

  static func collection(_ name: String, _ schema: StoreSchema) throws(CallFailure)
    -> StoreSchema.Collection
  {
    try schema.collection(named: name)
  }

  /// A collection in one line: `notes(title text, pinned boolean)`.
  static func line(_ collection: StoreSchema.Collection) -> String {
    let fields = collection.fields.map { field in
      var words = "\(field.name) \(field.type.rawValue)"
      if let target = field.references { words += " → \(target)" }
      return words
    }
    let kind = collection.isRelationship ? " — relationship" : ""
    return "\(collection.name)(\(fields.joined(separator: ", ")))\(kind)"
      + (collection.isLocal ? " — never leaves this device" : "")
  }

  private static let get = AgentTool(
    name: "get", title: "One entity",
    description: "Returns a live entity with all its fields.", effect: .reads,
    parameters: [Parameters.collection, Parameters.id],
    results: [
      ("entity", SchemaType.optional(SchemaType.object), "The entity; null if there is none.")
    ]
  ) { session, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try collection(name, try await session.store.schema())
    let entity = try await session.store.fetch(name, id)
    return [("entity", entity.map(AnswerJSON.entity) ?? .null)]
  }

  /// The members of a page of rows.
  private static let rowPage: [(name: String, type: JSONValue, description: String)] = [
    ("columns", SchemaType.array, "The names of the columns."),
    ("rows", SchemaType.array, "An array of values for each row."),
    ("truncated", SchemaType.boolean, "Whether there are more rows."),
    ("cursor", SchemaType.optional(SchemaType.text), "Give it to the next call to read on."),
  ]

  private static let query = AgentTool(
    name: "query", title: "SQL",
    description:
      "Runs one SELECT on the tables of the collections, with SQLite's SQL, on a connection that "
      + "can only read. Booleans are 0 and 1, timestamps `YYYY-MM-DD HH:MM:SS.SSS` UTC. Integers "
      + "beyond 2^53 are returned as texts, blobs as base64.",
    effect: .reads,
    parameters: [
      CallParameter("sql", .text, required: true, "One statement; ?, ?1 or :name for parameters."),
      CallParameter("parameters", .sqlArguments, "The values of the parameters."),
      Parameters.seconds, Parameters.limit, Parameters.cursor,
    ],
    results: rowPage
  ) { session, arguments in
    let sql = try arguments.required("sql")
    let (offset, budget) = (try arguments.offset(), arguments.budget)
    let parameters = try SQLParameters(arguments["parameters"])
    let names = try await session.store.schema().sorted.map(\.name)
    return try await GuardedQuery(session.store).run(
      seconds: arguments.integer("seconds") ?? GuardedQuery.secondsUsual
    ) { db in
      let page = try SQLPage(db, sql, parameters, after: offset, budget, tables: names)
      return [("columns", .array(page.columns.map { .text($0) }))]
        + page.budget.members("rows", after: offset, of: arguments.mark)
    }
  }

  private static let gql = AgentTool(
    name: "gql", title: "GQL",
    description:
      "Runs one query in openCypher or GQL that only reads. Collections are labels, collections of "
      + "relationships are types, and their fields are properties: "
      + "MATCH (n:notes)-[:links]->(m) WHERE n.title = $title RETURN m. AT TIME before a query "
      + "reads the past, and EXPLAIN shows the plan.",
    effect: .reads,
    parameters: [
      CallParameter("query", .text, required: true, "One statement; $name for parameters."),
      CallParameter("parameters", .fields, "The values of the parameters, by name without $."),
      Parameters.seconds, Parameters.limit, Parameters.cursor,
    ],
    results: rowPage + [
      ("notes", SchemaType.array, "Names in the query that nothing has, with what may be meant.")
    ]
  ) { session, arguments in
    let offset = try arguments.offset()
    let page = try await GQLPage(
      session.store, try arguments.required("query"), arguments.members("parameters"),
      seconds: arguments.integer("seconds") ?? GuardedQuery.secondsUsual, after: offset,
      arguments.budget)
    return [("columns", .array(page.columns.map { .text($0) })), ("notes", .array(page.notes))]
      + page.budget.members("rows", after: offset, of: arguments.mark)
  }

  private static let search = AgentTool(
    name: "search", title: "Full text",
    description:
      "Finds entities by the words of their searched fields, the best first. `\"a phrase\"`, "
      + "`swif*` for a beginning, `-word` for what must not occur, `a OR b`, `title:word` for one "
      + "field.",
    effect: .reads,
    parameters: [
      CallParameter("text", .text, required: true, "The words."), Parameters.anyCollection,
      CallParameter(
        "match", .choice(["all", "any"]), "Whether all words must occur, or any is enough."),
      Parameters.limit,
    ],
    results: [
      ("hits", SchemaType.array, "Collection, id, score and a snippet with [found] words.")
    ]
  ) { session, arguments in
    let text = try arguments.required("text")
    let match: SearchMatch = arguments.text("match").map { $0 == "any" } == true ? .any : .all
    let hits = try await session.store.search(
      text, in: arguments.text("collection"), match: match,
      limit: arguments.integer("limit") ?? ResultBudget.itemsUsual)
    var budget = ResultBudget(limit: ResultBudget.itemsMax)
    for hit in hits {
      let item = JSONValue.object([
        ("collection", .text(hit.collection)), ("id", .text(hit.id)), ("score", .real(hit.score)),
        ("snippet", .text(hit.snippet)),
      ])
      guard budget.add(item) else { break }
    }
    return [("hits", .array(budget.items))]
  }
}
