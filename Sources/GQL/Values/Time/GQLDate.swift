/// A day of the Gregorian calendar, which is applied to all years.
public struct GQLDate: Hashable, Comparable, Sendable {
  /// The days since 1970-01-01.
  public var days: Int64

  /// Makes a day of the days since 1970-01-01.
  public init(days: Int64) { self.days = days }

  /// The years that a date may be of.
  static let years: ClosedRange<Int64> = -999_999_999...999_999_999

  public static func < (a: GQLDate, b: GQLDate) -> Bool { a.days < b.days }

  /// Makes a day of year, month and day; nil if there is no such day.
  public init?(year: Int64, month: Int64, day: Int64) {
    guard Self.years.contains(year), 1...12 ~= month, day >= 1,
      day <= Self.length(ofMonth: month, year)
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = Self.floor(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    days = era * 146_097 + dayOfEra - 719_468
  }

  /// The quotient, rounded down.
  static func floor(_ a: Int64, _ b: Int64) -> Int64 {
    let quotient = a / b
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient
  }

  static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Year, month and day.
  var parts: (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = Self.floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * part + 2) / 5 + 1)
  }

  /// The year.
  public var year: Int64 { parts.year }
  /// The month, 1 to 12.
  public var month: Int64 { parts.month }
  /// The day of the month, 1 to 31.
  public var day: Int64 { parts.day }

  /// The quarter of the year, 1 to 4.
  var quarter: Int64 { (month - 1) / 3 + 1 }

  /// The day of the week, 1 for Monday to 7.
  var dayOfWeek: Int64 { (days + 3) - Self.floor(days + 3, 7) * 7 + 1 }

  /// The day of the year, from 1.
  var ordinalDay: Int64 {
    let first = GQLDate(year: year, month: 1, day: 1)?.days ?? days
    return days - first + 1
  }

  /// The day of the quarter, from 1.
  var dayOfQuarter: Int64 {
    let first = GQLDate(year: year, month: (quarter - 1) * 3 + 1, day: 1)?.days ?? days
    return days - first + 1
  }

  /// The week and the year that it belongs to: the one that has its Thursday.
  var week: (year: Int64, week: Int64) {
    let thursday = GQLDate(days: days + 4 - dayOfWeek)
    return (thursday.year, (thursday.ordinalDay - 1) / 7 + 1)
  }

  /// Makes a day of a week; nil if the year has no such week.
  init?(weekYear: Int64, week: Int64, dayOfWeek: Int64) {
    guard 1...53 ~= week, 1...7 ~= dayOfWeek, Self.years.contains(weekYear),
      let fourth = GQLDate(year: weekYear, month: 1, day: 4)
    else { return nil }
    let day = GQLDate(days: fourth.days - (fourth.dayOfWeek - 1) + (week - 1) * 7 + dayOfWeek - 1)
    guard GQLDate(days: day.days - (day.dayOfWeek - 1) + 3).year == weekYear else { return nil }
    self = day
  }

  /// Makes a day of the number of the day in its year; nil if there is none.
  init?(year: Int64, ordinalDay: Int64) {
    guard let first = GQLDate(year: year, month: 1, day: 1),
      1...(Self.isLeap(year) ? 366 : 365) ~= ordinalDay
    else { return nil }
    days = first.days + ordinalDay - 1
  }

  /// Makes a day of the number of the day in its quarter; nil if there is none.
  init?(year: Int64, quarter: Int64, dayOfQuarter: Int64) {
    guard 1...4 ~= quarter, 1...92 ~= dayOfQuarter,
      let first = GQLDate(year: year, month: (quarter - 1) * 3 + 1, day: 1)
    else { return nil }
    let day = GQLDate(days: first.days + dayOfQuarter - 1)
    guard day.year == year, day.quarter == quarter else { return nil }
    self = day
  }

  /// Returns the day that is so many months later, at most the last day of its month; nil if it is
  /// beyond the years.
  func adding(months: Int64) -> GQLDate? {
    let (year, month, day) = parts
    let (total, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    guard !overflow else { return nil }
    let newYear = Self.floor(total, 12)
    let newMonth = total - newYear * 12 + 1
    guard Self.years.contains(newYear) else { return nil }
    return GQLDate(
      year: newYear, month: newMonth, day: min(day, Self.length(ofMonth: newMonth, newYear)))
  }

  /// Returns the day that is so many days later; nil if it is beyond the years.
  func adding(days amount: Int64) -> GQLDate? {
    let (sum, overflow) = days.addingReportingOverflow(amount)
    guard !overflow, sum.magnitude <= 365_250_000_000 else { return nil }
    let day = GQLDate(days: sum)
    return Self.years.contains(day.year) ? day : nil
  }
}

extension GQLDate: CustomStringConvertible {
  /// The day as ISO 8601 has it.
  public var description: String {
    let (year, month, day) = parts
    return "\(Self.shown(year))-\(Digits.padded(month, 2))-\(Digits.padded(day, 2))"
  }

  private static func shown(_ year: Int64) -> String {
    if year < 0 { return "-" + Digits.padded(-year, 4) }
    return year > 9_999 ? "+\(year)" : Digits.padded(year, 4)
  }
}

/// Numbers with zeros before them.
enum Digits {
  static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// Returns a number with at most so many digits behind the point.
  ///
  /// A half goes away from zero. The digits are those that the number is written with: 0.285 is a
  /// little less than that, and has a half at its end all the same.
  static func rounded(_ value: Double, to places: Int64) -> Double {
    guard value.isFinite, places < 400 else { return value }
    let parts = value.magnitude.description.lowercased().split(separator: "e")
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let fraction = number.count > 1 ? number[1] : ""
    var digits = (number[0] + fraction).utf8.map { Int($0) - 0x30 }
    // How many of the digits stay.
    let kept = number[0].utf8.count + exponent + Int(clamping: places)
    guard kept < digits.count else { return value }
    guard kept >= 0 else { return value.sign == .minus ? -0.0 : 0 }
    let isUp = digits[kept] >= 5
    digits = [0] + digits.prefix(kept)
    if isUp {
      var place = digits.count - 1
      while digits[place] == 9 {
        digits[place] = 0
        place -= 1
      }
      digits[place] += 1
    }
    let text = digits.map(String.init).joined() + "e-\(places)"
    let result = Double(text) ?? value.magnitude
    return value.sign == .minus ? -result : result
  }

  /// A fraction of a second behind its point; empty if it is zero.
  static func fraction(_ nanoseconds: Int64) -> String {
    guard nanoseconds != 0 else { return "" }
    var text = padded(nanoseconds, 9)
    while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
    return ".\(text)"
  }
}
