import Crypto
import EventCore

/// What a hub keeps of a token: enough to recognise it, not enough to use it.
public struct AccessToken: Hashable, Sendable {
  /// What a token allows.
  public enum Access: String, Sendable, CaseIterable {
    /// To pull from a zone, and to be told of its changes.
    case read
    /// To push to it too.
    case write
    /// To read the hub's figures; of no zone.
    case metrics
  }

  /// 16 hexadecimal digits. No secret: lists and logs show it.
  public var id: String
  /// Nil for `metrics`.
  public var zone: ZoneName?
  public var access: Access
  /// Milliseconds since 1970.
  public var created: Int64
  /// Milliseconds since 1970; nil where it does not expire.
  public var expires: Int64?
  /// 16 random bytes.
  var salt: [UInt8]
  /// SHA-256 of salt and secret. The secret is 256 random bits, so a slow hash would add nothing.
  var hash: [UInt8]

  /// Makes a token; its text is told once and kept nowhere.
  public static func make(
    zone: ZoneName?, access: Access, created: Int64, expires: Int64?
  ) -> (token: AccessToken, text: String) {
    let secret = Random.bytes(32)
    let salt = Random.bytes(16)
    let token = AccessToken(
      id: Hex.encode(Random.bytes(8)), zone: zone, access: access, created: created,
      expires: expires, salt: salt, hash: hash(salt, secret))
    return (token, TokenText(id: token.id, secret: secret).description)
  }

  func isExpired(at now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  /// Takes the same time wherever the two differ.
  func matches(_ secret: [UInt8]) -> Bool {
    let other = Self.hash(salt, secret)
    var difference: UInt8 = hash.count == other.count ? 0 : 1
    for (a, b) in zip(hash, other) { difference |= a ^ b }
    return difference == 0
  }

  private static func hash(_ salt: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: salt + secret))
  }
}

/// A token as its holder has it: `daybook_ID_SECRET`.
struct TokenText: CustomStringConvertible {
  var id: String
  /// 32.
  var secret: [UInt8]

  private static let prefix = "daybook"

  init(id: String, secret: [UInt8]) {
    self.id = id
    self.secret = secret
  }

  init?(_ text: some StringProtocol) {
    let parts = text.parts(between: "_")
    guard parts.count == 3, parts[0] == Self.prefix, parts[1].utf8.count == 16,
      let secret = Hex.decode(parts[2]), secret.count == 32
    else { return nil }
    self.init(id: String(parts[1]), secret: secret)
  }

  var description: String { "\(Self.prefix)_\(id)_\(Hex.encode(secret))" }
}
