package import Daybook
import DaybookEngine
import DaybookLocks
package import GRDB

/// A query by somebody's SQL, with a limit on its time.
package struct GuardedQuery: Sendable {
  /// The longest time that SQL may run.
  package static let secondsMax = 60
  package static let secondsUsual = 10

  private let store: Store

  package init(_ store: Store) { self.store = store }

  /// Runs `body` on a connection of its own that can only read, and interrupts it when its time is
  /// over or the call is cancelled.
  /// - Throws: ``CallFailure`` if the time is over; what `body` throws.
  package func run<T: Sendable>(
    seconds: Int, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    // A read waits until all that was acknowledged is in the read model.
    try await store.read { _ in }
    let path = store.core.readModelPath
    let queue = try await Blocking.run { try GuardedSQL.open(path) }
    let watch = Interruption(queue)
    let timer = Task {
      try await Task.sleep(for: .seconds(seconds))
      watch.interrupt(isTimeOver: true)
    }
    defer { timer.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await Blocking.run { try watch.during { try queue.unsafeRead(body) } }
      } onCancel: {
        watch.interrupt(isTimeOver: false)
      }
    } catch {
      guard watch.isTimeOver else {
        try Task.checkCancellation()
        throw error
      }
      throw CallFailure(
        "the SQL ran for longer than \(seconds) seconds",
        cure: "Ask for less, or give more `seconds`, up to \(Self.secondsMax)")
    }
  }
}

/// Interrupts the statements of one query.
private final class Interruption: Sendable {
  private struct State {
    var isRunning = false
    var isWanted = false
    var isTimeOver = false
  }

  private let queue: DatabaseQueue
  private let state = Mutex(State())

  init(_ queue: DatabaseQueue) { self.queue = queue }

  var isTimeOver: Bool { state.withLock { $0.isTimeOver } }

  func during<T>(_ body: () throws -> T) throws -> T {
    let isWanted = state.withLock { state in
      state.isRunning = !state.isWanted
      return state.isWanted
    }
    if isWanted { throw CancellationError() }
    defer { state.withLock { $0.isRunning = false } }
    return try body()
  }

  func interrupt(isTimeOver: Bool) {
    state.withLock { state in
      state.isWanted = true
      state.isTimeOver = state.isTimeOver || isTimeOver
      // Within the lock, so that the next query on the connection is not interrupted.
      if state.isRunning { queue.interrupt() }
    }
  }
}
