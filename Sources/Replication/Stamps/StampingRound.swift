internal import EventCore
internal import HeapModule

/// What happens while a hub stamps what it can: which origins are looked at next, which wait, and the
/// stamps made so far.
struct StampingRound {
  /// What a new stamp may be joined with.
  private enum Kind: Equatable {
    case now, leavingRoom
    case inRoom(HybridTime)
  }

  private(set) var made: [Stamp] = []
  var ready = Heap<Ready>()
  /// By origin, how many pending events were stamped.
  var next: [ReplicaID: Int] = [:]
  /// By origin, how far all count as stamped, if that has changed.
  var settled: [ReplicaID: UInt64] = [:]
  /// By origin that waits, the event it waits for.
  var blocked: [ReplicaID: (origin: ReplicaID, sequence: UInt64)] = [:]
  /// Origins whose next event is stamped, whatever it lacks.
  var forced: Set<ReplicaID> = []
  /// Kept in this round.
  var rooms: [ReplicaID: [StampingRoom]] = [:]
  /// How many these are.
  var roomCount = 0
  /// By origin that waits, how much of what its next event's author had seen was looked at.
  var looked: [ReplicaID: Int] = [:]
  private var waiting: [ReplicaID: Set<ReplicaID>] = [:]
  /// By origin, the places of its stamps in ``made``.
  private var places: [ReplicaID: [Int]] = [:]
  private var kind = Kind.now
  private var clock: HybridClock
  private let wallMilliseconds: Int64
  private var kept: KeptMilliseconds

  init(clock: HybridClock, wallMilliseconds: Int64, kept: KeptMilliseconds) {
    self.clock = clock
    self.wallMilliseconds = wallMilliseconds
    self.kept = kept
  }

  // MARK: - Waiting

  mutating func wait(_ id: ReplicaID, for event: (origin: ReplicaID, sequence: UInt64)) {
    blocked[id] = event
    waiting[event.origin, default: []].insert(id)
  }

  mutating func stopWaiting(_ id: ReplicaID) {
    guard let event = blocked.removeValue(forKey: id) else { return }
    waiting[event.origin]?.remove(id)
  }

  /// The origins that have waited for what has a stamp now, in any order.
  mutating func woken(by id: ReplicaID) -> [ReplicaID] {
    guard let waiters = waiting[id] else { return [] }
    let through = settled[id] ?? 0
    let woken = waiters.filter { (blocked[$0]?.sequence ?? 0) <= through }
    for waiter in woken { stopWaiting(waiter) }
    return Array(woken)
  }

  // MARK: - Stamps

  /// Stamps an event in the first of `rooms` that has place for it, else at a time after all others.
  /// - Parameters:
  ///   - floor: what it has to rank above.
  ///   - rooms: those that were kept for it.
  ///   - leavingRoom: keep time before it free.
  mutating func stamp(
    _ event: EventID, _ chain: Hash256, above floor: HybridTime, in rooms: [StampingRoom],
    leavingRoom: Bool
  ) {
    for room in rooms {
      if stamp(event, chain, above: floor, before: room.end, leavingRoom: leavingRoom) { return }
    }
    if !leavingRoom, kind == .now, continues(event) { return extend(event, chain) }
    let time: HybridTime
    if leavingRoom {
      let milliseconds = max(clock.latest.milliseconds + 1, wallMilliseconds)
      time = HybridTime(milliseconds: milliseconds, counter: .max)
      clock.observe(time)
    } else {
      let next = clock.tick(wallMilliseconds: wallMilliseconds)
      // The last moment of a millisecond says that there is room before it.
      time = next.counter == .max ? clock.tick(wallMilliseconds: wallMilliseconds) : next
    }
    add(event, chain, time, leavingRoom ? .leavingRoom : .now)
  }

  /// Stamps an event in a room, of which half is kept free if it leaves room itself.
  /// - Returns: whether there was place for it.
  private mutating func stamp(
    _ event: EventID, _ chain: Hash256, above floor: HybridTime, before end: HybridTime,
    leavingRoom: Bool
  ) -> Bool {
    if !leavingRoom, kind == .inRoom(end), continues(event), let last = made.last,
      floor <= last.time
    {
      extend(event, chain)
      return true
    }
    let low = max(floor, kept.last(before: end)).rawValue
    guard low < end.rawValue else { return false }
    let step = leavingRoom ? (end.rawValue - low) / 2 : 1
    let time = HybridTime(rawValue: low + step)
    guard step > 0, time < end else { return false }
    add(event, chain, time, leavingRoom ? .leavingRoom : .inRoom(end))
    return true
  }

  /// Whether an event goes on with the last stamp.
  private func continues(_ event: EventID) -> Bool {
    guard let last = made.last else { return false }
    return last.origin == event.origin && last.through + 1 == event.sequence
  }

  /// The time of a stamp made in this round.
  func time(of event: EventID) -> HybridTime? {
    guard let places = places[event.origin] else { return nil }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if made[places[middle]].through < event.sequence { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, made[places[low]].from <= event.sequence else { return nil }
    return made[places[low]].time
  }

  private mutating func extend(_ event: EventID, _ chain: Hash256) {
    made[made.count - 1].through = event.sequence
    made[made.count - 1].chain = chain
  }

  private mutating func add(
    _ event: EventID, _ chain: Hash256, _ time: HybridTime, _ kind: Kind
  ) {
    kept.note(time)
    places[event.origin, default: []].append(made.count)
    made.append(
      Stamp(
        origin: event.origin, from: event.sequence, through: event.sequence, chain: chain,
        time: time))
    self.kind = kind
  }
}

/// Server time before a stamp, for events up to `through`: between the stamp before it and itself.
struct StampingRoom: Sendable {
  var through: UInt64
  /// The stamp's time.
  var end: HybridTime
}

/// An origin whose next event is to be stamped, or to wait.
struct Ready: Comparable {
  var time: HybridTime
  var origin: ReplicaID

  static func < (a: Ready, b: Ready) -> Bool {
    a.time != b.time ? a.time < b.time : a.origin < b.origin
  }
}
