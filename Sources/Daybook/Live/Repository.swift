public import DaybookEngine
import DaybookEventCore

/// Where an app reads and writes the entities of one type.
///
/// It is for apps that put a seam between their views and the store, for example to test a view
/// with a repository of their own. ``StoreRepository`` is the one on a store. What concerns several
/// types belongs in one transaction of the store, which a repository cannot offer.
///
/// A test's own repository needs no store:
///
/// ```swift
/// struct FakeNotes: Repository {
///   let notes: [Note]
///   func fetch(_ id: Note.ID) async throws -> Note? { notes.first { $0.id == id } }
///   func fetchVersioned(_ id: Note.ID) async throws -> Versioned<Note>? {
///     try await fetch(id).map { Versioned($0) }
///   }
///   func fetch(_ query: EntityQuery<Note>) async throws -> [Note] { notes }
///   func insert(_ entities: [Note]) async throws {}
///   func save(_ edited: Note, from base: Versioned<Note>, onClash rule: FieldClash.Rule) async
///     throws -> FormOutcome<Note>
///   {
///     throw StoreError(.fieldClash, "to see what the view says then")
///   }
///   func insertOrOverwrite(_ entities: [Note]) async throws {}
///   func delete(_ ids: [Note.ID]) async throws {}
///   func observe(_ query: EntityQuery<Note>) -> LiveValues<[Note]> { LiveValues(of: notes) }
///   func observe(_ id: Note.ID) -> LiveValues<Note?> { LiveValues(of: notes.first) }
/// }
/// ```
public protocol Repository<Model>: Sendable {
  /// The type of the entities.
  associatedtype Model: Entity

  /// Returns an entity; nil if there is none.
  func fetch(_ id: EntityID<Model>) async throws -> Model?
  /// Returns an entity with its version, from which a form is saved; nil if there is none.
  func fetchVersioned(_ id: EntityID<Model>) async throws -> Versioned<Model>?
  /// Returns the entities of a query.
  func fetch(_ query: EntityQuery<Model>) async throws -> [Model]
  /// Inserts new entities.
  func insert(_ entities: [Model]) async throws
  /// Writes what a form has changed since it was opened, and nothing else; see
  /// ``Store/update(from:to:onClash:actor:label:)``.
  func save(_ edited: Model, from base: Versioned<Model>, onClash rule: FieldClash.Rule)
    async throws
    -> FormOutcome<Model>
  /// Inserts new entities, and overwrites those that there are, also what others have changed since
  /// they were read.
  func insertOrOverwrite(_ entities: [Model]) async throws
  /// Deletes entities.
  func delete(_ ids: [EntityID<Model>]) async throws
  /// Returns the entities of a query: now, and after every change.
  func observe(_ query: EntityQuery<Model>) -> LiveValues<[Model]>
  /// Returns an entity, or nil while there is none: now, and after every change.
  func observe(_ id: EntityID<Model>) -> LiveValues<Model?>
}

extension Repository {
  /// Writes what a form has changed since it was opened, and nothing else.
  /// - Throws: ``StoreError`` `fieldClash` if others have changed the same fields.
  @discardableResult
  public func save(_ edited: Model, from base: Versioned<Model>) async throws
    -> FormOutcome<Model>
  {
    try await save(edited, from: base, onClash: .refuse)
  }
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

  public func fetchVersioned(_ id: EntityID<Model>) async throws -> Versioned<Model>? {
    try await store.fetchVersioned(id)
  }

  public func insert(_ entities: [Model]) async throws {
    try await store.write(actor: actor) { try $0.insert(entities) }
  }

  @discardableResult
  public func save(_ edited: Model, from base: Versioned<Model>, onClash rule: FieldClash.Rule)
    async throws -> FormOutcome<Model>
  {
    try await store.update(from: base, to: edited, onClash: rule, actor: actor)
  }

  public func insertOrOverwrite(_ entities: [Model]) async throws {
    try await store.write(actor: actor) { try $0.insertOrOverwrite(entities) }
  }

  public func delete(_ ids: [EntityID<Model>]) async throws {
    try await store.write(actor: actor) { try $0.delete(ids) }
  }

  public func observe(_ query: EntityQuery<Model>) -> LiveValues<[Model]> { store.observe(query) }

  public func observe(_ id: EntityID<Model>) -> LiveValues<Model?> { store.observe(id) }
}
