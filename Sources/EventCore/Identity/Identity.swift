import Crypto

/// A replica's Ed25519 key pair (RFC 8032) and the id derived from it.
package struct Identity: Sendable {
  private let key: Curve25519.Signing.PrivateKey
  package let id: ReplicaID

  /// Makes the identity of a private key.
  ///
  /// - Parameter seed: the private key, 32 bytes.
  /// - Throws: ``EventError/Code/badSignature`` if the seed is no key.
  package init(seed: [UInt8]) throws(EventError) {
    guard seed.count == 32,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else { throw EventError(.badSignature, "a private key has 32 bytes") }
    self.key = key
    id = ReplicaID(publicKey: Array(key.publicKey.rawRepresentation))
  }

  /// The private key, 32 bytes.
  ///
  /// Secret: kept beside the store, never in the log or in a backup.
  package var seed: [UInt8] { Array(key.rawRepresentation) }
  package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// Returns the signature of a message, 64 bytes.
  ///
  /// - Throws: ``EventError/Code/badSignature`` if the system cannot sign.
  package func sign(_ message: [UInt8]) throws(EventError) -> [UInt8] {
    do { return Array(try key.signature(for: message)) } catch {
      throw EventError(.badSignature, "signing failed: \(error)")
    }
  }

  package static func verify(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8])
    -> Bool
  {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else {
      return false
    }
    return key.isValidSignature(signature, for: message)
  }
}
