package import DaybookEngine
package import DaybookEventCore
import DaybookFrames
import DaybookLocks
package import DaybookLogEngine
import DaybookPeers
package import DaybookReplication

/// The writing side of a zone. It stores events that clients push, and stamps all events that can
/// be stamped, with one fsync.
///
/// The wall clock is passed in, and the log may use any storage, so that a simulation can run the
/// same code as a hub.
package final class ZoneWriter: Sendable {
  /// State that only one thread may use at a time.
  private struct State: Sendable {
    /// Nil after a failure, because events that were noted may not be in the log.
    var noted: Noted?
    var clock = HybridClock()
  }

  /// Numbers that can be read at any time, without waiting for a write.
  private struct Counts: Sendable {
    var pending = 0
    var waiting: [WaitingEvents] = []
    var stamped: UInt64 = 0
    var weight: UInt64 = 0
  }

  /// What is derived from the events of the log.
  private struct Noted: Sendable {
    var ledger: StampLedger
    /// The causal context of this hub's last event.
    var context: CausalContext
    /// Events of others that were noted since then. The hub's next event adds them to its context.
    var news = VersionVector()
    /// The version of the log snapshot that this was derived from.
    var version: UInt64?
  }

  package let log: EventLog
  private let zone: ZoneID
  private let authorityKey: Identity
  private let wallMilliseconds: @Sendable () -> Int64
  private let renewing: @Sendable () throws -> Identity
  private let state = Mutex(State())
  private let current: Mutex<Identity>
  private let counts = Mutex(Counts())

  /// The identity that signs the stamps. It changes if the hub receives events of its own that it
  /// does not hold, or another history of them. Then its folder was copied, or restored to an
  /// earlier state, with its key.
  package var identity: Identity { current.withLock(\.self) }
  package var replica: ReplicaID { identity.id }
  /// The public key that certifies the zone's hubs.
  package var authority: [UInt8] { authorityKey.publicKey }

  /// Creates a writer. It writes nothing yet. To write the hub's first event and stamp waiting
  /// events, call ``store(_:)`` with no ranges.
  /// - Parameters:
  ///   - log: the zone's log.
  ///   - zone: the zone's id.
  ///   - identity: the hub's identity; see ``ZoneIdentity``.
  ///   - authority: the authority that certifies the zone's hubs.
  ///   - wallMilliseconds: returns the time in milliseconds since 1970; it may be wrong.
  ///   - renewing: creates a new identity and stores it durably in place of the current one.
  package init(
    _ log: EventLog, zone: ZoneID, identity: Identity, authority: Identity,
    wallMilliseconds: @escaping @Sendable () -> Int64,
    renewing: @escaping @Sendable () throws -> Identity
  ) {
    self.log = log
    self.zone = zone
    current = Mutex(identity)
    self.renewing = renewing
    authorityKey = authority
    self.wallMilliseconds = wallMilliseconds
  }

  /// The number of events that wait for a stamp, because the log lacks events that their authors
  /// had seen.
  package var pendingCount: Int { counts.withLock { $0.pending } }

  /// The first waiting event of each origin and the reason why it waits, for at most 100 origins.
  package var waiting: [WaitingEvents] { counts.withLock { $0.waiting } }

  private static let waitingMax = 100

  /// The number of stamps given since the writer was created.
  package var stampedCount: UInt64 { counts.withLock { $0.stamped } }

  /// The weight of the zone's events; see `EventWeight`.
  package var weight: UInt64 { counts.withLock { $0.weight } }

  /// Waits for a write in progress, and closes the log.
  package func close() throws { try state.withLock { _ in try log.close() } }

  /// Stores ranges, then stamps all events that can be stamped. All of it is durable when the call
  /// returns.
  package func store(_ ranges: [CheckedRange]) throws {
    try state.withLock { state in
      try log.lock()
      defer { log.unlock() }
      var noted = try caughtUp(state.noted)
      state.noted = nil
      let ranges = log.current(ranges)
      // Before they are durable, so that a crash cannot leave them with a hub that writes on as
      // their author.
      if ranges.contains(where: { $0.head.event.origin == replica && !$0.frames.isEmpty }) {
        try renew(&noted)
      }
      for range in ranges {
        try log.append(range)
        for frame in range.frames { try note(frame, &noted) }
      }
      let stamped = try stamp(&noted, &state.clock)
      try finish(noted, stamped, &state)
    }
  }

  /// Stamps events whose causal context can never be completed. The stamps are durable when the
  /// call returns. See ``StampLedger``.
  /// - Parameter offer: the offer of the peer whose request was just handled.
  /// - Returns: whether anything was stamped.
  package func stampIncomplete(after offer: PeerOffer) throws -> Bool {
    // The usual case.
    guard pendingCount > 0 else { return false }
    return try state.withLock { state in
      try log.lock()
      defer { log.unlock() }
      var noted = try caughtUp(state.noted)
      state.noted = nil
      let stamped = try stamp(&noted, &state.clock, offer)
      if stamped == 0 { state.noted = noted } else { try finish(noted, stamped, &state) }
      return stamped > 0
    }
  }

  /// Returns whether an origin is one of the zone's hubs. Returns false until ``store(_:)`` has
  /// been called.
  package func isHub(_ origin: ReplicaID) -> Bool {
    state.withLock { $0.noted?.ledger.isHub(origin) ?? false }
  }

  /// Judges a fork, if ranges prove that there is one.
  ///
  /// The history that was stamped first stands, as for a store. The other one may have been stamped
  /// first by a hub that was lost. Everything that this hub holds will be stamped, so if no stamp
  /// decides, the history that it holds stands. It says so at once if the origin is a hub, whose
  /// events need no stamps otherwise.
  /// - Parameters:
  ///   - ranges: ranges of one origin that a peer has shown.
  ///   - replica: the replica that holds this writer's log.
  /// - Returns: the branch of this log that does not stand, which the zone must give up; nil if
  ///   there is none.
  package func settleFork(shownBy ranges: [EventRange], _ replica: any ReplicaStorage) throws
    -> Branch?
  {
    guard let proof = try ForkProof(ranges, replica) else { return nil }
    switch try ForkJudgement(log.snapshot(), proof).isStampedFirst() {
    case false?: return Branch(origin: proof.origin, from: proof.common + 1)
    case true?: return nil
    case nil:
      if isHub(proof.origin) { try settleFork(of: proof.origin, after: proof.common) }
      return nil
    }
  }

  /// Settles a fork of a hub, which a peer has proved with a signed range. The cause is a folder
  /// that was copied, or restored to an earlier state, with its key.
  ///
  /// The hub stamps its own history, which therefore stands for every replica. A replica that holds
  /// the other history removes it, and the hub stamps again what that history had stamped.
  /// - Parameters:
  ///   - origin: the hub's origin.
  ///   - common: the number of the last event that both histories share.
  private func settleFork(of origin: ReplicaID, after common: UInt64) throws {
    try state.withLock { state in
      try log.lock()
      defer { log.unlock() }
      var noted = try caughtUp(state.noted)
      state.noted = nil
      let stamp = noted.ledger.stamp(
        hub: origin, after: common, wallMilliseconds: wallMilliseconds())
      guard let stamp else {
        state.noted = noted
        return
      }
      if origin == replica { try renew(&noted) }
      let stamped = try self.stamp(&noted, &state.clock, also: [stamp])
      try finish(noted, stamped, &state)
    }
  }

  private func renew(_ noted: inout Noted) throws {
    let renewed = try renewing()
    current.withLock { $0 = renewed }
    noted.context = CausalContext(author: renewed.id)
    noted.news = noted.ledger.vector
  }

  /// Makes the appended records durable, and updates the counts.
  private func finish(_ noted: Noted, _ stamped: Int, _ state: inout State) throws {
    try log.sync()
    let pending = noted.ledger.pendingCount
    let waiting = pending == 0 ? [] : noted.ledger.waiting(limit: Self.waitingMax)
    counts.withLock {
      $0 = Counts(
        pending: pending, waiting: waiting, stamped: $0.stamped + UInt64(stamped),
        weight: noted.ledger.weight)
    }
    var noted = noted
    noted.version = log.snapshot().version
    state.noted = noted
    _ = try? log.rollIfNeeded()
  }

  /// Returns the derived state, brought up to date with the log.
  private func caughtUp(_ noted: Noted?) throws -> Noted {
    let snapshot = log.snapshot()
    if let noted, noted.version == snapshot.version { return noted }
    var noted =
      noted
      ?? Noted(
        ledger: StampLedger(authority: authority), context: CausalContext(author: replica))
    // The first event of an origin says whether it is a hub. Hubs come first, so that each event
    // that has a stamp is known to have one when it is read.
    let ends = snapshot.vector.entries
    for (origin, _) in ends { try note(origin, through: 1, of: snapshot, &noted) }
    for areHubs in [true, false] {
      for (origin, sequence) in ends where noted.ledger.isHub(origin) == areHubs {
        try note(origin, through: sequence, of: snapshot, &noted)
        noted.news.include(origin, sequence)
      }
    }
    noted.version = snapshot.version
    return noted
  }

  private func note(
    _ origin: ReplicaID, through sequence: UInt64, of snapshot: LogSnapshot, _ noted: inout Noted
  ) throws {
    let known = noted.ledger.through(origin)
    guard known < sequence else { return }
    try snapshot.forEachEvent(of: origin, in: known + 1...sequence) { sequence, event in
      noted.ledger.note(event, id: EventID(origin, sequence))
      if origin == replica {
        try noted.context.apply(try Envelope(decoding: event.envelope).context)
      }
    }
  }

  private func note(_ frame: Frame, _ noted: inout Noted) throws {
    try frame.forEachEvent { sequence, event in
      noted.ledger.note(event, id: EventID(frame.header.origin, sequence))
    }
    noted.news.include(frame.header.origin, noted.ledger.through(frame.header.origin))
  }

  /// Appends events with stamps for all events that can be stamped. If this hub has not written
  /// yet, an identity event comes first.
  /// - Returns: the number of stamps.
  private func stamp(
    _ noted: inout Noted, _ clock: inout HybridClock, _ offer: PeerOffer? = nil,
    also others: [Stamp] = []
  ) throws -> Int {
    let wall = StampLedger.believable(wallMilliseconds())
    let (identity, replica) = (identity, identity.id)
    let own = noted.ledger.through(replica)
    var bodies: [(kind: Envelope.Kind, operations: [DaybookEventCore.Operation])] = []
    if own == 0 {
      let claim = try IdentityClaim(identity, certifiedBy: authorityKey)
      bodies.append((.identity, [.identity(claim)]))
    }
    var stamps = (others + noted.ledger.stamps(wallMilliseconds: wall, offer: offer))[...]
    let count = stamps.count
    while !stamps.isEmpty {
      bodies.append((.stamps, stamps.prefix(Self.stampsOfEvent).map { .stamp($0) }))
      stamps = stamps.dropFirst(Self.stampsOfEvent)
    }
    guard let chain = try log.chain(after: EventID(replica, own)) else {
      throw LogError(.damaged, "the hub's own chain cannot be read")
    }
    guard !bodies.isEmpty else {
      // A crash may have separated the latest stamps from their head.
      if log.snapshot().heads(at: EventID(replica, own)).isEmpty { try sign(own, chain) }
      return 0
    }
    var builder = FrameBuilder(
      origin: replica, firstSequence: own + 1, chainBefore: Chain(value: chain))
    clock.observe(noted.ledger.latest)
    for (kind, operations) in bodies {
      let delta = noted.context.delta(to: noted.news)
      try noted.context.apply(delta)
      if delta.advances.count < ContextDelta.advancesMax { noted.news = VersionVector() }
      let envelope = Envelope(
        kind: kind, authored: clock.tick(wallMilliseconds: wall), context: delta)
      try builder.append(EncodedEvent(envelope, Body(operations: operations)))
    }
    let frame = try builder.finish()
    try log.append(frame)
    try sign(frame.header.lastSequence, frame.header.chain)
    try note(frame, &noted)
    return count
  }

  /// Appends a head for this hub's events. A restored backup lacks the key to sign one, and without
  /// a head no other replica could receive the stamps. The head follows the events, because after a
  /// crash that loses them their numbers are used again.
  private func sign(_ sequence: UInt64, _ chain: Hash256) throws {
    try log.append(try Head(zone: zone.bytes, sequence: sequence, chain: chain, by: identity))
  }

  private static let stampsOfEvent = 4096
}
