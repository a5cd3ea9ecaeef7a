public import DaybookEventCore

/// A live entity: its id and its fields.
public struct StoredEntity: Sendable {
  /// The collection.
  public var collection: String
  /// The id.
  public var id: String
  /// The values by the fields' names; a field that is absent is NULL.
  public var fields: [String: Value]
  /// The entity's version, which changes with every write that changes the entity.
  public var version: EntityVersion
  /// The names of the fields that were renamed, by their first names.
  package var renamed: [String: String] = [:]

  /// Makes an entity, for example for a preview or a test.
  public init(
    collection: String, id: String, fields: [String: Value], version: EntityVersion
  ) {
    self.collection = collection
    self.id = id
    self.fields = fields
    self.version = version
  }

  /// Makes an entity of a collection's table.
  init(_ record: EntityRecord, fields: [String: Value], version: EntityVersion) {
    self.init(
      collection: record.table.name, id: record.id, fields: fields, version: version)
    for column in record.table.columns where column.schema.name != column.schema.identity {
      renamed[column.schema.identity] = column.schema.name
    }
  }

  /// The value of a field; NULL if it has none.
  public subscript(field: String) -> Value { fields[field] ?? .null }

  /// The value of a field, by its first name; NULL if it has none.
  package subscript(identity identity: String) -> Value { self[renamed[identity] ?? identity] }
}

extension StoredEntity: Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    a.collection == b.collection && a.id == b.id && a.fields == b.fields && a.version == b.version
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(collection)
    hasher.combine(id)
    hasher.combine(version)
  }
}

/// The highest-ranking write that an entity shows. A later write can name it as a condition, to
/// apply only if the entity is unchanged.
public struct EntityVersion: Hashable, Sendable, CustomStringConvertible {
  /// The event of the write.
  public var event: EventID
  /// The index of the write within its event.
  public var operation: UInt32

  /// Makes a version from an event and the index of a write.
  public init(event: EventID, operation: UInt32) {
    self.event = event
    self.operation = operation
  }

  public var description: String { "\(event).\(operation)" }
}

extension Projector {
  /// Returns the entity as users see it; nil if it is not live.
  func entity(_ record: EntityRecord) throws -> StoredEntity? {
    guard record.state.isLive, let version = try version(record.state) else { return nil }
    var fields = record.table.shown(record.values, try entities.facts(of: record))
    for index in record.table.treeColumns {
      let column = record.table.columns[index]
      guard fields[column.schema.name] != nil,
        try entities.cycles.isCut(record.id, column, of: record.table)
      else { continue }
      fields[column.schema.name] = nil
    }
    return StoredEntity(record, fields: fields, version: version)
  }

  private func version(_ state: EntityState) throws -> EntityVersion? {
    var refs = Set(state.fields.map(\.ref))
    if let edit = state.lastEdit { refs.insert(edit) }
    if let existence = state.existence { refs.insert(existence.ref) }
    var best: (key: OrderKey, ref: WriteRef)?
    for ref in refs {
      let key = try index.key(ref)
      if best.map({ $0.key < key }) ?? true { best = (key, ref) }
    }
    return best.map {
      EntityVersion(
        event: EventID(index.origin($0.ref.origin).id, $0.ref.sequence),
        operation: $0.ref.operation)
    }
  }
}
