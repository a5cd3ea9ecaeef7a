public import EventCore

/// A register on which authors disagree who had not seen each other's writes.
public struct Conflict: Hashable, Sendable {
  public struct Write: Hashable, Sendable {
    public var event: EventID
    public var operation: UInt32
    /// NULL where the write was a delete or an erase.
    public var value: Value
    /// Whether it was a delete or an erase: it writes every field, and existence.
    public var isDeletion: Bool
    /// Whether the register shows it.
    public var wins: Bool

    public init(
      event: EventID, operation: UInt32, value: Value, isDeletion: Bool = false, wins: Bool
    ) {
      self.event = event
      self.operation = operation
      self.value = value
      self.isDeletion = isDeletion
      self.wins = wins
    }
  }

  public var collection: String
  /// Nil where it is about a definition.
  public var id: String?
  /// Empty where it is about an entity's existence, or a collection's own attribute.
  public var field: String
  /// Of a definition; else empty.
  public var attribute: String
  /// The writes that no other author had seen, ascending by event.
  public var writes: [Write]
  /// Whether it is about a local collection.
  public var isLocal: Bool

  public init(
    collection: String, id: String?, field: String, attribute: String, writes: [Write],
    isLocal: Bool = false
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.attribute = attribute
    self.writes = writes
    self.isLocal = isLocal
  }
}

/// A write that is part of a conflict about a field.
struct ConflictWrite: Hashable {
  var field: String
  var ref: WriteRef
}

extension ReadModelView {
  /// Every conflict, in the order of collection, id, field and attribute.
  ///
  /// Cost: each event that is part of any is read once, and the state of each entity.
  package func conflicts() throws -> [Conflict] {
    let rows = try conflictRows("1 = 1", bind: { _ in })
    let winners = try rows.map(winner(of:))
    var conflicts = rows.map { row in
      Conflict(
        collection: CollectionIdentity.name(row.collection), id: row.id, field: row.field,
        attribute: row.attribute, writes: [],
        isLocal: CollectionIdentity.isLocal(row.collection))
    }
    var writes = rows.indices.flatMap { number in
      rows[number].writes.map { (row: number, ref: $0) }
    }
    // In the order of events: one that has changed much is part of many conflicts, and to read it for
    // each of them would cost the square of that.
    writes.sort { ($0.ref.origin, $0.ref.sequence) < ($1.ref.origin, $1.ref.sequence) }
    var latest: (event: EventID, body: Body)?
    for (number, ref) in writes {
      let event = EventID(index.origin(ref.origin).id, ref.sequence)
      let body = try latest.flatMap { $0.event == event ? $0.body : nil } ?? self.body(of: event)
      latest = (event, body)
      conflicts[number].writes.append(
        Conflict.Write(
          event: event, operation: ref.operation, value: Self.value(body, ref, rows[number]),
          isDeletion: Self.isDeletion(body, ref), wins: winners[number] == ref))
    }
    for number in conflicts.indices { conflicts[number].writes.sort { $0.event < $1.event } }
    return conflicts.sorted {
      if $0.collection != $1.collection { return utf8Less($0.collection, $1.collection) }
      if $0.isLocal != $1.isLocal { return $1.isLocal }
      // By bytes: texts that Unicode holds to be equivalent are different ids.
      let (a, b) = ($0.id ?? "", $1.id ?? "")
      if !a.utf8.elementsEqual(b.utf8) { return utf8Less(a, b) }
      return $0.field != $1.field
        ? utf8Less($0.field, $1.field) : utf8Less($0.attribute, $1.attribute)
    }
  }

  /// - Parameter collection: its identity.
  func conflictingWrites(_ collection: String, _ id: String) throws -> Set<ConflictWrite> {
    let rows = try conflictRows("collection = ?1 AND id = ?2") {
      try $0.bind(1, collection)
      try $0.bind(2, id)
    }
    return Set(rows.flatMap { row in row.writes.map { ConflictWrite(field: row.field, ref: $0) } })
  }

  private struct ConflictRow {
    var collection: String
    var id: String?
    var field: String
    var attribute: String
    var writes: [WriteRef]
  }

  private func conflictRows(_ condition: String, bind: (Statement) throws -> Void) throws
    -> [ConflictRow]
  {
    let query = try sql(
      """
      SELECT collection, id, field, attribute, writes FROM _daybook_conflicts WHERE \(condition)
      """)
    try bind(query)
    defer { query.reset() }
    var rows: [ConflictRow] = []
    while try query.step() {
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
      rows.append(
        ConflictRow(
          collection: query.text(0), id: query.isNull(1) ? nil : query.text(1),
          field: query.text(2), attribute: query.text(3), writes: writes))
    }
    return rows
  }

  /// The write that a register shows.
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
