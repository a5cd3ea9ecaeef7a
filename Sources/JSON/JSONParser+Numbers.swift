extension JSONParser {
  private static let powersOfTen: [Double] = (0...22).map { power in
    (0..<power).reduce(1.0) { product, _ in product * 10 }
  }

  mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    let isNegative = bytes[offset] == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    let first = offset
    var digits = Digits()
    digits.read(self, &offset)
    guard offset > first else { throw malformed("a number goes on with \(found()) after the sign") }
    guard bytes[first] != 0x30 || offset == first + 1 else {
      offset = first
      throw malformed("a number begins with 0; remove the zeros, or write it as a text")
    }
    var isReal = false
    var exponent = 0
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      isReal = true
      offset += 1
      let fraction = offset
      digits.read(self, &offset)
      guard offset > fraction else { throw malformed("a number ends with a point") }
      exponent = fraction - offset
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      isReal = true
      exponent += try readExponent()
    }
    guard isReal else { return try integer(digits, isNegative, start) }
    return try real(digits, isNegative, exponent, start)
  }

  /// The decimal digits of a number, as an integer if it fits into 64 bits.
  private struct Digits {
    var value: UInt64 = 0
    var overflows = false

    mutating func read(_ parser: borrowing JSONParser, _ offset: inout Int) {
      while offset < parser.bytes.count {
        let digit = parser.bytes[offset] &- 0x30
        guard digit < 10 else { return }
        let (product, first) = value.multipliedReportingOverflow(by: 10)
        let (sum, second) = product.addingReportingOverflow(UInt64(digit))
        value = sum
        overflows = overflows || first || second
        offset += 1
      }
    }
  }

  /// Reads an exponent. It saturates, because the number is then out of range, or zero anyway.
  private mutating func readExponent() throws(JSONError) -> Int {
    offset += 1
    var isNegative = false
    if offset < bytes.count,
      bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+")
    {
      isNegative = bytes[offset] == UInt8(ascii: "-")
      offset += 1
    }
    let first = offset
    var value = 0
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
      value = min(value * 10 + Int(bytes[offset] - 0x30), 1_000_000)
      offset += 1
    }
    guard offset > first else { throw malformed("a number has an exponent without digits") }
    return isNegative ? -value : value
  }

  private func integer(_ digits: Digits, _ isNegative: Bool, _ start: Int)
    throws(JSONError) -> JSONValue
  {
    if !digits.overflows {
      if digits.value <= UInt64(Int64.max) {
        let value = Int64(digits.value)
        return .integer(isNegative ? -value : value)
      }
      if isNegative, digits.value == Int64.min.magnitude { return .integer(.min) }
    }
    throw JSONError(
      .numberOutOfRange,
      "an integer is beyond 64 bits (±9.2e18); write it as a text, or as a real such as 1.0e20",
      column: start + 1)
  }

  private func real(_ digits: Digits, _ isNegative: Bool, _ exponent: Int, _ start: Int)
    throws(JSONError) -> JSONValue
  {
    // Clinger's fast path: both factors are exact, so one correctly rounded operation is too.
    if !digits.overflows, digits.value <= 1 << 53, (-22...22).contains(exponent) {
      let magnitude =
        exponent < 0
        ? Double(digits.value) / Self.powersOfTen[-exponent]
        : Double(digits.value) * Self.powersOfTen[exponent]
      return .real(isNegative ? -magnitude : magnitude)
    }
    let spelling = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard let value = Double(spelling), value.isFinite else {
      throw JSONError(
        .numberOutOfRange,
        "a real is beyond ±1.8e308, and infinity is no value; write it as a text",
        column: start + 1)
    }
    guard value != 0 || (digits.value == 0 && !digits.overflows) else {
      throw JSONError(
        .numberOutOfRange,
        "a real is nearer to 0 than any that 64 bits hold (\(Double.leastNonzeroMagnitude)), and "
          + "would become 0; write it as a text",
        column: start + 1)
    }
    return .real(value)
  }
}
