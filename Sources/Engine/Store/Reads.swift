import DaybookProjections
import Foundation
package import GRDB

/// The reads of an open store, in three ways: each gives a closure one snapshot of the read model.
///
/// The snapshot has every write that was acknowledged before the call. A read model that was
/// deferred is built first. A read that has begun keeps the store from closing.
package final class Reads: Sendable {
  package let reader: any DatabaseReader
  private let views: ViewCache
  /// The threads that are within a read.
  private let reading = ReadingThreads()
  private let threads = AsyncReads()
  private let gate = ReadGate()
  private let quick: QuickReads
  /// The thread that writes; nil if the store is for reading only.
  private let writer: CommitThread<StoreJob>?
  /// Whether the read model may have to be built first.
  private let isDeferrable: Bool
  /// Whether the read model never changes.
  private let isPast: Bool

  /// - Parameters:
  ///   - reader: the connections of the read model.
  ///   - path: the file of the read model.
  ///   - source: the events of the log.
  ///   - writer: the thread that writes; nil if the store is for reading only.
  ///   - isDeferrable: whether the read model may have to be built before it is read.
  ///   - isPast: whether the read model is of a moment of the past, and never changes.
  init(
    _ reader: any DatabaseReader, at path: String, source: any EventSource,
    writer: CommitThread<StoreJob>?, isDeferrable: Bool, isPast: Bool
  ) {
    self.reader = reader
    views = ViewCache(source: source)
    quick = QuickReads { try ReadModelFile.openQuick(path, isPast: isPast) }
    self.writer = writer
    self.isDeferrable = isDeferrable && writer != nil
    self.isPast = isPast
  }

  // MARK: - Three ways

  /// Reads one snapshot on a thread for reads, and suspends the task until it is done.
  ///
  /// A cancelled read is interrupted in the middle of a statement.
  /// - Throws: what `body` and SQLite throw; `CancellationError`; ``StoreError`` `closed`.
  package func asynchronously<T: Sendable>(
    _ body: @escaping @Sendable (Snapshot) throws -> T
  ) async throws -> T {
    try await buildDeferred()
    return try await threads.run { [self] interruption in
      try snapshot { snapshot in
        try interruption.during(snapshot.database) { try body(snapshot) }
      }
    }
  }

  /// Reads one snapshot as ``asynchronously(_:)`` does, but on the calling thread if the read can
  /// be made at once and is short; see ``QuickReads``.
  /// - Parameters:
  ///   - isSingle: whether `body` runs one statement only, which needs no transaction.
  ///   - body: the read; it may run twice.
  package func quickly<T: Sendable>(
    isSingle: Bool = false, _ body: @escaping @Sendable (Snapshot) throws -> T
  ) async throws -> T {
    let (quick, views) = (quick, views)
    if !isDeferrable,
      let value = try gate.during({
        quick.attempt(isSingle: isSingle) { try Snapshot.reading($0, views, body) }
      })
    {
      return value
    }
    return try await asynchronously(body)
  }

  /// Reads one snapshot on the calling thread, which may block; within a read, that of the read.
  /// - Throws: what `body` and SQLite throw; ``StoreError`` `closed`; `reentrant` within a
  ///   transaction of the store.
  package func blocking<T>(_ body: (Snapshot) throws -> T) throws -> T {
    try writer?.refuseReentry()
    if isReading {
      // GRDB ends the process if a read begins within a read, unless it is asked for the open one.
      return try StoreError.surfacing {
        try reader.unsafeReentrantRead { try Snapshot.reading($0, views, body) }
      }
    }
    if isDeferrable { try writer?.runNow { _ in } }
    return try snapshot(body)
  }

  // MARK: - For the three

  /// Whether the calling thread is within a read.
  package var isReading: Bool { reading.isReading }

  /// Makes sure that a deferred read model is built, before events of the log are read beside it.
  package func buildDeferred() async throws {
    if isDeferrable { try await writer?.run { _ in } }
  }

  /// The past never changes, and is read without a transaction, which would take as long as a short
  /// query.
  private func snapshot<T>(_ body: (Snapshot) throws -> T) throws -> T {
    try StoreError.surfacing {
      try gate.during {
        let read: (Database) throws -> T = { [reading, views] db in
          try reading.within { try Snapshot.reading(db, views, body) }
        }
        return try isPast ? reader.unsafeRead(read) : reader.read(read)
      }
    }
  }

  /// Lets no more reads begin, and returns when the last one has ended.
  func close() {
    gate.close()
    views.close()
    quick.close()
  }
}
