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
    /// The latest authored time of this event and those before it, but for times far in the future.
    var latest: HybridTime
    /// What its author had seen of others.
    var seen: VersionVector
  }

  private(set) var facts: [ReplicaID: [Fact]] = [:]
  private(set) var audit = StampAudit()
  /// What the keys of origins are, and which of them are hubs.
  private(set) var keys: [ReplicaID: [UInt8]] = [:]
  private(set) var hubs: Set<ReplicaID> = []
  /// Origins whose author lies: what they say to have seen, and when, binds nobody.
  private(set) var hostile: Set<ReplicaID> = []
  private var contexts: [ReplicaID: CausalContext] = [:]
  /// Written, and durable or not: a sequence that was lost in a crash is given again.
  private var attempts: [EventID: [EncodedEvent]] = [:]
  private let authority: [UInt8]
  /// The other history of an origin that has two, from some event on.
  private(set) var branch: TruthBranch?
  /// What authors said that they had seen of a history that was given up, up to there, is not what stands.
  private(set) var givenUp: [ReplicaID: ClosedRange<UInt64>] = [:]

  init(authority: [UInt8]) { self.authority = authority }

  subscript(event: EventID) -> Fact? {
    guard let facts = facts[event.origin], event.sequence > 0, event.sequence <= UInt64(facts.count)
    else { return nil }
    return facts[Int(event.sequence) - 1]
  }

  func chain(after event: EventID) -> Hash256? {
    event.sequence == 0 ? Chain(origin: event.origin).value : self[event]?.chain
  }

  /// On either history.
  private func isThere(_ event: EventID) -> Bool { self[event] != nil || branch?[event] != nil }

  /// The latest authored time up to an event that is not far in the future; where there are two histories, the earlier.
  private func latest(through event: EventID) -> HybridTime {
    let mine = self[event]?.latest
    let other = branch?[event]?.latest
    return [mine, other].compactMap(\.self).min() ?? .zero
  }

  /// Whether the author of an event says that it had seen another, or has seen somebody's who says so.
  func authors(of event: EventID, hadSeen other: EventID) -> Bool {
    guard !hostile.isEmpty else { return false }
    var seen = self[event]?.seen ?? VersionVector()
    while !seen.contains(other) {
      var more = seen
      for (origin, sequence) in seen.entries {
        let known = min(sequence, UInt64(facts[origin]?.count ?? 0))
        if let fact = self[EventID(origin, known)] { more.formUnion(fact.seen) }
      }
      if more == seen { return false }
      seen = more
    }
    return true
  }

  /// Whether that is the chain value after an event, on either history.
  func hasChain(_ value: Hash256, after event: EventID) -> Bool {
    chain(after: event) == value || branch?[event]?.chain == value
  }

  /// Whether an event may be of a history that was given up, to whoever says to have seen it.
  func isGivenUp(_ event: EventID) -> Bool {
    givenUp[event.origin]?.contains(event.sequence) ?? false
  }

  // MARK: - Forks

  /// Whether an event is of an origin that has, or had, two histories there.
  func isForked(_ event: EventID) -> Bool {
    if let branch, branch.origin == event.origin, event.sequence > branch.common { return true }
    return isGivenUp(event)
  }

  /// A clone goes on as `origin`, from what there is of that now.
  mutating func fork(_ origin: ReplicaID) {
    branch = TruthBranch(origin: origin, common: UInt64(facts[origin]?.count ?? 0))
  }

  /// A hub goes on after `common`, and what it had written after that is the other history.
  mutating func putBack(_ hub: ReplicaID, after common: UInt64) {
    let lost = Array((facts[hub] ?? []).dropFirst(Int(common)))
    give(TruthBranch(origin: hub, common: common))
    branch = TruthBranch(origin: hub, common: common, facts: lost)
  }

  /// The clone has written.
  mutating func forked(_ event: EncodedEvent) throws(ReplicationViolation) {
    guard let branch else { return }
    // As if it stood, for a moment.
    let kept = self
    give(branch)
    let id = EventID(branch.origin, UInt64(facts[branch.origin]?.count ?? 0) + 1)
    try settle(event, id, isHub: false)
    let fact = self[id]
    self = kept
    if let fact { self.branch?.facts.append(fact) }
  }

  /// Puts a branch in the place of what there is.
  private mutating func give(_ branch: TruthBranch) {
    let common = facts[branch.origin]?.prefix(Int(branch.common)) ?? []
    facts[branch.origin] = common + branch.facts
    contexts[branch.origin] = CausalContext(author: branch.origin)
    for fact in facts[branch.origin] ?? [] {
      let envelope = fact.event.envelope.withUnsafeBytes { try? Envelope(decoding: $0) }
      if let envelope { _ = try? contexts[branch.origin]?.apply(envelope.context) }
    }
    audit.forget(by: branch.origin, after: branch.common)
  }

  /// One of the two stands.
  /// - Returns: the events of the other, from the first that is not common on.
  mutating func settleFork(branchStands: Bool) -> [EncodedEvent] {
    guard let branch else { return [] }
    defer { self.branch = nil }
    let original = (facts[branch.origin] ?? []).dropFirst(Int(branch.common)).map(\.event)
    let lost = branchStands ? original : branch.facts.map(\.event)
    if branchStands { give(branch) }
    if !lost.isEmpty {
      givenUp[branch.origin] = branch.common + 1...branch.common + UInt64(lost.count)
    }
    return lost
  }

  mutating func addHostile(_ origin: ReplicaID) { hostile.insert(origin) }

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
    if let other = branch?[id], other.event == event { return }
    if let fact = self[id], fact.event == event { return }
    guard self[id] == nil else {
      throw ReplicationViolation(.genuine, "event \(id) is not what its origin has written")
    }
    guard isOwn || hostile.contains(id.origin), isHub || attempts[id]?.contains(event) == true,
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
        // Of who lies it says nothing.
        guard hostile.contains(id.origin) else {
          throw ReplicationViolation(.causal, "the context of event \(id) makes no sense: \(error)")
        }
      }
    }
    contexts[id.origin] = context
    let before = self[EventID(id.origin, id.sequence - 1)]?.latest ?? .zero
    if !hostile.contains(id.origin) { try checkClaims(of: id, envelope, context, isHub: isHub) }
    let fact = Fact(
      event: event, chain: chain.value, authored: envelope?.authored,
      latest: envelope.map { $0.authored.isFar ? before : max(before, $0.authored) } ?? before,
      seen: context.vector)
    facts[id.origin, default: []].append(fact)
    if let envelope { try interpret(event, envelope, id) }
  }

  /// Whether what an honest author says to have seen is there, and earlier than the event.
  private func checkClaims(
    of id: EventID, _ envelope: Envelope?, _ context: CausalContext, isHub: Bool
  ) throws(ReplicationViolation) {
    // What a hub says ranks nowhere, so it follows the stamps alone.
    if let authored = envelope?.authored, !isHub {
      let seen =
        [EventID(id.origin, id.sequence - 1)]
        + context.vector.entries.map { EventID($0.origin, $0.sequence) }
      for other in seen
      where latest(through: other) >= authored && other.sequence > 0 && !isGivenUp(other) {
        throw ReplicationViolation(
          .causal,
          "event \(id) is authored at \(authored), not after \(other), which its author saw"
        )
      }
    }
    for (origin, sequence) in context.vector.entries
    where !isThere(EventID(origin, sequence)) && !isGivenUp(EventID(origin, sequence)) {
      throw ReplicationViolation(
        .causal, "the author of \(id) says to have seen \(EventID(origin, sequence)), which is not")
    }
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

/// What a clone has written as the replica that it was copied from.
struct TruthBranch {
  let origin: ReplicaID
  /// The last event that both have.
  let common: UInt64
  var facts: [Truth.Fact] = []

  subscript(event: EventID) -> Truth.Fact? {
    guard event.origin == origin, event.sequence > common,
      event.sequence <= common + UInt64(facts.count)
    else { return nil }
    return facts[Int(event.sequence - common) - 1]
  }
}
