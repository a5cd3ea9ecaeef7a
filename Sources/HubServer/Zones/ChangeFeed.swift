import Replication
import Synchronization

/// Wakes those who listen to a zone when it holds something new.
///
/// Changes are told at once while few listen. The more do, the longer changes are gathered: each wakes
/// everybody, who all ask then.
final class ChangeFeed: Sendable {
  private struct State {
    var listeners: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var next: UInt64 = 0
    var latest: KnowledgeDigest?
    var lastTold = ContinuousClock.now
    var isScheduled = false
  }

  private let state = Mutex(State())
  private let spacing: Duration

  /// - Parameter spacing: how long one listener's turn is; so many times that between two tellings.
  init(spacing: Duration = .microseconds(200)) { self.spacing = spacing }

  var count: Int { state.withLock { $0.listeners.count } }

  /// What was told last.
  var latest: KnowledgeDigest? { state.withLock { $0.latest } }

  /// A stream that yields when there may be something new, or when it is time to say that there is
  /// not; several times may be one. It ends with ``finish()``.
  func listen() -> (id: UInt64, wakes: AsyncStream<Void>) {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    return (id, stream)
  }

  func forget(_ id: UInt64) {
    let continuation = state.withLock { $0.listeners.removeValue(forKey: id) }
    continuation?.finish()
  }

  /// The zone holds this now.
  func publish(_ digest: KnowledgeDigest) {
    let wait: Duration? = state.withLock { state in
      guard digest != state.latest else { return nil }
      state.latest = digest
      guard !state.listeners.isEmpty, !state.isScheduled else { return nil }
      state.isScheduled = true
      let due = state.lastTold.advanced(by: spacing * state.listeners.count)
      return max(.zero, due - .now)
    }
    guard let wait else { return }
    if wait == .zero { return tell() }
    Task {
      try? await Task.sleep(for: wait)
      tell()
    }
  }

  private func tell() {
    state.withLock { state in
      state.isScheduled = false
      state.lastTold = .now
    }
    wakeAll()
  }

  func wakeAll() {
    let all = state.withLock { Array($0.listeners.values) }
    for listener in all { listener.yield() }
  }

  func finish() {
    let all = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in all { listener.finish() }
  }
}
