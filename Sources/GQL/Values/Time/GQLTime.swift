/// A time of the day.
public struct GQLLocalTime: Hashable, Comparable, Sendable {
  /// The nanoseconds since midnight, less than those of a day.
  public var nanoseconds: Int64

  static let perSecond: Int64 = 1_000_000_000
  static let perDay: Int64 = 86_400 * perSecond

  /// Makes a time of the nanoseconds since midnight; those of other days are taken into the day.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds - GQLDate.floor(nanoseconds, Self.perDay) * Self.perDay
  }

  /// Makes a time; nil if there is none.
  public init?(hour: Int64, minute: Int64, second: Int64, nanosecond: Int64 = 0) {
    guard 0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second, 0...999_999_999 ~= nanosecond else {
      return nil
    }
    nanoseconds = ((hour * 60 + minute) * 60 + second) * Self.perSecond + nanosecond
  }

  public static func < (a: GQLLocalTime, b: GQLLocalTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }

  var hour: Int64 { seconds / 3_600 }
  var minute: Int64 { seconds / 60 % 60 }
  var second: Int64 { seconds % 60 }
  var seconds: Int64 { nanoseconds / Self.perSecond }
  var nanosecond: Int64 { nanoseconds % Self.perSecond }
}

extension GQLLocalTime: CustomStringConvertible {
  /// The time as ISO 8601 has it, with seconds only if there are any.
  public var description: String {
    let start = "\(Digits.padded(hour, 2)):\(Digits.padded(minute, 2))"
    guard second != 0 || nanosecond != 0 else { return start }
    return "\(start):\(Digits.padded(second, 2))\(Digits.fraction(nanosecond))"
  }
}

/// A time of the day with an offset from UTC.
public struct GQLTime: Hashable, Sendable, CustomStringConvertible {
  /// The time at that offset.
  public var local: GQLLocalTime
  /// The offset from UTC in seconds, to the east.
  public var offset: Int

  /// Makes a time.
  public init(local: GQLLocalTime, offset: Int) {
    self.local = local
    self.offset = offset
  }

  /// The nanoseconds since midnight UTC, which may be those of the day before or after.
  var instant: Int64 { local.nanoseconds - Int64(offset) * GQLLocalTime.perSecond }

  /// The time as ISO 8601 has it.
  public var description: String { local.description + GQLOffset.shown(offset) }
}

/// Offsets from UTC.
enum GQLOffset {
  /// The greatest offset either way, in seconds.
  static let most = 18 * 3_600

  static func shown(_ seconds: Int) -> String {
    guard seconds != 0 else { return "Z" }
    let amount = abs(seconds)
    let text =
      (seconds < 0 ? "-" : "+") + Digits.padded(amount / 3_600, 2) + ":"
      + Digits.padded(amount / 60 % 60, 2)
    return amount % 60 == 0 ? text : "\(text):\(Digits.padded(amount % 60, 2))"
  }
}

/// A day and a time of it.
public struct GQLLocalDateTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The day.
  public var date: GQLDate
  /// The time of the day.
  public var time: GQLLocalTime

  /// Makes a moment of a day and a time.
  public init(date: GQLDate, time: GQLLocalTime) {
    self.date = date
    self.time = time
  }

  /// Makes a moment of seconds since 1970, at an offset of zero.
  init(seconds: Int64, nanosecond: Int64) {
    let days = GQLDate.floor(seconds, 86_400)
    date = GQLDate(days: days)
    time = GQLLocalTime(
      nanoseconds: (seconds - days * 86_400) * GQLLocalTime.perSecond + nanosecond)
  }

  /// The seconds since 1970, at an offset of zero.
  var seconds: Int64 { date.days * 86_400 + time.seconds }

  public static func < (a: GQLLocalDateTime, b: GQLLocalDateTime) -> Bool {
    (a.date, a.time) < (b.date, b.time)
  }

  /// The moment as ISO 8601 has it.
  public var description: String { "\(date)T\(time)" }
}

/// A moment, with an offset from UTC and perhaps the time zone that has it.
public struct GQLDateTime: Hashable, Sendable, CustomStringConvertible {
  /// Day and time at that offset.
  public var local: GQLLocalDateTime
  /// The offset from UTC in seconds, to the east.
  public var offset: Int
  /// The name of the time zone, such as `Europe/Stockholm`; nil if there is only an offset.
  public var zone: String?

  /// Makes a moment.
  public init(local: GQLLocalDateTime, offset: Int, zone: String? = nil) {
    self.local = local
    self.offset = offset
    self.zone = zone
  }

  /// The seconds since 1970 UTC.
  var seconds: Int64 { local.seconds - Int64(offset) }
  var nanosecond: Int64 { local.time.nanosecond }

  func isSameMoment(as other: GQLDateTime) -> Bool {
    seconds == other.seconds && nanosecond == other.nanosecond
  }

  func order(_ other: GQLDateTime) -> GQLValue.Order {
    seconds == other.seconds
      ? .of(nanosecond, other.nanosecond) : .of(seconds, other.seconds)
  }

  /// The moment as ISO 8601 has it, with the zone in brackets.
  public var description: String {
    "\(local)\(GQLOffset.shown(offset))\(zone.map { "[\($0)]" } ?? "")"
  }
}
