import DaybookEngine
import DaybookProjections
import GRDB

/// Searches over texts that have changed: the search index follows an edit later, and each search
/// brings it up to date first.
extension Store {
  /// Reads one snapshot whose search indexes show every write that was acknowledged before.
  /// - Parameter collections: the collections to be searched; nil for all.
  func searching<T: Sendable>(
    _ collections: [String]?, _ body: @escaping @Sendable (Snapshot) throws -> T
  ) async throws -> T {
    let found = try await core.reads.asynchronously { snapshot in
      try snapshot.view.hasSearchBacklog(collections) ? nil : body(snapshot)
    }
    if let found { return found }
    // Without room on the disk, for example, the index is searched as it is.
    try? await indexChangedRows()
    return try await core.reads.asynchronously(body)
  }

  /// The same on the calling thread, which may block.
  func searchingNow<T>(
    _ collections: [String]?, _ body: (Snapshot) throws -> T
  ) throws -> T {
    let found = try core.reads.blocking { snapshot in
      try snapshot.view.hasSearchBacklog(collections) ? nil : body(snapshot)
    }
    if let found { return found }
    if !core.reads.isReading { try? core.waitOnCommitThread { try $0.indexChangedRows() } }
    return try core.reads.blocking(body)
  }

  private func indexChangedRows() async throws {
    try await core.onCommitThread { try $0.indexChangedRows() }
  }
}
