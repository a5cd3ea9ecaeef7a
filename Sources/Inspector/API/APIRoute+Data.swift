import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// Collections as tables, and entities with their history.
extension APIRoute {
  static let ofData: [APIRoute] = [rows, pastRows, entity, history, blame, value, export]

  private static let page: [Result] = [
    .init("columns", SchemaType.array, "The names of the fields, as rows have them."),
    .init("rows", SchemaType.array, "The rows: the id, and a cell for each column."),
  ]

  private static let rows = APIRoute(
    .get, "rows", "A page of a collection's table", .reads,
    [
      .collection, .at, CallParameter("sort", .text, "The field to sort by; left out, the id."),
      CallParameter("descending", .boolean, "Whether the greatest comes first."),
      CallParameter(
        "filter", .any,
        "Conditions, an array of {field, is, value}: equal, different, contains, less, more, "
          + "empty, filled."),
      CallParameter("offset", .integer(0...1_000_000_000), "The number of rows to pass over."),
      CallParameter("count", .boolean, "Whether to count the rows that the filter lets pass."),
      .limit(100), .cursor,
    ],
    results: page + [
      .init("count", SchemaType.optional(SchemaType.integer), "The number of rows, if asked for."),
      .init("truncated", SchemaType.boolean, "Whether there are more."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  ) { inspection, arguments in
    let store = try await inspection.reading(at: arguments.text("at"))
    let schema = try await store.schema()
    let page = try RowPage(arguments, schema)
    let collection = try schema.collection(named: try arguments.required("collection"))
    let offset = try arguments.offset() + (arguments.integer("offset") ?? 0)
    let limit = arguments.integer("limit") ?? 100
    let wantsCount = arguments.boolean("count") == true
    let budget = arguments.inspectorBudget()
    return try await GuardedQuery(store).run(seconds: GuardedQuery.secondsUsual) { db in
      var budget = budget
      let count = wantsCount ? try page.count(db) : nil
      do { try page.read(db, after: offset, limit: limit, &budget) } catch is RowPage.IsFull {}
      let passed = try arguments.offset()
      return [
        ("columns", .array(collection.fields.map { .text($0.name) })),
        ("count", count.map { .integer(Int64($0)) } ?? .null),
      ] + budget.members("rows", after: passed, of: arguments.mark)
    }
  }

  private static let pastRows = APIRoute(
    .get, "rows/past", "Rows as they were at a moment, as far as time allows", .reads,
    [
      .collection, CallParameter("at", .text, required: true, CallParameter.at.description),
      CallParameter("after", .text, "The id behind which to begin."), .limit(50),
    ],
    results: page + [
      .init(
        "next", SchemaType.optional(SchemaType.text),
        "The id behind which to read on; null if there are no more rows.")
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let schema = try await store.schema()
    let collection = try schema.collection(named: try arguments.required("collection"))
    let vector = try await store.vector(
      at: try await store.position(try arguments.required("at")))
    let (after, limit) = (arguments.text("after"), arguments.integer("limit") ?? 50)
    let (rows, next) = try await store.core.reads.asynchronously { snapshot in
      try RowPage.past(
        collection, after: after, limit: limit, in: .milliseconds(60), vector, try snapshot.view)
    }
    return [
      ("columns", .array(collection.fields.map { .text($0.name) })), ("rows", .array(rows)),
      ("next", next.map { .text($0) } ?? .null),
    ]
  }

  // MARK: - One entity

  private static let entity = APIRoute(
    .get, "entity", "An entity, now or at a moment", .reads, [.collection, .id, .at],
    results: [
      .init("entity", SchemaType.optional(SchemaType.object), "The entity; null if there is none.")
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try await store.schema().collection(named: name)
    let found: StoredEntity?
    if let at = arguments.text("at"), !at.isEmpty {
      found = try await store.at(try await store.position(at)).fetch(name, id)
    } else {
      found = try await store.fetch(name, id)
    }
    return [("entity", found.map { InspectorValue.entity($0) } ?? .null)]
  }

  private static let history = APIRoute(
    .get, "history", "Every write to an entity", .reads, [.collection, .id, .limit(100), .cursor],
    results: [
      .init("writes", SchemaType.array, "The writes, the last one first."),
      .init("truncated", SchemaType.boolean, "Whether there are more."),
      .init("cursor", SchemaType.optional(SchemaType.text), "To read on."),
    ]
  ) { inspection, arguments in
    let store = inspection.store
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    _ = try await store.schema().collection(named: name)
    let offset = try arguments.offset()
    var budget = arguments.inspectorBudget()
    for item in try await store.history(of: name, id).reversed().dropFirst(offset) {
      guard budget.add(InspectorValue.write(item)) else { break }
    }
    return budget.members("writes", after: offset, of: arguments.mark)
  }

  private static let blame = APIRoute(
    .get, "blame", "Who wrote the parts of a text", .reads,
    [.collection, .id, CallParameter("field", .text, required: true, "A text field.")],
    results: [.init("parts", SchemaType.array, "The parts of the text, in order.")]
  ) { inspection, arguments in
    let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
    let parts = try await inspection.store.blame(
      of: name, id, text: try arguments.required("field"))
    var budget = ResultBudget(limit: ResultBudget.itemsMax, bytesMax: 4 << 20)
    for part in parts {
      let isAdded = budget.add(
        .object(
          InspectorValue.event(part.event, part.times, part.actor, part.label) + [
            ("text", InspectorValue.text(part.text, InspectorValue.longBytes))
          ]))
      guard isAdded else { break }
    }
    return [("parts", .array(budget.items))]
  }

  // MARK: - Files

  private static let value = APIRoute(
    .get, "value", "A value in full, as a file", .reads,
    [.collection, .id, CallParameter("field", .text, required: true, "The field."), .at], [],
    .file { inspection, arguments in
      let store = inspection.store
      let (name, id) = (try arguments.required("collection"), try arguments.required("id"))
      let collection = try await store.schema().collection(named: name)
      let field = try collection.field(named: try arguments.required("field"))
      let found: StoredEntity?
      if let at = arguments.text("at"), !at.isEmpty {
        found = try await store.at(try await store.position(at)).fetch(name, id)
      } else {
        found = try await store.fetch(name, id)
      }
      guard let found else {
        throw APIFailure(404, "noSuchEntity", "there is no entity \(name)/\(id.prefix(80))")
      }
      return ExportFile.value(found[field.name], field)
    })

  private static let export = APIRoute(
    .get, "export", "A collection as a file", .reads,
    [
      .collection, .at,
      CallParameter("format", .choice(["ndjson", "csv"]), "Left out, ndjson, as of evtool."),
    ], [],
    .file { inspection, arguments in
      let store = try await inspection.reading(at: arguments.text("at"))
      let collection = try await store.schema().collection(
        named: try arguments.required("collection"))
      return ExportFile.rows(
        of: collection, store, isCSV: arguments.text("format").map { $0 == "csv" } ?? false)
    })
}
