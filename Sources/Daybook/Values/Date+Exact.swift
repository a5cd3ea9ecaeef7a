import Foundation

/// Dates in JSON: ISO 8601 with as many digits of a second as tell the date from all others.
extension Date {
  /// The most digits of a second that are looked at, for which 64 bits have room.
  private static let digitsMax = 17

  /// The date as a text from which it can be read again; nil if there is none.
  var exactText: String? {
    let seconds = timeIntervalSinceReferenceDate
    guard abs(seconds) < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
    if whole == seconds { return Date(exactText: text) == self ? text : nil }
    guard text.hasSuffix("Z") else { return nil }
    for count in 3...Self.digitsMax {
      let fraction = String(format: "%.\(count)f", seconds - whole)
      // A fraction that is rounded up to a second needs more digits.
      guard fraction.hasPrefix("0.") else { continue }
      let exact = "\(text.dropLast())\(fraction.dropFirst())Z"
      if Date(exactText: exact) == self { return exact }
    }
    return nil
  }

  /// Reads a text of ISO 8601, with or without digits behind the second; nil if it is none.
  init?(exactText text: String) {
    guard let point = text.firstIndex(of: ".") else {
      guard let date = try? Date(text, strategy: .iso8601) else { return nil }
      self = date
      return
    }
    let digits = text[text.index(after: point)...].prefix { ("0"..."9").contains($0) }
    let rest = text[digits.endIndex...]
    let used = digits.prefix(Self.digitsMax)
    guard let fraction = UInt64(used), let whole = Date(exactText: String(text[..<point] + rest)),
      let seconds = Int64(exactly: whole.timeIntervalSinceReferenceDate)
    else { return nil }
    func padded(_ fraction: UInt64) -> String {
      let text = String(fraction)
      return String(repeating: "0", count: used.count - text.count) + text
    }
    // The decimal number is read as a whole, so that it is rounded once. Before the reference date,
    // the fraction counts from the second before.
    let unit = (0..<used.count).reduce(1 as UInt64) { unit, _ in unit * 10 }
    let number =
      seconds >= 0 || fraction == 0
      ? "\(seconds).\(padded(fraction))" : "-\(-(seconds + 1)).\(padded(unit - fraction))"
    guard let interval = Double(number) else { return nil }
    self.init(timeIntervalSinceReferenceDate: interval)
  }
}
