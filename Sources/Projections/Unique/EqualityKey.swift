import DaybookCTokens

/// Keys of texts: texts that are equal without case, in whatever form of Unicode, have one key.
///
/// The key is NFD(toCasefold(NFD(text))), as D145 in chapter 3 of Unicode has it, by table 1, which
/// is made from Unicode 15.0. Events name the table, and it decides which entities are hidden. So
/// it never changes.
enum EqualityKey {
  /// Returns the key of a text by table 1.
  ///
  /// Cost: in proportion to the text, whatever it is made of.
  static func key(of text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.contains(where: { $0 >= 0x80 }) else { return lowercased(bytes) }
      let capacity = bytes.count * DAYBOOK_KEY_GROWTH
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { room in
        String(unsafeUninitializedCapacity: capacity) { key in
          daybook_key(1, bytes.baseAddress, bytes.count, key.baseAddress, room.baseAddress)
        }
      }
    }
  }

  private static func lowercased(_ ascii: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: ascii.count) { key in
      for (index, byte) in ascii.enumerated() {
        key[index] = UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
      }
      return ascii.count
    }
  }

  /// Returns the SQL of a column's key by table 1.
  /// - Parameter column: the column's quoted name.
  static func sql(_ column: String) -> String { "daybook_key_1(\(column))" }
}
