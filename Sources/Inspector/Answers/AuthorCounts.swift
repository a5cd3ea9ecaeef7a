import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookLocks

/// How many events each author has written on each day. It is counted once from the log, then
/// followed.
final class AuthorCounts: Sendable {
  struct Key: Hashable, Sendable {
    /// Days since 1970, in UTC.
    var day: Int64
    var actor: String
  }

  private struct State {
    var counts: [Key: Int] = [:]
    var counted = VersionVector()
    /// The number of events that are counted.
    var done: UInt64 = 0
    var running: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  var counts: [Key: Int] { state.withLock { $0.counts } }
  var done: UInt64 { state.withLock { $0.done } }

  /// Begins to count what is not counted yet.
  func follow(_ store: Store) {
    state.withLock { state in
      guard state.running == nil else { return }
      state.running = Task {
        defer { self.state.withLock { $0.running = nil } }
        try await count(store)
      }
    }
  }

  private func count(_ store: Store) async throws {
    let known = state.withLock { $0.counted }
    let end = try await store.core.reads.asynchronously { try $0.view.wholeVector }
    guard end != known else { return }
    let query = EventQuery(after: .vector(known), until: .vector(end))
    let part = Mutex<[Key: Int]>([:])
    try await store.forEachEvent(query) { [self] event in
      let key = Key(
        day: Self.day(event.times.authored.milliseconds), actor: event.actor)
      part.withLock { $0[key, default: 0] += 1 }
      state.withLock { $0.done += 1 }
      return true
    }
    state.withLock { state in
      state.counts.merge(part.withLock { $0 }) { $0 + $1 }
      state.counted = end
    }
  }

  private static func day(_ milliseconds: Int64) -> Int64 {
    milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
  }
}
