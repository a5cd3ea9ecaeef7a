/// Bytes as digits to the base of 32, in small letters.
enum Base32 {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xffff
      bits += 8
      while bits >= 5 {
        bits -= 5
        result.append(digits[buffer >> bits & 31])
      }
    }
    if bits > 0 { result.append(digits[buffer << (5 - bits) & 31]) }
    return String(decoding: result, as: UTF8.self)
  }

  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in text {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      buffer = (buffer << 5 | digit) & 0xffff
      bits += 5
      if bits >= 8 {
        bits -= 8
        result.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return result
  }
}
