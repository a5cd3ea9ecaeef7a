import Synchronization

/// Notifies listeners that the log has grown.
final class LogSignal: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Registers a listener.
  /// - Parameter body: called on the writing thread; it must not block.
  /// - Returns: a token for ``forget(_:)``.
  func listen(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.listeners[state.next] = body
      return state.next
    }
  }

  func forget(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

  func fire() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener() }
  }
}
