public import DaybookEngine
import DaybookEventCore
public import DaybookProjections

/// An entity as it was read, and its version: what a form is opened with.
///
/// ```swift
/// guard let base = try await store.fetchVersioned(note.id) else { return }
/// var form = base.entity
/// form.title = "Oat milk"
/// try await store.update(from: base, to: form)
/// ```
/// The properties of the entity are those of the base as well: `base.title`.
@dynamicMemberLookup
public struct Versioned<Model: Entity>: Identifiable, Sendable {
  /// The entity as it was read.
  public let entity: Model
  /// The version that it had, which an update can expect.
  public let version: StoredEntity.Version
  /// What the store has shown; nil if the base was not read from a store.
  let shown: ShownEntity?

  /// The id of the entity.
  public var id: EntityID<Model> { entity.id }

  /// A property of the entity as it was read.
  public subscript<V>(dynamicMember property: KeyPath<Model, V>) -> V { entity[keyPath: property] }

  /// Makes a base that was not read from a store, for a preview, or for a test with a repository of
  /// its own. A store refuses to save from it.
  /// - Parameters:
  ///   - entity: the entity.
  ///   - version: its version; by default one that no entity has.
  public init(
    _ entity: Model,
    version: StoredEntity.Version = StoredEntity.Version(
      event: EventID(ReplicaID(high: 0, low: 0), 0), operation: 0)
  ) {
    self.entity = entity
    self.version = version
    shown = nil
  }

  /// Reads an entity; nil if it is not live.
  init?(_ id: EntityID<Model>, in view: ReadModelView) throws {
    guard let shown = try view.shownEntity(Model.collection, id.rawValue) else { return nil }
    entity = EntityLayout<Model>.shared.model(shown.entity).model
    version = shown.entity.version
    self.shown = shown
  }

  /// Reads an entity of a collection that the store has; nil if it is not live.
  /// - Throws: ``StoreError`` `unknownName` if the store does not have the collection.
  init?(found id: EntityID<Model>, in view: ReadModelView) throws {
    try Model.requireCollection(in: view)
    try self.init(id, in: view)
  }
}

extension Store {
  /// Returns a live entity with its version, from which a form is saved; nil if there is none.
  ///
  /// ``update(from:to:onClash:actor:label:)`` saves the form.
  ///
  /// Cost: that of ``fetch(_:)-(EntityID<E>)``, and a copy of the list of the store's origins.
  public func fetchVersioned<E: Entity>(_ id: EntityID<E>) async throws -> Versioned<E>? {
    try await core.reads.quickly { try Versioned(found: id, in: $0.view) }
  }

  /// Returns the entities of a query, each with its version, in one snapshot.
  ///
  /// Cost: that of the query, and that of ``fetchVersioned(_:)-(EntityID<E>)`` for each entity.
  /// - Throws: what ``fetch(_:)-(EntityQuery<E>)`` throws.
  public func fetchVersioned<E: Entity>(_ query: EntityQuery<E>) async throws -> [Versioned<E>] {
    try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      return try query.fetchAll(snapshot.database).compactMap { try Versioned($0.id, in: view) }
    }
  }

  /// Returns the version of a live entity, for an update that expects it; nil if there is none.
  public func version<E: Entity>(of id: EntityID<E>) async throws -> StoredEntity.Version? {
    try await core.reads.quickly { snapshot in
      let view = try snapshot.view
      try E.requireCollection(in: view)
      return try view.entity(E.collection, id.rawValue)?.version
    }
  }
}

extension Entity {
  /// - Throws: ``StoreError`` `unknownName` if the store does not have the type's collection.
  fileprivate static func requireCollection(in view: ReadModelView) throws {
    guard view.schema[collection] == nil else { return }
    throw FieldCheck.unknownCollection(collection, view.schema)
  }
}

extension WriteTransaction {
  /// Returns a live entity with its version, as this transaction sees it; nil if there is none.
  public func fetchVersioned<E: Entity>(_ id: EntityID<E>) throws -> Versioned<E>? {
    try call {
      _ = try collection(E.collection)
      return try Versioned(id, in: ReadModelView(within: projected()))
    }
  }
}
