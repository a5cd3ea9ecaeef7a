import DaybookEngine
import DaybookLocks
import DaybookProjections
public import GRDB

extension Store {
  /// Returns the values of a read: now, and after every change of the collections that it reads.
  ///
  /// ```swift
  /// let titles = store.observe("notes") { db in
  ///   try String.fetchAll(db, sql: "SELECT title FROM notes ORDER BY title")
  /// }
  /// for try await titles in titles { show(titles) }
  /// ```
  /// Changes of every origin are seen: this store, a sync, a rebuild, a definition, or another
  /// process. Changes that follow closely are delivered as one, and a value that equals the one
  /// before is not delivered again. Each loop reads for itself, when it asks for the next value.
  /// - Parameters:
  ///   - collections: the collections that `value` reads.
  ///   - value: the read, in one snapshot. A loop ends with ``StoreError`` `unknownName` if one of
  ///     the collections is not defined.
  public func observe<Value: Sendable & Equatable>(
    _ collections: String..., value: @escaping @Sendable (Database) throws -> Value
  ) -> LiveValues<Value> {
    let read = value
    return LiveValues(store: self, scope: ChangeFeed.Scope(collections: Set(collections))) {
      let value = try await $0.read { db, schema in
        // A name that is not there would never change.
        for name in collections where schema[name] == nil {
          throw FieldCheck.unknownCollection(name, schema)
        }
        return try read(db)
      }
      return (value, ValueMark(value))
    }
  }

  /// Returns the values of a read that may look at any collection: now, and after every change.
  /// - Parameters:
  ///   - searches: whether the read searches.
  ///   - read: returns the value and a mark. Two reads with equal marks count as unchanged.
  package func observeAll<Value: Sendable, Mark: Equatable & Sendable>(
    searches: Bool,
    _ read: @escaping @Sendable (Database, ReadModelView) throws -> (value: Value, mark: Mark)
  ) -> LiveValues<Value> {
    LiveValues(store: self, scope: .anything) {
      let (value, mark) = try await $0.read(searches: searches, read)
      return (value, ValueMark(mark))
    }
  }

  /// The number of loops that listen to changes.
  package var changeListenerCount: Int { core.changes.listenerCount }
}
