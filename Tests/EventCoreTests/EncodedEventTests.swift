import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("EncodedEvent and Event")
struct EncodedEventTests {
  private func events(_ random: inout SplitMix64) -> [EncodedEvent] {
    (0..<random.pick(1...5)).map { _ in
      var event = EncodedEvent(random.envelope(), random.body())
      if random.chance(25) { event.body = .hash(random.hash()) }
      return event
    }
  }

  private func frame(_ events: [EncodedEvent]) -> [UInt8] {
    var writer = ByteWriter()
    for event in events { event.encode(to: &writer) }
    return writer.bytes
  }

  @Test("a frame's events are decoded as they were encoded, with the same chain")
  func roundTrip() throws {
    var random = SplitMix64(seed: 40)
    for _ in 0..<200 {
      let events = events(&random)
      let bytes = frame(events)
      #expect(try Decoding.events(bytes) == events)
      try bytes.withUnsafeBytes { raw in
        var reader = ByteReader(raw)
        var (stored, inPlace) = (
          Chain(origin: ReplicaID(high: 1, low: 1)), Chain(origin: ReplicaID(high: 1, low: 1))
        )
        for event in events {
          stored.append(event)
          try EventView(from: &reader).advance(&inPlace)
        }
        #expect(stored == inPlace)
      }
    }
  }

  @Test("every truncation of a frame is refused or ends between two events")
  func truncated() {
    var random = SplitMix64(seed: 41)
    let events = events(&random) + events(&random)
    let ends = Set((0...events.count).map { frame(Array(events.prefix($0))).count })
    let bytes = frame(events)
    for count in 0..<bytes.count {
      let code = Decoding.code { () throws(EventError) in
        _ = try Decoding.events(Array(bytes.prefix(count)))
      }
      #expect(code == (ends.contains(count) ? nil : .truncated))
    }
  }

  @Test("a hash of a body has 32 bytes, and an event at most 16 MiB")
  func sizes() {
    func code(_ bytes: [UInt8]) -> EventError.Code? {
      Decoding.code { () throws(EventError) in _ = try Decoding.events(bytes) }
    }
    #expect(code([0, 31 << 1 | 1] + [UInt8](repeating: 0, count: 31)) == .malformed)
    #expect(code([0, 32 << 1 | 1] + [UInt8](repeating: 0, count: 32)) == nil)
    for size in [UInt64(Body.eventBytesMax) + 1, .max >> 1] {
      var writer = ByteWriter()
      writer.byte(0)
      writer.varint(size << 1)
      #expect(code(writer.bytes) == .tooLarge)
    }
    var writer = ByteWriter()
    writer.byte(0)
    writer.varint(Body.eventBytesMax << 1)
    #expect(code(writer.bytes) == .truncated)
  }

  @Test("an event whose body cannot be decoded is an event without a body")
  func opaqueBodies() throws {
    let id = EventID(ReplicaID(high: 1, low: 1), 1)
    let body = Body(operations: [.delete(collection: "notes", id: "a")])
    func event(_ codec: Envelope.BodyCodec, _ bytes: EncodedEvent.Body) throws -> Event {
      let envelope = Envelope(kind: .transaction, authored: .zero, bodyCodec: codec)
      return try Event(
        id: id, decoding: EncodedEvent(envelope: envelope.encoded(), body: bytes))
    }
    #expect(try event(.plain, .present(body.encoded())).body == body)
    #expect(try event(.unknown(9), .present(body.encoded())).body == nil)
    #expect(try event(.plain, .present([])).body == nil)
    #expect(try event(.plain, .hash(.zero)).body == nil)
    #expect(throws: EventError.self) {
      try Event(id: id, decoding: EncodedEvent(envelope: [], body: .hash(.zero)))
    }
  }

  @Test("the size of an event counts envelope and body")
  func size() {
    #expect(EncodedEvent(envelope: [1, 2], body: .present([3])).size == 3)
    #expect(EncodedEvent(envelope: [1, 2], body: .hash(.zero)).size == 34)
  }
}
