public import EventCore
public import GRDB
import Projections

/// What a write does, as one event: all of it happens, durably, or none of it.
///
/// Its first write decides whether the event is shared or local: a write to a collection of the other
/// kind is ``StoreError`` `mixedTransaction`, before anything of it is written.
///
/// Reads see what the transaction has written so far. Not to be used after the closure that received
/// it has returned.
public final class Transaction {
  private let projector: Projector
  private let connection: Database
  /// Nil when the closure has returned: nothing begins any more.
  private var begin: ((_ isLocal: Bool) throws -> Envelope)?
  private let events: (shared: EventID, local: EventID)
  /// When, by this replica's clock.
  public let authored: HybridTime
  /// The collection that was written to first: it decides whether the event is local.
  private var first: (collection: String, isLocal: Bool)?
  /// Of the event, once it has begun.
  private(set) var envelope: Envelope?
  private(set) var operations: [Operation] = []
  /// Whether the read model may have been touched: by the first write, also if that failed.
  private(set) var hasBegun = false
  /// The last write, which the read model does not have yet. It is brought in before anything is
  /// read; where nothing is, while the event is on its way to the disk.
  private var pending: (operation: Operation, handle: EntityHandle, index: Int)?
  private var failure: (any Error)?
  private var isOpen = true

  init(projector: Projector, database: Database, place: EventPlace) {
    self.projector = projector
    connection = database
    authored = place.authored
    events = (place.shared, place.local)
    begin = place.begin
  }

  /// Whether it writes to local collections, so that its event is of the private origin.
  var isLocal: Bool { first?.isLocal ?? false }

  /// The event that this transaction becomes, if it writes anything: a shared one, unless it has
  /// written to a local collection.
  public var event: EventID { isLocal ? events.local : events.shared }

  /// The read model within this transaction, for reading only.
  public var database: Database {
    do {
      try settle()
      try projector.requireProjected()
    } catch { failure = failure ?? error }
    return connection
  }

  /// After the closure: no more is accepted.
  func end() {
    isOpen = false
    begin = nil
  }

  /// Brings the last write into the read model.
  func settle() throws {
    if let failure { throw failure }
    guard let (operation, handle, index) = pending else { return }
    pending = nil
    try projector.applyLocal(operation, id: event, index: index, to: handle)
  }

  /// Whether nothing has been written so far: such a transaction becomes no event.
  public var isEmpty: Bool { operations.isEmpty }

  /// The declared collections, definitions of this transaction included.
  public var schema: Schema { projector.schema }

  // MARK: Definitions

  /// Says that a collection exists and what its fields are like. Writes only what is not so yet; says
  /// nothing at all where everything is. A field that is defined as `formerly` another is shown under
  /// its new name from then on, here and wherever the definition arrives.
  /// - Throws: ``StoreError`` `invalidName`; `contradiction` where a field has another type already,
  ///   a collection is, or is not, a relationship, or a field's new name is another's; `valueTaken`
  ///   where a field is to become unique and two entities have the same value; `wouldLoop` where one
  ///   is to become a tree and something is above itself; `mixedTransaction` where others of its writes
  ///   are shared and this is local, or the reverse. A key stays as it was first defined, and so does
  ///   whether a collection is local.
  public func define(_ definition: Definition) throws {
    try requireOpen()
    let check = DefinitionCheck(projector.schema) { [projector] in
      projector.definition($0, isLocal: definition.isLocal, field: $1, $2)
    }
    guard let missing = try check.missing(definition) else { return }
    if let known = projector.schema[missing.collection] {
      try settle()
      try UniqueCheck(projector: projector).require(missing, known)
      try TreeCheck(projector: projector).require(missing, known)
    }
    try requireUnmixed(missing.collection, isLocal: definition.isLocal)
    try apply(.define(missing))
  }

  /// Ends a collection: its table goes, its events stay. A `define` brings it back.
  public func drop(collection: String) throws {
    let known = try self.collection(collection)
    try requireUnmixed(collection, isLocal: known.isLocal)
    try apply(.drop(collection: collection, field: nil))
  }

  public func drop(field: String, of collection: String) throws {
    let schema = try self.collection(collection)
    guard let known = schema[field: field] else {
      throw FieldCheck.unknownField(field, collection)
    }
    try KeyCheck.requireNoPart(known, of: schema)
    try requireUnmixed(collection, isLocal: schema.isLocal)
    try apply(.drop(collection: collection, field: known.identity))
  }

