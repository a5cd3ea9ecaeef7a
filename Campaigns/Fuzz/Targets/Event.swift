import DaybookEventCore

extension FuzzTarget {
  /// Events as they stand in a frame, one after another, each with its envelope and body.
  static let event = FuzzTarget("event") {
    try SampleEvents.bodies().enumerated().map { number, body in
      var writer = ByteWriter()
      let envelope = SampleEvents.envelopes[number % SampleEvents.envelopes.count]
      let salt = envelope.bodyCodec == .salted ? [UInt8](repeating: 5, count: 16) : nil
      EncodedEvent(envelope, body, salt: salt).encode(to: &writer)
      let erased = EncodedEvent(envelope: envelope.encoded(), body: .hash(.zero))
      erased.encode(to: &writer)
      return writer.bytes
    }
  } check: { bytes in
    var reader = ByteReader(bytes)
    var context = CausalContext(author: ReplicaID(high: 7, low: 7))
    while !reader.isAtEnd {
      let start = reader.offset
      let event: EventView
      do throws(EventError) { event = try EventView(from: &reader) } catch {
        return try checkOffset(error, in: bytes)
      }
      var writer = ByteWriter()
      event.encoded.encode(to: &writer)
      try require(
        writer.bytes.elementsEqual(bytes[start..<reader.offset]),
        "an event is encoded otherwise than it was decoded from")
      try checkEnvelope(event, &context)
    }
  }

  private static func checkEnvelope(_ event: EventView, _ context: inout CausalContext) throws {
    let envelope: Envelope
    do throws(EventError) { envelope = try Envelope(decoding: event.envelope) } catch {
      return try checkOffset(error, in: event.envelope)
    }
    try require(
      envelope.encoded().elementsEqual(event.envelope),
      "an envelope is encoded otherwise than it was decoded from")
    let before = context
    do {
      let changes = try context.apply(envelope.context)
      try require(
        changes.count == envelope.context.advances.count && context.vector.contains(before.vector),
        "a context does not advance by what its delta says")
      try require(
        before.delta(to: context.vector) == envelope.context || changes.isEmpty
          || context.mentioned.count > before.mentioned.count + 1,
        "the delta between two contexts is not the one that was applied")
    } catch let error as EventError {
      try require(context == before, "a refused delta has changed the context: \(error)")
    }
    guard !event.bodyIsHash else { return }
    try checkBody(event.body, envelope.bodyCodec)
  }
}
