import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("Envelope and ContextDelta")
struct EnvelopeTests {
  private func code(_ bytes: [UInt8]) -> EventError.Code? {
    Decoding.code { () throws(EventError) in _ = try Decoding.envelope(bytes) }
  }

  @Test("an envelope is decoded as it was encoded, with unknown kinds and codecs")
  func roundTrip() throws {
    var random = SplitMix64(seed: 20)
    for _ in 0..<1000 {
      let envelope = random.envelope()
      #expect(try Decoding.envelope(envelope.encoded()) == envelope)
    }
  }

  @Test("an envelope of an unknown version is an error of its own")
  func laterVersion() {
    var bytes = Envelope(kind: .transaction, authored: .zero).encoded()
    bytes[0] = 2
    #expect(code(bytes) == .unknownVersion)
    bytes[0] = 0
    #expect(code(bytes) == .unknownVersion)
  }

  @Test("every truncation of an envelope, and every additional byte, is refused")
  func truncated() {
    var random = SplitMix64(seed: 21)
    for _ in 0..<50 {
      let bytes = random.envelope().encoded()
      for count in 0..<bytes.count { #expect(code(Array(bytes.prefix(count))) == .truncated) }
      #expect(code(bytes + [0]) == .malformed)
    }
  }

  @Test("a context that does not advance, or has too large a count, is refused")
  func badContexts() {
    let bare = Envelope(kind: .transaction, authored: .zero).encoded().dropLast()
    #expect(code(bare + [1, 1, 0]) == .notCanonical)
    #expect(code(bare + [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == .truncated)
    #expect(code(bare + [2, 1, 1]) == .truncated)
  }
}
