/// The encodings of texts, other than UTF-8, that the first bytes of a file reveal.
///
/// Spreadsheets save "Unicode text" as UTF-16. Its bytes are no JSON and no CSV, and what a parser
/// would say about them helps nobody.
package enum WideEncoding: String, Sendable {
  case utf16 = "UTF-16"
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32 = "UTF-32"

  /// How many bytes are looked at.
  package static let beginningBytes = 512

  /// Recognizes a byte order mark; or that every other byte is zero, as in texts of ASCII. Nil if
  /// the bytes show neither.
  /// - Parameter beginning: the first bytes of the file.
  package init?(beginning: [UInt8]) {
    if beginning.starts(with: [0xFF, 0xFE, 0, 0]) || beginning.starts(with: [0, 0, 0xFE, 0xFF]) {
      self = .utf32
    } else if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) {
      self = .utf16
    } else {
      let pairs = min(beginning.count, Self.beginningBytes) / 2
      let first = (0..<pairs).count { beginning[2 * $0] == 0 }
      let second = (0..<pairs).count { beginning[2 * $0 + 1] == 0 }
      guard pairs > 1, first == 0 || second == 0, 2 * max(first, second) > pairs else { return nil }
      self = first == 0 ? .utf16LittleEndian : .utf16BigEndian
    }
  }

  /// The name without the order of the bytes, for messages.
  package var family: String { self == .utf32 ? "UTF-32" : "UTF-16" }
}
