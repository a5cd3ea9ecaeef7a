public import DaybookProjections
public import GRDB

extension Store {
  /// Reads one snapshot of the read model, with all that GRDB offers.
  ///
  /// The snapshot has every write that was acknowledged before the call.
  /// - Throws: what `body` and SQLite throw; an attempt to write is an error.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws
    -> T
  {
    try await buildDeferred()
    let reading = reading
    return try await snapshot { db in try reading.within { try body(db) } }
  }

  /// Reads one snapshot, with the collections that are declared in it.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database, StoreSchema) throws -> T)
    async throws -> T
  {
    try await view { view, db in try body(db, view.schema) }
  }

  /// Reads one snapshot together with the internal tables.
  func view<T: Sendable>(_ body: @escaping @Sendable (ReadModelView, Database) throws -> T)
    async throws -> T
  {
    try await buildDeferred()
    let (views, reading) = (views, reading)
    return try await snapshot { db in
      try reading.within { try views.withView(db) { try body($0, db) } }
    }
  }

  /// Reads one snapshot as ``read(_:)`` does, on the calling thread if the read can be made at once
  /// and is short; see ``QuickReads``.
  /// - Parameter body: one statement; it may run twice.
  func readShortly<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws
    -> T
  {
    if !isDeferrable,
      let value = try readGate.during({ quickReads.attempt(isSingle: true, body) })
    {
      return value
    }
    return try await read(body)
  }

  /// Reads one snapshot as ``view(_:)`` does, on the calling thread if the read can be made at once
  /// and is short; see ``QuickReads``.
  /// - Parameter body: the read; it may run twice.
  func viewShortly<T: Sendable>(
    _ body: @escaping @Sendable (ReadModelView, Database) throws -> T
  ) async throws -> T {
    let views = views
    if !isDeferrable,
      let value = try readGate.during({
        quickReads.attempt(isSingle: false) { db in
          try views.withView(db) { try body($0, db) }
        }
      })
    {
      return value
    }
    return try await view(body)
  }

  private func snapshot<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T)
    async throws
    -> T
  {
    try await asyncReads.run { [self] interruption in
      try snapshotNow { db in try interruption.during(db) { try body(db) } }
    }
  }

  /// Reads one snapshot on the calling thread.
  ///
  /// The past never changes, and is read without a transaction, which would take as long as a short
  /// query.
  func snapshotNow<T>(_ body: (Database) throws -> T) throws -> T {
    try StoreError.surfacing {
      try readGate.during { past == nil ? try reader.read(body) : try reader.unsafeRead(body) }
    }
  }

  /// Makes sure that a deferred read model is built before it is read.
  func buildDeferred() async throws {
    if isDeferrable { try await onCommitThread { _ in } }
  }

  /// Returns the declared collections.
  public func schema() async throws -> StoreSchema {
    if isDeferrable, let schema = try await deferredSchema() {
      return schema
    }
    return try await view { view, _ in view.schema }
  }

  /// Returns the collections that the commit thread knows while the read model is deferred; nil if
  /// it is not.
  private func deferredSchema() async throws -> StoreSchema? {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = enqueue(
        .inspection { engine in
          continuation.resume(returning: engine.bulkLoad == nil ? nil : engine.projector.schema)
        })
      if !isTaken { continuation.resume(throwing: refusal) }
    }
  }

  /// Returns a live entity, also if it is parked; nil if there is none.
  public func fetch(_ collection: String, _ id: String) async throws -> StoredEntity? {
    try await viewShortly { view, _ in try view.entity(collection, id) }
  }
}
