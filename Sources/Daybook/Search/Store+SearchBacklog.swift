import DaybookLogEngine
import DaybookProjections
import Dispatch
import GRDB

/// Searches over texts that have changed: the search index follows an edit later, and each search
/// brings it up to date first.
extension Store {
  /// Reads one snapshot whose search indexes show every write that was acknowledged before.
  /// - Parameter collections: the collections to be searched; nil for all.
  func searchView<T: Sendable>(
    _ collections: [String]?, _ body: @escaping @Sendable (ReadModelView, Database) throws -> T
  ) async throws -> T {
    let found = try await view { view, db in
      try view.hasSearchBacklog(collections) ? nil : body(view, db)
    }
    if let found { return found }
    // Without room on the disk, for example, the index is searched as it is.
    try? await indexChangedRows()
    return try await view(body)
  }

  /// The same on the calling thread, which may block.
  func searchViewNow<T>(
    _ collections: [String]?, _ body: (ReadModelView, Database) throws -> T
  ) throws -> T {
    let found = try viewNow { view, db in
      try view.hasSearchBacklog(collections) ? nil : body(view, db)
    }
    if let found { return found }
    if !reading.isReading { try? waitOnCommitThread { try $0.indexChangedRows() } }
    return try viewNow(body)
  }

  private func indexChangedRows() async throws {
    try await onCommitThread { try $0.indexChangedRows() }
  }
}

extension StoreEngine {
  /// Indexes all rows that have changed since they were indexed, in short transactions.
  func indexChangedRows() throws {
    var isDone = false
    while !isDone {
      try indexSomeRows()
      isDone = !projector.hasSearchBacklog
    }
  }

  /// Indexes some of the rows that have changed since they were indexed, so that a write that waits
  /// does not wait long.
  func indexSomeRows() throws {
    try log.lock()
    defer { log.unlock() }
    try readModel.writeWithoutTransaction { db in
      try begin(db) { try projector.indexChangedRows(limit: SearchBacklog.stepBytes) }
      try commit(db)
      isBehind = false
    }
    moveWriteAheadLog()
  }

  /// Has changed rows indexed in a second, if there are any.
  func scheduleIndexing() {
    guard projector.hasSearchBacklog, !isIndexingScheduled else { return }
    isIndexingScheduled = true
    let enqueue = enqueue
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + indexingDelay) {
      enqueue(
        .inspection { engine in
          engine.isIndexingScheduled = false
          // What fails, for want of space, is tried again after the next write or before a search.
          if engine.projector.hasSearchBacklog { try? engine.indexSomeRows() }
        })
    }
  }
}
