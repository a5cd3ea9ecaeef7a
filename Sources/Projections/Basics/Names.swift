import DaybookEventCore

/// The rules for names of tables and columns.
package enum Names {
  /// Returns whether a name is valid: a letter, then up to 62 letters, digits or underscores
  /// (ASCII), and not `sqlite_…`.
  package static func isValid(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, isLetter(first), bytes.count <= 63 else { return false }
    guard bytes.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }) else {
      return false
    }
    return !folded(name).begins(with: "sqlite_")
  }

  /// The columns that every table has without a definition.
  package static let reservedFields: Set<String> = ["id"]

  package static func isValidField(_ name: String) -> Bool {
    isValid(name) && !reservedFields.contains(folded(name))
  }

  /// Returns the name in ASCII lower case; SQLite ignores ASCII case in names.
  package static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  package static func quoted(_ name: String) -> String {
    // Almost no name contains a quote, and the test is cheaper than replacing.
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
    return "\"\(name.replacing("\"", by: "\"\""))\""
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
