/// The spelling of a decimal number, as in JSON.
///
/// An exponent must be recognizable as one: `1E5` may be a name, but `1.0E5` and `1e+5` hardly are.
/// A negative zero without decimals is no number, since no integer keeps its sign.
struct NumberSpelling {
  private let text: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private var isNegative = false
  /// Where the digits before and behind the decimal mark are. The second is empty if there is none.
  private var whole = 0..<0
  private var fraction = 0..<0
  private var exponent = 0
  private var hasExponent = false

  /// Reads a spelling. Returns nil if the bytes spell no number.
  /// - Parameter mark: what stands before the decimals.
  init?(_ text: UnsafeBufferPointer<UInt8>, mark: UInt8) {
    self.text = text
    guard read(mark) else { return nil }
  }

  var hasFraction: Bool { !fraction.isEmpty }
  var isWhole: Bool { !hasFraction && !hasExponent }
  /// Whether a single zero is all that stands behind the decimal mark.
  var hasZeroFraction: Bool { fraction.count == 1 && text[fraction.lowerBound] == 0x30 }

  /// Whether a real has exactly these digits when it is printed in its shortest form: no digit is
  /// lost, no other one comes, and no zero at the end means anything.
  var isKeptByReal: Bool {
    if let last = fraction.last, text[last] == 0x30, !hasZeroFraction { return false }
    let own = significand
    if own.digits.isEmpty { return !isNegative }
    // A decimal of 15 digits comes back from a real as it was, far from the ends of the range.
    let magnitude = own.exponent + own.digits.count
    if own.digits.count <= 15, (-290...290).contains(magnitude) { return true }
    var spelling = String(decoding: text[whole], as: UTF8.self)
    if hasFraction { spelling += ".\(String(decoding: text[fraction], as: UTF8.self))" }
    spelling += "e\(exponent)"
    guard let value = Double(spelling), value.isFinite else { return false }
    var shortest = value.description
    return shortest.withUTF8 { shortest in
      guard let other = NumberSpelling(shortest, mark: UInt8(ascii: ".")) else { return false }
      return other.significand == own
    }
  }

  /// The digits without the zeros at either end, and the power of ten that the last one counts.
  private var significand: (digits: [UInt8], exponent: Int) {
    var digits = Array(text[whole])
    digits += text[fraction]
    var power = exponent - fraction.count
    while digits.last == 0x30 {
      digits.removeLast()
      power += 1
    }
    digits = Array(digits.drop { $0 == 0x30 })
    return digits.isEmpty ? ([], 0) : (digits, power)
  }

  // MARK: - Reading

  private mutating func read(_ mark: UInt8) -> Bool {
    isNegative = skip(UInt8(ascii: "-"))
    guard let whole = digits() else { return false }
    self.whole = whole
    let isZero = text[whole.lowerBound] == 0x30
    guard !isZero || whole.count == 1 else { return false }
    if skip(mark) {
      guard let fraction = digits() else { return false }
      self.fraction = fraction
    }
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      hasExponent = true
      guard readExponent() else { return false }
    }
    return offset == text.count && !(isNegative && isZero && isWhole)
  }

  private mutating func readExponent() -> Bool {
    let isBelow = skip(UInt8(ascii: "-"))
    guard isBelow || skip(UInt8(ascii: "+")) || hasFraction else { return false }
    guard let places = digits() else { return false }
    // Far beyond the range of a real, it does not matter how far.
    for digit in text[places] { exponent = min(exponent * 10 + Int(digit - 0x30), 1_000_000) }
    if isBelow { exponent.negate() }
    return true
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard offset < text.count, text[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func digits() -> Range<Int>? {
    let first = offset
    while offset < text.count, (0x30...0x39).contains(text[offset]) { offset += 1 }
    return offset > first ? first..<offset : nil
  }
}
