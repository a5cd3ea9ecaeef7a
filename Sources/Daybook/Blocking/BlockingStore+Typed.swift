public import DaybookEngine
public import DaybookEventCore
import DaybookProjections
public import Foundation

/// The calls of the typed API, each of which blocks its thread. The parameters and errors are those
/// of the asynchronous call of the same name; within a transaction of the store they are refused
/// (``StoreError`` `reentrant`).
///
/// Within ``BlockingStore/read(_:)-((Database)->T)``, a query is read with
/// ``EntityQuery/fetchAll(_:)``, so that several are of one snapshot.
extension BlockingStore {
  /// Opens a store with the types of an app, and makes it if there is none; see
  /// ``Store/open(at:schema:migrations:options:)``.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public static func open(
    at url: URL, schema: [any Entity.Type], migrations: [Migration] = [],
    options: Store.Options = .init()
  ) throws -> BlockingStore {
    BlockingStore(store: try AppOpening.open(at: url, schema, migrations, options))
  }

  /// Makes a store that is gone when it is closed, or when nothing uses it any more; see
  /// ``Store/inMemory(schema:options:)``.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public static func inMemory(
    schema: [any Entity.Type] = [], options: Store.Options = .init()
  ) throws -> BlockingStore {
    BlockingStore(store: try AppOpening.openInMemory(schema, options))
  }

  // MARK: - Finding

  /// Returns a live entity; nil if there is none.
  ///
  /// Blocks the thread. It is found also if it is parked, because another entity has one of its
  /// unique values.
  @available(*, noasync)
  public func fetch<E: Entity>(_ id: EntityID<E>) throws -> E? {
    try store.core.reads.blocking { try Store.entity(id, $0.view, $0.database) }
  }

  /// Returns a live entity with its version, from which a form is saved; nil if there is none.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetchVersioned<E: Entity>(_ id: EntityID<E>) throws -> Versioned<E>? {
    try store.core.reads.blocking { try Versioned(found: id, in: $0.view) }
  }

  /// Returns the entities of a query.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetch<E: Entity>(_ query: EntityQuery<E>) throws -> [E] {
    try read { db in try query.fetchAll(db) }
  }

  /// Returns the first entity of a query; nil if there is none.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetchOne<E: Entity>(_ query: EntityQuery<E>) throws -> E? {
    try read { db in try query.fetchOne(db) }
  }

  /// Returns a value about the entities of a query, such as their number.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetch<T>(_ aggregate: EntityAggregate<T>) throws -> T {
    try read { db in try aggregate.fetch(db) }
  }

  /// Returns a value about each group of entities.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetch<Key, V>(_ groups: EntityGroupAggregate<Key, V>) throws -> [(key: Key, value: V)]
  {
    try read { db in try groups.fetch(db) }
  }

  /// Returns the entities of a query, each with what belongs to it, in one snapshot.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetch<E, Related>(_ query: EntityInclusion<E, Related>) throws
    -> [EntityWith<E, Related>]
  {
    try read { db in try query.fetchAll(db) }
  }

  /// Returns the properties that a query selects.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func fetch<E, Element>(_ selection: EntitySelection<E, Element>) throws -> [Element] {
    try read { db in try selection.fetchAll(db) }
  }

  /// Searches the entities of a type for what a person has typed, and returns the best first; see
  /// ``Store/search(_:for:matching:limit:markers:)->[EntityHit<E>]``.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func search<E: Entity>(
    _ type: E.Type, for text: String, matching words: Store.WordMatch = .words, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) throws -> [EntityHit<E>] {
    let search = TypedSearch(types: [E.self], text: text, words: words, limit: limit, markers)
    return try store.searchingNow(search.request.collections) { snapshot in
      try search.hits(snapshot.view, snapshot.database).compactMap { $0.typed() }
    }
  }

  // MARK: - History and undo

  /// Returns every write to an entity, in the total order; see ``Store/history(of:)``.
  ///
  /// Blocks the thread.
  @available(*, noasync)
  public func history<E: Entity>(of id: EntityID<E>) throws -> [Store.EntityWrite<E>] {
    try store.core.reads.blocking { try Store.writes(to: id, in: $0.view) }
  }

  /// Takes back what an event has written; see ``Store/undo(_:actor:)``.
  ///
  /// Blocks the thread.
  /// - Returns: the new event; nil if the event was undone already, or has written nothing.
  @discardableResult
  @available(*, noasync)
  public func undo(_ event: EventID, actor: String? = nil) throws -> EventID? {
    try store.setUndoneNow([event], true, actor: actor)
  }

  /// Lets an event count again that was undone; see ``Store/redo(_:actor:)``.
  ///
  /// Blocks the thread.
  /// - Returns: the new event.
  @discardableResult
  @available(*, noasync)
  public func redo(_ event: EventID, actor: String? = nil) throws -> EventID? {
    try Store.requireUndone(try store.setUndoneNow([event], false, actor: actor), event)
  }

  /// Saves what a form has changed since it was opened, and nothing else; see
  /// ``Store/update(from:to:onClash:actor:label:)``.
  ///
  /// Blocks the thread.
  /// - Returns: the entity as it is now, and the clashes if `rule` is not `refuse`.
  @discardableResult
  @available(*, noasync)
  public func update<E: Entity>(
    from base: Versioned<E>, to edited: E, onClash rule: FieldClash.Rule = .refuse,
    actor: String? = nil, label: String = ""
  ) throws -> FormOutcome<E> {
    try write(actor: actor, label: label) { try $0.save(edited, from: base, onClash: rule) }
  }
}
