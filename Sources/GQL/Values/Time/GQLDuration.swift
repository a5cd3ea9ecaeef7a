/// An amount of time: months and days, whose lengths differ, and seconds.
public struct GQLDuration: Hashable, Sendable {
  /// The months.
  public var months: Int64
  /// The days.
  public var days: Int64
  /// The whole seconds.
  public var seconds: Int64
  /// The rest in nanoseconds, 0 to 999,999,999.
  public var nanoseconds: Int64

  /// Makes an amount; nil if a part has no room.
  public init?(months: Int64 = 0, days: Int64 = 0, seconds: Int64 = 0, nanoseconds: Int64 = 0) {
    let whole = GQLDate.floor(nanoseconds, GQLLocalTime.perSecond)
    let (sum, overflow) = seconds.addingReportingOverflow(whole)
    guard !overflow else { return nil }
    self.months = months
    self.days = days
    self.seconds = sum
    self.nanoseconds = nanoseconds - whole * GQLLocalTime.perSecond
  }

  /// About how many seconds it is, for an order of amounts.
  var average: Double {
    Double(months) * 2_629_746 + Double(days) * 86_400 + Double(seconds)
      + Double(nanoseconds) / 1e9
  }

  func adding(_ other: GQLDuration, sign: Int64 = 1) -> GQLDuration? {
    func sum(_ a: Int64, _ b: Int64) -> Int64? {
      let (product, first) = b.multipliedReportingOverflow(by: sign)
      let (sum, second) = a.addingReportingOverflow(product)
      return first || second ? nil : sum
    }
    guard let months = sum(months, other.months), let days = sum(days, other.days),
      let seconds = sum(seconds, other.seconds)
    else { return nil }
    return GQLDuration(
      months: months, days: days, seconds: seconds,
      nanoseconds: nanoseconds + sign * other.nanoseconds)
  }

  /// Makes an amount of parts with fractions, each of which goes on to the next smaller part.
  static func of(months: Double, days: Double, seconds: Double, nanoseconds: Double = 0)
    -> GQLDuration?
  {
    let wholeMonths = months.rounded(.towardZero)
    let allDays = days + (months - wholeMonths) * 30.436875
    let wholeDays = allDays.rounded(.towardZero)
    let allSeconds = seconds + (allDays - wholeDays) * 86_400
    let wholeSeconds = allSeconds.rounded(.towardZero)
    // Binary fractions are a little off: 0.29 seconds are 289,999,999.99… billionths.
    let billionths = (allSeconds - wholeSeconds) * 1e9 + nanoseconds
    let rest = ((billionths * 1_000).rounded() / 1_000).rounded(.towardZero)
    guard let months = Int64(exactly: wholeMonths), let days = Int64(exactly: wholeDays),
      let seconds = Int64(exactly: wholeSeconds), let nanoseconds = Int64(exactly: rest)
    else { return nil }
    return GQLDuration(months: months, days: days, seconds: seconds, nanoseconds: nanoseconds)
  }

  func multiplied(by factor: Double) -> GQLDuration? {
    Self.of(
      months: Double(months) * factor, days: Double(days) * factor,
      seconds: Double(seconds) * factor, nanoseconds: Double(nanoseconds) * factor)
  }
}

extension GQLDuration: CustomStringConvertible {
  /// The amount as ISO 8601 has it.
  public var description: String {
    var text = "P"
    func add(_ number: Int64, _ unit: String) {
      if number != 0 { text += "\(number)\(unit)" }
    }
    add(months / 12, "Y")
    add(months % 12, "M")
    add(days, "D")
    guard seconds != 0 || nanoseconds != 0 else { return text == "P" ? "PT0S" : text }
    text += "T"
    // A negative amount with a fraction counts from its other side.
    let borrowed = seconds < 0 && nanoseconds > 0
    let whole = borrowed ? seconds + 1 : seconds
    let rest = borrowed ? 1_000_000_000 - nanoseconds : nanoseconds
    add(whole / 3_600, "H")
    add(whole / 60 % 60, "M")
    let last = whole % 60
    if last != 0 || rest != 0 {
      let sign = last == 0 && seconds < 0 && rest != 0 ? "-" : ""
      text += "\(sign)\(last)\(Digits.fraction(rest))S"
    }
    return text
  }
}
