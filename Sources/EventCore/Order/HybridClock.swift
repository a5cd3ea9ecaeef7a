/// Gives out times that exceed everything given out or observed before. Pure: the wall clock is
/// handed in.
public struct HybridClock: Sendable {
  public private(set) var latest: HybridTime

  public init(latest: HybridTime = .zero) { self.latest = latest }

  /// Notes a time that another clock gave out.
  public mutating func observe(_ time: HybridTime) { latest = max(latest, time) }

  /// - Parameter wallMilliseconds: the machine's clock, milliseconds since 1970; it may be wrong,
  ///   stand still or run backwards.
  public mutating func tick(wallMilliseconds: Int64) -> HybridTime {
    latest = max(latest.successor, HybridTime(milliseconds: wallMilliseconds))
    return latest
  }
}
