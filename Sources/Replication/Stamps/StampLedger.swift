package import DaybookEventCore
import DequeModule
import HeapModule

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
  struct Origin {
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
    var stampedThrough: UInt64 { isHub ? through : stamped.contiguous }
  }

  struct Pending {
    var sequence: UInt64
    var authored: HybridTime
    var chain: Hash256
    /// The events that the author had seen since its previous event.
    var seen: [(origin: ReplicaID, sequence: UInt64)]
  }

  /// The most rooms for the missing events of one event.
  static let roomsOfEvent = 1024
  /// The most rooms, and events that an author had seen, that are looked at to note one event. An
  /// event may belong to many rooms, and each may take in many others.
  static let looksOfEvent = 4096
  /// The most passes that break circles in one call. The next call continues.
  static let passesMax = 64

  /// The total weight of all events noted; see ``EventWeight``.
  package private(set) var weight: UInt64 = 0

  var origins: [ReplicaID: Origin] = [:]
  private let authority: [UInt8]
  var clock = HybridClock()
  /// The rooms for each origin's events that were missing when events that name them were stamped.
  var rooms = StampingRooms()
  /// The milliseconds that are kept free for late events, and the stamps in them.
  var kept = KeptMilliseconds()

  /// Creates an empty ledger.
  /// - Parameter authority: The public key that certifies hubs.
  package init(authority: [UInt8]) { self.authority = authority }

  /// The latest stamp known.
  package var latest: HybridTime { clock.latest }

  /// The number of events that wait for a stamp.
  package private(set) var pendingCount = 0
  /// The origins of the events that wait for a stamp.
  var pendingOrigins: Set<ReplicaID> = []

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
        let lacking = event.seen.first(where: {
          (origins[$0.origin]?.stampedThrough ?? 0) < $0.sequence
        })
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
  mutating func take(
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

  mutating func take(_ stamp: Stamp) {
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
      return !origin.isHub && origin.stampedThrough < event.sequence
        && origin.stamped.time(of: event.sequence) == nil
    }.prefix(Self.roomsOfEvent)
  }

  /// Drops rooms that no event can use any more.
  mutating func clearRooms() {
    guard !rooms.isEmpty || !kept.isEmpty else { return }
    let origins = origins
    rooms.drop { origins[$0]?.stampedThrough ?? 0 }
    // A hub that is being refilled may not have the event yet, and that event may name others.
    kept.keep(rooms.endingMilliseconds) { origins[$0.origin]?.through ?? 0 < $0.sequence }
  }
}
