import Synchronization

/// Tells whoever listens that the log has more than before.
final class LogSignal: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// - Parameter body: called on the thread that has written; must not wait.
  /// - Returns: for ``forget(_:)``.
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
