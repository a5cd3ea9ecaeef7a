/// Timestamps as texts in SQLite: `YYYY-MM-DD HH:MM:SS.SSS`, UTC.
///
/// The calendar is the proleptic Gregorian one, counted in eras of 400 years (146,097 days) that
/// begin on 1 March.
package enum Timestamp {
  private static let first: Int64 = -62_135_596_800_000  // 0001-01-01
  private static let last: Int64 = 253_402_300_799_999  // 9999-12-31
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// Returns the text of a time; nil outside the years 1 to 9999.
  /// - Parameter milliseconds: milliseconds since 1970.
  package static func text(_ milliseconds: Int64) -> String? {
    guard (first...last).contains(milliseconds) else { return nil }
    let days = floorDivide(milliseconds, millisecondsPerDay)
    let time = milliseconds - days * millisecondsPerDay
    let (year, month, day) = civil(fromDays: days)
    var out: [UInt8] = []
    out.reserveCapacity(23)
    func digits(_ value: Int64, _ width: Int) {
      var power: Int64 = 1
      for _ in 1..<width { power *= 10 }
      while power > 0 {
        out.append(UInt8(truncatingIfNeeded: 0x30 + value / power % 10))
        power /= 10
      }
    }
    digits(year, 4)
    out.append(0x2D)
    digits(month, 2)
    out.append(0x2D)
    digits(day, 2)
    out.append(0x20)
    digits(time / 3_600_000, 2)
    out.append(0x3A)
    digits(time / 60_000 % 60, 2)
    out.append(0x3A)
    digits(time / 1000 % 60, 2)
    out.append(0x2E)
    digits(time % 1000, 3)
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads a timestamp exactly as ``text(_:)`` writes it; nil if the text is another one.
  ///
  /// Cost: a fraction of that of ``milliseconds(_:)``.
  /// - Parameter text: the text's bytes in UTF-8.
  package static func milliseconds(stored text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count == 23 else { return nil }
    var isDigits = true
    func number(_ start: Int, _ count: Int) -> Int64 {
      var value: Int64 = 0
      for index in start..<start + count {
        let digit = text[index] &- 0x30
        if digit > 9 { isDigits = false }
        value = value &* 10 &+ Int64(digit)
      }
      return value
    }
    let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
    let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
    let fraction = number(20, 3)
    guard isDigits, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x20, text[13] == 0x3A,
      text[16] == 0x3A, text[19] == 0x2E, year >= 1, (1...12).contains(month),
      (1...daysIn(month, year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let time = hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction
    return days(year, month, day) * millisecondsPerDay + time
  }

  /// Reads a timestamp, in milliseconds since 1970; nil if the text is not one.
  ///
  /// The format is `YYYY-MM-DD`, optionally followed by `T` or a space and `HH:MM`, `:SS`, up to
  /// nine digits of fraction (cut to milliseconds), and `Z` or `±HH:MM`. Without a zone it is UTC.
  package static func milliseconds(_ text: String) -> Int64? {
    var parser = Parser(Array(text.utf8))
    guard let year = parser.number(4), parser.skip("-"), let month = parser.number(2),
      parser.skip("-"), let day = parser.number(2), year >= 1, (1...12).contains(month),
      (1...daysIn(month, year)).contains(day)
    else { return nil }
    var result = days(year, month, day) * millisecondsPerDay
    if parser.isAtEnd { return result }
    guard parser.skip("T") || parser.skip(" "), let hour = parser.number(2), parser.skip(":"),
      let minute = parser.number(2), hour < 24, minute < 60
    else { return nil }
    result += hour * 3_600_000 + minute * 60_000
    if parser.skip(":") {
      guard let second = parser.number(2), second < 60 else { return nil }
      result += second * 1000
      if parser.skip(".") {
        guard let fraction = parser.fraction() else { return nil }
        result += fraction
      }
    }
    if parser.isAtEnd || parser.skip("Z") { return parser.isAtEnd ? inRange(result) : nil }
    let east = parser.skip("+")
    guard east || parser.skip("-"), let hours = parser.number(2), parser.skip(":"),
      let minutes = parser.number(2), parser.isAtEnd, hours < 24, minutes < 60
    else { return nil }
    let offset = hours * 3_600_000 + minutes * 60_000
    return inRange(east ? result - offset : result + offset)
  }

  /// Returns whether a timestamp's text is finer than ``milliseconds(_:)`` keeps: whether a digit
  /// after the third of the fraction is not 0.
  package static func isFiner(_ text: String) -> Bool {
    let digits = text.utf8.dropFirst(secondsBytes).prefix { $0 == UInt8(ascii: ".") || isDigit($0) }
    return digits.first == UInt8(ascii: ".")
      && digits.dropFirst(4).contains { $0 != UInt8(ascii: "0") }
  }

  /// The length of `YYYY-MM-DDTHH:MM:SS`.
  private static let secondsBytes = 19

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func inRange(_ milliseconds: Int64) -> Int64? {
    (first...last).contains(milliseconds) ? milliseconds : nil
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 ? a / b : (a - b + 1) / b
  }

  private struct Parser {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
      offset += 1
      return true
    }

    mutating func number(_ width: Int) -> Int64? {
      guard offset + width <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[offset..<offset + width] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      offset += width
      return value
    }

    /// Reads one to nine digits after the point, in milliseconds.
    mutating func fraction() -> Int64? {
      var value: Int64 = 0
      var digits = 0
      while offset < bytes.count, (0x30...0x39).contains(bytes[offset]), digits < 9 {
        if digits < 3 { value = value * 10 + Int64(bytes[offset] - 0x30) }
        digits += 1
        offset += 1
      }
      guard digits > 0 else { return nil }
      for _ in 0..<max(0, 3 - digits) { value *= 10 }
      return value
    }
  }
}
