import DaybookEventCore

/// The names of segment files.
enum SegmentName {
  static let folder = "log"
  static let quarantine = "quarantine"
  static let mark = "log/mark"
  /// An empty file that exists while the replica must take a new identity.
  static let renewal = "log/renewal"
  private static let suffix = ".segment"
  /// The end of the name of a segment that is being written; after a crash, the file is void.
  private static let unfinishedSuffix = ".segment.unfinished"

  static func file(_ number: UInt64) -> String { "\(folder)/\(digits(number))\(suffix)" }
  static func unfinished(_ number: UInt64) -> String {
    "\(folder)/\(digits(number))\(unfinishedSuffix)"
  }

  /// Returns the number in the name of a segment; nil for any other name.
  static func number(_ name: String) -> UInt64? { number(name, suffix) }
  static func unfinishedNumber(_ name: String) -> UInt64? { number(name, unfinishedSuffix) }

  private static func number(_ name: String, _ suffix: String) -> UInt64? {
    guard name.hasSuffix(suffix) else { return nil }
    let text = name.dropLast(suffix.count)
    guard let number = UInt64(text, radix: 16), number > 0, number < UInt64(Int64.max),
      digits(number) == text
    else { return nil }
    return number
  }

  /// The largest number of missing segments before one that exists: about a terabyte of log.
  static let missingMax: UInt64 = 1 << 16

  /// Returns the numbers that belong to this log, ascending.
  ///
  /// A segment far beyond the others would mean that more is lost than can be searched for. It
  /// proves nothing and does not count.
  static func plausible(_ numbers: [UInt64]) -> [UInt64] {
    var last: UInt64 = 0
    return numbers.sorted().prefix { number in
      defer { last = number }
      return number - last <= missingMax + 1
    }
  }

  /// Returns a note on a segment that is too far beyond the others.
  static func implausibleNote(_ number: UInt64) -> String {
    "\(file(number)) is far behind all other segments; it was left alone, as none of the log's "
      + "files"
  }

  /// Returns a number as 16 lower-case hexadecimal digits.
  static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
