package import DaybookEventCore

/// The local header of a record in a segment.
///
/// It states its own offset, so that the record is recognized after damage. It also states how far
/// the segment was durable when it was written, which tells damage from a torn tail.
///
/// ```
/// u64 segment's salt · u32 own offset · u32 durable mark · u32 payload length
/// u8 kind · 3 zero · u32 CRC-32C over the 24 bytes before
/// ```
/// The payload of every kind except a frame ends with a CRC-32C over the payload before it. A frame
/// has a checksum of its own.
package struct RecordHeader: Hashable, Sendable {
  package enum Kind {
    package static let frame: UInt8 = 1
    package static let head: UInt8 = 2
    package static let footer: UInt8 = 3
  }

  package static let offsetOffset = 8
  static let durableOffset = offsetOffset + 4
  package static let lengthOffset = durableOffset + 4
  package static let kindOffset = lengthOffset + 4
  static let reservedOffset = kindOffset + 1
  package static let checksumOffset = reservedOffset + 3
  package static let size = checksumOffset + 4
  /// The longest payload that a reader accepts: the index of a segment much larger than any
  /// written.
  static let lengthMax = 1 << 28
  /// The size in bytes of the checksum that ends every payload except a frame.
  package static let payloadChecksumSize = 4

  package var kind: UInt8
  /// The offset at which the record begins in its segment.
  package var offset: UInt64
  /// The segment's durable end when the record was written.
  package var durable: UInt64
  /// The number of bytes after the header.
  package var length: Int

  /// The size of header and payload in bytes.
  var total: UInt64 { UInt64(Self.size + length) }
  var end: UInt64 { offset + total }

  init(kind: UInt8, offset: UInt64, durable: UInt64, length: Int) {
    self.kind = kind
    self.offset = offset
    self.durable = durable
    self.length = length
  }

  /// Decodes a header.
  ///
  /// Nil unless `bytes`, 28 of them, are a sound header at `offset` of the segment with that salt.
  package init?(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, salt: UInt64) {
    guard bytes.count == Self.size, bytes.u64(0) == salt,
      UInt64(bytes.u32(Self.offsetOffset)) == offset,
      CRC32C.checksum(bytes.slice(0, Self.checksumOffset)) == bytes.u32(Self.checksumOffset),
      bytes.isZero(from: Self.reservedOffset, to: Self.checksumOffset),
      Int(bytes.u32(Self.lengthOffset)) <= Self.lengthMax
    else { return nil }
    kind = bytes[Self.kindOffset]
    self.offset = offset
    durable = UInt64(bytes.u32(Self.durableOffset))
    length = Int(bytes.u32(Self.lengthOffset))
  }

  /// Appends header and payload to `out`, and the payload's checksum if the kind has one.
  package static func append(
    kind: UInt8, _ payload: [UInt8], offset: UInt64, durable: UInt64, salt: UInt64,
    to out: inout ByteWriter
  ) {
    let ownsChecksum = kind == Kind.frame
    let start = out.count
    out.integer(salt)
    out.integer(UInt32(clamping: offset))
    out.integer(UInt32(clamping: durable))
    out.integer(UInt32(clamping: payload.count + (ownsChecksum ? 0 : payloadChecksumSize)))
    out.integer(UInt32(kind))
    let checksum = out.bytes.withUnsafeBytes {
      CRC32C.checksum($0.slice(start, checksumOffset))
    }
    out.integer(checksum)
    out.raw(payload)
    if !ownsChecksum { out.integer(CRC32C.checksum(payload)) }
  }

  /// Returns the size in bytes of a record that holds `payload` bytes.
  static func total(kind: UInt8, payload: Int) -> UInt64 {
    UInt64(size + payload + (kind == Kind.frame ? 0 : payloadChecksumSize))
  }
}
