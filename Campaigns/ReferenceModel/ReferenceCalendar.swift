/// The proleptic Gregorian calendar, in UTC.
enum ReferenceCalendar {
  /// Returns a time as `YYYY-MM-DD HH:MM:SS.SSS`; nil before year 1 and after year 9999.
  /// - Parameter milliseconds: milliseconds since 1970.
  static func text(milliseconds: Int64) -> String? {
    let (days, rest) = floored(milliseconds, 86_400_000)
    let (year, month, day) = date(days: days)
    guard (1...9999).contains(year) else { return nil }
    let time = [(rest / 3_600_000, 2), (rest / 60_000 % 60, 2), (rest / 1000 % 60, 2)]
    let clock = time.map { padded($0.0, $0.1) }.joined(separator: ":")
    let calendar = [padded(year, 4), padded(month, 2), padded(day, 2)].joined(separator: "-")
    return "\(calendar) \(clock).\(padded(rest % 1000, 3))"
  }

  /// Returns the year, month and day of a number of days since 1970-01-01.
  ///
  /// It counts from 0000-03-01 in eras of 400 years, so that the leap day is the last
  /// day of a year.
  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, day) = floored(days + 719_468, 146_097)
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + year + (month <= 2 ? 1 : 0), month, dayOfMonth)
  }

  private static func floored(_ a: Int64, _ b: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
    return remainder < 0 ? (quotient - 1, remainder + b) : (quotient, remainder)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
