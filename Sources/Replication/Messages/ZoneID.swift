import DaybookEventCore

/// The identifier of a zone, 16 random bytes. All zero for a store that has not adopted one.
public struct ZoneID: Hashable, Sendable, LosslessStringConvertible {
  /// The identifier, 16 bytes.
  public let bytes: [UInt8]

  /// The zone of a store that has not adopted one.
  public static let none = ZoneID(bytes: Array(repeating: 0, count: 16))

  /// Creates an identifier from its bytes.
  /// - Parameter bytes: Exactly 16 bytes.
  public init(bytes: [UInt8]) {
    precondition(bytes.count == 16, "a zone has 16 bytes")
    self.bytes = bytes
  }

  /// Parses an identifier.
  /// - Parameter description: 32 hexadecimal digits. Otherwise the result is nil.
  public init?(_ description: String) {
    guard let bytes = Hex.decode(description), bytes.count == 16 else { return nil }
    self.init(bytes: bytes)
  }

  public var description: String { Hex.encode(bytes) }
}
