import DaybookEventCore

/// Identities that follow from a name, and their claims.
///
/// Claims are kept once made: CryptoKit signs with a random nonce, and the same seed has to give
/// the same bytes.
enum TestIdentities {
  /// - Precondition: SHA-256 always gives a seed of the right size.
  static func identity(_ name: String) -> Identity {
    try! Identity(seed: Hash256.sha256(of: Array("identity \(name)".utf8)).bytes)
  }

  static let authority = identity("authority")

  /// Devices, hubs and impostors of generated event sets.
  static let pool: [Identity] = (0..<24).map { identity("\($0)") }
  static let poolClaims: [IdentityClaim] = pool.map(IdentityClaim.init)
  static let poolHubClaims: [IdentityClaim] = pool.map(hubClaim)

  static func hubClaim(_ identity: Identity) -> IdentityClaim {
    try! IdentityClaim(identity, certifiedBy: authority)
  }
}
