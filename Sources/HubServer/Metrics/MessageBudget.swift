import DaybookLocks

/// A limit on messages of each kind in a minute, so that clients cannot fill a hub's disk with log
/// messages.
final class MessageBudget: Sendable {
  private struct Minute {
    var began: ContinuousClock.Instant
    var count = 0
    var suppressed = 0
  }

  private let perMinute: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let minutes = Mutex<[String: Minute]>([:])

  /// The number of kinds above which those whose minute is over are forgotten.
  private static let kindsMax = 10_000

  /// Creates a full budget.
  /// - Parameter perMinute: The most messages of each kind in a minute.
  init(
    perMinute: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.perMinute = perMinute
    self.now = now
  }

  /// Counts a message of a kind, and decides whether it may be written.
  /// - Returns: nil if it may not; otherwise the number of messages of this kind that were
  ///   suppressed in the minute before.
  func admit(_ kind: String) -> Int? {
    let time = now()
    return minutes.withLock { minutes in
      var minute = minutes[kind] ?? Minute(began: time)
      var suppressed = 0
      if time - minute.began >= .seconds(60) {
        suppressed = minute.suppressed
        minute = Minute(began: time)
      }
      defer {
        if minutes.count >= Self.kindsMax {
          minutes = minutes.filter { time - $0.value.began < .seconds(60) }
        }
        if minutes.count < Self.kindsMax || minutes[kind] != nil { minutes[kind] = minute }
      }
      guard minute.count < perMinute else {
        minute.suppressed += 1
        return nil
      }
      minute.count += 1
      return suppressed
    }
  }
}
