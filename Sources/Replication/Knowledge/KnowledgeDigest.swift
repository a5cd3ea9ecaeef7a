import DaybookEventCore

/// A digest of what a replica holds, 16 bytes. Replicas with equal digests hold the same events.
public struct KnowledgeDigest: Hashable, Sendable, CustomStringConvertible {
  /// The digest, 16 bytes.
  package let bytes: [UInt8]

  init(sums: [UInt64]) {
    var writer = ByteWriter(capacity: sums.count * 8)
    for sum in sums { writer.integer(sum) }
    bytes = Array(Hash256.sha256(of: writer.bytes).bytes[..<16])
  }

  init(from reader: inout ByteReader) throws(EventError) { bytes = Array(try reader.take(16)) }

  /// Parses a digest.
  /// - Parameter text: 32 hexadecimal digits, as in ``description``. Otherwise the result is nil.
  package init?(_ text: String) {
    guard let bytes = Hex.decode(text), bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  func encode(to writer: inout ByteWriter) { writer.raw(bytes) }

  public var description: String { Hex.encode(bytes) }
}
