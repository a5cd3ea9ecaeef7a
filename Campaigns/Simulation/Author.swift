package import DaybookEventCore
package import DaybookFrames
package import DaybookLogEngine

/// An origin that writes events: event 1 is its identity, the rest are transactions.
package struct Author {
  package let identity: Identity
  package private(set) var chain: Chain
  package private(set) var next: UInt64 = 1
  /// Every event so far, by sequence from 1.
  package private(set) var events: [EncodedEvent] = []
  private var random: SplitMix64

  package init(_ seed: UInt8) throws {
    identity = try Identity(seed: [UInt8](repeating: seed, count: 32))
    chain = Chain(origin: identity.id)
    random = SplitMix64(seed: UInt64(seed))
  }

  package var origin: ReplicaID { identity.id }

  /// The next event; `size` bytes of text that compresses, or of noise that does not.
  package mutating func event(size: Int = 40, isNoise: Bool = false) -> EncodedEvent {
    let event: EncodedEvent
    if next == 1 {
      event = EncodedEvent(
        Envelope(kind: .identity, authored: HybridTime(milliseconds: 1)),
        Body(operations: [.identity(IdentityClaim(identity))]))
    } else {
      let value: Value =
        isNoise
        ? .blob((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        : .text(String(repeating: "sequence \(next) ", count: size / 12 + 1))
      event = EncodedEvent(
        Envelope(kind: .transaction, authored: HybridTime(milliseconds: Int64(next))),
        Body(operations: [.insert(collection: "notes", id: "n\(next)", fields: ["title": value])]))
    }
    chain.append(event)
    events.append(event)
    next += 1
    return event
  }

  /// The next `count` events as a frame.
  package mutating func frame(_ count: Int = 1, size: Int = 40, isNoise: Bool = false) throws
    -> Frame
  {
    let first = next
    let before = chain
    let events = (0..<count).map { _ in event(size: size, isNoise: isNoise) }
    return try Frame(
      origin: origin, firstSequence: first, events: events, chainBefore: before)
  }

  /// A signed head at the latest event.
  package func head() throws -> Head {
    try Head(
      zone: [UInt8](repeating: 7, count: 16), sequence: next - 1, chain: chain.value, by: identity)
  }
}
