package import DaybookEventCore

/// An entity that a local transaction has looked up and is about to write.
package struct EntityHandle {
  let projector: Projector
  let record: EntityRecord
  /// Whether the read model was asked. If not, the entity is known to be new.
  var isLoaded = true

  package var id: String { record.id }
  /// The entity's number; 0 if it has none yet.
  var number: Int64 { record.number }
  var table: CollectionTable {
    // Building the read model loads the tables again.
    isLoaded ? record.table : projector.knownTable(record.table.identity) ?? record.table
  }
  package var isLive: Bool { record.state.isLive }
  /// Whether the read model knows any write to the entity.
  package var isKnown: Bool { record.isStored }
  package var isRestorable: Bool { !record.state.isLive && record.state.insertion != nil }

  /// Whether writes that follow can be taken back; see ``Projector/takeBack(_:of:before:)``.
  package var canComeBack: Bool {
    get throws { try projector.canComeBack(record) }
  }

  /// What tells an entity from all others.
  package struct Key: Hashable {
    fileprivate let table: Int
    /// As bytes: texts that Unicode holds to be equivalent are different ids.
    fileprivate let id: [UInt8]
  }

  package var key: Key { Key(table: record.table.number, id: Array(record.id.utf8)) }

  /// The event that has deleted the entity; nil if it is live, or is not there for another reason.
  package var deletion: EventID? {
    guard !isLive, let (kind, ref) = record.state.existence, UInt64(kind) == OperationKind.delete
    else { return nil }
    return projector.index.event(of: ref)
  }

  /// Returns the event that has written what a field shows; nil if none has.
  /// - Parameter field: the field's first name.
  package func writer(of field: String) -> EventID? {
    record.state[field: record.table.number(ofField: field)].map(projector.index.event)
  }

  /// Returns what a field would show without the write that it shows; NULL if there is no other.
  ///
  /// Cost: the entity's history, and a read of the log.
  /// - Parameter field: the field's first name.
  package func earlierValue(of field: String) throws -> Value {
    try projector.earlierValue(of: record.table.number(ofField: field), record)
  }

  package var entity: StoredEntity? {
    get throws { record.isStored ? try projector.entity(record) : nil }
  }

  /// The values that its registers show, whether it is live or not, by field name.
  package var values: [String: Value] {
    var values: [String: Value] = [:]
    for (field, value) in record.values { values[record.table.fieldNames[field]] = value }
    return values
  }

  /// Returns the write that an edit of a field would begin with, and the text that it is for.
  ///
  /// - Parameter field: the field's first name.
  /// - Returns: nil if the entity has no such write, or shows something else than a text there.
  package func editable(_ field: String) -> (base: EventID, operation: UInt32, text: String)? {
    let number = record.table.number(ofField: field)
    guard let base = record.state.textBase(number) else { return nil }
    let event = EventID(projector.index.origin(base.origin).id, base.sequence)
    switch record.values[number] {
    case nil, .null?: return (event, base.operation, "")
    case .text(let text)?: return (event, base.operation, text)
    default: return nil
    }
  }

  /// The fields that would show an old value again if the entity were inserted without them.
  package var reappearingFields: [String] {
    guard !record.state.isLive else { return [] }
    return record.values.filter { $0.value != .null }.map { record.table.fieldNames[$0.key] }
  }
}

extension Projector {
  /// Looks up an entity for a local write.
  /// - Parameters:
  ///   - collection: a declared collection's schema.
  ///   - id: the entity's id.
  /// - Throws: ``ProjectionError``.
  package func handle(_ collection: CollectionSchema, _ id: String) throws -> EntityHandle {
    let table = try table(collection.identity)
    return EntityHandle(projector: self, record: try entities.load(table, id))
  }

  /// Returns the handle of an entity that was never written, without looking it up.
  func handle(ofUnknown id: String, in collection: CollectionSchema) throws -> EntityHandle {
    EntityHandle(
      projector: self,
      record: EntityRecord(
        table: try table(collection.identity), id: id, number: 0, state: EntityState(),
        values: [:], row: nil, isStored: false),
      isLoaded: false)
  }
}
