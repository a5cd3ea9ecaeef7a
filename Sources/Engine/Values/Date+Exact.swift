import DaybookEventCore
import Foundation

/// Dates in JSON: ISO 8601 with as many digits of a second as tell the date from all others.
extension Date {
  /// The most digits behind the point that are written and looked at.
  ///
  /// They tell all dates apart but those within a tenth of a picosecond of the reference date.
  private static let digitsMax = 30

  /// The date as a text from which it can be read again; nil if there is none.
  var exactText: String? {
    let seconds = timeIntervalSinceReferenceDate
    guard abs(seconds) < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
    if whole == seconds { return Date(exactText: text) == self ? text : nil }
    guard let day = text.rest(before: "Z") else { return nil }
    for count in 3...Self.digitsMax {
      // A fraction that is rounded up to a second needs more digits.
      guard let digits = String(format: "%.\(count)f", seconds - whole).rest(after: "0.") else {
        continue
      }
      let exact = "\(day).\(digits)Z"
      if Date(exactText: exact) == self { return exact }
    }
    return nil
  }

  /// Reads a text of ISO 8601, with or without digits behind the second; nil if it is none.
  init?(exactText text: String) {
    let parts = text.parts(between: ".")
    guard parts.count > 1 else {
      guard let date = try? Date(text, strategy: .iso8601) else { return nil }
      self = date
      return
    }
    let digits = parts[1].utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let rest = parts[1].utf8.dropFirst(digits.count)
    guard parts.count == 2, !digits.isEmpty,
      let whole = Date(exactText: String(parts[0]) + String(decoding: rest, as: UTF8.self)),
      let seconds = Int64(exactly: whole.timeIntervalSinceReferenceDate)
    else { return nil }
    let fraction = digits.prefix(Self.digitsMax).map { Int($0 - UInt8(ascii: "0")) }
    // The decimal number is read as a whole, so that it is rounded once. Before the reference date,
    // the fraction counts from the second before.
    let number =
      seconds >= 0 || fraction.allSatisfy { $0 == 0 }
      ? "\(seconds).\(Self.text(fraction))"
      : "-\(-(seconds + 1)).\(Self.text(Self.rest(fraction)))"
    guard let interval = Double(number) else { return nil }
    self.init(timeIntervalSinceReferenceDate: interval)
  }

  private static func text(_ digits: [Int]) -> String { digits.map(String.init).joined() }

  /// Returns the digits of what is missing from a fraction, which is not 0, to 1.
  private static func rest(_ fraction: [Int]) -> [Int] {
    let last = fraction.lastIndex { $0 != 0 } ?? 0
    return fraction.enumerated().map { index, digit in
      index < last ? 9 - digit : index == last ? 10 - digit : 0
    }
  }
}
