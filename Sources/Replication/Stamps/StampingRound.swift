import DaybookEventCore
import HeapModule

/// The state of one round of stamping: the origins to look at next, the origins that wait, and the
/// stamps made so far.
struct StampingRound {
  /// The kind of the latest stamp, which decides whether the next event can extend it.
  private enum Kind: Equatable {
    case now, leavingRoom
    case inRoom(HybridTime)
  }

  private(set) var made: [Stamp] = []
  var ready = Heap<Ready>()
  /// The number of pending events stamped, by origin.
  var next: [ReplicaID: Int] = [:]
  /// The sequence up to which all events count as stamped, by origin, if this round has changed it.
  var stampedThrough: [ReplicaID: UInt64] = [:]
  /// The event that each waiting origin waits for.
  var blocked: [ReplicaID: (origin: ReplicaID, sequence: UInt64)] = [:]
  /// Origins whose next event is stamped even if it lacks events.
  var forced: Set<ReplicaID> = []
  /// The rooms kept in this round, by origin.
  var rooms: [ReplicaID: [StampingRoom]] = [:]
  /// The number of rooms kept in this round.
  var roomCount = 0
  /// The number of context entries already checked, by waiting origin.
  var looked: [ReplicaID: Int] = [:]
  private var waiting: [ReplicaID: Set<ReplicaID>] = [:]
  /// The indexes in ``made`` of each origin's stamps.
  private var places: [ReplicaID: [Int]] = [:]
  private var kind = Kind.now
  private var clock: HybridClock
  private let wallMilliseconds: Int64
  /// The time from which on a clock like the hub's does not follow authors.
  let limit: HybridTime
  private var kept: KeptMilliseconds

  init(clock: HybridClock, wallMilliseconds: Int64, kept: KeptMilliseconds) {
    self.clock = clock
    self.wallMilliseconds = wallMilliseconds
    limit = HybridClock.limit(wallMilliseconds: wallMilliseconds)
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

  /// Returns the origins whose awaited event now has a stamp, in any order.
  mutating func woken(by id: ReplicaID) -> [ReplicaID] {
    guard let waiters = waiting[id] else { return [] }
    let through = stampedThrough[id] ?? 0
    let woken = waiters.filter { (blocked[$0]?.sequence ?? 0) <= through }
    for waiter in woken { stopWaiting(waiter) }
    return Array(woken)
  }

  // MARK: - Stamps

  /// Stamps an event in the first of `rooms` that has space for it, or else at a time after all
  /// other stamps.
  /// - Parameters:
  ///   - event: The event to stamp.
  ///   - chain: The chain value after the event.
  ///   - least: The time that the stamp must rank above. The event before it of its origin need not
  ///     be counted if it was stamped in this round.
  ///   - rooms: The rooms that were kept for the event.
  ///   - leavingRoom: Whether to keep time before the stamp free.
  mutating func stamp(
    _ event: EventID, _ chain: Hash256, above least: HybridTime, in rooms: [StampingRoom],
    leavingRoom: Bool
  ) {
    for room in rooms {
      if stamp(event, chain, above: least, before: room.end, leavingRoom: leavingRoom) { return }
    }
    if !leavingRoom, kind == .now, continues(event) { return extend(event, chain) }
    let time: HybridTime
    if leavingRoom {
      let milliseconds = max(clock.latest.milliseconds + 1, wallMilliseconds)
      time = HybridTime(milliseconds: milliseconds, counter: .max)
      clock.observe(time)
    } else {
      let next = clock.tick(wallMilliseconds: wallMilliseconds)
      // The last moment of a millisecond would announce room before it, so it is skipped.
      time = next.counter == .max ? clock.tick(wallMilliseconds: wallMilliseconds) : next
    }
    add(event, chain, time, leavingRoom ? .leavingRoom : .now)
  }

  /// Stamps an event in a room, and keeps half of the room free if `leavingRoom`.
  /// - Returns: Whether the room had space for it.
  private mutating func stamp(
    _ event: EventID, _ chain: Hash256, above least: HybridTime, before end: HybridTime,
    leavingRoom: Bool
  ) -> Bool {
    if !leavingRoom, kind == .inRoom(end), continues(event), let last = made.last,
      least < last.time
    {
      extend(event, chain)
      return true
    }
    let previous = time(of: EventID(event.origin, event.sequence - 1)) ?? .zero
    for start in kept.starts(before: end) {
      let low = max(least, start).rawValue
      guard low < end.rawValue else { continue }
      var time = HybridTime(rawValue: low + (leavingRoom ? (end.rawValue - low) / 2 : 1))
      // The last moment of a millisecond would announce that it is kept.
      if time.counter == .max { time = HybridTime(rawValue: time.rawValue + 1) }
      time = max(previous, time)
      guard time.rawValue > low, time < end else { continue }
      add(event, chain, time, leavingRoom ? .leavingRoom : .inRoom(end))
      return true
    }
    return false
  }

  /// Returns whether an event directly follows the last stamp's events.
  private func continues(_ event: EventID) -> Bool {
    guard let last = made.last else { return false }
    return last.origin == event.origin && last.through + 1 == event.sequence
  }

  /// Returns the time of a stamp made in this round; nil if this round has not stamped the event.
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

/// Server time below a stamp, for late events of an origin up to `through`.
struct StampingRoom: Sendable {
  var through: UInt64
  /// The time of the stamp that ends the room.
  var end: HybridTime
}

/// An origin whose next event can be stamped or made to wait.
struct Ready: Comparable {
  var time: HybridTime
  var origin: ReplicaID

  static func < (a: Ready, b: Ready) -> Bool {
    a.time != b.time ? a.time < b.time : a.origin < b.origin
  }
}
