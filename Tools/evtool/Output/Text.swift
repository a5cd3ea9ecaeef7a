import Daybook
import EventCore
import Foundation

/// How values stand in output for people.
enum Text {
  /// On one line, with nothing in it that moves a terminal's cursor or turns its text around.
  static func oneLine(_ text: String) -> String { text.onOneLine }

  /// The beginning of a text, of which not more than that need be looked at.
  static func brief(_ text: String, _ width: Int) -> String {
    cut(oneLine(text.cut(to: width * scalarsPerColumn)), width)
  }

  /// What stands on one column has no more, or is meant to get in the way.
  private static let scalarsPerColumn = 8

  /// Likewise, cut where it is long.
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

  /// Text in quotes, so that an empty one can be seen; cut where it is long.
  static func quotedValue(_ value: Value, width: Int = 60) -> String {
    if case .text(let text) = value { return "“\(brief(text, width))”" }
    return self.value(value, width)
  }

  /// `2026-11-21 10:02:21`, with milliseconds where there are any.
  static func moment(_ milliseconds: Int64) -> String {
    guard let text = Timestamp.text(milliseconds) else { return "\(milliseconds) ms" }
    return text.rest(before: ".000").map(String.init) ?? text
  }

  /// To the second: for lists, where milliseconds are noise.
  static func second(_ time: HybridTime) -> String {
    Timestamp.text(time.milliseconds).map { String($0.dropLast(4)) } ?? time.description
  }

  /// An event with as much of its origin as the command line needs.
  static func event(_ id: EventID) -> String { "\(origin(id.origin)):\(id.sequence)" }
  static func origin(_ id: ReplicaID) -> String { String(id.description.prefix(8)) }

  static func count(_ count: some BinaryInteger, _ singular: String, _ plural: String? = nil)
    -> String
  {
    "\(grouped(count)) \(count == 1 ? singular : plural ?? singular + "s")"
  }

  /// `1,234,567`.
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
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    if seconds < 100 { return "\(fixed(seconds, 1)) s" }
    let whole = Int(seconds)
    return "\(whole / 60) min \(whole % 60) s"
  }

  /// A number with that many digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
    let power = (0..<digits).reduce(1) { product, _ in product * 10 }
    let scaled = Int64((abs(number) * Double(power)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = "\(scaled % Int64(power))"
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(sign)\(scaled / Int64(power)).\(zeros)\(fraction)"
  }

  // MARK: - Width

  /// Columns that a terminal gives the text.
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
    // What takes two columns has three bytes or more.
    if text.utf8.count <= width { return text }
    /// Where the columns but one end, which an ellipsis needs.
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
