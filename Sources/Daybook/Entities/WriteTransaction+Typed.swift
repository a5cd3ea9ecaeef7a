public import DaybookEngine
import DaybookEventCore
public import DaybookProjections

/// Reading and writing of entities of declared types.
///
/// All methods throw what the untyped ones of the same name throw, and ``StoreError`` `wrongType`
/// for a property that cannot be stored, such as a number that is not finite.
extension WriteTransaction {
  /// Returns a live entity, also if it is parked; nil if there is none.
  public func fetch<E: Entity>(_ id: EntityID<E>) throws -> E? {
    try fetch(E.collection, id.rawValue).map { EntityLayout<E>.shared.model($0).model }
  }

  /// Inserts a new entity.
  /// - Throws: ``StoreError`` `entityExists` if there is a live one of this id. For a relationship
  ///   `wrongType` if it lacks an end, and `noSuchEntity`, when the transaction ends, if an end was
  ///   never written to this store.
  public func insert<E: Entity>(_ entity: E) throws {
    try insert(entity, EntityLayout<E>.shared)
  }

  private func insert<E: Entity>(_ entity: E, _ layout: EntityLayout<E>) throws {
    try defining(layout) {
      let schema = try declared(layout)
      let ends = try (entity as? any Relationship).map { try RelationshipEnd.ends(of: $0) } ?? []
      let values = layout.inserted(try layout.values(of: entity), into: schema)
      try insert(E.collection, entity.id.rawValue, values)
      for end in ends { try expect(end) }
    }
  }

  /// Runs a write of a type's entity. What the type declares and another version of the app has
  /// dropped is defined again first.
  func defining<E: Entity, T>(_ layout: EntityLayout<E>, _ write: () throws -> T) throws -> T {
    do { return try write() } catch let error as StoreError
      where error.code == .unknownName && writer.types.declares(E.collection)
    {
      var lacking = layout.definition
      if let schema = projector.schema[E.collection] {
        // Another version may have given a field that is there another type. That does not matter
        // here.
        lacking.fields.removeAll { schema[identity: $0.name] != nil }
        guard !lacking.fields.isEmpty else { throw error }
      }
      try define(lacking, .opening(after: nil))
      return try write()
    }
  }

  /// Returns the collection of a type. If another version's default has come since the store was
  /// opened, the store is told first that the type's property can hold nothing.
  func declared<E: Entity>(_ layout: EntityLayout<E>) throws -> StoreSchema.Collection {
    let schema = try call { try collection(E.collection) }
    let fields = layout.fieldsThatNeedNull(in: schema)
    guard !fields.isEmpty, writer.types.declares(E.collection) else { return schema }
    // Only these: another version may have given another field another type.
    var definition = layout.definition
    definition.fields.removeAll { !fields.contains($0.name) }
    try define(definition, .opening(after: nil))
    return try call { try collection(E.collection) }
  }

  /// Makes the store's rules for a type's fields those of the type, for all versions of the app.
  ///
  /// ```swift
  /// Migration(3, "codes need not be unique") { tx in try tx.define(Note.self) }
  /// ```
  /// Opening a store only adds what its types declare. This call also takes away what the type does
  /// not declare of the fields that it has: unique values, trees, what the store keeps, references
  /// and defaults. It belongs in a migration: of two migrations that disagree, that of the higher
  /// number counts, whichever device runs first. Fields, indexes and searched fields stay, because
  /// older versions of the app use them.
  /// - Throws: what ``define(_:)-(Definition)`` throws; `valueTaken` says how many entities a rule
  ///   would hide.
  public func define<E: Entity>(_ type: E.Type) throws {
    let definition = EntityLayout<E>.shared.definition
    try define(projector.schema[E.collection].map { definition.whole(against: $0) } ?? definition)
  }

  /// Inserts new entities.
  public func insert<E: Entity>(_ entities: some Sequence<E>) throws {
    let layout = EntityLayout<E>.shared
    for entity in entities { try insert(entity, layout) }
  }

