import EventCore

/// Where an app reads and writes the entities of one type.
///
/// It is for apps that put a seam between their views and the store, for example to test a view
/// with a repository of their own. ``StoreRepository`` is the one on a store. What concerns several
/// types belongs in one transaction of the store, which a repository cannot offer.
public protocol Repository<Model>: Sendable {
  /// The type of the entities.
  associatedtype Model: Entity

  /// Returns an entity; nil if there is none.
  func fetch(_ id: EntityID<Model>) async throws -> Model?
  /// Returns the entities of a query.
  func fetch(_ query: EntityQuery<Model>) async throws -> [Model]
  /// Inserts new entities, and updates those that there are.
  func save(_ entities: [Model]) async throws
  /// Deletes entities.
  func delete(_ ids: [EntityID<Model>]) async throws
  /// Returns the entities of a query: now, and after every change.
  func observe(_ query: EntityQuery<Model>) -> LiveValues<[Model]>
  /// Returns an entity, or nil while there is none: now, and after every change.
  func observe(_ id: EntityID<Model>) -> LiveValues<Model?>
}

/// A repository on a store.
public struct StoreRepository<Model: Entity>: Repository {
  private let store: Store
  private let actor: String?

  /// Makes a repository of the entities of a type.
  /// - Parameters:
  ///   - store: the store.
  ///   - type: the type of the entities.
  ///   - actor: who writes; the store's own actor if nil.
  public init(_ store: Store, of type: Model.Type = Model.self, actor: String? = nil) {
    self.store = store
    self.actor = actor
  }

  public func fetch(_ id: EntityID<Model>) async throws -> Model? { try await store.fetch(id) }

  public func fetch(_ query: EntityQuery<Model>) async throws -> [Model] {
    try await store.fetch(query)
  }

  public func save(_ entities: [Model]) async throws {
    try await store.write(actor: actor) { try $0.upsert(entities) }
  }

  public func delete(_ ids: [EntityID<Model>]) async throws {
    try await store.write(actor: actor) { try $0.delete(ids) }
  }

  public func observe(_ query: EntityQuery<Model>) -> LiveValues<[Model]> { store.observe(query) }

  public func observe(_ id: EntityID<Model>) -> LiveValues<Model?> { store.observe(id) }
}
