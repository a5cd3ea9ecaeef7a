import DaybookEventCore
package import DaybookProjections

/// The type of a CSV column, inferred from its texts. It is the narrowest type that preserves every
/// text.
///
/// Only spellings that a value of the type would have count. What merely looks like a number stays
/// text, for example `007`, `+49` and `1E5`. So does a number of which a real would keep other
/// digits: `1.10`, which may be a version, `12345678901234567.89` and `1e-400`.
///
/// | type | spellings |
/// | --- | --- |
/// | integer | `0`, `-17`; no leading zeros, no plus sign, within 64 bits |
/// | real | `1.5`, `1.5e300`, `2e-7`: the digits that the real has; or `1`, but not beside `1.0` |
/// | boolean | `true` and `false`, in upper or lower case |
/// | timestamp | ISO 8601, a date with or without a time, to the millisecond |
/// | text | everything else, and columns without any value |
package struct ColumnInference: Hashable, Sendable {
  private struct Candidates: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let integer = Candidates(rawValue: 1)
    /// Reals of which whole ones are spelled `1`, and those of which they are spelled `1.0`.
    static let plainReal = Candidates(rawValue: 2)
    static let pointedReal = Candidates(rawValue: 4)
    static let boolean = Candidates(rawValue: 8)
    static let timestamp = Candidates(rawValue: 16)
    static let real: Candidates = [.plainReal, .pointedReal]
    static let number: Candidates = [.integer, .real]
    static let all: Candidates = [.number, .boolean, .timestamp]
  }

  private var candidates = Candidates.all
  /// Whether all texts are numbers, whether or not a type keeps their digits.
  private var areNumbers = true
  /// Whether all texts are numbers if a comma stands before their decimals.
  private var areCommaNumbers = true
  private let hasDecimalComma: Bool

  /// The number of texts observed that are not empty.
  package private(set) var valueCount = 0
  package private(set) var emptyCount = 0
  /// Whether any text contains a space, which suggests words.
  package private(set) var hasWords = false
  /// The first text that no type of number keeps as it is, beside those before it.
  private var changed: String?
  /// The first number with a comma before its decimals.
  private var comma: String?

  /// - Parameter hasDecimalComma: whether numbers have a comma before their decimals, and no point.
  package init(hasDecimalComma: Bool = false) { self.hasDecimalComma = hasDecimalComma }

  /// Observes the next text of the column. An empty text does not affect the type.
  package mutating func observe(_ text: String) {
    guard !text.isEmpty else {
      emptyCount += 1
      return
    }
    valueCount += 1
    hasWords = hasWords || text.utf8.contains(UInt8(ascii: " "))
    guard !candidates.isEmpty || areNumbers || areCommaNumbers else { return }
    let found = Self.findings(text, hasDecimalComma: hasDecimalComma)
    areNumbers = areNumbers && found.isNumeric
    areCommaNumbers = areCommaNumbers && found.isCommaNumber
    candidates.formIntersection(found.candidates)
    if areNumbers, changed == nil, candidates.isDisjoint(with: .number) { changed = text }
    if areCommaNumbers, comma == nil, !found.isNumeric { comma = text }
  }

  package var type: FieldType {
    if valueCount == 0 { return .text }
    if candidates.contains(.integer) { return .integer }
    if !candidates.isDisjoint(with: .real) { return .real }
    if candidates.contains(.boolean) { return .boolean }
    return candidates.contains(.timestamp) ? .timestamp : .text
  }

  /// A number, if all texts are numbers and the column is a text all the same, because no type
  /// would keep this number as it is spelled.
  package var numberOnlyTextKeeps: String? { areNumbers && type == .text ? changed : nil }

  /// A number with a comma before its decimals, if all texts are numbers when read so, and the
  /// column is a text because they were not.
  package var numberWithComma: String? { areCommaNumbers && type == .text ? comma : nil }

  private struct Findings {
    var candidates: Candidates = []
    var isNumeric = false
    var isCommaNumber = false
  }

  private static func findings(_ text: String, hasDecimalComma: Bool) -> Findings {
    var text = text
    return text.withUTF8 { text in
      switch text[0] {
      case UInt8(ascii: "-"), 0x30...0x39:
        if let timestamp = timestamp(text) { return Findings(candidates: timestamp) }
        return number(text, hasDecimalComma: hasDecimalComma)
      case UInt8(ascii: "t"), UInt8(ascii: "T"):
        return Findings(candidates: spells(text, "true") ? .boolean : [])
      case UInt8(ascii: "f"), UInt8(ascii: "F"):
        return Findings(candidates: spells(text, "false") ? .boolean : [])
      default: return Findings()
      }
    }
  }

  private static func spells(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    return text.indices.allSatisfy { text[$0] | 0x20 == word.utf8Start[$0] }
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>, hasDecimalComma: Bool)
    -> Findings
  {
    let mark = UInt8(ascii: hasDecimalComma ? "," : ".")
    guard let spelling = NumberSpelling(text, mark: mark) else {
      let isOther = !hasDecimalComma && NumberSpelling(text, mark: UInt8(ascii: ",")) != nil
      return Findings(isCommaNumber: isOther)
    }
    // Without decimals a number is one whatever stands before them.
    var findings = Findings(isNumeric: true, isCommaNumber: !spelling.hasFraction)
    if spelling.isWhole {
      if let value = Int64(String(decoding: text, as: UTF8.self)) {
        findings.candidates = value.magnitude <= 1 << 53 ? [.integer, .plainReal] : .integer
      }
    } else if spelling.isKeptByReal {
      findings.candidates = spelling.hasZeroFraction ? .pointedReal : .real
    }
    return findings
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
