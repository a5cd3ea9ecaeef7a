import Crypto
import DaybookEventCore

/// A hub's record of a token: enough to recognize the token, but not enough to use it.
public struct AccessToken: Hashable, Sendable {
  /// The permission of a token.
  public enum Access: String, Sendable, CaseIterable {
    /// Permission to pull from a zone, and to listen to its changes.
    case read
    /// Permission to pull from a zone, to listen to its changes, and to push to it.
    case write
    /// Permission to read the hub's metrics, of no zone.
    case metrics
  }

  /// The public identifier, 16 hexadecimal digits. Lists and logs show it.
  public var id: String
  /// The zone that the token is for; nil for `metrics`.
  public var zone: ZoneName?
  public var access: Access
  /// The time of creation, in milliseconds since 1970.
  public var created: Int64
  /// The time of expiry, in milliseconds since 1970; nil if the token does not expire.
  public var expires: Int64?
  /// The salt of the ``hash``, 16 random bytes.
  var salt: [UInt8]
  /// The SHA-256 of salt and secret. The secret is 256 random bits, so a slow hash would add
  /// nothing.
  var hash: [UInt8]

  /// Makes a token. Its text is returned once and stored nowhere.
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

  /// Returns whether a secret is the token's. The time does not depend on where the hashes differ.
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

/// The text of a token as its holder has it: `daybook_ID_SECRET`.
struct TokenText: CustomStringConvertible {
  var id: String
  /// The secret, 32 bytes.
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
