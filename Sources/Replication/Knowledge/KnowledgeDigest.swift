import EventCore

/// 16 bytes that say what a replica holds; see ``Knowledge/digest``.
public struct KnowledgeDigest: Hashable, Sendable, CustomStringConvertible {
  /// 16.
  public let bytes: [UInt8]

  init(sums: [UInt64]) {
    var writer = ByteWriter(capacity: sums.count * 8)
    for sum in sums { writer.integer(sum) }
    bytes = Array(Hash256.sha256(of: writer.bytes).bytes[..<16])
  }

  init(from reader: inout ByteReader) throws(EventError) { bytes = Array(try reader.take(16)) }

  /// - Parameter text: as ``description`` says it; nil where it is none.
  public init?(_ text: String) {
    guard let bytes = Hex.decode(text), bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  func encode(to writer: inout ByteWriter) { writer.raw(bytes) }

  public var description: String { Hex.encode(bytes) }
}
