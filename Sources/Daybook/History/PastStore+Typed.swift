import DaybookProjections
import GRDB

extension PastStore {
  /// Returns an entity as it was; nil if it was not live.
  public func fetch<E: Entity>(_ id: EntityID<E>) async throws -> E? {
    try await fetch(E.collection, id.rawValue).map { EntityLayout<E>.shared.model($0).model }
  }
}

/// Queries on a moment of the past. Each call builds a read model of that moment, which costs
/// reading the log up to it; ``open(in:progress:)`` builds one for any number of queries.
extension PastStore {
  /// Returns the entities of a query as they were.
  public func fetch<E: Entity>(_ query: EntityQuery<E>) async throws -> [E] {
    try await read { db, _ in try query.fetchAll(db) }
  }

  /// Returns the first entity of a query as it was; nil if there was none.
  public func fetchOne<E: Entity>(_ query: EntityQuery<E>) async throws -> E? {
    try await read { db, _ in try query.fetchOne(db) }
  }

  /// Returns a value about the entities of a query, such as their number, as it was.
  public func fetch<T>(_ aggregate: EntityAggregate<T>) async throws -> T {
    try await read { db, _ in try aggregate.fetch(db) }
  }

  /// Returns a value about each group of entities as it was.
  public func fetch<Key, V>(_ groups: EntityGroupAggregate<Key, V>) async throws
    -> [(key: Key, value: V)]
  {
    try await read { db, _ in try groups.fetch(db) }
  }

  /// Returns the entities of a query as they were, each with what belonged to it.
  public func fetch<E, Related>(_ query: EntityInclusion<E, Related>) async throws
    -> [EntityWith<E, Related>]
  {
    try await read { db, _ in try query.fetchAll(db) }
  }

  /// Returns the properties that a query selects as they were.
  public func fetch<E, Element>(_ selection: EntitySelection<E, Element>) async throws -> [Element]
  {
    try await read { db, _ in try selection.fetchAll(db) }
  }
}
