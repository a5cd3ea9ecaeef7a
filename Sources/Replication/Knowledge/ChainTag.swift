package import DaybookEventCore

/// The first 16 bytes of a chain value, enough to tell two branches of an origin apart.
///
/// A tag proves nothing: the proof of a chain is the signature over all 32 bytes.
package struct ChainTag: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  package init(_ chain: Hash256) {
    (high, low) = chain.withBytes { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// Creates a tag from its bytes.
  /// - Parameter bytes: Exactly 16 bytes.
  init(bytes: [UInt8]) {
    (high, low) = bytes.withUnsafeBytes { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    high = UInt64(bigEndian: try reader.integer(UInt64.self))
    low = UInt64(bigEndian: try reader.integer(UInt64.self))
  }

  func encode(to writer: inout ByteWriter) {
    writer.integer(high.bigEndian)
    writer.integer(low.bigEndian)
  }

  /// The first eight bytes, as a big-endian number.
  package var prefix: UInt64 { high }

  package static func < (a: ChainTag, b: ChainTag) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }

  package var description: String {
    var writer = ByteWriter(capacity: 16)
    encode(to: &writer)
    return Hex.encode(writer.bytes)
  }
}
