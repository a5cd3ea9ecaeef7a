import DaybookEngine
import DaybookEventCore
import DaybookProjections
import GRDB

/// Live entities: the values of a query, now and after every change.
extension Store {
  /// Returns the entities of a query: now, and after every change by any process.
  ///
  /// ```swift
  /// for try await notes in store.observe(Note.where { $0.pinned }) { show(notes) }
  /// ```
  /// Changes that follow closely are delivered as one, and a list in which nothing has changed is
  /// not delivered again. A query with relationships also sees the changes of these.
  public func observe<E: Entity>(_ query: EntityQuery<E>) -> LiveValues<[E]> {
    let statement = query.statement
    return LiveValues(store: self, scope: ChangeFeed.Scope(collections: statement.collections)) {
      let (models, hashes) = try await $0.read { db in
        try EntityRows<E>(db, statement).hashed()
      }
      return (models, ValueMark(hashes))
    }
  }

  /// Returns the entities of a query with what is different from before: now, and after every
  /// change.
  ///
  /// ```swift
  /// for try await change in store.observeChanges(of: Note.all.order(by: \.title)) {
  ///   list.apply(change.difference, reloading: change.updated)
  /// }
  /// ```
  /// The first element has all entities as inserted. Each loop compares with what it had itself, so
  /// nothing is missed if changes are delivered as one.
  public func observeChanges<E: Entity>(of query: EntityQuery<E>) -> LiveChanges<E> {
    let statement = query.statement
    let scope = ChangeFeed.Scope(collections: statement.collections)
    return LiveChanges(
      lists: LiveValues(store: self, scope: scope) {
        let (models, hashes) = try await $0.read { db in
          try EntityRows<E>(db, statement).hashed()
        }
        return (HashedList(entities: models, hashes: hashes), ValueMark(hashes))
      })
  }

  /// Returns an entity, or nil while there is none: now, and after every change.
  ///
  /// Writes to other entities cause no read.
  public func observe<E: Entity>(_ id: EntityID<E>) -> LiveValues<E?> {
    let scope = ChangeFeed.Scope(collections: [E.collection], id: id.rawValue)
    return LiveValues(store: self, scope: scope) {
      let stored = try await $0.core.reads.quickly { snapshot in
        let view = try snapshot.view
        guard view.schema[E.collection] != nil else {
          throw FieldCheck.unknownCollection(E.collection, view.schema)
        }
        return try view.entity(E.collection, id.rawValue)
      }
      return (
        stored.map { EntityLayout<E>.shared.model($0).model }, ValueMark(stored?.fields)
      )
    }
  }

  /// Returns a value about the entities of a query, such as their number: now, and after every
  /// change.
  public func observe<T: Equatable>(_ aggregate: EntityAggregate<T>) -> LiveValues<T> {
    LiveValues(
      store: self, scope: ChangeFeed.Scope(collections: aggregate.statement.collections)
    ) {
      let value = try await $0.fetch(aggregate)
      return (value, ValueMark(value))
    }
  }

  /// Returns the entities of a query, each with what belongs to it: now, and after every change of
  /// either.
  public func observe<E, Related>(_ query: EntityInclusion<E, Related>)
    -> LiveValues<[EntityWith<E, Related>]>
  {
    LiveValues(store: self, scope: ChangeFeed.Scope(collections: query.scope)) {
      let (rows, hashes) = try await $0.read { db in try query.hashed(db) }
      return (rows, ValueMark(hashes))
    }
  }

  /// Returns a value about each group of entities: now, and after every change.
  public func observe<Key, V>(_ groups: EntityGroupAggregate<Key, V>)
    -> LiveValues<[(key: Key, value: V)]>
  {
    LiveValues(store: self, scope: ChangeFeed.Scope(collections: groups.statement.collections)) {
      let (values, hashes) = try await $0.read { db in try groups.hashed(db) }
      return (values, ValueMark(hashes))
    }
  }

  /// Returns the properties that a query selects: now, and after every change.
  public func observe<E, Element>(_ selection: EntitySelection<E, Element>)
    -> LiveValues<[Element]>
  {
    let statement = selection.statement
    return LiveValues(store: self, scope: ChangeFeed.Scope(collections: statement.collections)) {
      let (elements, hashes) = try await $0.read { db in try selection.hashed(db) }
      return (elements, ValueMark(hashes))
    }
  }
}
