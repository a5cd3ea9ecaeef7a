import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

/// The weights of events, which do not depend on the bytes that the events take in transit.
@Suite struct EventWeightTests {
  private let author: Identity

  init() throws { author = try Identity(seed: Array(repeating: 3, count: 32)) }

  private func weight(_ events: [EncodedEvent]) throws -> (ledger: UInt64, least: UInt64) {
    var ledger = StampLedger(authority: Array(repeating: 0, count: 32))
    let frame = try Frame(
      origin: author.id, firstSequence: 1, events: events, chainBefore: Chain(origin: author.id))
    try frame.forEachEvent { ledger.note($1, id: EventID(author.id, $0)) }
    let range = EventRange(
      origin: author.id, first: 1, chainBefore: nil, frames: [.init(frame)], isZoneless: false,
      signature: [])
    return (ledger.weight, EventWeight.least(of: range))
  }

  private func event(_ body: Int, seeing origins: Int = 0) -> EncodedEvent {
    let advances = (0..<origins).map {
      ContextDelta.Advance(origin: .new(ReplicaID(high: UInt64($0), low: 1)), by: 1)
    }
    let envelope = Envelope(kind: .transaction, authored: .zero, context: ContextDelta(advances))
    return EncodedEvent(
      envelope: envelope.encoded(), body: .present(Array(repeating: 0, count: body)))
  }

  @Test("an event weighs as much as it costs once stored, however small it is in transit")
  func weightOfSmallEvents() throws {
    let empty = EncodedEvent(envelope: [], body: .present([]))
    #expect(try weight(Array(repeating: empty, count: 1000)).ledger == 1024 + 64 * 1000)
    // Zeros compress to almost nothing.
    #expect(try weight([event(1 << 20)]).ledger > 1 << 18)
    let (few, many) = (try weight([event(0)]).ledger, try weight([event(0, seeing: 1000)]).ledger)
    #expect(many - few >= 8 * 1000)
  }

  @Test("the least weight of a range is never more than the weight of its events")
  func lowerBound() throws {
    let empty = EncodedEvent(envelope: [], body: .present([]))
    for events in [
      [empty], [event(0)], [event(1 << 20)], [event(3, seeing: 500)],
      Array(repeating: empty, count: 1000), (0..<100).map { event($0 * 37) },
    ] {
      let weight = try weight(events)
      #expect(weight.least <= weight.ledger)
      #expect(weight.least >= weight.ledger / 4 || events.contains(event(3, seeing: 500)))
    }
  }
}
