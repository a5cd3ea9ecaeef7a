import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookLocks
import GRDB

/// The store that an agent's tools work on, and who the agent is.
struct AgentSession: Sendable {
  let store: Store
  let actor: String
  let isReadOnly: Bool

  init(_ store: Store, actor: String, isReadOnly: Bool) {
    self.store = store
    self.actor = actor
    self.isReadOnly = isReadOnly
  }

  /// Writes one event, whose label is the call.
  /// - Parameters:
  ///   - call: the call in words, as `insert notes/n1`.
  ///   - label: the caller's own words; nil for the call.
  /// - Returns: the event; nil if there was nothing to change.
  func write(
    _ call: String, label: String?, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> EventID? {
    guard !isReadOnly else {
      throw ToolFailure(
        "the server was started for reading only", cure: "Start it without --read-only")
    }
    return try await store.write(actor: actor, label: label ?? call) { transaction in
      try body(transaction)
      return transaction.isEmpty ? nil : transaction.event
    }
  }

  /// The longest time that SQL of an agent may run.
  static let secondsMax = 60
  static let secondsUsual = 10

  /// Runs `body` on a connection of its own that can only read, and interrupts it when its time is
  /// over or the call is cancelled.
  /// - Throws: ``ToolFailure`` if the time is over; what `body` throws.
  func query<T: Sendable>(
    seconds: Int, _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    // A read waits until all that was acknowledged is in the read model.
    try await store.read { _ in }
    let path = store.core.files.readModel
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
      throw ToolFailure(
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