  /// Changes a live entity.
  ///
  /// Only the fields that `change` changes are written. A field that the property cannot show, such
  /// as an unknown case of an enumeration, shows the default, and stays as it is unless `change`
  /// sets another value. To set such a field to its default, use ``set(_:of:to:expecting:)``.
  /// - Parameters:
  ///   - id: the id of the entity.
  ///   - version: the version that the entity must have; nil for any.
  ///   - change: sets properties of the entity, which it is given as it is in the store.
  /// - Returns: the entity as it is now.
  /// - Throws: what `change` throws; ``StoreError`` `noSuchEntity` if the entity is not live.
  @discardableResult
  public func update<E: Entity>(
    _ id: EntityID<E>, expecting version: StoredEntity.Version? = nil,
    _ change: (inout E) throws -> Void
  ) throws -> E {
    let layout = EntityLayout<E>.shared
    guard let stored = try fetch(E.collection, id.rawValue) else {
      // Throws the error that says whether it was deleted.
      try update(E.collection, id.rawValue, [:])
      throw StoreError(.noSuchEntity, "there is no “\(id)” in \(E.collection)")
    }
    let old = layout.model(stored).model
    var new = old
    try change(&new)
    let ends = try (new as? any Relationship).map { try RelationshipEnd.ends(of: $0) } ?? []
    let changes = try layout.changes(from: old, to: new)
    try defining(layout) {
      let taken = layout.taken(changes, by: try declared(layout))
      try update(E.collection, id.rawValue, taken, expecting: version)
    }
    for end in ends where changes[end.field] != nil { try expect(end) }
    return new
  }

  /// Sets one property of a live entity, whatever its field holds, without reading the others.
  ///
  /// Unlike ``update(_:expecting:_:)`` it can also replace a value that the property cannot show,
  /// such as an unknown case of an enumeration, by the default.
  /// - Parameters:
  ///   - property: a stored property.
  ///   - id: the id of the entity.
  ///   - value: the new value. Nothing is written if the field holds it already.
  ///   - version: the version that the entity must have; nil for any.
  /// - Throws: ``StoreError`` `noSuchEntity` if the entity is not live; `unknownName` if the
  ///   property is not stored; `fixedField` if the store keeps it.
  public func set<E: Entity, V>(
    _ property: WritableKeyPath<E, V>, of id: EntityID<E>, to value: V,
    expecting version: StoredEntity.Version? = nil
  ) throws {
    let layout = EntityLayout<E>.shared
    guard let place = layout.place(of: property) else {
      throw StoreError(
        .unknownName, "\(E.self) has no stored property \(property)",
        hint: "Set one of the properties in \(E.self).fields")
    }
    var model = E()
    model[keyPath: property] = value
    let value = try layout.value(at: place, model)
    try defining(layout) {
      try update(
        E.collection, id.rawValue, [layout.identities[place]: value], expecting: version)
    }
  }

  /// Writes all fields in which an entity differs from the store's, over what others have written
  /// since it was read.
  ///
  /// It is for data whose source is elsewhere. ``update(from:to:onClash:)`` saves a form.
  /// - Throws: ``StoreError`` `noSuchEntity` if the entity is not live.
  public func overwrite<E: Entity>(_ entity: E) throws { try update(entity.id) { $0 = entity } }

  /// Writes all fields in which entities differ from the store's, over what others have written
  /// since they were read.
  public func overwrite<E: Entity>(_ entities: some Sequence<E>) throws {
    for entity in entities { try overwrite(entity) }
  }

  /// Changes a text property of a live entity, and merges with what others change meanwhile.
  ///
  /// ```swift
  /// try tx.edit(note.id, \.body) { text in try text.insert("oat ", at: 4) }
  /// ```
  /// - Parameters:
  ///   - id: the id of the entity.
  ///   - property: a text property.
  ///   - change: changes the text that the store has.
  /// - Throws: what the untyped `edit` throws; ``StoreError`` `unknownName` if the property is no
  ///   field.
  public func edit<E: Entity>(
    _ id: EntityID<E>, _ property: KeyPath<E, String>,
    _ change: (inout EditableText) throws -> Void
  ) throws {
    let layout = EntityLayout<E>.shared
    guard let place = layout.place(of: property) else {
      throw StoreError(
        .unknownName, "the key path is no field of \(E.collection)",
        hint: "Name a stored property that the type lists among its fields")
    }
    try defining(layout) {
      try edit(E.collection, id.rawValue, layout.identities[place], change)
    }
  }

