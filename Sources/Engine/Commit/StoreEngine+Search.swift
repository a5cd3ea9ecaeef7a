import DaybookLogEngine
import DaybookProjections
import Dispatch
import GRDB

/// The search index follows an edit later, and each search brings it up to date first.
extension StoreEngine {
  /// Indexes all rows that have changed since they were indexed, in short transactions.
  package func indexChangedRows() throws {
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
