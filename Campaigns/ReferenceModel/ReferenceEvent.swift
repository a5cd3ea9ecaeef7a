import DaybookEventCore

/// An event, as far as this software understands it.
struct ReferenceEvent {
  let id: EventID
  /// The envelope; nil if it cannot be read.
  var envelope: Envelope?
  /// The events of other origins that the author had seen.
  var seen = VersionVector()
  /// The operations; nil if the event is opaque.
  var operations: [Operation]?

  /// Whether this software understands all of the event.
  var isComplete: Bool {
    guard let operations else { return false }
    return operations.allSatisfy {
      if case .unknown = $0 { false } else { true }
    }
  }

  /// Reads an origin's events, from the first on.
  static func read(_ encoded: [EncodedEvent], of origin: ReplicaID) -> [ReferenceEvent] {
    var context = CausalContext(author: origin)
    var events: [ReferenceEvent] = []
    for (index, encoded) in encoded.enumerated() {
      let id = EventID(origin, UInt64(index + 1))
      events.append(read(encoded, id, &context))
    }
    return events
  }

  private static func read(
    _ encoded: EncodedEvent, _ id: EventID, _ context: inout CausalContext
  ) -> ReferenceEvent {
    var event = ReferenceEvent(id: id)
    event.envelope = try? encoded.envelope.withRawBytes { bytes throws(EventError) in
      try Envelope(decoding: bytes)
    }
    guard let envelope = event.envelope else { return event }
    do { try context.apply(envelope.context) } catch { return event }
    event.seen = context.vector
    if case .unknown = envelope.kind { return event }
    guard case .present(let bytes) = encoded.body else { return event }
    let body = bytes.withUnsafeBytes { try? Body(decoding: $0, codec: envelope.bodyCodec) }
    event.operations = body?.operations
    return event
  }
}
