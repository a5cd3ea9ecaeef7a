/// A name or an id, compared by its UTF-8 bytes, as in the store. Swift's comparison of strings
/// holds canonically equivalent texts to be equal: “é” in one code point and in two, the kelvin
/// sign and K.
struct ReferenceName: Hashable, Comparable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  let text: String

  init(_ text: String) { self.text = text }
  init(stringLiteral value: String) { text = value }

  var bytes: [UInt8] { Array(text.utf8) }
  var description: String { text.debugDescription }

  static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes }
  static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The name with the letters A to Z in lower case, and nothing else changed.
  var lowercasedASCII: ReferenceName {
    let small = bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
    return ReferenceName(String(decoding: small, as: UTF8.self))
  }
}
