public import DaybookEngine
import DaybookProjections
public import GRDB

extension Store {
  /// Returns the entities of a query, in one snapshot.
  /// - Throws: ``StoreError`` `invalidQuery` for a property that is not stored, a negative limit,
  ///   or a value that no field can hold; what SQLite throws.
  @inlinable
  public func fetch<E: Entity>(_ query: EntityQuery<E>) async throws -> [E] {
    try await read { db in try query.fetchAll(db) }
  }

  /// Returns the first entity of a query; nil if there is none.
  public func fetchOne<E: Entity>(_ query: EntityQuery<E>) async throws -> E? {
    try await read { db in try query.fetchOne(db) }
  }

  /// Returns a value about the entities of a query, such as their number.
  public func fetch<T>(_ aggregate: EntityAggregate<T>) async throws -> T {
    try await read { db in try aggregate.fetch(db) }
  }

  /// Returns a value about each group of entities.
  public func fetch<Key, V>(_ groups: EntityGroupAggregate<Key, V>) async throws
    -> [(key: Key, value: V)]
  {
    try await read { db in try groups.fetch(db) }
  }

  /// Returns the entities of a query, each with the relationships that lead from it.
  ///
  /// Both are of one snapshot, and take two statements, however many entities there are.
  public func fetch<R: Relationship>(
    _ query: EntityQuery<R.From>, including type: R.Type
  ) async throws -> [(entity: R.From, related: [R])] {
    try await fetch(query.including(R.all)).map { ($0.entity, $0.related) }
  }

  /// Returns the properties that a query selects.
  public func fetch<E, Element>(_ selection: EntitySelection<E, Element>) async throws -> [Element]
  {
    try await read { db in try selection.fetchAll(db) }
  }

  /// Returns how SQLite will find the entities of a query; see ``EntityQuery/explain(_:)``.
  public func explain<E: Entity>(_ query: EntityQuery<E>) async throws -> [String] {
    try await read { db in try query.explain(db) }
  }
}

extension WriteTransaction {
  /// Returns the entities of a query, as this transaction sees them.
  public func fetch<E: Entity>(_ query: EntityQuery<E>) throws -> [E] {
    try query.fetchAll(database)
  }

  /// Returns the first entity of a query, as this transaction sees it; nil if there is none.
  public func fetchOne<E: Entity>(_ query: EntityQuery<E>) throws -> E? {
    try query.fetchOne(database)
  }

  /// Returns a value about the entities of a query, as this transaction sees them.
  public func fetch<T>(_ aggregate: EntityAggregate<T>) throws -> T {
    try aggregate.fetch(database)
  }

  /// Returns a value about each group of entities, as this transaction sees them.
  public func fetch<Key, V>(_ groups: EntityGroupAggregate<Key, V>) throws
    -> [(key: Key, value: V)]
  {
    try groups.fetch(database)
  }

  /// Returns the properties that a query selects, as this transaction sees them.
  public func fetch<E, Element>(_ selection: EntitySelection<E, Element>) throws -> [Element] {
    try selection.fetchAll(database)
  }

  /// Changes the entities of a query.
  /// - Returns: the number of entities of the query.
  @discardableResult
  public func update<E: Entity>(
    where query: EntityQuery<E>, _ change: (inout E) throws -> Void
  ) throws -> Int {
    let entities = try fetch(query)
    for entity in entities { try update(entity.id, change) }
    return entities.count
  }

  /// Deletes the entities of a query, and what refers to them if the reference says so.
  /// - Returns: the number of entities of the query.
  @discardableResult
  public func delete<E: Entity>(where query: EntityQuery<E>) throws -> Int {
    let entities = try fetch(query)
    try delete(entities)
    return entities.count
  }
}
