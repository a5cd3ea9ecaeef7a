import Crypto

/// The hash chain over one origin's events.
///
/// `chain(n) = SHA-256(domain ‖ chain(n−1) ‖ SHA-256(envelope) ‖ SHA-256(body))`. `chain(0)` binds
/// the origin. Envelope and body are hashed separately: if a body is replaced by its hash, the
/// chain still holds.
package struct Chain: Hashable, Sendable {
  package private(set) var value: Hash256

  private static let startDomain = Array("daybook.chain.0".utf8)
  private static let stepDomain = Array("daybook.chain.1".utf8)

  /// The chain value before the origin's first event.
  package init(origin: ReplicaID) {
    value = Hash256.sha256(of: Self.startDomain + origin.bytes)
  }

  package init(value: Hash256) { self.value = value }

  package mutating func append(envelope: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
    append(envelope: envelope, bodyHash: Hash256.sha256(of: body))
  }

  package mutating func append(envelope: UnsafeRawBufferPointer, bodyHash: Hash256) {
    let envelopeHash = Hash256.sha256(of: envelope)
    var hasher = SHA256()
    hasher.update(data: Self.stepDomain)
    value.withBytes { hasher.update(bufferPointer: $0) }
    envelopeHash.withBytes { hasher.update(bufferPointer: $0) }
    bodyHash.withBytes { hasher.update(bufferPointer: $0) }
    value = Hash256(hasher.finalize())
  }

  /// Advances the chain past an event.
  ///
  /// - Parameter event: an event with its body, or with the 32 bytes of the body's hash.
  package mutating func append(_ event: EventView) {
    if event.bodyIsHash {
      append(envelope: event.envelope, bodyHash: Hash256(bytes: event.body))
    } else {
      append(envelope: event.envelope, body: event.body)
    }
  }

  package mutating func append(_ event: EncodedEvent) {
    event.envelope.withUnsafeBytes { envelope in
      switch event.body {
      case .present(let body): body.withUnsafeBytes { append(envelope: envelope, body: $0) }
      case .hash(let hash): append(envelope: envelope, bodyHash: hash)
      }
    }
  }
}
