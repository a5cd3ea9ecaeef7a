import DaybookEventCore

/// Writes one origin's events, valid or not, and keeps what follows from them.
struct EventAuthor {
  let origin: ReplicaID
  private(set) var events: [EncodedEvent] = []
  /// The chain value after each event.
  private(set) var chains: [Hash256] = []
  private(set) var context: CausalContext
  private var chain: Chain

  init(_ origin: ReplicaID) {
    self.origin = origin
    context = CausalContext(author: origin)
    chain = Chain(origin: origin)
  }

  var sequence: UInt64 { UInt64(events.count) }

  /// - Parameter seen: what the author has seen by now; only what is more than before is written.
  @discardableResult
  mutating func append(
    _ kind: Envelope.Kind = .transaction, authored: HybridTime, seen: VersionVector = .init(),
    codec: Envelope.BodyCodec = .plain, _ body: EncodedEvent.Body
  ) -> EventID {
    let delta = context.delta(to: seen)
    // The author makes the delta itself, so it applies.
    try! context.apply(delta)
    let envelope = Envelope(kind: kind, authored: authored, bodyCodec: codec, context: delta)
    return append(EncodedEvent(envelope: envelope.encoded(), body: body))
  }

  @discardableResult
  mutating func append(
    _ kind: Envelope.Kind = .transaction, authored: HybridTime, seen: VersionVector = .init(),
    codec: Envelope.BodyCodec = .plain, _ body: Body
  ) -> EventID {
    append(kind, authored: authored, seen: seen, codec: codec, .present(body.encoded()))
  }

  /// Appends bytes as they are, whose context delta (if any) is the caller's concern.
  @discardableResult
  mutating func append(_ event: EncodedEvent) -> EventID {
    chain.append(event)
    events.append(event)
    chains.append(chain.value)
    return EventID(origin, sequence)
  }
}
