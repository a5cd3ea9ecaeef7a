import GRDB
import GRDBSQLite
import Synchronization

/// Reads for callers that must not be blocked: on threads of their own, so that one is handed over once and
/// its result once. GRDB hands one of its own pool over twice as often, which takes longer than a short
/// query.
///
/// A read that is cancelled is interrupted in the midst of a statement, and not begun where it waits.
final class AsyncReads: Sendable {
  /// As many as the read model has connections for readers.
  static let threadsMax = 8

  private let threads = WaitingThreads(name: "daybook-read", countMax: threadsMax)

  /// - Parameter read: is given what its connection has to be told to.
  /// - Throws: what `read` throws; `CancellationError`.
  func run<T: Sendable>(_ read: @escaping @Sendable (Interruption) throws -> T) async throws -> T {
    let interruption = Interruption()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        threads.run {
          continuation.resume(with: Result { try interruption.checking { try read(interruption) } })
        }
      }
    } onCancel: {
      interruption.cancel()
    }
  }

  /// Ends what a connection is doing when its reader is cancelled.
  final class Interruption: Sendable {
    private let isCancelled = Atomic(false)

    /// How many instructions of SQLite's virtual machine are run between two looks: less than a millisecond
    /// of them.
    private static let instructions: Int32 = 4000

    fileprivate func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// What a cancelled statement throws is a cancellation.
    fileprivate func checking<T>(_ body: () throws -> T) throws -> T {
      try check()
      do { return try body() } catch {
        try check()
        throw error
      }
    }

    private func check() throws {
      if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }

    /// Runs `body` on the connection that is to be interrupted.
    ///
    /// Not by `sqlite3_interrupt`, which is without effect if it comes between two statements.
    func during<T>(_ db: Database, _ body: () throws -> T) throws -> T {
      try check()
      guard let connection = db.sqliteConnection else { return try body() }
      sqlite3_progress_handler(
        connection, Self.instructions,
        { pointer in
          guard let pointer else { return 0 }
          let interruption = Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue()
          return interruption.isCancelled.load(ordering: .relaxed) ? 1 : 0
        }, Unmanaged.passUnretained(self).toOpaque())
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      return try withExtendedLifetime(self) { try body() }
    }
  }
}