  // MARK: Entities

  /// A live entity, also one that is parked; nil where there is none.
  public func fetch(_ collection: String, _ id: String) throws -> Entity? {
    try requireOpen()
    try settle()
    return try projector.handle(try self.collection(collection), id).entity
  }

  /// Makes an entity. Fields that a deleted one of the same id had, and that are not given, become
  /// NULL: an insert does not bring old values back.
  /// - Throws: ``StoreError`` `entityExists` where it is live, `unknownName`, `wrongType`,
  ///   `invalidID` (also where it is not the one that follows from the collection's key),
  ///   `valueTaken` where another has the value of a unique field, `wouldLoop` where
  ///   the entity would be above itself in a tree.
  public func insert(_ collection: String, _ id: String, _ fields: [String: Value] = [:]) throws {
    let (schema, handle) = try load(collection, id)
    guard !handle.isLive else {
      throw StoreError(
        .entityExists, "“\(id)” is in \(collection) already",
        hint: "Update it, or put it, which does either")
    }
    try insert(schema, handle, fields)
  }

  /// Makes an entity of a collection whose ids follow from a key.
  /// - Returns: its id.
  /// - Throws: as ``insert(_:_:_:)``; ``StoreError`` `invalidID` where the collection has no key.
  @discardableResult
  public func insert(_ collection: String, _ fields: [String: Value]) throws -> String {
    let id = try KeyCheck.derivedID(fields, try self.collection(collection))
    try insert(collection, id, fields)
    return id
  }

  /// Changes fields of a live entity. Only those whose value changes travel.
  /// - Parameter version: the entity's version when it was read; the write fails if it is another
  ///   now.
  /// - Throws: ``StoreError`` `noSuchEntity`, `versionMismatch`, `unknownName`, `wrongType`,
  ///   `valueTaken`, `wouldLoop`, `fixedKey` where the id follows from the field.
  public func update(
    _ collection: String, _ id: String, _ fields: [String: Value],
    expecting version: EntityVersion? = nil
  ) throws {
    let (schema, handle) = try load(collection, id)
    try require(handle, collection, id, version)
    try update(schema, handle, fields)
  }

  /// Inserts where there is no live entity, else updates.
  public func put(_ collection: String, _ id: String, _ fields: [String: Value]) throws {
    let (schema, handle) = try load(collection, id)
    if handle.isLive {
      try update(schema, handle, fields)
    } else {
      try insert(schema, handle, fields)
    }
  }

  /// Inserts or updates an entity of a collection whose ids follow from a key.
  /// - Returns: its id.
  /// - Throws: ``StoreError`` `invalidID` where the collection has no key.
  @discardableResult
  public func put(_ collection: String, _ fields: [String: Value]) throws -> String {
    let id = try KeyCheck.derivedID(fields, try self.collection(collection))
    try put(collection, id, fields)
    return id
  }

  /// Ends an entity; ``restore(_:_:)`` brings it back as it was.
  public func delete(_ collection: String, _ id: String, expecting version: EntityVersion? = nil)
    throws
  {
    let (_, handle) = try load(collection, id)
    try require(handle, collection, id, version)
    try apply(.delete(collection: collection, id: id), to: handle)
  }

  /// Brings a deleted entity back.
  /// - Throws: ``StoreError`` `entityExists` where it is live; `noSuchEntity` where there is nothing
  ///   to restore; `valueTaken` where another has taken the value of a unique field meanwhile.
  public func restore(_ collection: String, _ id: String) throws {
    let (schema, handle) = try load(collection, id)
    guard !handle.isLive else {
      throw StoreError(.entityExists, "“\(id)” of \(collection) is not deleted")
    }
    guard handle.isRestorable else {
      throw StoreError(.noSuchEntity, "there is no deleted “\(id)” in \(collection) to restore")
    }
    try requireRules(handle.values, schema, handle)
    try apply(.restore(collection: collection, id: id), to: handle)
  }

  /// Takes an entity and all that was ever written to it out of the state. Its events stay in the log.
  /// - Throws: ``StoreError`` `noSuchEntity` for one that was never written.
  public func erase(_ collection: String, _ id: String) throws {
    let (_, handle) = try load(collection, id)
    guard handle.isKnown else {
      throw StoreError(.noSuchEntity, "there is no “\(id)” in \(collection)")
    }
    try apply(.erase(collection: collection, id: id), to: handle)
  }

  // MARK: Once more

