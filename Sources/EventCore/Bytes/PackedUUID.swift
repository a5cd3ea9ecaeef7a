/// A lower-case UUID in its textual form (RFC 9562, 8-4-4-4-12), packed into 16 bytes.
@frozen
package struct PackedUUID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  /// Packs a UUID; nil unless `text` is exactly one in lower case.
  package init?(_ text: String) {
    guard text.utf8.count == 36 else { return nil }
    var text = text
    guard let packed = text.withUTF8({ PackedUUID(utf8: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = packed
  }

  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 36, bytes[8] == 0x2D, bytes[13] == 0x2D, bytes[18] == 0x2D,
      bytes[23] == 0x2D
    else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for i in 0..<36 where i != 8 && i != 13 && i != 18 && i != 23 {
      guard let nibble = Hex.nibble(bytes[i]) else { return nil }
      if digits < 16 {
        words.0 = words.0 << 4 | UInt64(nibble)
      } else {
        words.1 = words.1 << 4 | UInt64(nibble)
      }
      digits += 1
    }
    (high, low) = words
  }

  init(from reader: inout ByteReader) throws(EventError) {
    high = UInt64(bigEndian: try reader.integer(UInt64.self).littleEndian)
    low = UInt64(bigEndian: try reader.integer(UInt64.self).littleEndian)
  }

  func encode(to writer: inout ByteWriter) {
    writer.integer(high.bigEndian)
    writer.integer(low.bigEndian)
  }

  /// The 36 UTF-8 bytes of the textual form.
  package func withUTF8<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: 36, alignment: 1) { buffer in
      var digit = 0
      for i in 0..<36 {
        if i == 8 || i == 13 || i == 18 || i == 23 {
          buffer[i] = 0x2D
          continue
        }
        let word = digit < 16 ? high : low
        let nibble = UInt8(truncatingIfNeeded: word >> UInt64((15 - digit % 16) * 4)) & 15
        buffer[i] = nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
        digit += 1
      }
      return try body(UnsafeRawBufferPointer(buffer))
    }
  }

  package var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }
}
