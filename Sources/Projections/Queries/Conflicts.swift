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
  package func conflicts() throws -> [Conflict] {
    var conflicts: [Conflict] = []
    for found in try conflictRows("1 = 1", bind: { _ in }) {
      let record = try found.id.flatMap { try self.record(identity: found.collection, $0) }
      let writes = try found.writes.map { ref in
        let body = try body(of: EventID(index.origin(ref.origin).id, ref.sequence))
        return Conflict.Write(
          event: EventID(index.origin(ref.origin).id, ref.sequence), operation: ref.operation,
          value: Self.value(body, ref, found), isDeletion: Self.isDeletion(body, ref),
          wins: isWinner(ref, found, record))
      }
      conflicts.append(
        Conflict(
          collection: CollectionIdentity.name(found.collection), id: found.id, field: found.field,
          attribute: found.attribute, writes: writes.sorted { $0.event < $1.event },
          isLocal: CollectionIdentity.isLocal(found.collection)))
    }
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

  private func isWinner(_ ref: WriteRef, _ row: ConflictRow, _ record: EntityRecord?) -> Bool {
    if let record {
      if row.field.isEmpty { return (record.state.existence?.ref ?? record.state.floor) == ref }
      let field = record.table.knownNumber(ofField: row.field)
      return field.flatMap { record.state[field: $0] } == ref
    }
    let register = DefinitionRegisters.Register(
      collection: row.collection, field: row.field, attribute: row.attribute)
    return projector.definitions.winners[register]?.ref == ref
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
