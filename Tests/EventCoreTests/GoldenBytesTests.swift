import DaybookEventCore
import Testing

/// The bytes of format version 1. Stores hold them: a failure here is a broken format, and no test
/// to update.
@Suite("Golden bytes")
struct GoldenBytesTests {
  private let origin = ReplicaID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
  private let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
  private let chain = Hash256.sha256(of: [])

  @Test("values have the bytes of version 1")
  func values() {
    let values: [(Value, String)] = [
      (.null, "00"), (.boolean(false), "01"), (.boolean(true), "02"), (.integer(-1), "0301"),
      (.integer(300), "03d804"), (.integer(.min), "03ffffffffffffffffff01"),
      (.real(1.5), "04000000000000f83f"), (.text("é"), "0502c3a9"), (.blob([0, 255]), "060200ff"),
      (.timestamp(1000), "07d00f"), (.json(Array("{}".utf8)), "08027b7d"),
      (.text(uuid), "096ba7b8109dad11d180b400c04fd430c8"),
    ]
    for (value, hex) in values { #expect(Hex.encode(value.canonicalBytes) == hex) }
  }

  @Test("an envelope has the bytes of version 1")
  func envelope() throws {
    let envelope = Envelope(
      kind: .transaction, authored: HybridTime(milliseconds: 0x0102_0304_0506, counter: 7),
      bodyCodec: .salted,
      context: ContextDelta([
        .init(origin: .known(2), by: 300), .init(origin: .new(origin), by: 1),
      ]))
    let hex =
      "01" + "02" + "0700060504030201" + "01" + "02" + "03ac02"
      + "000102030405060708090a0b0c0d0e0f1001"
    #expect(Hex.encode(envelope.encoded()) == hex)
    #expect(try Decoding.envelope(#require(Hex.decode(hex))) == envelope)
  }

  @Test("a body with every operation on data has the bytes of version 1")
  func body() throws {
    let body = Body(
      actor: "Ann", label: "edit", annotations: ["line": "7"],
      operations: [
        .define(
          Definition(
            collection: "notes", attributes: ["relationship": .boolean(true)],
            fields: [.init("title", ["type": .text("text")])])),
        .drop(collection: "notes", field: "title"), .drop(collection: "notes", field: nil),
        .insert(collection: "notes", id: "n1", fields: ["title": .text("x"), "type": .null]),
        .update(collection: "notes", id: uuid, fields: [:]),
        .delete(collection: "notes", id: "n1"), .restore(collection: "notes", id: "n1"),
        .erase(collection: "notes", id: "n1"), .unknown(kind: 300, payload: [1, 2]),
      ])
    let names = "04" + "056e6f746573" + "0c72656c6174696f6e73686970" + "057469746c65" + "0474797065"
    let operations = [
      "010e" + "00" + "010102" + "01" + "02" + "0103" + "050474657874", "0203" + "000102",
      "0202" + "0000", "030b" + "00" + "046e31" + "02" + "02050178" + "0300",
      "0413" + "00" + "016ba7b8109dad11d180b400c04fd430c8" + "00", "0504" + "00046e31",
      "0604" + "00046e31", "0704" + "00046e31", "ac0202" + "0102",
    ]
    let hex =
      "01" + "03416e6e" + "0465646974" + "01" + "046c696e65" + "0137" + names + "09"
      + operations.joined()
    #expect(Hex.encode(body.encoded()) == hex)
    #expect(try Decoding.body(#require(Hex.decode(hex))) == body)
  }

  @Test("a body of stamps has the bytes of version 1")
  func stamps() {
    let stamp = Stamp(
      origin: origin, from: 1, through: 300, chain: chain, time: HybridTime(rawValue: 0x0102))
    let hex =
      "01000000" + "00" + "01" + "083b" + "0102030405060708090a0b0c0d0e0f10" + "01ac02"
      + chain.description + "0201000000000000"
    #expect(Hex.encode(Body(operations: [.stamp(stamp)]).encoded()) == hex)
  }

  @Test("identity claims have the bytes of version 1, and a stored certificate verifies")
  func claims() throws {
    let hub = try Identity(seed: [UInt8](repeating: 1, count: 32))
    let key = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c"
    #expect(
      Hex.encode(Body(operations: [.identity(IdentityClaim(hub))]).encoded())
        == "01000000" + "00" + "01" + "0921" + key + "00")
    let certified =
      "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394"
      + "ae7c7cd698b9b0bdfebba67dc1d127311bd4e6cc59231f66d66a3331a16a685c"
      + "f912aff3f9b0e9d2ec657f0713c9b247efd680e321bd7da41780785fe4852306"
    let bytes = try #require(
      Hex.decode("01000000" + "00" + "01" + "098101" + key + "01" + certified))
    guard case .identity(let claim)? = try Decoding.body(bytes).operations.first else {
      Issue.record("no claim")
      return
    }
    #expect(claim.certifiesHub(hub.id))
    #expect(hub.id.description == "34750f98bd59fcfc946da45aaabe933b")
  }

  @Test("a head has the bytes of version 1, and a stored signature verifies")
  func head() throws {
    let identity = try Identity(seed: [UInt8](repeating: 1, count: 32))
    let zone = [UInt8](0..<16)
    let unsigned =
      "01" + "000102030405060708090a0b0c0d0e0f" + "34750f98bd59fcfc946da45aaabe933b"
      + "2c01000000000000" + chain.description
    let signature =
      "8ee1658f4f7a25989039e1f71c6a0a25eff9bcc0d57eab01e9af597d614ad2ab"
      + "872e4a70290acc7c3485b8afb00840b997313b775d6953ca4d51f6817185260f"
    let head = try Decoding.head(#require(Hex.decode(unsigned + signature)))
    #expect(head.isSigned(by: identity.publicKey))
    let signed = try Head(zone: zone, sequence: 300, chain: chain, by: identity)
    #expect(Hex.encode(signed.encoded()).hasPrefix(unsigned))
  }

  @Test("an event in a frame has the bytes of version 1, with or without its body")
  func events() {
    var writer = ByteWriter()
    EncodedEvent(envelope: [1, 2], body: .present([3, 4, 5])).encode(to: &writer)
    EncodedEvent(envelope: [1, 2], body: .hash(chain)).encode(to: &writer)
    #expect(Hex.encode(writer.bytes) == "020102" + "06030405" + "020102" + "41" + chain.description)
  }

  @Test("chain values are those of version 1")
  func chains() {
    var value = Chain(origin: origin)
    #expect(
      value.value.description == "abd2bea3be5269ee3b645e4f3b1b9ba005cc8e60029e879519b4c838fc4a62e3")
    value.append(EncodedEvent(envelope: [1, 2], body: .present([3, 4, 5])))
    #expect(
      value.value.description == "723b505a25018f790c03d191db3bf50c6cf4147f8bf6e9ed4e0f61c5c0cc4a96")
  }
}
