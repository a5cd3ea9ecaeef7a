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
}
