/// The id of a replica: the first 16 bytes of the SHA-256 of its public key.
@frozen
public struct ReplicaID: Hashable, Comparable, Sendable, LosslessStringConvertible {
  /// The first eight bytes as a big-endian number, for byte order; ``low`` is the rest.
  public let high: UInt64
  /// The last eight bytes as a big-endian number.
  public let low: UInt64

  /// Makes an id from its two halves.
  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes an id from its bytes.
  ///
  /// - Parameter bytes: exactly 16 bytes.
  public init(bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == 16, "a replica id has 16 bytes")
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Makes the id of the replica that holds the private half of `publicKey` (32 bytes).
  public init(publicKey: [UInt8]) {
    let hash = Hash256.sha256(of: publicKey)
    self = hash.withBytes { ReplicaID(bytes: UnsafeRawBufferPointer(rebasing: $0[..<16])) }
  }

  /// Parses a replica's id.
  ///
  /// - Parameter description: 32 lower-case hexadecimal digits.
  public init?(_ description: String) {
    guard let bytes = Hex.decode(description), bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { ReplicaID(bytes: $0) }
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.replicaID(self)
    return writer.bytes
  }

  public var description: String { Hex.encode(bytes) }

  @inlinable
  public static func < (a: ReplicaID, b: ReplicaID) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}