  /// Inserts an entity, or overwrites the live one of its id as ``overwrite(_:)-(E)`` does.
  public func insertOrOverwrite<E: Entity>(_ entity: E) throws {
    if try fetch(entity.id) == nil { try insert(entity) } else { try overwrite(entity) }
  }

  /// Inserts entities, or overwrites the live ones of their ids as ``overwrite(_:)-(E)`` does.
  public func insertOrOverwrite<E: Entity>(_ entities: some Sequence<E>) throws {
    for entity in entities { try insertOrOverwrite(entity) }
  }

  /// Deletes a live entity, and what refers to it if the reference says so.
  /// - Parameters:
  ///   - id: the id of the entity.
  ///   - version: the version that the entity must have; nil for any.
  public func delete<E: Entity>(_ id: EntityID<E>, expecting version: StoredEntity.Version? = nil)
    throws
  {
    try delete(E.collection, id.rawValue, expecting: version)
  }

  /// Deletes a live entity, and what refers to it if the reference says so.
  public func delete<E: Entity>(_ entity: E) throws { try delete(entity.id) }

  /// Deletes live entities, and what refers to them if the reference says so.
  ///
  /// An entity that an earlier deletion of this call has deleted as well is passed over.
  public func delete<E: Entity>(_ entities: some Sequence<E>) throws {
    try delete(entities.map(\.id))
  }

  /// Deletes live entities, and what refers to them if the reference says so.
  ///
  /// An entity that an earlier deletion of this call has deleted as well is passed over.
  public func delete<E: Entity>(_ ids: some Sequence<EntityID<E>>) throws {
    var deleted: Set<EntityID<E>> = []
    for id in ids where !deleted.contains(id) {
      let before = operations.count
      try delete(id)
      for case .delete(E.collection, let other) in operations[before...] {
        deleted.insert(EntityID(rawValue: other))
      }
    }
  }

  /// Brings a deleted entity back, with the values that it had.
  /// - Parameters:
  ///   - id: the id of the entity.
  ///   - withReferrers: whether what its deletion took along comes back, too: what referred to it
  ///     and was deleted or has lost the reference, and so on.
  public func restore<E: Entity>(_ id: EntityID<E>, withReferrers: Bool = false) throws {
    try restore(E.collection, id.rawValue, withReferrers: withReferrers)
  }

  /// Brings deleted entities back, with the values that they had.
  ///
  /// What comes first is there before what follows, so name an entity before those that refer to
  /// it. An entity that came back with an earlier one of this call is passed over.
  /// - Parameters:
  ///   - ids: the ids of the entities.
  ///   - withReferrers: whether what their deletions took along comes back, too.
  public func restore<E: Entity>(
    _ ids: some Sequence<EntityID<E>>, withReferrers: Bool = false
  ) throws {
    var restored: Set<EntityID<E>> = []
    for id in ids where !restored.contains(id) {
      let before = operations.count
      try restore(id, withReferrers: withReferrers)
      guard withReferrers else { continue }
      for case .restore(E.collection, let other) in operations[before...] {
        restored.insert(EntityID(rawValue: other))
      }
    }
  }

  /// Removes an entity, with everything that was ever written to it, from the state.
  ///
  /// Its events stay in the log. What refers to it is erased as well, if the reference says that it
  /// is deleted with the entity.
  public func erase<E: Entity>(_ id: EntityID<E>) throws { try erase(E.collection, id.rawValue) }

  /// Removes entities, with everything that was ever written to them, from the state.
  ///
  /// Their events stay in the log. What refers to them is erased as well, if the reference says
  /// that it is deleted with the entity.
  public func erase<E: Entity>(_ ids: some Sequence<EntityID<E>>) throws {
    var erased: Set<EntityID<E>> = []
    for id in ids where !erased.contains(id) {
      let before = operations.count
      try erase(id)
      for case .erase(E.collection, let other) in operations[before...] {
        erased.insert(EntityID(rawValue: other))
      }
    }
  }

  /// Returns the version of a live entity, for an update that expects it; nil if there is none.
  public func version<E: Entity>(of id: EntityID<E>) throws -> StoredEntity.Version? {
    try fetch(E.collection, id.rawValue)?.version
  }
}
