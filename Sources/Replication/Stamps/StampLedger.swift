package import DaybookEventCore
private import DequeModule
private import HeapModule

/// The state from which a hub stamps events: which events have stamps, which wait for one, and what
/// their authors had seen.
///
/// Pure: events go in by origin and in sequence, the caller passes the wall clock, and stamps come
/// out.
///
/// The events that an author had seen are stamped before the event that it wrote. If they cannot
/// come (``PeerOffer``), the event is stamped nevertheless, and some server time before it stays
/// free: its *room*. If the missing events come later, they get stamps inside the room, and so
/// still rank before it. The same holds for unstamped events that their authors had seen.
///
/// If a hub's disk was lost, an event may have a stamp while events that its author had seen have
/// lost theirs. They are stamped again below it.
package struct StampLedger: Sendable {
  private struct Origin {
    var context: CausalContext
    /// The sequence of the last event noted.
    var through: UInt64 = 0
    var chain: Hash256
    /// Whether the authority has certified the origin as a hub: its stamps count, and its events
    /// need none.
    var isHub = false
    var stamped = StampedRuns()
    /// The events that are noted and not stamped, ascending. Stamps usually remove them from the
    /// front.
    var pending: Deque<Pending> = []

    init(_ id: ReplicaID) {
      context = CausalContext(author: id)
      chain = Chain(origin: id).value
    }

    /// The sequence up to which every event counts as stamped.
    var settled: UInt64 { isHub ? through : stamped.contiguous }
  }

  private struct Pending {
    var sequence: UInt64
    var authored: HybridTime
    var chain: Hash256
    /// The events that the author had seen since its previous event.
    var seen: [(origin: ReplicaID, sequence: UInt64)]
  }

  /// The most rooms for the missing events of one event.
  private static let roomsOfEvent = 1024
  /// The most rooms, and events that an author had seen, that are looked at to note one event. An
  /// event may belong to many rooms, and each may take in many others.
  private static let looksOfEvent = 4096
  /// The most passes that break circles in one call. The next call continues.
  private static let passesMax = 64

  /// The total weight of all events noted; see ``EventWeight``.
  package private(set) var weight: UInt64 = 0

  private var origins: [ReplicaID: Origin] = [:]
  private let authority: [UInt8]
  private var clock = HybridClock()
  /// The rooms for each origin's events that were missing when events that name them were stamped.
  private var rooms = StampingRooms()
  /// The milliseconds that are kept free for late events, and the stamps in them.
  private var kept = KeptMilliseconds()

  /// Creates an empty ledger.
  /// - Parameter authority: The public key that certifies hubs.
  package init(authority: [UInt8]) { self.authority = authority }

  /// The latest stamp known.
  package var latest: HybridTime { clock.latest }

  /// The number of events that wait for a stamp.
  package private(set) var pendingCount = 0
  /// The origins of the events that wait for a stamp.
  private var pendingOrigins: Set<ReplicaID> = []

  /// The sequence up to which each origin's events were noted.
  package var vector: VersionVector { VersionVector(origins.map { ($0.key, $0.value.through) }) }

  /// Returns the sequence up to which an origin's events were noted.
  package func through(_ origin: ReplicaID) -> UInt64 { origins[origin]?.through ?? 0 }

  /// Returns the first waiting event of each origin, and the event for which it waits.
  /// - Parameter limit: The most origins to return.
  package func waiting(limit: Int) -> [WaitingEvents] {
    var found: [WaitingEvents] = []
    for id in pendingOrigins.sorted() {
      guard found.count < limit else { break }
      guard let origin = origins[id], let event = origin.pending.first,
        let lacking = event.seen.first(where: { (origins[$0.origin]?.settled ?? 0) < $0.sequence })
      else { continue }
      found.append(
        WaitingEvents(
          first: EventID(id, event.sequence), count: origin.pending.count,
          for: EventID(lacking.origin, lacking.sequence),
          isHeld: through(lacking.origin) >= lacking.sequence))
    }
    return found
  }

  /// Returns whether an origin is a hub that the authority has certified.
  package func isHub(_ origin: ReplicaID) -> Bool { origins[origin]?.isHub ?? false }

  // MARK: - Noting

  /// Notes an origin's next event. An event out of sequence, or noted before, is ignored.
  package mutating func note(_ event: EventView, id: EventID) {
    guard let (seen, stamps) = take(event, id), let origin = origins[id.origin] else { return }
    // A hub cannot stamp its own events here, and they need no stamps.
    for stamp in stamps where stamp.origin != id.origin { take(stamp) }
    guard !origin.isHub else { return }
    if let time = origin.stamped.time(of: id.sequence) {
      return noteRooms(before: time, for: seen)
    }
    let known = rooms[id.origin]
    guard !known.isEmpty else { return }
    let lacking = lacking(of: seen)
    guard !lacking.isEmpty else { return }
    var looks = Self.looksOfEvent
    for room in known where room.through >= id.sequence && looks > 0 {
      keepRooms(before: room.end, for: lacking, &looks)
    }
  }

  /// Takes an event into the ledger.
  /// - Returns: The events that its author had seen since its previous event, and the stamps that
  ///   count; nil if the event is ignored.
  private mutating func take(
    _ event: EventView, _ id: EventID
  ) -> (seen: [(origin: ReplicaID, sequence: UInt64)], stamps: [Stamp])? {
    var origin = origins[id.origin] ?? Origin(id.origin)
    guard id.sequence == origin.through + 1 else { return nil }
    // Take the copy out of the dictionary, so that changing it copies no storage.
    origins[id.origin] = nil
    defer { origins[id.origin] = origin }
    origin.through = id.sequence
    var chain = Chain(value: origin.chain)
    event.advance(&chain)
    origin.chain = chain.value
    let envelope = try? Envelope(decoding: event.envelope)
    weight += EventWeight.of(event, envelope, isFirst: id.sequence == 1)
    // An invalid context counts as empty, here as in the projector.
    let seen = envelope.flatMap { try? origin.context.apply($0.context) } ?? []
    var stamps: [Stamp] = []
    if let envelope, envelope.kind == .identity || envelope.kind == .stamps, !event.bodyIsHash,
      let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
    {
      for operation in body.operations {
        switch operation {
        case .identity(let claim) where id.sequence == 1 && envelope.kind == .identity:
          origin.isHub =
            claim.certifiesHub(id.origin) && claim.certificate?.authority == authority
        case .stamp(let stamp) where origin.isHub && envelope.kind == .stamps:
          stamps.append(stamp)
        default: break
        }
      }
    }
    if !origin.isHub, origin.stamped.time(of: id.sequence) == nil {
      origin.pending.append(
        Pending(
          sequence: id.sequence, authored: envelope?.authored ?? .zero, chain: chain.value,
          seen: seen))
      pendingCount += 1
      pendingOrigins.insert(id.origin)
    }
    return (seen, stamps)
  }

  private mutating func take(_ stamp: Stamp) {
    // A stamp that lies about the time is replaced by an earlier one of this hub.
    guard stamp.from > 0, stamp.from <= stamp.through, stamp.through < UInt64(Int64.max),
      stamp.time < Stamp.hubsEnd
    else { return }
    clock.observe(stamp.time)
    kept.note(stamp.time)
    if kept.contains(stamp.time) {
      kept.note(EventID(stamp.origin, stamp.from), in: stamp.time)
    }
    var origin = origins[stamp.origin] ?? Origin(stamp.origin)
    origins[stamp.origin] = nil
    origin.stamped.insert(stamp.from...stamp.through, stamp.time)
    let places = Self.places(of: stamp.from...stamp.through, in: origin.pending)
    let covered = Array(origin.pending[places])
    origin.pending.removeSubrange(places)
    pendingCount -= places.count
    if origin.pending.isEmpty { pendingOrigins.remove(stamp.origin) }
    origins[stamp.origin] = origin
    if stamp.from > 1, origin.stamped.time(of: stamp.from - 1) == nil {
      noteRooms(before: stamp.time, for: [(stamp.origin, stamp.from - 1)])
    }
    for event in covered where !event.seen.isEmpty {
      noteRooms(before: stamp.time, for: event.seen)
    }
  }

  /// Returns the positions of a range's events among the pending events.
  private static func places(
    of range: ClosedRange<UInt64>, in pending: Deque<Pending>
  ) -> Range<Int> {
    func first(from sequence: UInt64) -> Int {
      var (low, high) = (0, pending.count)
      while low < high {
        let middle = (low + high) / 2
        if pending[middle].sequence < sequence { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return first(from: range.lowerBound)..<first(from: range.upperBound + 1)
  }

  /// Keeps the room before a stamp for those events without a stamp that its author had seen.
  private mutating func noteRooms(
    before time: HybridTime, for seen: [(origin: ReplicaID, sequence: UInt64)]
  ) {
    var looks = Self.looksOfEvent
    keepRooms(before: time, for: lacking(of: seen), &looks)
  }

  /// Keeps room that ends at `end` for events without a stamp, and for what their authors had seen.
  ///
  /// The author of the event that is stamped at `end` need not have seen all of that itself: it may
  /// hold an event without that event's context.
  /// - Parameters:
  ///   - end: The end of the room.
  ///   - lacking: The events, by their origins and sequences.
  ///   - looks: How much may still be looked at; what this call has looked at is taken off.
  private mutating func keepRooms(
    before end: HybridTime, for lacking: ArraySlice<(origin: ReplicaID, sequence: UInt64)>,
    _ looks: inout Int
  ) {
    var lacking = lacking
    while looks > 0, let (id, sequence) = lacking.popLast() {
      looks -= 1
      guard let new = rooms.keep(for: id, through: sequence, before: end),
        let pending = origins[id]?.pending
      else { continue }
      for event in pending[Self.places(of: new, in: pending)] {
        guard looks > 0 else { break }
        looks -= 1 + event.seen.count
        lacking += self.lacking(of: event.seen)
      }
    }
  }

  /// Returns those of the events seen that have no stamp, for at most ``roomsOfEvent`` origins.
  ///
  /// If one of them has a stamp and an earlier event of its origin has none, that stamp has a room.
  private func lacking(
    of seen: [(origin: ReplicaID, sequence: UInt64)]
  ) -> ArraySlice<(origin: ReplicaID, sequence: UInt64)> {
    seen.filter { event in
      guard let origin = origins[event.origin] else { return true }
      // A hub's events need no stamps.
      return !origin.isHub && origin.settled < event.sequence
        && origin.stamped.time(of: event.sequence) == nil
    }.prefix(Self.roomsOfEvent)
  }

  /// Drops rooms that no event can use any more.
  private mutating func clearRooms() {
    guard !rooms.isEmpty || !kept.isEmpty else { return }
    let origins = origins
    rooms.drop { origins[$0]?.settled ?? 0 }
    // A hub that is being refilled may not have the event yet, and that event may name others.
    kept.keep(rooms.endingMilliseconds) { origins[$0.origin]?.through ?? 0 < $0.sequence }
  }

  // MARK: - Stamping

  /// Stamps a hub's own events after a second history of that hub was shown, so that this history
  /// stands and every replica learns of it. A hub's events need no stamps otherwise.
  /// - Parameter common: The sequence of the last event that both histories share.
  /// - Returns: The stamp; nil if the origin is no hub, has no events after `common`, or already
  ///   has such a stamp.
  package mutating func stamp(
    hub id: ReplicaID, after common: UInt64, wallMilliseconds: Int64
  ) -> Stamp? {
    guard let origin = origins[id], origin.isHub, origin.through > common,
      origin.stamped.time(of: common + 1) == nil
    else { return nil }
    return Stamp(
      origin: id, from: common + 1, through: origin.through, chain: origin.chain,
      time: clock.tick(wallMilliseconds: Self.believable(wallMilliseconds)))
  }

  /// Returns a machine's clock as far as stamps follow it. While a clock is beyond
  /// `Stamp.hubsEnd`, stamps follow the latest one.
  /// - Parameter wallMilliseconds: The machine's clock, in milliseconds since 1970.
  package static func believable(_ wallMilliseconds: Int64) -> Int64 {
    wallMilliseconds < Stamp.hubsEnd.milliseconds ? wallMilliseconds : 0
  }

  /// Stamps all events that can be stamped, in pending order: by authored time, then origin.
  ///
  /// Events that an author had seen have earlier stamps than its own event. An event waits if part
  /// of its context is missing here.
  ///
  /// - Parameters:
  ///   - wallMilliseconds: The machine's clock, in milliseconds since 1970. It may be wrong.
  ///   - limit: The most stamps to make.
  ///   - offer: What the peer of the latest exchange holds. An event that this peer holds does not
  ///     wait for events that the peer cannot bring. Events whose authors claim to have seen each
  ///     other's do not wait either.
  /// - Returns: One stamp for each run of an origin's events. Their times rise, except in rooms.
  ///   They count as given only after the hub's event with them is noted.
  package mutating func stamps(
    wallMilliseconds: Int64, limit: Int = 65_536, offer: PeerOffer? = nil
  ) -> [Stamp] {
    clearRooms()
    var passes = 0
    var round = StampingRound(
      clock: clock, wallMilliseconds: Self.believable(wallMilliseconds), kept: kept)
    for id in pendingOrigins {
      guard let first = origins[id]?.pending.first else { continue }
      round.ready.insert(Ready(time: first.authored, origin: id))
    }
    repeat {
      passes += 1
      while let id = round.ready.popMin()?.origin {
        let index = round.next[id] ?? 0
        guard let origin = origins[id], index < origin.pending.count else { continue }
        let event = origin.pending[index]
        func lacks(_ seen: (origin: ReplicaID, sequence: UInt64)) -> Bool {
          (round.settled[seen.origin] ?? origins[seen.origin]?.settled ?? 0) < seen.sequence
        }
        let holds = offer?.holds(EventID(id, event.sequence)) ?? false
        // Skip what was already checked before the event had to wait.
        let looked = round.looked[id] ?? 0
        /// Returns the event that this one must wait for, of an origin that its author had seen. If
        /// the missing events cannot come, only the held ones count.
        func awaited(_ seen: (origin: ReplicaID, sequence: UInt64)) -> (
          origin: ReplicaID, sequence: UInt64
        )? {
          let held = through(seen.origin)
          let isToCome = !holds || held >= seen.sequence || offer?.brings(seen.origin) ?? true
          let awaited = (seen.origin, isToCome ? seen.sequence : held)
          return lacks(awaited) ? awaited : nil
        }
        let blocker = event.seen[looked...].firstIndex { awaited($0) != nil }
        if round.forced.remove(id) == nil, let blocker, let awaited = awaited(event.seen[blocker]) {
          round.looked[id] = blocker
          round.wait(id, for: awaited)
          continue
        }
        round.looked[id] = nil
        let lacking = event.seen.filter(lacks)
        if round.made.count >= limit { return round.made }
        stamp(event, of: id, lacking: lacking, in: &round)
        round.next[id] = index + 1
        round.settled[id] = settledThrough(origin, event.sequence, round.settled[id])
        if index + 1 < origin.pending.count {
          round.ready.insert(Ready(time: origin.pending[index + 1].authored, origin: id))
        }
        for waiter in round.woken(by: id) {
          guard let other = origins[waiter] else { continue }
          let time = other.pending[round.next[waiter] ?? 0].authored
          round.ready.insert(Ready(time: time, origin: waiter))
        }
      }
    } while passes < Self.passesMax && breakCircles(&round)
    return round.made
  }

  /// Stamps an event now, or in the room that was kept for it. Keeps room for the events it lacks.
  private func stamp(
    _ event: Pending, of id: ReplicaID, lacking: [(origin: ReplicaID, sequence: UInt64)],
    in round: inout StampingRound
  ) {
    let open = (rooms[id] + round.rooms[id, default: []])
      .filter { $0.through >= event.sequence }
    // The stamp must rank above the events that the author had seen, as far as they are here.
    var floor = HybridTime.zero
    if !open.isEmpty {
      for (origin, sequence) in event.seen {
        floor = max(floor, time(of: EventID(origin, min(sequence, through(origin))), round))
      }
      // Events of one origin rank by their sequence if the same hub gives them the same time.
      let previous = EventID(id, event.sequence - 1)
      if round.time(of: previous) == nil || !lacking.isEmpty {
        floor = max(floor, time(of: previous, round))
      }
    }
    round.stamp(
      EventID(id, event.sequence), event.chain, above: floor, in: open,
      leavingRoom: !lacking.isEmpty)
    guard let end = round.made.last?.time else { return }
    // Keep no more rooms than noting the stamp would.
    for (origin, sequence) in lacking.prefix(Self.roomsOfEvent)
    where rooms.count + round.roomCount < StampingRooms.countMax {
      round.rooms[origin, default: []].append(StampingRoom(through: sequence, end: end))
      round.roomCount += 1
    }
  }

  private func time(of event: EventID, _ round: StampingRound) -> HybridTime {
    round.time(of: event) ?? origins[event.origin]?.stamped.time(of: event.sequence) ?? .zero
  }

  /// Finds events that wait for each other, and lets one of each such circle go ahead.
  ///
  /// No honest authors write such a circle: an author lies, or an origin has two histories. An
  /// honest author's time is later than the times it had seen. The first event of the circle by
  /// authored time therefore counts as the lie, and stops waiting. Times that a clock like the
  /// hub's does not follow count as the earliest, since no author had to be later than those.
  /// - Returns: Whether any circle was broken.
  private func breakCircles(_ round: inout StampingRound) -> Bool {
    var isDone: Set<ReplicaID> = []
    for start in round.blocked.keys.sorted() where !isDone.contains(start) {
      var path: [ReplicaID] = []
      var next = start
      while isDone.insert(next).inserted, let blocker = round.blocked[next],
        through(blocker.origin) >= blocker.sequence
      {
        path.append(next)
        next = blocker.origin
      }
      guard let from = path.firstIndex(of: next) else { continue }
      let circle = path[from...].compactMap { id in
        origins[id].map { origin in
          let authored = origin.pending[round.next[id] ?? 0].authored
          return Ready(time: authored >= round.limit ? .zero : authored, origin: id)
        }
      }
      guard let first = circle.min() else { continue }
      round.stopWaiting(first.origin)
      round.forced.insert(first.origin)
      round.ready.insert(first)
    }
    return !round.forced.isEmpty
  }

  /// Returns the sequence up to which all events count as stamped once `sequence` has a stamp.
  private func settledThrough(_ origin: Origin, _ sequence: UInt64, _ before: UInt64?) -> UInt64 {
    let settled = before ?? origin.settled
    guard sequence == settled + 1 else { return settled }
    // Another hub may have stamped events beyond it.
    return origin.stamped.end(of: sequence + 1) ?? sequence
  }
}

/// Events of one origin that a hub cannot stamp yet, and why.
package struct WaitingEvents: Hashable, Sendable {
  /// The first of the waiting events.
  package var first: EventID
  package var count: Int
  /// The event that the first author had seen and that has no stamp yet.
  package var cause: EventID
  /// Whether the hub holds the ``cause``.
  package var isHeld: Bool

  init(first: EventID, count: Int, for cause: EventID, isHeld: Bool) {
    self.first = first
    self.count = count
    self.cause = cause
    self.isHeld = isHeld
  }
}
