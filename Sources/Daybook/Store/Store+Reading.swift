import DaybookEngine
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
    try await core.reads.asynchronously { try body($0.database) }
  }

  /// Reads one snapshot, with the collections that are declared in it.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database, StoreSchema) throws -> T)
    async throws -> T
  {
    try await core.reads.asynchronously { try body($0.database, $0.view.schema) }
  }

  /// Reads one snapshot with its internal tables: histories, searches and the graph.
  /// - Parameter searches: whether `body` searches. Search indexes are brought up to date first.
  package func read<T: Sendable>(
    searches: Bool, _ body: @escaping @Sendable (Database, ReadModelView) throws -> T
  ) async throws -> T {
    // The backlog of no collection is none.
    try await searching(searches ? nil : []) { try body($0.database, $0.view) }
  }

  /// Returns the declared collections.
  public func schema() async throws -> StoreSchema {
    if options.defersProjection, !options.isReadOnly, let schema = try await deferredSchema() {
      return schema
    }
    return try await core.reads.asynchronously { try $0.view.schema }
  }

  /// Returns the collections that the commit thread knows while the read model is deferred; nil if
  /// it is not.
  private func deferredSchema() async throws -> StoreSchema? {
    try await core.inspect { $0.bulkLoad == nil ? nil : $0.projector.schema }
  }

  /// Returns a live entity, also if it is parked; nil if there is none.
  public func fetch(_ collection: String, _ id: String) async throws -> StoredEntity? {
    try await core.reads.quickly { try $0.view.entity(collection, id) }
  }
}
