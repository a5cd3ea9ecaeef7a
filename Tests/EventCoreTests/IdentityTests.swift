import DaybookEventCore
import Testing

@Suite("Identity, IdentityClaim and Head")
struct IdentityTests {
  private func identity(_ number: UInt8) throws -> Identity {
    try Identity(seed: [UInt8](repeating: number, count: 32))
  }

  @Test("keys and signatures are those of RFC 8032")
  func knownKey() throws {
    let seed = try #require(
      Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    let identity = try Identity(seed: seed)
    #expect(
      Hex.encode(identity.publicKey)
        == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    let signature = try #require(
      Hex.decode(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
          + "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"))
    #expect(Identity.verify(signature, of: [], by: identity.publicKey))
    #expect(!Identity.verify(signature, of: [0], by: identity.publicKey))
    #expect(identity.seed == seed)
  }

  @Test("a replica's id is the first 16 bytes of the SHA-256 of its public key")
  func replicaID() throws {
    let identity = try identity(1)
    #expect(identity.id.bytes == Array(Hash256.sha256(of: identity.publicKey).bytes.prefix(16)))
  }

  @Test("seeds, keys and signatures of wrong sizes are refused or verify nothing")
  func sizes() throws {
    for count in [0, 31, 33] {
      #expect(throws: EventError.self) { try Identity(seed: [UInt8](repeating: 1, count: count)) }
    }
    let identity = try identity(1)
    let signature = try identity.sign([1])
    #expect(Identity.verify(signature, of: [1], by: identity.publicKey))
    #expect(!Identity.verify(signature, of: [1], by: []))
    #expect(!Identity.verify(signature, of: [1], by: Array(identity.publicKey.dropLast())))
    #expect(!Identity.verify([], of: [1], by: identity.publicKey))
    #expect(!Identity.verify(signature + [0], of: [1], by: identity.publicKey))
  }

  @Test("a hub's claim certifies that hub, by its authority, and nothing else")
  func claims() throws {
    let (hub, authority) = (try identity(1), try identity(2))
    let claim = try IdentityClaim(hub, certifiedBy: authority)
    #expect(claim.certifiesHub(hub.id))
    #expect(!claim.certifiesHub(try identity(3).id))
    #expect(!IdentityClaim(hub).certifiesHub(hub.id))
    var forged = claim
    forged.publicKey = try identity(3).publicKey
    #expect(!forged.certifiesHub(try identity(3).id))
    forged = claim
    forged.certificate?.authority = try identity(3).publicKey
    #expect(!forged.certifiesHub(hub.id))
    forged = claim
    forged.certificate?.signature[5] ^= 1
    #expect(!forged.certifiesHub(hub.id))
  }

  @Test("a head verifies with the key of its origin, and only unchanged")
  func heads() throws {
    let identity = try identity(1)
    let zone = [UInt8](repeating: 9, count: 16)
    let head = try Head(zone: zone, sequence: 3, chain: Hash256.sha256(of: [1]), by: identity)
    #expect(head.isSigned(by: identity.publicKey))
    #expect(!head.isSigned(by: try self.identity(2).publicKey))
    #expect(head.event == EventID(identity.id, 3))
    let bytes = head.encoded()
    #expect(bytes.count == 137)
    #expect(try Decoding.head(bytes) == head)
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 0x10
      #expect((try? Decoding.head(flipped))?.isSigned(by: identity.publicKey) != true)
    }
  }
}
