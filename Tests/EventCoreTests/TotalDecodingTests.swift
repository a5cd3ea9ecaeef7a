import DaybookEventCore
import DaybookSimulation
import Testing

/// Decoders with random bytes: none traps, and each accepts only the encoding of its result.
@Suite("Total decoding")
struct TotalDecodingTests {
  /// Runs `decode` on every truncation, every flip of one bit, and some random bytes.
  private func attack(_ bytes: [UInt8], _ random: inout SplitMix64, _ decode: ([UInt8]) -> Void) {
    for count in 0...bytes.count { decode(Array(bytes.prefix(count))) }
    var flipped = bytes
    for index in bytes.indices {
      for bit in 0..<8 {
        flipped[index] = bytes[index] ^ (1 << UInt8(bit))
        decode(flipped)
      }
      flipped[index] = bytes[index]
    }
    for _ in 0..<50 {
      decode(random.bytes(random.pick(0...40)))
      guard !bytes.isEmpty else { continue }
      let (from, through) = (random.pick(0...bytes.count - 1), random.pick(0...3))
      let middle = random.bytes(through)
      decode(Array(bytes[..<from]) + middle + Array(bytes[min(from + 1, bytes.count)...]))
    }
  }

  @Test("any bytes decode to an envelope with the same encoding, or are refused")
  func envelopes() {
    var random = SplitMix64(seed: 50)
    for _ in 0..<40 {
      let bytes = random.envelope().encoded()
      attack(bytes, &random) { bytes in
        guard let envelope = try? Decoding.envelope(bytes) else { return }
        #expect(envelope.encoded() == bytes)
      }
    }
  }

  @Test("any bytes decode to a body with the same encoding, or are refused")
  func bodies() throws {
    var random = SplitMix64(seed: 51)
    for _ in 0..<12 {
      let bytes = random.body().encoded()
      attack(bytes, &random) { bytes in
        guard let body = try? Decoding.body(bytes) else { return }
        let again = body.encoded()
        // Names that only unknown operations use are in the event's bytes, and not in the decoded
        // body.
        if Decoding.names(again) == Decoding.names(bytes) { #expect(again == bytes) }
        #expect((try? Decoding.body(again)) == body)
      }
    }
  }

  @Test("any bytes decode to events with the same encoding, or are refused")
  func frames() {
    var random = SplitMix64(seed: 52)
    for _ in 0..<8 {
      var writer = ByteWriter()
      for _ in 0..<2 { EncodedEvent(random.envelope(), random.body()).encode(to: &writer) }
      attack(writer.bytes, &random) { bytes in
        guard let events = try? Decoding.events(bytes) else { return }
        var again = ByteWriter()
        for event in events { event.encode(to: &again) }
        #expect(again.bytes == bytes)
      }
    }
  }

  @Test("any bytes decode to a value with the same encoding, or are refused")
  func values() {
    var random = SplitMix64(seed: 53)
    for _ in 0..<60 {
      attack(random.value().canonicalBytes, &random) { bytes in
        guard let value = try? Decoding.value(bytes) else { return }
        #expect(value.canonicalBytes == bytes)
      }
    }
  }

  @Test("any bytes decode to a head with the same encoding, or are refused")
  func heads() throws {
    var random = SplitMix64(seed: 54)
    let identity = try Identity(seed: random.bytes(32))
    let head = try Head(zone: random.bytes(16), sequence: 7, chain: random.hash(), by: identity)
    attack(head.encoded(), &random) { bytes in
      guard let head = try? Decoding.head(bytes) else { return }
      #expect(head.encoded() == bytes)
    }
  }

  @Test("any bytes decode to a claim with the same encoding, or are refused")
  func claims() throws {
    var random = SplitMix64(seed: 55)
    let identity = try Identity(seed: random.bytes(32))
    let authority = try Identity(seed: random.bytes(32))
    for claim in [
      IdentityClaim(identity), try IdentityClaim(identity, certifiedBy: authority),
    ] {
      let bytes = Body(operations: [.identity(claim)]).encoded()
      attack(bytes, &random) { bytes in
        guard let body = try? Decoding.body(bytes) else { return }
        #expect(body.encoded() == bytes)
      }
    }
  }
}
