import EventCore
package import Projections

/// The type of a CSV column, inferred from its texts. It is the narrowest type that preserves every
/// text.
///
/// Only spellings that a value of the type would have count. What merely looks like a number stays
/// text, for example `007`, `+49` and `1E5`.
///
/// | type | spellings |
/// | --- | --- |
/// | integer | `0`, `-17`; no leading zeros, no plus sign, within 64 bits |
/// | real | `1.5`, `-0.25`, `1.5e300`, `2e-7`; integers too, up to 2⁵³ |
/// | boolean | `true` and `false`, in upper or lower case |
/// | timestamp | ISO 8601, a date with or without a time, to the millisecond |
/// | text | everything else, and columns without any value |
package struct ColumnInference: Hashable, Sendable {
  private struct Candidates: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let integer = Candidates(rawValue: 1)
    static let real = Candidates(rawValue: 2)
    static let boolean = Candidates(rawValue: 4)
    static let timestamp = Candidates(rawValue: 8)
    static let all: Candidates = [.integer, .real, .boolean, .timestamp]
  }

  private var candidates = Candidates.all
  /// The number of texts observed that are not empty.
  package private(set) var valueCount = 0
  package private(set) var emptyCount = 0
  /// Whether any text contains a space, which suggests words.
  package private(set) var hasWords = false

  package init() {}

  /// Observes the next text of the column. An empty text does not affect the type.
  package mutating func observe(_ text: String) {
    guard !text.isEmpty else {
      emptyCount += 1
      return
    }
    valueCount += 1
    hasWords = hasWords || text.utf8.contains(UInt8(ascii: " "))
    guard !candidates.isEmpty else { return }
    var text = text
    candidates.formIntersection(text.withUTF8 { Self.candidates($0) })
  }

  package var type: FieldType {
    if valueCount == 0 { return .text }
    if candidates.contains(.integer) { return .integer }
    if candidates.contains(.real) { return .real }
    if candidates.contains(.boolean) { return .boolean }
    return candidates.contains(.timestamp) ? .timestamp : .text
  }

  private static func candidates(_ text: UnsafeBufferPointer<UInt8>) -> Candidates {
    switch text[0] {
    case UInt8(ascii: "-"), 0x30...0x39:
      if let timestamp = timestamp(text) { return timestamp }
      return number(text)
    case UInt8(ascii: "t"), UInt8(ascii: "T"): return spells(text, "true") ? .boolean : []
    case UInt8(ascii: "f"), UInt8(ascii: "F"): return spells(text, "false") ? .boolean : []
    default: return []
    }
  }

  private static func spells(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    return text.indices.allSatisfy { text[$0] | 0x20 == word.utf8Start[$0] }
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Candidates {
    var spelling = NumberSpelling(text)
    guard spelling.read() else { return [] }
    let digits = String(decoding: text, as: UTF8.self)
    guard spelling.isReal else {
      guard let value = Int64(digits) else { return [] }
      return value.magnitude <= 1 << 53 ? [.integer, .real] : .integer
    }
    guard let value = Double(digits), value.isFinite else { return [] }
    return .real
  }

  /// Returns the type that a text can have as a timestamp; nil if the text does not begin like
  /// `YYYY-`.
  private static func timestamp(_ text: UnsafeBufferPointer<UInt8>) -> Candidates? {
    guard text.count >= 10, text.count <= 29, text[4] == UInt8(ascii: "-") else { return nil }
    // Digits beyond the millisecond would be lost.
    if text.count > 23, text[19] == UInt8(ascii: "."), (0x30...0x39).contains(text[23]) {
      return []
    }
    return Timestamp.milliseconds(String(decoding: text, as: UTF8.self)) == nil ? [] : .timestamp
  }
}

/// Whether bytes spell a number as in JSON. An exponent must be recognizable as one: `1E5` may be a
/// name, but `1.0E5` and `1e+5` hardly are.
private struct NumberSpelling {
  private let text: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private(set) var isReal = false

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  mutating func read() -> Bool {
    let isNegative = skip("-")
    let first = offset
    guard digits() else { return false }
    guard text[first] != 0x30 || offset == first + 1 else { return false }
    let isZero = text[first] == 0x30
    if skip(".") {
      isReal = true
      guard digits() else { return false }
    }
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      guard skip("-") || skip("+") || isReal else { return false }
      isReal = true
      guard digits() else { return false }
    }
    // A negative zero is not an integer.
    return offset == text.count && !(isNegative && isZero && !isReal)
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard offset < text.count, text[offset] == UInt8(ascii: scalar) else { return false }
    offset += 1
    return true
  }

  private mutating func digits() -> Bool {
    let first = offset
    while offset < text.count, (0x30...0x39).contains(text[offset]) { offset += 1 }
    return offset > first
  }
}
