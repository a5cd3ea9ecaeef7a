/// A moment of hybrid logical time: milliseconds since 1970 in the upper 48 bits, a counter in the
/// lower 16.
///
/// The counter overflows into the milliseconds, so a later moment always exists. After Kulkarni,
/// Demirbas et al., "Logical Physical Clocks" (2014).
@frozen
public struct HybridTime: RawRepresentable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes a moment from wall-clock time.
  ///
  /// - Parameter milliseconds: since 1970-01-01T00:00:00Z; clamped to 48 bits.
  public init(milliseconds: Int64, counter: UInt16 = 0) {
    let clamped = UInt64(clamping: min(milliseconds, 0xFFFF_FFFF_FFFF))
    rawValue = clamped << 16 | UInt64(counter)
  }

  /// The moment before all others.
  public static let zero = HybridTime(rawValue: 0)

  /// 2200-01-01T00:00:00Z, the beginning of the far future.
  ///
  /// An authored time from here on is a mistake or a lie, since no device's clock is there. Such
  /// times do not affect the order of events, and no author's clock follows them.
  public static let farFuture = HybridTime(milliseconds: 7_258_118_400_000)

  /// Whether the moment is in the far future.
  public var isFar: Bool { self >= .farFuture }

  /// Whether an authored time is not later than all times that its author had seen.
  ///
  /// An author does not follow times that its own clock does not bear out. It then dates an event
  /// at the last moment of a millisecond, and the event ranks by what its author had seen.
  public var isDetached: Bool { counter == .max }

  /// Whether a pending event with this authored time ranks by what its author had seen.
  package var ranksBySeen: Bool { isFar || isDetached }

  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64 { Int64(rawValue >> 16) }
  /// The place of the moment within its millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The next moment.
  ///
  /// The last one, in the year 10889, is its own successor.
  public var successor: HybridTime {
    HybridTime(rawValue: rawValue == .max ? .max : rawValue + 1)
  }

  @inlinable
  public static func < (a: HybridTime, b: HybridTime) -> Bool { a.rawValue < b.rawValue }

  public var description: String { "\(milliseconds)+\(counter)" }
}
