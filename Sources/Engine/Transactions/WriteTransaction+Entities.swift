public import DaybookEventCore
public import DaybookProjections

/// Reading and writing of entities, by collection and id.
extension WriteTransaction {
  /// Returns a live entity, also if it is parked; nil if there is none.
  public func fetch(_ collection: String, _ id: String) throws -> StoredEntity? {
    try call { try handle(try self.collection(collection), id).entity }
  }

  /// Inserts a new entity.
  ///
  /// If a deleted entity had the same id, its fields that are not given show their defaults, or
  /// NULL: an insert does not bring old values back.
  /// - Throws: ``StoreError`` `entityExists` if the entity is live; `unknownName`, `wrongType`;
  ///   `invalidID`, also if the id is not the one that follows from the collection's key;
  ///   `valueTaken` if another entity has the value of a unique field; `wouldLoop` if the entity
  ///   would be above itself in a tree.
  public func insert(_ collection: String, _ id: String, _ fields: [String: Value] = [:]) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      guard let fields = try unmigrated(fields, of: schema, id) else { return }
      guard !handle.isLive else {
        throw StoreError(
          .entityExists, "“\(id)” is in \(collection) already",
          hint: "Update it")
      }
      try insert(schema, handle, fields)
    }
  }

  /// Inserts a new entity into a collection whose ids follow from a key.
  /// - Returns: the id of the entity.
  /// - Throws: ``StoreError`` `invalidID` if the collection has no key or a field of it has no
  ///   value; else what ``insert(_:_:_:)`` throws.
  @discardableResult
  public func insert(_ collection: String, _ fields: [String: Value]) throws -> String {
    try call {
      let id = try KeyCheck.derivedID(fields, try self.collection(collection))
      try insert(collection, id, fields)
      return id
    }
  }

  /// Changes fields of a live entity.
  ///
  /// Only fields whose values change are written.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - fields: the fields to change, with their new values; NULL for none.
  ///   - version: the entity's version when it was read; the update fails if it has changed since.
  ///     Nil for any version.
  /// - Throws: ``StoreError`` `noSuchEntity`, `versionMismatch`, `unknownName`, `wrongType`,
  ///   `valueTaken` or `wouldLoop`; `fixedKey` if the id follows from the field.
  public func update(
    _ collection: String, _ id: String, _ fields: [String: Value],
    expecting version: EntityVersion? = nil
  ) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      try require(handle, collection, id, version)
      guard let fields = try unmigrated(fields, of: schema, id) else { return }
      try update(schema, handle, fields)
    }
  }

  /// Updates the entity if it is live, else inserts it.
  /// - Throws: what ``insert(_:_:_:)`` and ``update(_:_:_:expecting:)`` throw, but neither
  ///   `entityExists` nor `noSuchEntity`.
  public func put(_ collection: String, _ id: String, _ fields: [String: Value]) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      guard let fields = try unmigrated(fields, of: schema, id) else { return }
      if handle.isLive {
        try update(schema, handle, fields)
      } else {
        try insert(schema, handle, fields)
      }
    }
  }

  /// Updates or inserts an entity of a collection whose ids follow from a key.
  /// - Returns: the id of the entity.
  /// - Throws: ``StoreError`` `invalidID` if the collection has no key or a field of it has no
  ///   value; else what ``put(_:_:_:)`` throws.
  @discardableResult
  public func put(_ collection: String, _ fields: [String: Value]) throws -> String {
    try call {
      let id = try KeyCheck.derivedID(fields, try self.collection(collection))
      try put(collection, id, fields)
      return id
    }
  }

  /// Deletes a live entity; ``restore(_:_:withReferrers:)`` brings it back as it was.
  ///
  /// What refers to the entity is deleted as well, or its reference becomes NULL, if the field is
  /// defined so; see `Definition.Field.onDelete(_:)`. All of this is part of the same event.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - version: the entity's version when it was read; the deletion fails if it has changed
  ///     since. Nil for any version.
  /// - Throws: ``StoreError`` `noSuchEntity` or `versionMismatch`.
  public func delete(
    _ collection: String, _ id: String, expecting version: EntityVersion? = nil
  )
    throws
  {
    try call {
      let (schema, handle) = try load(collection, id)
      try require(handle, collection, id, version)
      guard try unmigrated(of: schema, id) != nil else { return }
      try apply(.delete(collection: collection, id: id), to: handle)
      try carryOut(ReferenceRules(self.schema, writer.types), afterDeletionOf: id, in: schema)
    }
  }

  /// Deletes what refers to a deleted entity, or takes its reference away, and so on.
  ///
  /// A deleted entity refers to nothing any more, so a circle of references comes to an end. A
  /// local entity that refers to a shared one stays as it is, because no event can write to both.
  /// - Parameter isErasure: whether the entity was erased, so that the others are erased as well.
  package func carryOut(
    _ rules: ReferenceRules, afterDeletionOf id: String, in collection: CollectionSchema,
    isErasure: Bool = false
  ) throws {
    var deleted = [(collection, id)]
    while let (target, id) = deleted.popLast() {
      for (source, field) in rules.references(to: target.name) where source.isLocal == isLocal {
        for other in try projected().referrers(source, by: field, to: id) {
          let handle = try handle(source, other)
          guard handle.isLive else { continue }
          if field.onDelete == .cascade {
            try apply(
              isErasure
                ? .erase(collection: source.name, id: other)
                : .delete(collection: source.name, id: other), to: handle)
            deleted.append((source, other))
          } else {
            try update(source, handle, [field.name: .null])
          }
        }
      }
    }
  }

  /// Brings a deleted entity back, with the values that it had.
  ///
  /// A deletion takes along what refers to the entity, if the references say so; `withReferrers`
  /// brings that back, too. This is what was deleted, or has lost its reference, in the event that
  /// deleted the entity, and what referred to that, and so on. What others have deleted or written
  /// since stays as they wrote it.
  ///
  /// Cost: with referrers, all that the deleting event has written, and a read of the log.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity.
  ///   - withReferrers: whether what went along comes back as well.
  /// - Throws: ``StoreError`` `entityExists` if it is live; `noSuchEntity` if there is nothing to
  ///   restore; `valueTaken` if another entity has got the value of a unique field meanwhile;
  ///   `wouldLoop` if it would be above itself in a tree.
  public func restore(_ collection: String, _ id: String, withReferrers: Bool = false) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      guard !handle.isLive else {
        throw StoreError(.entityExists, "“\(id)” of \(collection) is not deleted")
      }
      guard handle.isRestorable else {
        throw StoreError(.noSuchEntity, "there is no deleted “\(id)” in \(collection) to restore")
      }
      guard try unmigrated(of: schema, id) != nil else { return }
      guard withReferrers, let deletion = handle.deletion else {
        try requireRules(handle.values, schema, handle)
        return try apply(.restore(collection: collection, id: id), to: handle)
      }
      // A refused call has changed nothing, even if it is the last entity that cannot come back.
      try nested { _ in try restore(schema, id, andWhatWentWithItIn: deletion) }
    }
  }

  private func restore(
    _ schema: CollectionSchema, _ id: String, andWhatWentWithItIn deletion: EventID
  ) throws {
    let taken = try TakenAlong(deletion, transaction: self).all(with: [(schema, id)])
    for (schema, id) in [(schema, id)] + taken.deleted {
      let handle = try handle(schema, id)
      try requireRules(handle.values, schema, handle)
      try apply(.restore(collection: schema.name, id: id), to: handle)
    }
    for reference in taken.released {
      let handle = try handle(reference.schema, reference.id)
      guard handle.isLive, handle.writer(of: reference.field.identity) == deletion,
        let name = reference.field.references, let collection = self.schema[name],
        try self.handle(collection, reference.target).isLive
      else { continue }
      try update(reference.schema, handle, [reference.field.name: .text(reference.target)])
    }
  }

  /// Removes an entity, with everything that was ever written to it, from the state.
  ///
  /// Its events stay in the log. What refers to the entity is erased as well, or its reference
  /// becomes NULL, if the field is defined so; see `Definition.Field.onDelete(_:)`. What was
  /// deleted before stays as it is.
  /// - Throws: ``StoreError`` `noSuchEntity` if the entity was never written.
  public func erase(_ collection: String, _ id: String) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      guard handle.isKnown else {
        throw StoreError(.noSuchEntity, "there is no “\(id)” in \(collection)")
      }
      guard try unmigrated(of: schema, id) != nil else { return }
      try apply(.erase(collection: collection, id: id), to: handle)
      try carryOut(
        ReferenceRules(self.schema, writer.types), afterDeletionOf: id, in: schema,
        isErasure: true)
    }
  }

  // MARK: - Repeated writes

  /// Writes fields even if unchanged, to record that the author saw all concurrent writes.
  /// - Parameter fields: the new values, by the fields' identities.
  func updateAgain(_ collection: String, _ id: String, _ fields: [String: Value]) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      try require(handle, collection, id, nil)
      let named = Dictionary(
        uniqueKeysWithValues: fields.map { field, value in
          (schema.fields.first { $0.identity == field }?.name ?? field, value)
        })
      let canonical = try FieldCheck.canonical(named, schema)
      try KeyCheck.requireUnchanged(
        canonical.filter { handle.values[$0.key] ?? .null != $0.value }, schema)
      try FieldCheck.requireEnds(handle.values.merging(canonical) { $1 }, schema)
      try requireRules(canonical, schema, handle)
      let edits = edits(canonical, schema, handle)
      let assigned = canonical.filter { edits[$0.key] == nil }
      if !assigned.isEmpty {
        try apply(.update(collection: schema.name, id: id, fields: assigned), to: handle)
      }
      try apply(edits, schema, id)
    }
  }

  /// Returns every write to an entity, in the total order, with the fields' identities.
  package func history(of entity: EntityKey) throws -> [HistoryItem] {
    try call {
      try ReadModelView(within: projected()).history(of: entity.id, in: entity.collection)
    }
  }

  /// Deletes an entity even if it is deleted, to record that the author saw all concurrent writes.
  func deleteAgain(_ collection: String, _ id: String) throws {
    try call {
      let (_, handle) = try load(collection, id)
      try apply(.delete(collection: collection, id: id), to: handle)
    }
  }

  /// Restores an entity even if it is live, to record that the author saw all concurrent writes.
  func restoreAgain(_ collection: String, _ id: String) throws {
    try call {
      let (schema, handle) = try load(collection, id)
      guard handle.isLive || handle.isRestorable else {
        throw StoreError(.noSuchEntity, "there is no deleted “\(id)” in \(collection) to restore")
      }
      if !handle.isLive { try requireRules(handle.values, schema, handle) }
      try apply(.restore(collection: collection, id: id), to: handle)
    }
  }

  // MARK: - Internals

  package func load(_ name: String, _ id: String) throws -> (CollectionSchema, EntityHandle) {
    let collection = try collection(name)
    try requireUnmixed(name, isLocal: collection.isLocal)
    try FieldCheck.requireID(id)
    return (collection, try handle(collection, id))
  }

  func require(
    _ handle: EntityHandle, _ collection: String, _ id: String, _ version: EntityVersion?
  ) throws {
    guard handle.isLive else {
      throw StoreError(
        .noSuchEntity, "there is no “\(id)” in \(collection)",
        hint: handle.isRestorable ? "It was deleted; restore it first" : "Insert it first")
    }
    guard let version, let entity = try handle.entity, entity.version != version else { return }
    throw StoreError(
      .versionMismatch,
      "“\(id)” of \(collection) has changed: it is at \(entity.version), not \(version)",
      hint: "Read it again and decide anew")
  }

  private func insert(
    _ schema: CollectionSchema, _ handle: EntityHandle, _ fields: [String: Value]
  ) throws {
    var fields = try FieldCheck.canonical(fields, schema)
    try FieldCheck.requireEnds(fields, schema)
    try KeyCheck.require(handle.id, fields, schema)
    try requireRules(fields, schema, handle)
    for name in handle.reappearingFields where fields[name] == nil {
      let field = schema[identity: name]
      fields[name] = field?.isNullable == true ? field?.defaultValue : .null
    }
    try apply(.insert(collection: schema.name, id: handle.id, fields: fields), to: handle)
  }

  private func update(
    _ schema: CollectionSchema, _ handle: EntityHandle, _ fields: [String: Value]
  ) throws {
    let current = handle.values
    let changed = try FieldCheck.canonical(fields, schema).filter { field, value in
      // NULL may be a change of a field that shows its default.
      let isNull = value == .null && schema[identity: field]?.isNullable != true
      return current[field].map { $0 != value } ?? !isNull
    }
    guard !changed.isEmpty else { return }
    try KeyCheck.requireUnchanged(changed, schema)
    try FieldCheck.requireEnds(current.merging(changed) { $1 }, schema)
    try requireRules(changed, schema, handle)
    let edits = edits(changed, schema, handle)
    let assigned = changed.filter { edits[$0.key] == nil }
    if !assigned.isEmpty {
      try apply(.update(collection: schema.name, id: handle.id, fields: assigned), to: handle)
    }
    try apply(edits, schema, handle.id)
  }

  /// Checks the rules that concern other entities: unique values and trees.
  package func requireRules(
    _ fields: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle
  ) throws {
    try UniqueCheck(transaction: self).require(fields, schema, handle)
    try TreeCheck(transaction: self).require(fields, schema, handle)
  }
}
