/// An origin's signed statement of its latest event and the chain value there.
///
/// `u8 version = 1 · 16 zone · 16 origin · u64 sequence · 32 chain · 64 signature`. The signature
/// is over a domain and all bytes before the signature.
package struct Head: Hashable, Sendable {
  package static let version: UInt8 = 1
  private static let domain = Array("daybook.head.1".utf8)

  /// The zone, 16 bytes; all zero for a store that has not adopted one yet.
  package var zone: [UInt8]
  package var event: EventID
  /// The chain value after `event`.
  package var chain: Hash256
  package var signature: [UInt8]

  /// Makes a head and signs it.
  ///
  /// - Parameter zone: 16 bytes.
  /// - Throws: ``EventError/Code/badSignature`` if the system cannot sign.
  package init(zone: [UInt8], sequence: UInt64, chain: Hash256, by identity: Identity)
    throws(EventError)
  {
    precondition(zone.count == 16, "a zone has 16 bytes")
    self.zone = zone
    event = EventID(identity.id, sequence)
    self.chain = chain
    signature = []
    signature = try identity.sign(Self.domain + unsigned)
  }

  /// Makes a head with an existing signature.
  ///
  /// - Parameters:
  ///   - zone: 16 bytes.
  ///   - signature: 64 bytes.
  package init(zone: [UInt8], event: EventID, chain: Hash256, signature: [UInt8]) {
    precondition(zone.count == 16 && signature.count == 64, "a head has a zone and a signature")
    self.zone = zone
    self.event = event
    self.chain = chain
    self.signature = signature
  }

  package func isSigned(by publicKey: [UInt8]) -> Bool {
    ReplicaID(publicKey: publicKey) == event.origin
      && Identity.verify(signature, of: Self.domain + unsigned, by: publicKey)
  }

  package func encoded() -> [UInt8] { unsigned + signature }

  private var unsigned: [UInt8] {
    var writer = ByteWriter(capacity: 137)
    writer.byte(Self.version)
    writer.raw(zone)
    writer.replicaID(event.origin)
    writer.integer(event.sequence)
    writer.hash(chain)
    return writer.bytes
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == Self.version else {
      throw EventError(.unknownVersion, "head version \(version) is not known here", offset: 0)
    }
    zone = Array(try reader.take(16))
    event = EventID(try reader.replicaID(), try reader.integer(UInt64.self))
    chain = try reader.hash()
    signature = Array(try reader.take(64))
    try reader.end(of: "a head")
  }
}
