#if Macros
  /// The names that a store takes for collections and fields.
  enum StoreName {
    static let rule = "a letter, then up to 62 letters, digits and underscores of ASCII"

    static func isValid(_ name: String) -> Bool {
      let bytes = name.utf8
      guard let first = bytes.first, isLetter(first), bytes.count <= 63 else { return false }
      return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        && !folded(name).hasPrefix("sqlite_")
    }

    /// SQLite takes names that differ in the case of ASCII letters only for one.
    static func folded(_ name: String) -> String { name.lowercased() }

    private static func isLetter(_ byte: UInt8) -> Bool {
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
  }
#endif
