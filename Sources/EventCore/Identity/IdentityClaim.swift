/// The claim in an origin's first event: its public key and, for a hub, a certificate.
///
/// `32 bytes public key · u8 certified · [32 bytes authority key · 64 bytes signature]`
package struct IdentityClaim: Hashable, Sendable {
  /// An authority's signed statement that the replica may stamp events.
  package struct HubCertificate: Hashable, Sendable {
    package var authority: [UInt8]
    package var signature: [UInt8]
  }

  package var publicKey: [UInt8]
  package var certificate: HubCertificate?

  private static let domain = Array("daybook.hub.1".utf8)

  package init(_ identity: Identity) { publicKey = identity.publicKey }

  /// Makes the claim of a hub, with a certificate signed by `authority`.
  package init(_ identity: Identity, certifiedBy authority: Identity) throws(EventError) {
    publicKey = identity.publicKey
    certificate = HubCertificate(
      authority: authority.publicKey,
      signature: try authority.sign(Self.domain + identity.publicKey))
  }

  package var replica: ReplicaID { ReplicaID(publicKey: publicKey) }

  /// Whether `origin`, whose first event holds this claim, may stamp events.
  package func certifiesHub(_ origin: ReplicaID) -> Bool {
    guard let certificate, replica == origin else { return false }
    return Identity.verify(
      certificate.signature, of: Self.domain + publicKey, by: certificate.authority)
  }

  func encode(to writer: inout ByteWriter) {
    writer.raw(publicKey)
    writer.byte(certificate == nil ? 0 : 1)
    if let certificate {
      writer.raw(certificate.authority)
      writer.raw(certificate.signature)
    }
  }

  init(from reader: inout ByteReader) throws(EventError) {
    publicKey = Array(try reader.take(32))
    switch try reader.byte() {
    case 0: certificate = nil
    case 1:
      certificate = HubCertificate(
        authority: Array(try reader.take(32)), signature: Array(try reader.take(64)))
    default:
      throw EventError(.malformed, "a claim that is neither plain nor certified")
    }
  }
}

extension IdentityClaim {
  /// Returns the claim that an event makes about its own origin; nil if the event makes none.
  package static func claimed(by event: EventView) -> IdentityClaim? {
    guard let envelope = try? Envelope(decoding: event.envelope), envelope.kind == .identity,
      !event.bodyIsHash, let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
    else { return nil }
    for case .identity(let claim) in body.operations { return claim }
    return nil
  }
}
