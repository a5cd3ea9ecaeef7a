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

  /// The number of loops that listen to changes.
  package var changeListenerCount: Int { changes.listenerCount }

  /// Registers a listener for changes, by this process or another; see ``ChangeFeed``.
  func listen(
    to scope: ChangeFeed.Scope, _ body: @escaping @Sendable () -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Int {
    changes.listen(to: scope, body, end: end) {
      // The past does not change.
      guard past == nil else { return {} }
      return OtherProcesses.watch(self, for: changes)
    }
  }

  /// Waits until this store has announced what it has committed so far.
  func announcedOwnCommits() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      if !enqueue(.inspection { _ in continuation.resume() }) { continuation.resume() }
    }
  }

  /// Returns how often the read model was rebuilt in place; see ``Projector/rebuilds()``.
  static func rebuilds(_ db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "PRAGMA user_version")
  }

  /// Tells GRDB's observers, if there may be any, what another process has changed; nil for
  /// anything.
  func notifyObservers(of changes: RowChanges?) async throws {
    guard mayHaveObservers.withLock({ $0 }) else { return }
    try await onCommitThread { try $0.notifyObservers(of: changes) }
  }
}
