import DaybookEventCore

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
  /// Whether a text of it was edited, so that the search index follows later.
  var isEdited = false
  /// The number of its latest writes that the row does not show yet.
  var newWrites = 0
  /// What the store keeps of the entity; nil if it has not been worked out.
  var facts: EntityFacts?

  /// Returns the entity's summand in the digest; nil for a local collection, which is in no digest.
  func contribution(_ index: EventIndex) -> Hash256? {
    if table.isLocal { return nil }
    let hasEdits = state.texts.contains { $0.merged > 0 }
    var writer = ByteWriter(capacity: 256)
    writer.raw(hasEdits ? Self.domainWithEdits : Self.domain)
    writer.text(table.name)
    EntityIDCodec.encode(id, to: &writer)
    let existence = state.existence ?? state.floor.map { (UInt8(OperationKind.erase), $0) }
    writer.byte(existence?.0 ?? 0)
    if let existence {
      existence.1.encodeForDigest(origin: index.origin(existence.1.origin).id, to: &writer)
    }
    writer.byte(state.isLive ? 1 : 0)
    let shown =
      state.fields
      + state.unassignedTexts.compactMap { text in
        text.base.map { EntityState.FieldWinner(field: text.field, ref: $0) }
      }
    writer.varint(shown.count)
    let names = table.fieldNames
    var hash = Hash256.Builder()
    for winner in shown.sorted(by: { utf8Less(names[$0.field], names[$1.field]) }) {
      writer.text(names[winner.field])
      if let text = (values[winner.field] ?? .null).encodeHead(to: &writer) {
        hash.append(writer.bytes)
        hash.append(text)
        writer = ByteWriter(capacity: 256)
      }
      winner.ref.encodeForDigest(origin: index.origin(winner.ref.origin).id, to: &writer)
      if hasEdits {
        writer.varint(state.texts.first { $0.field == winner.field }?.merged ?? 0)
      }
    }
    hash.append(writer.bytes)
    return hash.hash
  }

  static let domain = Array("daybook.entity.1".utf8)
  private static let domainWithEdits = Array("daybook.entity.2".utf8)
}

/// A write to an entity: an operation with the names of its fields turned into numbers.
struct EntityWrite {
  var ref: WriteRef
  var kind: UInt64
  /// The written values by field number; empty for an edit.
  var values: [Int: Value]
  var edit: Edit?
  /// Which events an undo names; nil for other writes.
  var undo: Undo?

  /// What an edit changes, and the write that its author's text began with.
  struct Edit {
    var field: Int
    var base: WriteRef
    var script: [UInt8]
    var isComparison: Bool
  }

  var historyEntry: HistoryEntry {
    if let edit {
      return HistoryEntry(
        ref: ref, kind: HistoryEntry.edit, fields: [edit.field], base: edit.base)
    }
    if undo != nil { return HistoryEntry(ref: ref, kind: HistoryEntry.undo, fields: []) }
    return HistoryEntry(ref: ref, kind: UInt8(kind), fields: values.keys.sorted())
  }
}
