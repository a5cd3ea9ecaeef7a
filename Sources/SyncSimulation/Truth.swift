internal import EventCore

/// Everything that anyone has ever written, as it must be wherever it is held.
struct Truth {
  /// An event that was durable somewhere, and what follows from it.
  struct Fact {
    var event: EncodedEvent
    /// After it.
    var chain: Hash256
    /// Nil where this version cannot read it.
    var authored: HybridTime?
    /// The latest authored time of this event and those before it.
    var latest: HybridTime
    /// What its author had seen of others.
    var seen: VersionVector
  }

  private(set) var facts: [ReplicaID: [Fact]] = [:]
  private(set) var audit = StampAudit()
  /// What the keys of origins are, and which of them are hubs.
  private(set) var keys: [ReplicaID: [UInt8]] = [:]
  private(set) var hubs: Set<ReplicaID> = []
  private var contexts: [ReplicaID: CausalContext] = [:]
  /// Written, and durable or not: a sequence that was lost in a crash is given again.
  private var attempts: [EventID: [EncodedEvent]] = [:]
  private let authority: [UInt8]

  init(authority: [UInt8]) { self.authority = authority }

  subscript(event: EventID) -> Fact? {
    guard let facts = facts[event.origin], event.sequence > 0, event.sequence <= UInt64(facts.count)
    else { return nil }
    return facts[Int(event.sequence) - 1]
  }

  func chain(after event: EventID) -> Hash256? {
    event.sequence == 0 ? Chain(origin: event.origin).value : self[event]?.chain
  }

  var eventCount: Int { facts.values.reduce(0) { $0 + $1.count } }

  /// The events up to `vector`, for the reference model.
  func events(through vector: VersionVector) -> [ReplicaID: [EncodedEvent]] {
    var events: [ReplicaID: [EncodedEvent]] = [:]
    for (origin, sequence) in vector.entries {
      events[origin] = facts[origin]?.prefix(Int(sequence)).map(\.event)
    }
    return events
  }

  mutating func attempt(_ first: EventID, _ events: [EncodedEvent]) {
    for (offset, event) in events.enumerated() {
      attempts[EventID(first.origin, first.sequence + UInt64(offset)), default: []].append(event)
    }
  }

  /// An event was found durable in a log.
  /// - Parameter isOwn: in the log of the machine that writes as that origin.
  mutating func found(_ event: EncodedEvent, _ id: EventID, isOwn: Bool, isHub: Bool)
    throws(ReplicationViolation)
  {
    if let fact = self[id] {
      guard fact.event == event else {
        throw ReplicationViolation(.genuine, "event \(id) is not what its origin has written")
      }
      return
    }
    guard isOwn, isHub || attempts[id]?.contains(event) == true,
      id.sequence == UInt64(facts[id.origin]?.count ?? 0) + 1
    else { throw ReplicationViolation(.genuine, "event \(id) was never written") }
    try settle(event, id, isHub: isHub)
  }

  private mutating func settle(_ event: EncodedEvent, _ id: EventID, isHub: Bool)
    throws(ReplicationViolation)
  {
    var chain = Chain(value: self.chain(after: EventID(id.origin, id.sequence - 1)) ?? .zero)
    chain.append(event)
    let envelope = event.envelope.withUnsafeBytes { try? Envelope(decoding: $0) }
    var context = contexts[id.origin] ?? CausalContext(author: id.origin)
    if let envelope {
      do { try context.apply(envelope.context) } catch {
        throw ReplicationViolation(.causal, "the context of event \(id) makes no sense: \(error)")
      }
    }
    contexts[id.origin] = context
    let before = self[EventID(id.origin, id.sequence - 1)]?.latest ?? .zero
    // What a hub says ranks nowhere, so it follows the stamps alone.
    if let authored = envelope?.authored, !isHub {
      let seen =
        [EventID(id.origin, id.sequence - 1)]
        + context.vector.entries.map { EventID($0.origin, $0.sequence) }
      for other in seen where self[other]?.latest ?? .zero >= authored && other.sequence > 0 {
        throw ReplicationViolation(
          .causal,
          "event \(id) is authored at \(authored), not after \(other), which its author saw"
        )
      }
    }
    for (origin, sequence) in context.vector.entries where self[EventID(origin, sequence)] == nil {
      throw ReplicationViolation(
        .causal, "the author of \(id) says to have seen \(EventID(origin, sequence)), which is not")
    }
    let fact = Fact(
      event: event, chain: chain.value, authored: envelope?.authored,
      latest: max(before, envelope?.authored ?? .zero), seen: context.vector)
    facts[id.origin, default: []].append(fact)
    if let envelope { try interpret(event, envelope, id) }
  }

  /// Who wrote it, and what it stamps.
  private mutating func interpret(_ event: EncodedEvent, _ envelope: Envelope, _ id: EventID)
    throws(ReplicationViolation)
  {
    guard envelope.kind == .identity || envelope.kind == .stamps,
      case .present(let bytes) = event.body,
      let body = bytes.withUnsafeBytes({ try? Body(decoding: $0, codec: envelope.bodyCodec) })
    else { return }
    for operation in body.operations {
      switch operation {
      case .identity(let claim) where id.sequence == 1:
        keys[id.origin] = claim.publicKey
        if claim.certifiesHub(id.origin), claim.certificate?.authority == authority {
          hubs.insert(id.origin)
        }
      case .stamp(let stamp) where hubs.contains(id.origin):
        try audit.check(stamp, by: id, self)
        audit.note(stamp, by: id)
      default: break
      }
    }
  }
}
