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

  /// What one page has not been told yet. However much happens, it is a few words.
  final class Listener: Sendable {
    /// Yields when there is something to take; several changes may be one.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let waiting = Mutex<Set<Change>>([])
    fileprivate let forget = Mutex<(@Sendable () -> Void)?>(nil)

    fileprivate init() {
      (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    fileprivate func add(_ change: Change) {
      waiting.withLock { _ = $0.insert(change) }
      wake.yield()
    }

    /// Returns what has changed since it was last taken.
    func take() -> Set<Change> {
      waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
    }

    deinit { forget.withLock { $0 }?() }
  }

  private struct State {
    var next = 0
    var tellers: [Int: @Sendable (Change) -> Void] = [:]
    var hasEnded = false
  }

  private let store: Store
  private let state = Mutex(State())

  init(_ store: Store) { self.store = store }

  /// Returns a listener to what changes from now on, as long as it is kept.
  func listen() -> Listener {
    let listener = Listener()
    let tell: @Sendable (Change) -> Void = { [weak listener] in listener?.add($0) }
    let (number, hasEnded) = state.withLock { state in
      state.next += 1
      if !state.hasEnded { state.tellers[state.next] = tell }
      return (state.next, state.hasEnded)
    }
    if hasEnded {
      listener.add(.end)
      return listener
    }
    let token = store.core.listen(to: .anything) {
      tell(.store)
    } end: {
      tell(.end)
    }
    listener.forget.withLock {
      $0 = { [self] in
        store.core.changes.forget(token)
        state.withLock { _ = $0.tellers.removeValue(forKey: number) }
      }
    }
    return listener
  }

  func peersChanged() { tell(.peers) }

  /// Tells all listeners that this is the end.
  func end() {
    state.withLock { $0.hasEnded = true }
    tell(.end)
  }

  private func tell(_ change: Change) {
    for tell in state.withLock({ Array($0.tellers.values) }) { tell(change) }
  }
}
