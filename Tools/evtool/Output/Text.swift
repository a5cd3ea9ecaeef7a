import Daybook
import EventCore
import Foundation

/// How values stand in output for people.
enum Text {
  /// On one line, with nothing in it that moves a terminal's cursor or turns its text around.
  static func oneLine(_ text: String, keepingUnicode: Bool = true) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A: out.append(contentsOf: "\\n".unicodeScalars)
      case 0x09: out.append(contentsOf: "\\t".unicodeScalars)
      case 0x0D: out.append(contentsOf: "\\r".unicodeScalars)
      case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069:
        out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: out.append(scalar)
      }
    }
    return String(out)
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
    guard case .text(let text) = value else { return cut(self.value(value), width) }
    return "“\(cut(oneLine(text), width))”"
  }

  /// `2026-11-21 10:02:21`, with milliseconds where there are any.
  static func moment(_ milliseconds: Int64) -> String {
    guard let text = Timestamp.text(milliseconds) else { return "\(milliseconds) ms" }
    return text.hasSuffix(".000") ? String(text.dropLast(4)) : text
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
    text.reduce(0) { sum, character in sum + width(character) }
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
    guard self.width(text) > width else { return text }
    var out = ""
    var used = 0
    for character in text {
      let next = self.width(character)
      if used + next > width - 1 { break }
      out.append(character)
      used += next
    }
    return out + "…"
  }

  static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - self.width(text)))
    return right ? padding + text : text + padding
  }
}
