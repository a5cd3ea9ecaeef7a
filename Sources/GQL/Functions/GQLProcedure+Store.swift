import Daybook
import DaybookEventCore
import DaybookProjections

/// The store's own procedures.
extension GQLProcedure {
  static let all: [GQLProcedure] = [
    names("db.labels", "label", .labels, "the labels that nodes have"),
    names("db.relationshipTypes", "relationshipType", .types, "the types of relationships"),
    names("db.propertyKeys", "propertyKey", .properties, "the names of properties"),
    GQLProcedure(
      "store.search", [.init("text", .string), .init("limit", .integer)],
      ["node", "score", "snippet"],
      "the nodes of typed collections whose searchable fields match, the best first", rows: search),
    GQLProcedure(
      "store.importance", [.init("types", .list), .init("limit", .integer)], ["node", "score"],
      "the nodes with the highest PageRank by relationships of these types; of all types if null",
      rows: importance),
    GQLProcedure(
      "store.history", [.init("element", .any)],
      ["event", "time", "actor", "label", "kind", "name", "before", "after", "isUndone"],
      "every write to a node or relationship, a row for each property or label that it changed",
      rows: history),
    GQLProcedure(
      "store.changes", [.init("since", .any), .init("limit", .integer)],
      [
        "element", "id", "event", "time", "actor", "label", "kind", "name", "before", "after",
        "isUndone",
      ],
      "so many writes after a moment, as store.history has them, the latest first; the element is "
        + "null if it is not there now", rows: changes),
    GQLProcedure(
      "store.promote", [.init("label", .string), .init("collection", .string)],
      ["nodes", "relationships"],
      "makes the open nodes of a label entities of a typed collection, which is defined by their "
        + "properties if there is none; how many nodes and relationships were moved", writes: true,
      rows: promote),
  ]

  private static func names(
    _ name: String, _ field: String, _ kind: NameKind, _ summary: String
  ) -> GQLProcedure {
    GQLProcedure(name, [], [field], summary) { _, run in
      try run.graph.names(kind).map { [.string($0)] }
    }
  }

  /// The read model of a statement.
  private static func readModel(_ run: PlanRun, _ name: String) throws -> ReadModelView {
    guard let view = run.graph.readModel else {
      throw GQLError(
        .unsupported, "UnsupportedFeature", "\(name) runs only in statements that do not write",
        hint: "Run it first, and give what it returns as a parameter")
    }
    return view
  }

  private static func limit(_ value: GQLValue, _ name: String) throws -> Int {
    if value.isNull { return .max }
    guard case .integer(let limit) = value, limit >= 0 else {
      throw GQLError(
        .argument, "NegativeIntegerArgument", "\(name) takes a limit of at least 0",
        hint: "null is no limit")
    }
    return Int(clamping: limit)
  }

  // MARK: - Search

  @Sendable private static func search(_ arguments: [GQLValue], _ run: PlanRun) throws
    -> [[GQLValue]]
  {
    guard case .string(let text) = arguments[0] else { return [] }
    let limit = try limit(arguments[1], "store.search")
    let request = SearchRequest(text, limit: limit, markers: ("[", "]"))
    let hits = try surfacing { try readModel(run, "store.search").search(request) }
    return try hits.compactMap { hit in
      // Some collections are no part of the session's graph.
      try run.graph.node(GQLElementID(collection: hit.collection, id: hit.id)).map {
        [.node($0), .float(hit.score), .string(hit.snippet)]
      }
    }
  }

  // MARK: - Importance

  @Sendable private static func importance(_ arguments: [GQLValue], _ run: PlanRun) throws
    -> [[GQLValue]]
  {
    var types: [String]?
    if case .list(let names) = arguments[0] {
      types = try names.map { try $0.text(of: "store.importance") }
    }
    let limit = try limit(arguments[1], "store.importance")
    let view = try readModel(run, "store.importance")
    let collections = try run.graph.relationshipCollections(types: types)
    guard !collections.isEmpty else { return [] }
    let ranks = try surfacing {
      try view.graph(via: collections, where: [:]).importance(
        by: .pageRank, weight: nil, limit: limit)
    }
    return try ranks.compactMap { rank in
      let id = GQLElementID(collection: rank.vertex.collection, id: rank.vertex.id)
      return try run.graph.node(id).map { [.node($0), .float(rank.score)] }
    }
  }

  // MARK: - Promotion

  @Sendable private static func promote(_ arguments: [GQLValue], _ run: PlanRun) throws
    -> [[GQLValue]]
  {
    let names = try arguments.map { try $0.text(of: "store.promote") }
    guard let graph = run.graph as? TransactionGraph else {
      throw GQLError(.readOnly, "ReadOnly", "store.promote writes, and the session only reads")
    }
    let moved = try graph.promote(names[0], to: names[1], run)
    return [[.integer(Int64(moved.nodes)), .integer(Int64(moved.relationships))]]
  }

