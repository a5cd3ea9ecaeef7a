import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookReferenceModel
import DaybookReplication
import DaybookSimulation

/// A hostile author, which has a key and signs its events, but lies.
///
/// It lies about what it has seen, about the time, and about the kind of an event.
final class HostileAuthor {
  let identity: Identity
  /// The events that it has signed, from the first on.
  private(set) var events: [EncodedEvent]
  /// The chain value after each event; the first element is the origin's.
  private var chains: [Hash256]
  private var context: CausalContext

  init(_ identity: Identity) {
    self.identity = identity
    context = CausalContext(author: identity.id)
    let envelope = Envelope(kind: .identity, authored: HybridTime(milliseconds: 1))
    let claim = EncodedEvent(envelope, Body(operations: [.identity(IdentityClaim(identity))]))
    events = []
    chains = [Chain(origin: identity.id).value]
    append(claim)
  }

  var origin: ReplicaID { identity.id }
  var count: UInt64 { UInt64(events.count) }

  func hasSigned(_ head: Head) -> Bool {
    head.event.sequence <= count && head.chain == chains[Int(head.event.sequence)]
      && head.isSigned(by: identity.publicKey)
  }

  private func append(_ event: EncodedEvent) {
    var chain = Chain(value: chains[chains.count - 1])
    chain.append(event)
    chains.append(chain.value)
    events.append(event)
  }

  // MARK: - Writing

  /// Signs one more event.
  ///
  /// - Parameters:
  ///   - operations: The operations that an honest author would write.
  ///   - known: The events that exist.
  ///   - milliseconds: The current time.
  func write(
    _ operations: [Operation], seeing known: VersionVector, milliseconds: Int64,
    _ random: inout SplitMix64
  ) {
    let claimed = claim(known, &random)
    // An invalid context counts as empty, so later contexts continue from the one before it.
    _ = try? context.apply(claimed)
    let envelope = Envelope(
      kind: random.pick([.transaction, .transaction, .transaction, .stamps, .identity]),
      authored: time(milliseconds, &random),
      bodyCodec: random.pick([.plain, .plain, .plain, .salted, .unknown(7)]), context: claimed)
    var bytes = envelope.encoded()
    if random.chance(8) { bytes = random.bytes(random.pick(0...40)) }
    append(EncodedEvent(envelope: bytes, body: body(operations, known, &random)))
  }

  /// Returns a claim of seen events, some beyond those that exist, some of origins that do not
  /// exist.
  private func claim(_ known: VersionVector, _ random: inout SplitMix64) -> ContextDelta {
    var seen = context.vector
    for (origin, sequence) in known.shared.entries where origin != self.origin {
      guard random.chance(40) else { continue }
      seen.include(
        origin, max(1, random.pick([sequence, sequence, 1, sequence + 1, sequence + 9])))
    }
    if random.chance(30) {
      seen.include(
        .random(&random), random.pick([1, 5, UInt64(Int64.max) - 1]))
    }
    var delta = context.delta(to: seen)
    if random.chance(6) {
      // An origin's number that was never assigned, or an origin that was introduced before.
      delta.advances.append(
        .init(origin: random.chance(50) ? .known(1000) : .new(origin), by: 1))
    }
    return delta
  }

  private func time(_ milliseconds: Int64, _ random: inout SplitMix64) -> HybridTime {
    let day: Int64 = 86_400_000
    return random.pick([
      HybridTime(milliseconds: milliseconds), HybridTime(milliseconds: milliseconds - day),
      HybridTime(milliseconds: milliseconds + 365 * day), .zero, HybridTime(rawValue: .max),
      .farFuture, HybridTime(rawValue: HybridTime.farFuture.rawValue - 1),
      HybridTime(milliseconds: milliseconds, counter: .max),
    ])
  }

  private func body(
    _ operations: [Operation], _ known: VersionVector, _ random: inout SplitMix64
  ) -> EncodedEvent.Body {
    var operations = operations
    switch random.below(10) {
    case 0: return .present(random.bytes(random.pick(0...60)))
    case 1: return .hash(Hash256.sha256(of: random.bytes(8)))
    case 2:
      // Stamps by an origin that is not a hub.
      guard let (origin, sequence) = known.shared.entries.randomElement(using: &random) else {
        break
      }
      let stamp = Stamp(
        origin: origin, from: 1, through: sequence, chain: Hash256.sha256(of: random.bytes(8)),
        time: HybridTime(milliseconds: 1))
      operations.append(.stamp(stamp))
    case 3: operations.append(.unknown(kind: 99, payload: random.bytes(5)))
    default: break
    }
    return .present(Body(operations: operations).encoded())
  }

  // MARK: - Handing on

  /// Returns a signed range of its events, in one or more frames.
  ///
  /// - Parameters:
  ///   - first: The first sequence number, at most ``count``.
  ///   - last: The last sequence number; nil for a random one.
  ///   - lie: The chain value to claim before the range, which is signed too; nil for the true one.
  func range(
    from first: UInt64, through last: UInt64? = nil, chainBefore lie: Hash256? = nil, zone: ZoneID,
    _ random: inout SplitMix64
  ) throws -> EventRange {
    let last = last ?? Self.pick(first...count, &random)
    let start = lie ?? chains[Int(first) - 1]
    var chain = Chain(value: start)
    var frames: [EventRange.Packed] = []
    var next = first
    while next <= last {
      let end = Self.pick(next...last, &random)
      let part = events[Int(next) - 1..<Int(end)]
      frames.append(
        .init(
          try Frame(
            origin: origin, firstSequence: next, events: Array(part), chainBefore: chain)))
      for event in part { chain.append(event) }
      next = end + 1
    }
    let isZoneless = random.chance(20)
    let head = try Head(
      zone: (isZoneless ? ZoneID.none : zone).bytes, sequence: last, chain: chain.value,
      by: identity)
    return EventRange(
      origin: origin, first: first, chainBefore: first > 1 ? start : nil,
      frames: frames, isZoneless: isZoneless, signature: head.signature)
  }

  private static func pick(_ range: ClosedRange<UInt64>, _ random: inout SplitMix64) -> UInt64 {
    range.lowerBound + UInt64(random.below(range.count))
  }
}

extension ReplicaID {
  /// Returns the id of a replica that does not exist.
  static func random(_ random: inout SplitMix64) -> ReplicaID {
    random.bytes(16).withUnsafeBytes { ReplicaID(bytes: $0) }
  }
}
