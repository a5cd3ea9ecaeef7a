internal import EventCore

extension ReadModelView {
  /// Returns every conflict, sorted by collection, id, field and attribute.
  package func conflicts() throws -> [Conflict] {
    var conflicts: [Conflict] = []
    try forEachConflict {
      conflicts.append($0.conflict)
      return true
    }
    return conflicts
  }

  /// Calls `body` with conflicts, sorted by collection, id, field and attribute,
  /// until it returns false.
  ///
  /// Cost: goes page by page. A page reads each event that is part of a conflict once, and the
  /// state of each entity.
  /// - Parameters:
  ///   - collection: the only collection to look at; nil for all.
  ///   - id: the only entity to look at; nil for all, and for definitions.
  ///   - body: called with each conflict; returns false to stop.
  package func forEachConflict(
    in collection: String? = nil, id: String? = nil,
    _ body: (ExplainedConflict) throws -> Bool
  ) throws {
    for identity in try conflictingCollections() {
      guard collection ?? CollectionIdentity.name(identity) == CollectionIdentity.name(identity)
      else { continue }
      let query = try sql(
        """
        SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
        WHERE collection = ?1\(id == nil ? "" : " AND id = ?2") ORDER BY id, field, attribute
        """)
      try query.bind(1, identity)
      if let id { try query.bind(2, id) }
      defer { query.reset() }
      var isMore = true
      while isMore {
        var page: [ConflictRow] = []
        while page.count < Self.pageRows, isMore {
          isMore = try query.step()
          if isMore { page.append(try conflictRow(query)) }
        }
        for conflict in try explained(page) where try !body(conflict) { return }
      }
    }
  }

  private static let pageRows = 8192

