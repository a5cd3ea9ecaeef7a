import Synchronization

/// Lets through so many messages of a kind in a minute: nobody who asks a hub for nonsense fills its disk
/// with messages about it.
final class MessageBudget: Sendable {
  private struct Minute {
    var began: ContinuousClock.Instant
    var count = 0
    var suppressed = 0
  }

  private let perMinute: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let minutes = Mutex<[String: Minute]>([:])

  /// Kinds whose minute is over are forgotten if there are so many.
  private static let kindsMax = 10_000

  /// - Parameter perMinute: most messages of each kind.
  init(
    perMinute: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.perMinute = perMinute
    self.now = now
  }

  /// Whether a message of this kind may be written.
  /// - Returns: nil if not; else how many of this kind were not, in the minute before.
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
