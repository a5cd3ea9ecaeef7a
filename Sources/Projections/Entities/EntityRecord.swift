import EventCore

/// An entity in memory while it is being read or written.
struct EntityRecord {
  let table: CollectionTable
  let id: String
  /// The row's rowid, and the key of the entity's state.
  var number: Int64
  var state: EntityState
  /// The value that each register shows, by field number.
  var values: [Int: Value]
  /// The row as it stands in the table; nil if there is none.
  var row: [Cell]?
  /// Whether the read model has the entity already.
  var isStored: Bool
  /// What the store keeps of the entity; nil if it has not been worked out.
  var facts: EntityFacts?

  /// Returns the entity's summand in the digest; nil for a local collection, which is in no digest.
  func contribution(_ index: EventIndex) -> Hash256? {
    if table.isLocal { return nil }
    var writer = ByteWriter(capacity: 256)
    writer.raw(Self.domain)
    writer.text(table.name)
    EntityIDCodec.encode(id, to: &writer)
    let existence = state.existence ?? state.floor.map { (UInt8(OperationKind.erase), $0) }
    writer.byte(existence?.0 ?? 0)
    if let existence {
      existence.1.encodeForDigest(origin: index.origin(existence.1.origin).id, to: &writer)
    }
    writer.byte(state.isLive ? 1 : 0)
    writer.varint(state.fields.count)
    let names = table.fieldNames
    for winner in state.fields.sorted(by: { utf8Less(names[$0.field], names[$1.field]) }) {
      writer.text(names[winner.field])
      (values[winner.field] ?? .null).encode(to: &writer)
      winner.ref.encodeForDigest(origin: index.origin(winner.ref.origin).id, to: &writer)
    }
    return Hash256.sha256(of: writer.bytes)
  }

  static let domain = Array("daybook.entity.1".utf8)
}

/// A write to an entity: an operation with the names of its fields turned into numbers.
struct EntityWrite {
  var ref: WriteRef
  var kind: UInt64
  /// The written values by field number.
  var values: [Int: Value]

  var historyEntry: HistoryEntry {
    HistoryEntry(ref: ref, kind: UInt8(kind), fields: values.keys.sorted())
  }
}
