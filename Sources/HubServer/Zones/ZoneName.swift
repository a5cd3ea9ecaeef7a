/// The name of a zone at its hub, a path component that is valid on all systems.
///
/// A name has 1 to 64 of `a`–`z`, `0`–`9`, `.`, `_` and `-`. It begins with a letter or digit, and
/// never has two dots in a row.
public struct ZoneName: Hashable, Comparable, Sendable, LosslessStringConvertible {
  public let description: String

  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard (1...64).contains(bytes.count), Self.isAlphanumeric(bytes[0]),
      bytes.allSatisfy({ Self.isAlphanumeric($0) || [0x2E, 0x5F, 0x2D].contains($0) }),
      !zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x2E && $1 == 0x2E })
    else { return nil }
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a name from the command line.
  /// - Throws: ``HubError`` `.badArgument` if the text is not a valid name.
  public init(argument: String) throws(HubError) {
    guard let name = ZoneName(argument) else {
      throw HubError(
        .badArgument, "“\(argument)” is no name of a zone",
        hint: "Use 1 to 64 of a–z, 0–9, dots, dashes and underscores, a letter or digit first")
    }
    self = name
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  public static func < (a: ZoneName, b: ZoneName) -> Bool { a.description < b.description }
}
