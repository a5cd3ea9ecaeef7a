import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("Value")
struct ValueCodingTests {
  private func code(_ bytes: [UInt8]) -> EventError.Code? {
    Decoding.code { () throws(EventError) in _ = try Decoding.value(bytes) }
  }

  @Test("a value is decoded as it was encoded")
  func roundTrip() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let value = random.value()
      #expect(try Decoding.value(value.canonicalBytes) == value)
    }
  }

  @Test("bytes that decode to a value are its canonical bytes")
  func canonical() {
    var random = SplitMix64(seed: 2)
    var decoded = 0
    for _ in 0..<20_000 {
      var bytes = random.bytes(random.pick(0...12))
      if !bytes.isEmpty { bytes[0] %= 11 }
      guard let value = try? Decoding.value(bytes) else { continue }
      decoded += 1
      #expect(value.canonicalBytes == bytes)
    }
    #expect(decoded > 100)
  }

  @Test("−0 is encoded as 0, and its own bytes are refused")
  func negativeZero() {
    #expect(Value.real(-0.0).canonicalBytes == Value.real(0).canonicalBytes)
    #expect(code([ValueTag.real, 0, 0, 0, 0, 0, 0, 0, 0x80]) == .notCanonical)
  }

  @Test(
    "a real that is not finite is refused",
    arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func notFinite(_ real: Double) {
    #expect(code(Value.real(real).canonicalBytes) == .invalidValue)
  }

  @Test("invalid UTF-8, unknown tags and bytes after a value are refused")
  func refused() {
    #expect(code([ValueTag.text, 1, 0x80]) == .invalidValue)
    #expect(code([ValueTag.json, 1, 0xC0]) == .invalidValue)
    #expect(code([10]) == .malformed)
    #expect(code([255]) == .malformed)
    #expect(code([ValueTag.null, 0]) == .malformed)
    #expect(code([]) == .truncated)
  }

  @Test("a text that is a lower-case UUID is packed, and refused unpacked")
  func uuids() {
    let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    #expect(Value.text(uuid).canonicalBytes.count == 17)
    #expect(Value.text(uuid.uppercased()).canonicalBytes.count == 38)
    var writer = ByteWriter()
    writer.byte(ValueTag.text)
    writer.text(uuid)
    #expect(code(writer.bytes) == .notCanonical)
  }

  @Test("values are equal if their canonical bytes are")
  func equality() {
    #expect(Value.real(0) == .real(-0.0))
    #expect(Value.integer(1) != .real(1))
    #expect(Value.integer(0) != .timestamp(0))
    #expect(Value.text("\u{E9}") != .text("e\u{301}"))
    #expect(Set([Value.text("\u{E9}"), .text("e\u{301}"), .real(0), .real(-0.0)]).count == 3)
  }

  @Test("a length over the remaining bytes is refused before anything is allocated")
  func lengthBomb() {
    for tag in [ValueTag.text, ValueTag.blob, ValueTag.json] {
      var writer = ByteWriter()
      writer.byte(tag)
      writer.varint(UInt64.max)
      #expect(code(writer.bytes) == .truncated)
    }
  }
}
