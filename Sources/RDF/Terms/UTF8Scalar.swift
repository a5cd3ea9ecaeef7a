/// A scalar of a text that is known to be valid UTF-8.
struct UTF8Scalar {
  let value: UInt32
  /// The number of its bytes.
  let count: Int

  /// Decodes the scalar that begins at an offset.
  init(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) {
    let lead = UInt32(truncatingIfNeeded: text[offset])
    func tail(_ index: Int) -> UInt32 {
      UInt32(truncatingIfNeeded: text[offset + index]) & 0x3F
    }
    switch lead {
    case 0..<0x80: (value, count) = (lead, 1)
    case 0..<0xE0: (value, count) = ((lead & 0x1F) << 6 | tail(1), 2)
    case 0..<0xF0: (value, count) = ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
    default:
      (value, count) = ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
    }
  }
}

/// What messages call a character.
enum CharacterNames {
  static func name(_ value: UInt32) -> String {
    switch value {
    case 0x0A, 0x0D: return "the end of a line"
    case 0x09: return "a tab"
    case 0x20: return "a space"
    case 0x21..<0x7F, 0xA1..<0x2000:
      return Unicode.Scalar(value).map { "“\($0)”" } ?? "U+\(String(value, radix: 16))"
    default:
      let digits = String(value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }
}
