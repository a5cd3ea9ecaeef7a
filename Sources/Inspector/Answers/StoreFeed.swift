import Daybook
import DaybookEngine
import DaybookLocks

/// Tells pages what has changed: the store, by this process or another, or the sync with peers.
final class StoreFeed: Sendable {
  enum Change: Hashable, Sendable {
    case store
    case peers
    /// The store is closed, or the inspector ends.
    case end
  }

  private struct State {
    var next = 0
    var listeners: [Int: AsyncStream<Change>.Continuation] = [:]
    var hasEnded = false
  }

  private let store: Store
  private let state = Mutex(State())

  init(_ store: Store) { self.store = store }

  /// Returns the changes from now on. A slow loop gets the newest ones only.
  func changes() -> AsyncStream<Change> {
    let (stream, continuation) = AsyncStream<Change>.makeStream(
      bufferingPolicy: .bufferingNewest(16))
    let number = state.withLock { state in
      state.next += 1
      if !state.hasEnded { state.listeners[state.next] = continuation }
      return state.hasEnded ? nil : state.next
    }
    guard let number else {
      continuation.yield(.end)
      continuation.finish()
      return stream
    }
    let token = store.core.listen(to: .anything) {
      continuation.yield(.store)
    } end: {
      continuation.yield(.end)
      continuation.finish()
    }
    continuation.onTermination = { [self] _ in
      store.core.changes.forget(token)
      state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  func peersChanged() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(.peers) }
  }

  /// Ends all loops.
  func end() {
    let listeners = state.withLock { state in
      state.hasEnded = true
      return Array(state.listeners.values)
    }
    for listener in listeners {
      listener.yield(.end)
      listener.finish()
    }
  }
}