  // MARK: - History

  @Sendable private static func history(_ arguments: [GQLValue], _ run: PlanRun) throws
    -> [[GQLValue]]
  {
    let id: GQLElementID
    switch arguments[0] {
    case .null: return []
    case .node(let node): id = node.id
    case .relationship(let one): id = one.id
    case let other: throw GQLFunction.wrong("store.history", other)
    }
    let view = try readModel(run, "store.history")
    return try items(of: id, view).flatMap { rows(of: $0, id.collection, run) }
  }

  private static func items(of id: GQLElementID, _ view: ReadModelView) throws -> [HistoryItem] {
    try surfacing {
      try view.history(of: id.id, in: id.collection).map {
        view.schema.named($0, in: id.collection)
      }
    }
  }

  /// Returns a row for each property or label that a write changed.
  private static func rows(of item: HistoryItem, _ collection: String, _ run: PlanRun)
    -> [[GQLValue]]
  {
    let event: [GQLValue] = [
      .string("\(item.event.origin):\(item.event.sequence)"),
      moment(item.times.authored.milliseconds),
      .string(item.actor), .string(item.label), .string(item.kind.rawValue),
    ]
    let changes: [[GQLValue]] = item.changes.compactMap { change in
      guard let meaning = run.graph.meaning(ofField: change.field, in: collection) else {
        // The ends of a relationship are no properties.
        return nil
      }
      return [
        .string(meaning.shown), meaning.value(change.from), meaning.value(change.to),
      ]
    }
    return (changes.isEmpty ? [[.null, .null, .null]] : changes).map {
      event + $0 + [.boolean(item.isUndone)]
    }
  }

  // MARK: - Changes

  @Sendable private static func changes(_ arguments: [GQLValue], _ run: PlanRun) throws
    -> [[GQLValue]]
  {
    let limit = try limit(arguments[1], "store.changes")
    let view = try readModel(run, "store.changes")
    guard let selection = try selection(arguments[0], view) else { return [] }
    var found: [(item: HistoryItem, id: GQLElementID)] = []
    for written in try surfacing({ try view.entities(writtenOutside: selection) }) {
      let id = GQLElementID(
        collection: written.collection, id: String(decoding: written.id, as: UTF8.self))
      guard run.graph.isPart(id.collection) else { continue }
      for item in try items(of: id, view) where !selection.contains(item.event, item.times) {
        try run.budget.keep(bytes: 200)
        found.append((item, id))
      }
    }
    func key(_ item: HistoryItem) -> (Int64, String, UInt64, UInt32) {
      (
        item.times.authored.milliseconds, item.event.origin.description, item.event.sequence,
        item.operation
      )
    }
    found.sort { key($0.item) > key($1.item) }
    return try found.prefix(limit).flatMap { item, id in
      let element: GQLValue =
        try run.graph.node(id).map { .node($0) }
        ?? run.graph.relationship(id).map { .relationship($0) } ?? .null
      return rows(of: item, id.collection, run).map { [element, .string(id.id)] + $0 }
    }
  }

  /// Returns what was there at a moment; nil for null.
  private static func selection(_ value: GQLValue, _ view: ReadModelView) throws -> Selection? {
    switch value {
    case .null: return nil
    case .string(let text):
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      let origins = view.wholeVector.entries.map(\.0).filter {
        !parts[0].isEmpty && $0.description.begins(with: String(parts[0]))
      }
      guard parts.count == 2, let sequence = UInt64(parts[1]), let origin = origins.first,
        origins.count == 1
      else {
        throw GQLError(
          .argument, "InvalidArgumentValue", "store.changes: there is no event “\(text)”",
          hint: "Give an event as its replica and number, or a date or datetime")
      }
      return .vector(try surfacing { try view.vector(at: EventID(origin, sequence)) })
    default:
      guard let milliseconds = GQLSession.milliseconds(value) else {
        throw GQLFunction.wrong("store.changes", value)
      }
      return .time(milliseconds)
    }
  }

  private static func moment(_ milliseconds: Int64) -> GQLValue {
    let (seconds, rest) = (
      milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds + 1) / 1_000 - 1,
      ((milliseconds % 1_000) + 1_000) % 1_000
    )
    return .dateTime(
      GQLDateTime(
        local: GQLLocalDateTime(seconds: seconds, nanosecond: rest * 1_000_000), offset: 0))
  }

  /// Runs a query of the read model, whose errors become errors of the statement.
  private static func surfacing<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as ProjectionError {
      throw GQLError(.argument, "InvalidArgumentValue", error.message, hint: error.hint)
    }
  }
}
