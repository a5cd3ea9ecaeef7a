import DaybookEventCore

extension ReadModelView {
  /// Returns the first difference from the internal tables of a read model that was just made:
  /// origins, contexts, unique values, conflicts, authored times and stamps.
  ///
  /// Numbers may differ, since they are assigned in the order of arrival. Histories
  /// are compared by ``EntitySum``.
  func firstInternalDifference(from fresh: ReadModelView) throws -> ReadModelDifference? {
    for (place, query) in Self.internalQueries {
      if let difference = try Self.rows(query, place, sql, fresh.sql) { return difference }
    }
    if try conflicts() != fresh.conflicts() {
      return ReadModelDifference(place: "conflicts", message: "they are not those of the log")
    }
    return try timesDifference(fresh)
  }

  private static let internalQueries: [(place: String, query: String)] = [
    (
      "origins",
      "SELECT hex(origin), sequence, hex(chain), authored, flags, hex(times), far FROM "
        + "_daybook_origins ORDER BY 1"
    ),
    (
      "contexts",
      """
      SELECT hex(a.origin), hex(s.origin), m.number, m.through FROM _daybook_mentions m
      LEFT JOIN _daybook_origins a ON a.number = m.author
      LEFT JOIN _daybook_origins s ON s.number = m.seen ORDER BY 1, 3
      """
    ),
    (
      "contexts",
      """
      SELECT hex(a.origin), hex(s.origin), c.sequence, c.through FROM _daybook_context c
      LEFT JOIN _daybook_origins a ON a.number = c.author
      LEFT JOIN _daybook_origins s ON s.number = c.seen ORDER BY 1, 2, 3
      """
    ),
    (
      "edits that do not fit",
      """
      SELECT u.collection, u.id, u.field, hex(o.origin), u.sequence, u.operation
      FROM _daybook_unfit u LEFT JOIN _daybook_origins o ON o.number = u.origin
      ORDER BY 1, 2, 3, 4, 5, 6
      """
    ),
    (
      "parked",
      """
      SELECT DISTINCT c.name, u.id FROM _daybook_parked_members m
      LEFT JOIN _daybook_collections c ON c.number = m.collection
      LEFT JOIN _daybook_unique u ON u.collection = m.collection AND u.entity = m.entity
      ORDER BY 1, 2
      """
    ),
    (
      "unique",
      """
      SELECT c.name, f.name, u.value, hex(u.rank), u.id FROM _daybook_unique u
      LEFT JOIN _daybook_collections c ON c.number = u.collection
      LEFT JOIN _daybook_fields f ON f.collection = u.collection AND f.number = u.field
      ORDER BY 1, 2, 3, 4
      """
    ),
  ]

  private static func rows(
    _ text: String, _ place: String, _ live: StatementCache, _ fresh: StatementCache
  ) throws(ProjectionError) -> ReadModelDifference? {
    let (a, b) = (try live(text), try fresh(text))
    defer {
      a.reset()
      b.reset()
    }
    while true {
      let (hasA, hasB) = (try a.step(), try b.step())
      if !hasA, !hasB { return nil }
      let count = hasA ? a.columnCount : b.columnCount
      let isSame =
        hasA && hasB && (0..<count).allSatisfy { a.cell($0) == b.cell($0) }
      if !isSame {
        return ReadModelDifference(place: place, message: "they are not those of the log")
      }
    }
  }

  /// Compares the authored time of every event, and its place in the order,
  /// which its stamps decide.
  private func timesDifference(_ fresh: ReadModelView) throws -> ReadModelDifference? {
    for (origin, last) in wholeVector.entries where last > 0 {
      guard let a = index.knownNumber(of: origin), let b = fresh.index.knownNumber(of: origin)
      else { continue }
      for sequence in 1...last {
        guard
          try index.authored(a, sequence) != fresh.index.authored(b, sequence)
            || index.order(a, sequence) != fresh.index.order(b, sequence)
        else { continue }
        return ReadModelDifference(
          place: "events", id: "\(EventID(origin, sequence))",
          message: "its times are not those of the log")
      }
    }
    return nil
  }

  /// A write in an entity's history, without the numbers of this read model.
  private struct Write: Hashable, Comparable {
    var event: EventID
    var operation: UInt32
    var kind: UInt8
    var fields: [String]

    static func < (a: Write, b: Write) -> Bool {
      (a.event.origin, a.event.sequence, a.operation)
        < (b.event.origin, b.event.sequence, b.operation)
    }
  }

  /// Returns the identities of all collections that any event has named.
  func collectionIdentities() throws(ProjectionError) -> [String] {
    let query = try sql("SELECT name FROM _daybook_collections ORDER BY name")
    defer { query.reset() }
    var names: [String] = []
    while try query.step() { names.append(query.text(0)) }
    return names
  }

  /// Returns the first entity of a collection whose history differs; nil if all are equal.
  func historyDifference(_ fresh: ReadModelView, in collection: String) throws
    -> ReadModelDifference?
  {
    let ids = try fresh.everyID(of: collection)
    defer { ids.reset() }
    while try ids.step() {
      let id = ids.text(0)
      guard try writes(collection, id) != fresh.writes(collection, id) else { continue }
      return ReadModelDifference(
        place: CollectionIdentity.name(collection), id: id,
        message: "its history is not what the log says")
    }
    return nil
  }

  /// Returns a query for the ids of all entities of a collection that were ever
  /// written, live or not.
  private func everyID(of collection: String) throws(ProjectionError) -> Statement {
    let absent = """
      SELECT e.id FROM _daybook_entities e JOIN _daybook_collections c ON c.number = e.collection
      WHERE c.name = ?1
      """
    let live =
      schema[identity: collection].map { "SELECT id FROM \(Names.quoted($0.name)) UNION " } ?? ""
    let query = try sql("\(live)\(absent) ORDER BY 1")
    try query.bind(1, collection)
    return query
  }

  private func writes(_ collection: String, _ id: String) throws -> [Write] {
    guard let record = try record(identity: collection, id) else { return [] }
    return try projector.entities.history.entries(of: record).map { entry in
      guard index.isKnown(entry.ref.origin) else {
        throw ProjectionError.damaged("an unknown origin in a history")
      }
      let names = record.table.fieldNames
      return Write(
        event: EventID(index.origin(entry.ref.origin).id, entry.ref.sequence),
        operation: entry.ref.operation, kind: entry.kind,
        fields: entry.fields.map { names.indices.contains($0) ? names[$0] : "?" }.sorted())
    }.sorted()
  }
}
