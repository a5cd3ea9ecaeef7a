package import EventCore
package import LogEngine
package import Replication
import Synchronization

/// What writes to a zone's log: stores what is pushed, and stamps what can be stamped, with one fsync.
///
/// The wall clock is handed in, the log stands on any storage: a simulation runs this as a hub does.
package final class ZoneWriter: Sendable {
  /// What is used by one thread at a time.
  private struct State: Sendable {
    /// Nil after a failure: what was noted may not be in the log.
    var noted: Noted?
    var clock = HybridClock()
  }

  /// What may be asked at any time, without waiting for whoever writes.
  private struct Counts: Sendable {
    var pending = 0
    var waiting: [WaitingEvents] = []
    var stamped: UInt64 = 0
    var weight: UInt64 = 0
  }

  /// What follows from the log.
  private struct Noted: Sendable {
    var ledger: StampLedger
    /// What this hub had seen at its last event.
    var context: CausalContext
    /// What of others was noted since: all that its next event may have seen more.
    var news = VersionVector()
    /// Of the log that this follows from.
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

  /// Who stamps. Another, once this hub has met later events of its own than it holds, or another history of
  /// them: its folder was copied, or restored to an earlier state, with its key.
  package var identity: Identity { current.withLock(\.self) }
  package var replica: ReplicaID { identity.id }
  /// The public key that certifies the zone's hubs.
  package var authority: [UInt8] { authorityKey.publicKey }

  /// Writes nothing yet: ``store(_:)`` with nothing makes the first event, and stamps what was left
  /// without.
  /// - Parameters:
  ///   - identity: see ``incarnation(of:_:_:randomBytes:)``.
  ///   - wallMilliseconds: since 1970; it may be wrong.
  ///   - renewing: makes another identity, and keeps it durably in the place of this one.
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

  /// Which replica a hub is that opens this log: the one of before, or a new one where that is not at
  /// hand, or has written as an ordinary store and so cannot stamp.
  package static func incarnation(
    of known: Identity?, _ log: EventLog, _ authority: Identity,
    randomBytes: (Int) -> [UInt8]
  ) throws -> Identity {
    if let known, try mayStamp(known, log, authority) { return known }
    return try Identity(seed: randomBytes(32))
  }

  private static func mayStamp(_ identity: Identity, _ log: EventLog, _ authority: Identity) throws
    -> Bool
  {
    guard log.vector[identity.id] > 0 else { return true }
    var isCertified = false
    try log.snapshot().forEachEvent(of: identity.id, in: 1...1) { _, event in
      guard let claim = IdentityClaim.claimed(by: event) else { return }
      isCertified =
        claim.certifiesHub(identity.id) && claim.certificate?.authority == authority.publicKey
    }
    return isCertified
  }

  /// How many events wait for a stamp, because something that their authors had seen is not here.
  package var pendingCount: Int { counts.withLock { $0.pending } }

  /// The first of them, of some origins, and why they wait.
  package var waiting: [WaitingEvents] { counts.withLock { $0.waiting } }

  private static let waitingMax = 100

  /// How many stamps were given.
  package var stampedCount: UInt64 { counts.withLock { $0.stamped } }

  /// What the zone's events come to; see `EventWeight`.
  package var weight: UInt64 { counts.withLock { $0.weight } }

  /// Waits for what is under way, and closes the log.
  package func close() throws { try state.withLock { _ in try log.close() } }

  /// Stores ranges and stamps what can be stamped then, durably.
  package func store(_ ranges: [CheckedRange]) throws {
    try state.withLock { state in
      try log.lock()
      defer { log.unlock() }
      var noted = try caughtUp(state.noted)
      state.noted = nil
      let ranges = log.current(ranges)
      // Before they are durable: a crash must not leave them with a hub that would go on as their author.
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

  /// Stamps events whose context cannot come, durably. See ``StampLedger``.
  /// - Parameter offer: of the peer whose request was just taken.
  /// - Returns: whether anything was stamped.
  package func settle(after offer: PeerOffer) throws -> Bool {
    // Nearly always so.
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

  /// Whether an origin is one of the zone's hubs. False until something was stored.
  package func isHub(_ origin: ReplicaID) -> Bool {
    state.withLock { $0.noted?.ledger.isHub(origin) ?? false }
  }

  /// Settles a fork of one of the zone's hubs, if a range proves that there is one.
  /// - Parameter replica: what holds this writer's log.
  package func settleFork(shownBy range: EventRange, _ replica: any ReplicaStorage) throws {
    // Ranges are of other origins nearly always.
    guard isHub(range.origin), let proof = try ForkProof(range, replica) else { return }
    try settleFork(of: range.origin, after: proof.common)
  }

  /// Settles a fork of a hub: its folder was copied, or restored to an earlier state, with its key, and a peer has
  /// shown the other history, signed. The history that this log holds is stamped, so it stands for every replica. A
  /// replica that holds the other one gives it up, and the hub stamps again what that one had stamped.
  /// - Parameter common: the last event that both histories have.
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

  /// Makes what was appended durable.
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

  /// What follows from all that the log holds.
  private func caughtUp(_ noted: Noted?) throws -> Noted {
    let snapshot = log.snapshot()
    if let noted, noted.version == snapshot.version { return noted }
    var noted =
      noted
      ?? Noted(
        ledger: StampLedger(authority: authority), context: CausalContext(author: replica))
    for (origin, sequence) in snapshot.vector.entries {
      let known = noted.ledger.through(origin)
      guard known < sequence else { continue }
      try snapshot.forEachEvent(of: origin, in: known + 1...sequence) { sequence, event in
        noted.ledger.note(event, id: EventID(origin, sequence))
        if origin == replica {
          try noted.context.apply(try Envelope(decoding: event.envelope).context)
        }
      }
      noted.news.include(origin, sequence)
    }
    noted.version = snapshot.version
    return noted
  }

  private func note(_ frame: Frame, _ noted: inout Noted) throws {
    try frame.forEachEvent { sequence, event in
      noted.ledger.note(event, id: EventID(frame.header.origin, sequence))
    }
    noted.news.include(frame.header.origin, noted.ledger.through(frame.header.origin))
  }

  /// Appends events with stamps for what can be stamped; the first time, the one that says who stamps.
  /// - Returns: how many stamps.
  private func stamp(
    _ noted: inout Noted, _ clock: inout HybridClock, _ offer: PeerOffer? = nil,
    also others: [Stamp] = []
  ) throws -> Int {
    let wall = wallMilliseconds()
    let (identity, replica) = (identity, identity.id)
    let own = noted.ledger.through(replica)
    var bodies: [(kind: Envelope.Kind, operations: [EventCore.Operation])] = []
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
      // A crash may have come between the latest stamps and their head.
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

  /// Keeps a head of what this hub has written. Whoever restores a backup has not the key to sign with:
  /// without it, nobody else would ever hold these stamps. After the events, as their number is given
  /// again where a crash loses them.
  private func sign(_ sequence: UInt64, _ chain: Hash256) throws {
    try log.append(try Head(zone: zone.bytes, sequence: sequence, chain: chain, by: identity))
  }

  private static let stampsOfEvent = 4096
}
