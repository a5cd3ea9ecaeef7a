import Daybook
import DaybookEventCore
import Foundation

/// Values as text for people.
enum Text {
  /// Returns a text on one line, without scalars that move a terminal's cursor or reverse the text.
  static func oneLine(_ text: String) -> String { text.onOneLine }

  /// Returns the beginning of a text on one line, up to a width. Reads no more of the text than
  /// that needs.
  static func brief(_ text: String, _ width: Int) -> String {
    cut(oneLine(text.cut(to: width * scalarsPerColumn)), width)
  }

  /// The most scalars read for each column. A text with more of them is meant to disturb.
  private static let scalarsPerColumn = 8

  /// Returns a value as text on one line, cut to a width.
  static func value(_ value: Value, _ width: Int) -> String {
    switch value {
    case .text(let text): brief(text, width)
    case .json(let bytes): brief(String(decoding: bytes, as: UTF8.self), width)
    default: cut(self.value(value), width)
    }
  }

  static func value(_ value: Value) -> String {
    switch value {
    case .null: "–"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): oneLine(text)
    case .blob(let bytes): "\(bytes.count) bytes"
    case .timestamp(let milliseconds): moment(milliseconds)
    case .json(let bytes): oneLine(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Returns a value as text, with quotes around texts so that empty ones are visible. Long ones
  /// are cut.
  static func quotedValue(_ value: Value, width: Int = 60) -> String {
    if case .text(let text) = value { return "“\(brief(text, width))”" }
    return self.value(value, width)
  }

  /// Returns a time as `2026-11-21 10:02:21`, with milliseconds if they are not 0.
  static func moment(_ milliseconds: Int64) -> String {
    guard let text = Timestamp.text(milliseconds) else { return "\(milliseconds) ms" }
    return text.rest(before: ".000").map(String.init) ?? text
  }

  /// Returns a time to the second, for lists.
  static func second(_ time: HybridTime) -> String {
    Timestamp.text(time.milliseconds).map { String($0.dropLast(4)) } ?? time.description
  }

  /// Returns an event's identifier with as much of its origin as the command line needs.
  static func event(_ id: EventID) -> String { "\(origin(id.origin)):\(id.sequence)" }
  static func origin(_ id: ReplicaID) -> String { String(id.description.prefix(8)) }

  static func count(_ count: some BinaryInteger, _ singular: String, _ plural: String? = nil)
    -> String
  {
    "\(grouped(count)) \(count == 1 ? singular : plural ?? singular + "s")"
  }

  /// Returns a number as `1,234,567`.
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array("\(number.magnitude)".utf8)
    var out: [UInt8] = number < 0 ? [0x2D] : []
    for (i, digit) in digits.enumerated() {
      if i > 0, (digits.count - i).isMultiple(of: 3) { out.append(0x2C) }
      out.append(digit)
    }
    return String(decoding: out, as: UTF8.self)
  }

  static func bytes(_ count: some BinaryInteger) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var size = Double(count)
    var unit = 0
    while size >= 1024, unit + 1 < units.count {
      size /= 1024
      unit += 1
    }
    return unit == 0 ? "\(count) bytes" : "\(fixed(size, 1)) \(units[unit])"
  }

  static func seconds(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int(saturating: (seconds * 1000).rounded())) ms" }
    if seconds < 100 { return "\(fixed(seconds, 1)) s" }
    let whole = Int(saturating: seconds)
    return "\(whole / 60) min \(whole % 60) s"
  }

  /// Returns a number with `digits` digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
    let power = (0..<digits).reduce(1) { product, _ in product * 10 }
    let scaled = Int64(saturating: (abs(number) * Double(power)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = "\(scaled % Int64(power))"
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(sign)\(scaled / Int64(power)).\(zeros)\(fraction)"
  }

  // MARK: - Width

  /// Returns the number of columns that a text takes on a terminal.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { sum, character in sum + width(character) }
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    case 0x200B...0x200F, 0xFE00...0xFE0F: return 0
    default: return 1
    }
  }

  static func cut(_ text: String, _ width: Int) -> String {
    // A character that takes two columns has at least three bytes.
    if text.utf8.count <= width { return text }
    /// The end of the text that leaves one column for an ellipsis.
    var end = text.startIndex
    var used = 0
    for index in text.indices {
      used += self.width(text[index])
      if used > width { return text[..<end] + "…" }
      if used < width { end = text.index(after: index) }
    }
    return text
  }

  static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - self.width(text)))
    return right ? padding + text : text + padding
  }
}
