/// Lower-case hexadecimal text, as used for ids, hashes and keys.
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the bytes that `text` spells; nil if it is not lower-case hexadecimal of whole bytes.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 2) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(characters.count / 2)
    for i in stride(from: 0, to: characters.count, by: 2) {
      guard let high = nibble(characters[i]), let low = nibble(characters[i + 1]) else {
        return nil
      }
      out.append(high << 4 | low)
    }
    return out
  }

  @inlinable
  static func nibble(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x61...0x66: character - 0x61 + 10
    default: nil
    }
  }
}