  /// Returns the conflicts about one entity, or about a collection's definition, sorted by field
  /// and attribute. Cost: each event that is part of one is read once.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant.
  ///   - id: the entity's id; nil for the definition.
  package func conflicts(_ collection: String, isLocal: Bool, id: String?) throws -> [Conflict] {
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
      WHERE collection = ?1 AND id IS ?2 ORDER BY field, attribute
      """)
    defer { query.reset() }
    try query.bind(1, CollectionIdentity.of(collection, isLocal: isLocal))
    if let id { try query.bind(2, id) } else { try query.bindNull(2) }
    var rows: [ConflictRow] = []
    while try query.step() { rows.append(try conflictRow(query)) }
    return try explained(rows).map(\.conflict)
  }

  /// Returns the identities of collections with conflicts, by name, a shared one
  /// before a local one.
  private func conflictingCollections() throws -> [String] {
    let query = try sql("SELECT DISTINCT collection FROM _daybook_conflicts")
    defer { query.reset() }
    var found: [String] = []
    while try query.step() { found.append(query.text(0)) }
    return found.sorted {
      let (a, b) = (CollectionIdentity.name($0), CollectionIdentity.name($1))
      return a.utf8.elementsEqual(b.utf8) ? CollectionIdentity.isLocal($1) : utf8Less(a, b)
    }
  }

  private func explained(_ rows: [ConflictRow]) throws -> [ExplainedConflict] {
    let winners = try rows.map(winner(of:))
    var explained = rows.map { row in
      ExplainedConflict(
        conflict: Conflict(
          collection: CollectionIdentity.name(row.collection), id: row.id, field: row.field,
          attribute: row.attribute, writes: [],
          isLocal: CollectionIdentity.isLocal(row.collection)),
        authors: [:])
    }
    var writes = rows.indices.flatMap { number in
      rows[number].writes.map { (row: number, ref: $0) }
    }
    // In the order of events, so that each is read once. An event that has changed much is part of
    // many conflicts: reading it for each of them would be quadratic.
    writes.sort { ($0.ref.origin, $0.ref.sequence) < ($1.ref.origin, $1.ref.sequence) }
    var latest: (event: EventID, body: Body, author: ExplainedConflict.Author)?
    for (number, ref) in writes {
      let event = EventID(index.origin(ref.origin).id, ref.sequence)
      if latest?.event != event {
        let body = try self.body(of: event)
        let times = try times(of: event) ?? EventTimes(authored: .zero)
        latest = (event, body, .init(actor: body.actor, label: body.label, times: times))
      }
      guard let (_, body, author) = latest else { continue }
      explained[number].authors[event] = author
      explained[number].conflict.writes.append(
        Conflict.Write(
          event: event, operation: ref.operation, value: Self.value(body, ref, rows[number]),
          isDeletion: Self.isDeletion(body, ref), wins: winners[number] == ref))
    }
    for number in explained.indices {
      explained[number].conflict.writes.sort { $0.event < $1.event }
    }
    return explained
  }

  /// Returns the writes that are part of conflicts about an entity.
  /// - Parameters:
  ///   - collection: the collection's identity.
  ///   - id: the entity's id.
  func conflictingWrites(_ collection: String, _ id: String) throws -> Set<ConflictWrite> {
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts
      WHERE collection = ?1 AND id = ?2
      """)
    try query.bind(1, collection)
    try query.bind(2, id)
    defer { query.reset() }
    var found: Set<ConflictWrite> = []
    while try query.step() {
      let row = try conflictRow(query)
      for ref in row.writes { found.insert(ConflictWrite(field: row.field, ref: ref)) }
    }
    return found
  }

  private struct ConflictRow {
    var collection: String
    var id: String?
    var field: String
    var attribute: String
    var writes: [WriteRef]
  }

  /// - Parameter query: a statement at a row of collection, id, field, attribute and writes.
  private func conflictRow(_ query: Statement) throws -> ConflictRow {
    let writes = try query.blob(4).withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      var writes: [WriteRef] = []
      while !reader.isAtEnd {
        let ref = try WriteRef(from: &reader)
        guard index.isKnown(ref) else { throw ProjectionError.damaged("a conflict") }
        writes.append(ref)
      }
      return writes
    }
    return ConflictRow(
      collection: query.text(0), id: query.isNull(1) ? nil : query.text(1),
      field: query.text(2), attribute: query.text(3), writes: writes)
  }

  /// Returns the write that the register of a conflict shows.
  private func winner(of row: ConflictRow) throws -> WriteRef? {
    if let record = try row.id.flatMap({ try record(identity: row.collection, $0) }) {
      if row.field.isEmpty { return record.state.existence?.ref ?? record.state.floor }
      return record.table.knownNumber(ofField: row.field).flatMap { record.state[field: $0] }
    }
    let register = DefinitionRegisters.Register(
      collection: row.collection, field: row.field, attribute: row.attribute)
    return projector.definitions.winners[register]?.ref
  }

  private static func isDeletion(_ body: Body, _ ref: WriteRef) -> Bool {
    guard Int(ref.operation) < body.operations.count else { return false }
    return switch body.operations[Int(ref.operation)] {
    case .delete, .erase: true
    default: false
    }
  }

  private static func value(_ body: Body, _ ref: WriteRef, _ row: ConflictRow) -> Value {
    guard Int(ref.operation) < body.operations.count else { return .null }
    let operation = body.operations[Int(ref.operation)]
    if row.id == nil {
      let register = DefinitionRegisters.Register(
        collection: row.collection, field: row.field, attribute: row.attribute)
      let writes = DefinitionRegisters.writes(
        of: operation, ref: ref, isLocal: CollectionIdentity.isLocal(row.collection))
      return writes.last { $0.register == register }?.value ?? .null
    }
    switch operation {
    case .insert(_, _, let fields):
      return row.field.isEmpty ? .boolean(true) : fields[row.field] ?? .null
    case .update(_, _, let fields): return fields[row.field] ?? .null
    case .restore: return .boolean(true)
    default: return .null
    }
  }
}
