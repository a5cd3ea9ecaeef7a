import DaybookLocks
import GRDB
import GRDBSQLite

/// Reads for asynchronous callers, on threads of their own.
///
/// A read is handed over once and its result once. With GRDB's own pool this happens twice as
/// often, which takes longer than a short query.
///
/// A cancelled read is interrupted in the middle of a statement. If it is still waiting, it does
/// not begin.
final class AsyncReads: Sendable {
  /// The number of threads, which is also the number of the read model's connections for readers.
  static let threadsMax = 8

  private let threads = WaitingThreads(name: "daybook-read", countMax: threadsMax)

  /// Runs a read on one of the threads.
  /// - Parameter read: the read; it gets the interruption that its connection must observe.
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

  /// Interrupts the statement of a connection when its reader's task is cancelled.
  final class Interruption: Sendable {
    private let isCancelled = Mutex(false)

    /// The number of SQLite's virtual machine instructions between two checks, which take less than
    /// a millisecond.
    private static let instructions: Int32 = 4000

    fileprivate func cancel() { isCancelled.withLock { $0 = true } }

    /// Runs `body`, and turns the error of a cancelled statement into `CancellationError`.
    fileprivate func checking<T>(_ body: () throws -> T) throws -> T {
      try check()
      do { return try body() } catch {
        try check()
        throw error
      }
    }

    private func check() throws {
      if isCancelled.withLock { $0 } { throw CancellationError() }
    }

    /// Runs `body` on the connection that is to be interrupted.
    ///
    /// It does not use `sqlite3_interrupt`, which has no effect between two statements.
    func during<T>(_ db: Database, _ body: () throws -> T) throws -> T {
      try check()
      guard let connection = db.sqliteConnection else { return try body() }
      sqlite3_progress_handler(
        connection, Self.instructions,
        { pointer in
          guard let pointer else { return 0 }
          let interruption = Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue()
          return interruption.isCancelled.withLock { $0 } ? 1 : 0
        }, Unmanaged.passUnretained(self).toOpaque())
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      return try withExtendedLifetime(self) { try body() }
    }
  }
}
