/// A clock whose times exceed every time that it gave out or observed before.
///
/// The clock is pure: the caller passes the wall clock's time.
package struct HybridClock: Sendable {
  package private(set) var latest: HybridTime

  package init(latest: HybridTime = .zero) { self.latest = latest }

  /// Observes a time that another clock gave out: later times exceed it.
  package mutating func observe(_ time: HybridTime) { latest = max(latest, time) }

  /// Returns a new time, later than ``latest`` was.
  ///
  /// - Parameter wallMilliseconds: the machine's clock, in milliseconds since 1970. It may be
  ///   wrong, stand still or run backwards.
  package mutating func tick(wallMilliseconds: Int64) -> HybridTime {
    latest = max(latest.successor, HybridTime(milliseconds: wallMilliseconds))
    return latest
  }

  // MARK: - Authors

  /// How far an author follows the times of others beyond its own clock: a day. More than that
  /// between two devices is not a difference, but a clock that is wrong.
  package static let lead = Duration.seconds(86_400)

  /// 2026-11-01T00:00:00Z. A clock before it is certainly wrong, since no build with this rule is
  /// older. Its machine may have lost its battery, and follows all times of others.
  package static let begin: Int64 = 1_793_491_200_000

  /// Returns the time above which an author whose clock says `wallMilliseconds` does not follow
  /// others; the far future if the clock itself is certainly wrong.
  package static func limit(wallMilliseconds: Int64) -> HybridTime {
    let wall = HybridTime(milliseconds: wallMilliseconds)
    guard wallMilliseconds >= begin, !wall.isFar else { return .farFuture }
    let lead = HybridTime(milliseconds: wall.milliseconds + lead.wholeMilliseconds)
    return min(lead, .farFuture)
  }

  /// Returns the authored time of a new event.
  ///
  /// It is later than the times that the author had given out or seen. If one of those is beyond
  /// ``limit(wallMilliseconds:)``, the author does not follow it, and the new time is detached: see
  /// ``HybridTime/isDetached``. It is not earlier than the others.
  /// - Parameters:
  ///   - wallMilliseconds: the machine's clock, in milliseconds since 1970.
  ///   - seen: for each origin, the latest authored time that is not far in the future.
  package mutating func author(
    wallMilliseconds: Int64, seen: some Sequence<HybridTime>
  ) -> HybridTime {
    let limit = Self.limit(wallMilliseconds: wallMilliseconds)
    var isDetached = false
    // What was given out while this machine's own clock was wrong counts no more, either.
    if latest >= limit, !HybridTime(milliseconds: wallMilliseconds).isFar {
      isDetached = !latest.isFar
      latest = .zero
    }
    for time in seen {
      if time < limit { observe(time) } else { isDetached = true }
    }
    if isDetached {
      // Several events may share this time: they rank by what their author had seen. One that is
      // not detached is later.
      let milliseconds = max(latest.milliseconds, wallMilliseconds)
      latest = HybridTime(milliseconds: milliseconds, counter: .max)
      return latest
    }
    let time = tick(wallMilliseconds: wallMilliseconds)
    // The last moment of a millisecond is for detached times.
    return time.isDetached ? tick(wallMilliseconds: wallMilliseconds) : time
  }
}
