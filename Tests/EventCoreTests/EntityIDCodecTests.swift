import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("EntityIDCodec and PackedUUID")
struct EntityIDCodecTests {
  private func encoded(_ id: String) -> [UInt8] {
    var writer = ByteWriter()
    EntityIDCodec.encode(id, to: &writer)
    return writer.bytes
  }

  private func decoded(_ bytes: [UInt8]) throws(EventError) -> String {
    try Decoding.read(bytes) { reader throws(EventError) in
      let text = try EntityIDCodec.decode(from: &reader).text
      try reader.end(of: "an id")
      return text
    }
  }

  private func code(_ bytes: [UInt8]) -> EventError.Code? {
    Decoding.code { () throws(EventError) in _ = try decoded(bytes) }
  }

  private let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  @Test("an id is decoded as it was encoded, byte for byte")
  func roundTrip() throws {
    let ids = [
      "n1", " ", "\u{0}", "e\u{301}", "\u{E9}", "漢字🙂", uuid, uuid.uppercased(), uuid + "0",
      String(repeating: "x", count: EntityIDCodec.bytesMax),
    ]
    for id in ids { #expect(try Array(decoded(encoded(id)).utf8) == Array(id.utf8)) }
  }

  @Test("a lower-case UUID takes 17 bytes")
  func packed() {
    #expect(Hex.encode(encoded(uuid)) == "01" + uuid.filter { $0 != "-" })
    #expect(encoded(uuid.uppercased()).count == 37)
  }

  @Test("an id that is empty, too long, not UTF-8 or an unpacked UUID is refused")
  func refused() {
    #expect(code([0]) == .malformed)
    #expect(code(encoded(String(repeating: "x", count: EntityIDCodec.bytesMax + 1))) == .malformed)
    #expect(code([1 << 1, 0xFF]) == .invalidValue)
    #expect(code([36 << 1] + Array(uuid.utf8)) == .notCanonical)
    #expect(code([3]) == .malformed)
    #expect(code([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) == .malformed)
  }

  @Test("every truncation of an id is refused")
  func truncated() {
    for id in ["n1", uuid] {
      for count in 0..<encoded(id).count {
        #expect(code(Array(encoded(id).prefix(count))) == .truncated)
      }
    }
  }

  @Test("only the exact form of a lower-case UUID packs, and it unpacks to itself")
  func packing() {
    #expect(PackedUUID(uuid)?.text == uuid)
    for other in [
      "", uuid.uppercased(), String(uuid.dropLast()), uuid + "0",
      uuid.replacing("-", with: "0"), "6ba7b8109-dad-11d1-80b4-00c04fd430c8",
      "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "6ba7b810–9dad-11d1-80b4-00c04fd43",
    ] { #expect(PackedUUID(other) == nil) }
    var random = SplitMix64(seed: 3)
    for _ in 0..<500 {
      let digits = Array(Hex.encode(random.bytes(16)))
      let text = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        .joined(separator: "-")
      #expect(PackedUUID(text)?.text == text)
    }
  }
}
