import DaybookEventCore

/// The last 16 bytes of a sealed segment, which locate its footer.
///
/// `u32 magic · u32 footer's offset · u32 low half of the salt · u32 CRC-32C over the 12 before`
package struct SegmentTrailer: Hashable, Sendable {
  private static let magic: UInt32 = 0x4C41_4553  // "SEAL"
  static let footerOffset = 4
  package static let saltOffset = footerOffset + 4
  package static let checksumOffset = saltOffset + 4
  package static let size = checksumOffset + 4

  /// The offset of the footer's record.
  package var footer: UInt64

  package func encoded(salt: UInt64) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.integer(Self.magic)
    writer.integer(UInt32(clamping: footer))
    writer.integer(UInt32(truncatingIfNeeded: salt))
    writer.integer(CRC32C.checksum(writer.bytes))
    return writer.bytes
  }

  package init(footer: UInt64) { self.footer = footer }

  /// Decodes a trailer; nil if the bytes are no trailer of the segment with that salt.
  package init?(_ bytes: [UInt8], salt: UInt64) {
    guard bytes.count == Self.size else { return nil }
    let footer: UInt64? = bytes.withUnsafeBytes { raw in
      guard raw.u32(0) == Self.magic,
        raw.u32(Self.saltOffset) == UInt32(truncatingIfNeeded: salt),
        CRC32C.checksum(raw.slice(0, Self.checksumOffset)) == raw.u32(Self.checksumOffset)
      else { return nil }
      return UInt64(raw.u32(Self.footerOffset))
    }
    guard let footer else { return nil }
    self.footer = footer
  }
}
