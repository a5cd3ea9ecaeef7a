import DaybookEventCore

/// The true content of every event ever written, with which every machine is compared.
struct Truth {
  /// An event that was durable on some machine, with values derived from it.
  struct Fact {
    var event: EncodedEvent
    /// The chain value after the event.
    var chain: Hash256
    /// The authored time; nil if this version cannot read the envelope.
    var authored: HybridTime?
    /// The latest authored time of the origin up to this event, ignoring times far in the future.
    var latest: HybridTime
    /// The events of other origins that its author had seen.
    var seen: VersionVector
  }

  private(set) var facts: [ReplicaID: [Fact]] = [:]
  private(set) var audit = StampAudit()
  /// The public key of each origin; ``hubs`` are those with a hub's certificate.
  private(set) var keys: [ReplicaID: [UInt8]] = [:]
  private(set) var hubs: Set<ReplicaID> = []
  /// Origins of hostile authors, whose claims about seen events and time are not checked.
  private(set) var hostile: Set<ReplicaID> = []
  private var contexts: [ReplicaID: CausalContext] = [:]
  /// Events written, durable or not: a sequence number lost in a crash is assigned again.
  private var attempts: [EventID: [EncodedEvent]] = [:]
  private let authority: [UInt8]
  /// The second history of a forked origin; nil if no origin is forked.
  private(set) var branch: TruthBranch?
  /// The sequence numbers of each origin whose events were given up.
  ///
  /// An author may have seen such an event, which differs from the one that stands.
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

  /// Whether the event exists in either history.
  private func isThere(_ event: EventID) -> Bool { self[event] != nil || branch?[event] != nil }

  /// Returns the latest authored time up to `event`, ignoring times far in the future.
  ///
  /// If there are two histories, it is the earlier one.
  private func latest(through event: EventID) -> HybridTime {
    let mine = self[event]?.latest
    let other = branch?[event]?.latest
    return [mine, other].compactMap(\.self).min() ?? .zero
  }

  /// Whether the author of `event` claims to have seen `other`, directly or through another author.
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

  /// Whether `value` is the chain value after `event` in either history.
  func hasChain(_ value: Hash256, after event: EventID) -> Bool {
    chain(after: event) == value || branch?[event]?.chain == value
  }

  /// Whether an author that has seen `event` may have seen a history that was given up.
  func isGivenUp(_ event: EventID) -> Bool {
    givenUp[event.origin]?.contains(event.sequence) ?? false
  }

  // MARK: - Forks

  /// Whether the origin has, or had, two histories at `event`.
  func isForked(_ event: EventID) -> Bool {
    if let branch, branch.origin == event.origin, event.sequence > branch.common { return true }
    return isGivenUp(event)
  }

  /// Returns what the author of `event` had seen, as far as it is known.
  ///
  /// If the origin has two histories, it is what either of the two events had seen.
  func seen(by event: EventID) -> VersionVector {
    var seen = self[event]?.seen ?? VersionVector()
    if let other = branch?[event] { seen.formUnion(other.seen) }
    return seen
  }

  /// Returns the event that a stamp covers: if the origin has two histories, the event of the one
  /// that has the stamp's chain value.
  func fact(_ event: EventID, stampedBy stamp: Stamp) -> Fact? {
    guard let branch, branch[EventID(stamp.origin, stamp.through)]?.chain == stamp.chain else {
      return self[event]
    }
    return branch[event] ?? self[event]
  }

  /// Records that a clone writes as `origin` from now on.
  mutating func fork(_ origin: ReplicaID) {
    branch = TruthBranch(origin: origin, common: UInt64(facts[origin]?.count ?? 0))
  }

  /// Records that a hub was restored to `common`; its later events become the second history.
  mutating func putBack(_ hub: ReplicaID, after common: UInt64) {
    let lost = Array((facts[hub] ?? []).dropFirst(Int(common)))
    give(TruthBranch(origin: hub, common: common))
    branch = TruthBranch(origin: hub, common: common, facts: lost)
  }

  /// Records an event that the clone has written.
  mutating func forked(_ event: EncodedEvent) throws(ReplicationViolation) {
    guard let branch else { return }
    // Treat the branch as the main history for the moment.
    let kept = self
    give(branch)
    let id = EventID(branch.origin, UInt64(facts[branch.origin]?.count ?? 0) + 1)
    try record(event, id, isHub: false)
    let fact = self[id]
    self = kept
    if let fact { self.branch?.facts.append(fact) }
  }

  /// Replaces the main history by a branch.
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

  /// Ends the fork: one of the two histories wins.
  ///
  /// - Returns: The events of the other history, after the common ones.
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

  /// Returns the events up to `vector`, for the reference model.
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

  /// Checks an event that was found durable in a log, and records a new one.
  ///
  /// - Parameter isOwn: Whether the log's machine writes as that origin.
  /// - Throws: ``ReplicationViolation`` if the origin has not written the event.
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
    try record(event, id, isHub: isHub)
  }

  private mutating func record(_ event: EncodedEvent, _ id: EventID, isHub: Bool)
    throws(ReplicationViolation)
  {
    var chain = Chain(value: self.chain(after: EventID(id.origin, id.sequence - 1)) ?? .zero)
    chain.append(event)
    let envelope = event.envelope.withUnsafeBytes { try? Envelope(decoding: $0) }
    var context = contexts[id.origin] ?? CausalContext(author: id.origin)
    if let envelope {
      do { try context.apply(envelope.context) } catch {
        // An invalid context of a hostile author says nothing.
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

  /// Checks that the events which an honest author claims to have seen exist and are earlier.
  private func checkClaims(
    of id: EventID, _ envelope: Envelope?, _ context: CausalContext, isHub: Bool
  ) throws(ReplicationViolation) {
    // A hub's events have no rank of their own, so only the stamps' rules apply.
    // A detached time is not later than all that its author saw, and says so.
    if let authored = envelope?.authored, !isHub, !authored.isDetached {
      let seen =
        [EventID(id.origin, id.sequence - 1)]
        + context.vector.entries.map { EventID($0.origin, $0.sequence) }
      for other in seen
      where latest(through: other) >= authored && other.sequence > 0 && !isGivenUp(other) {
        throw ReplicationViolation(
          .causal,
          "event \(id) is authored at \(authored), not after \(other) of "
            + "\(latest(through: other)), which its author saw"
        )
      }
    }
    for (origin, sequence) in context.vector.entries
    where !isThere(EventID(origin, sequence)) && !isGivenUp(EventID(origin, sequence)) {
      throw ReplicationViolation(
        .causal, "the author of \(id) says to have seen \(EventID(origin, sequence)), which is not")
    }
  }

  /// Records the origin's key from an identity claim, and checks a hub's stamps.
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

/// The second history of a forked origin: a clone's, or the one that a restored hub has forgotten.
struct TruthBranch {
  let origin: ReplicaID
  /// The last event in both histories.
  let common: UInt64
  var facts: [Truth.Fact] = []

  subscript(event: EventID) -> Truth.Fact? {
    guard event.origin == origin, event.sequence > common,
      event.sequence <= common + UInt64(facts.count)
    else { return nil }
    return facts[Int(event.sequence - common) - 1]
  }
}
