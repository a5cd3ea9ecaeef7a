/// Strict base64 (RFC 4648, section 4): with padding, without white space, and with exactly one
/// valid spelling for each blob.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let digits: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (digit, character) in alphabet.enumerated() { table[Int(character)] = UInt8(digit) }
    return table
  }()

  package static func encode(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for i in 0..<3 { group = group << 8 | (i < count ? UInt32(bytes[start + i]) : 0) }
      for i in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * i) & 63)
        out.append(i <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the decoded bytes; nil if `text` is not strict base64.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(characters.count / 4 * 3)
    for start in stride(from: 0, to: characters.count, by: 4) {
      let isLast = start + 4 == characters.count
      let padding =
        !isLast || characters[start + 3] != UInt8(ascii: "=")
        ? 0 : characters[start + 2] == UInt8(ascii: "=") ? 2 : 1
      var group: UInt32 = 0
      for i in 0..<4 {
        let digit = i < 4 - padding ? digits[Int(characters[start + i])] : 0
        guard digit < 64 else { return nil }
        group = group << 6 | UInt32(digit)
      }
      guard group & (1 << UInt32(8 * padding) - 1) == 0 else { return nil }
      for i in 0..<(3 - padding) {
        out.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * i)))
      }
    }
    return out
  }
}