  /// Writes fields though they may have these values: whoever writes has seen what others wrote.
  /// - Parameter fields: by the fields' identities.
  func updateAgain(_ collection: String, _ id: String, _ fields: [String: Value]) throws {
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
    try apply(.update(collection: schema.name, id: id, fields: canonical), to: handle)
  }

  /// Deletes what may be deleted already.
  func deleteAgain(_ collection: String, _ id: String) throws {
    let (_, handle) = try load(collection, id)
    try apply(.delete(collection: collection, id: id), to: handle)
  }

  /// Restores what may be live already.
  func restoreAgain(_ collection: String, _ id: String) throws {
    let (schema, handle) = try load(collection, id)
    guard handle.isLive || handle.isRestorable else {
      throw StoreError(.noSuchEntity, "there is no deleted “\(id)” in \(collection) to restore")
    }
    if !handle.isLive { try requireRules(handle.values, schema, handle) }
    try apply(.restore(collection: collection, id: id), to: handle)
  }

  /// Defines what may be defined so already.
  func rewrite(_ definition: Definition) throws {
    try requireOpen()
    try settle()
    try apply(.define(definition))
  }

  // MARK: Within

  private func requireOpen() throws(StoreError) {
    guard isOpen else {
      throw StoreError(.closed, "the transaction has ended; use it only inside its closure")
    }
  }

  /// A transaction is one event, and an event is local or shared. The first write decides, also where
  /// it turns out to change nothing: what is refused must not depend on the data.
  private func requireUnmixed(_ name: String, isLocal: Bool) throws(StoreError) {
    guard let first else {
      self.first = (name, isLocal)
      return
    }
    guard first.isLocal != isLocal else { return }
    func kind(_ isLocal: Bool) -> String { isLocal ? "local" : "shared" }
    throw StoreError(
      .mixedTransaction,
      "the transaction writes to \(first.collection), which is \(kind(first.isLocal)), and to "
        + "\(name), which is \(kind(isLocal))",
      hint: "Use two transactions: one becomes a shared event, and the other never leaves this "
        + "replica")
  }

  private func collection(_ name: String) throws(StoreError) -> CollectionSchema {
    guard let collection = projector.schema[name] else {
      throw FieldCheck.unknownCollection(name, projector.schema)
    }
    return collection
  }

  private func load(_ name: String, _ id: String) throws -> (CollectionSchema, EntityHandle) {
    try requireOpen()
    let collection = try collection(name)
    try requireUnmixed(name, isLocal: collection.isLocal)
    try FieldCheck.requireID(id)
    try settle()
    return (collection, try projector.handle(collection, id))
  }

  private func require(
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
    for name in handle.dormantFields where fields[name] == nil { fields[name] = .null }
    try apply(.insert(collection: schema.name, id: handle.id, fields: fields), to: handle)
  }

  private func update(
    _ schema: CollectionSchema, _ handle: EntityHandle, _ fields: [String: Value]
  ) throws {
    let current = handle.values
    let changed = try FieldCheck.canonical(fields, schema).filter {
      current[$0.key] ?? .null != $0.value
    }
    guard !changed.isEmpty else { return }
    try KeyCheck.requireUnchanged(changed, schema)
    try FieldCheck.requireEnds(current.merging(changed) { $1 }, schema)
    try requireRules(changed, schema, handle)
    try apply(.update(collection: schema.name, id: handle.id, fields: changed), to: handle)
  }

  /// Where others are concerned: unique values and trees.
  private func requireRules(
    _ fields: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle
  ) throws {
    try UniqueCheck(projector: projector).require(fields, schema, handle)
    try TreeCheck(projector: projector).require(fields, schema, handle)
  }

  private func apply(_ operation: Operation, to handle: EntityHandle? = nil) throws {
    try requireOpen()
    if !hasBegun {
      hasBegun = true
      guard let envelope = try begin?(isLocal) else { return }
      self.envelope = envelope
      try projector.beginLocalEvent(event, envelope)
    }
    try settle()
    if let handle {
      pending = (operation, handle, operations.count)
    } else {
      try projector.applyLocal(operation, id: event, index: operations.count)
    }
    operations.append(operation)
  }
}

/// Where a transaction's event goes, which is known only when it has begun to write.
struct EventPlace {
  let authored: HybridTime
  let shared: EventID
  let local: EventID
  /// Makes the event's envelope. To be called once, before the first write.
  let begin: (_ isLocal: Bool) throws -> Envelope
}
