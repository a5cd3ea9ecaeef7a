internal import EventCore

/// Every stamp that hubs have given, and the rules that each has to keep.
struct StampAudit {
  struct Given {
    var stamp: Stamp
    /// The hub's event that says so.
    var event: EventID

    func covers(_ id: EventID) -> Bool {
      stamp.origin == id.origin && stamp.from <= id.sequence && id.sequence <= stamp.through
    }
  }

  private(set) var given: [ReplicaID: [Given]] = [:]
  /// Of all hubs.
  private(set) var count = 0

  mutating func note(_ stamp: Stamp, by event: EventID) {
    given[stamp.origin, default: []].append(Given(stamp: stamp, event: event))
    count += 1
  }

  /// What a hub has said after an event does not stand.
  mutating func forget(by hub: ReplicaID, after common: UInt64) {
    for origin in Array(given.keys) {
      let before = given[origin]?.count ?? 0
      given[origin]?.removeAll { $0.event.origin == hub && $0.event.sequence > common }
      count -= before - (given[origin]?.count ?? 0)
    }
  }

  /// The stamp that counts: the least time, then the least hub.
  /// - Parameter isKnown: which events of hubs count.
  func stamp(of id: EventID, isKnown: (EventID) -> Bool = { _ in true }) -> Given? {
    (given[id.origin] ?? []).filter { $0.covers(id) && isKnown($0.event) }.min {
      $0.stamp.time != $1.stamp.time
        ? $0.stamp.time < $1.stamp.time : $0.event.origin < $1.event.origin
    }
  }

  /// - Parameter event: the hub's, the context of which is what the hub held.
  func check(_ stamp: Stamp, by event: EventID, _ truth: Truth) throws(ReplicationViolation) {
    guard let seen = truth[event]?.seen else { return }
    func isKnown(_ other: EventID) -> Bool {
      other.origin == event.origin
        ? other.sequence <= event.sequence : seen[other.origin] >= other.sequence
    }
    let what = "event \(event) of a hub stamps \(stamp.origin) \(stamp.from)…\(stamp.through)"
    guard seen[stamp.origin] >= stamp.through else {
      throw ReplicationViolation(.causal, "\(what), which it does not hold")
    }
    guard truth.hasChain(stamp.chain, after: EventID(stamp.origin, stamp.through)) else {
      throw ReplicationViolation(.genuine, "\(what), with another chain value")
    }
    let isInRoom = given.values.joined().contains {
      isKnown($0.event) && hasRoom(before: $0, for: stamp, truth)
    }
    for known in given.values.joined()
    where isKnown(known.event)
      && (isInRoom ? known.stamp.time == stamp.time : known.stamp.time >= stamp.time)
    {
      throw ReplicationViolation(
        .rising, "\(what) at \(stamp.time), after a stamp at \(known.stamp.time) that it held")
    }
    // A hub's events need no stamps: one says which of its histories stands.
    if truth.hubs.contains(stamp.origin) { return }
    for sequence in stamp.from...stamp.through {
      let id = EventID(stamp.origin, sequence)
      guard self.stamp(of: id, isKnown: isKnown) == nil else {
        throw ReplicationViolation(.once, "\(what), of which \(id) had a stamp")
      }
      // What the event before had seen was looked at with that.
      let before = truth[EventID(id.origin, sequence - 1)]?.seen ?? VersionVector()
      for (origin, last) in truth[id]?.seen.entries ?? []
      where !truth.hubs.contains(origin) && last > before[origin] {
        // Who lies may say that it has seen any number.
        for other in before[origin] + 1...min(last, before[origin] + 1000)
        where self.stamp(of: EventID(origin, other), isKnown: isKnown) == nil
          && !(stamp.leavesRoom
            && (seen[origin] < other || truth.isForked(EventID(origin, other))
              || truth.authors(of: EventID(origin, other), hadSeen: id)))
        {
          throw ReplicationViolation(
            .causal, "\(what) before \(EventID(origin, other)), which its author had seen")
        }
      }
    }
    if stamp.from > 1,
      self.stamp(of: EventID(stamp.origin, stamp.from - 1), isKnown: isKnown) == nil
    {
      throw ReplicationViolation(.causal, "\(what), and not the event before")
    }
  }

  /// Whether a stamp was given to an event whose author had seen what another stamps, and which the hub lacked: at the
  /// end of a millisecond, or, if that event was late itself, within it.
  private func hasRoom(before given: Given, for stamp: Stamp, _ truth: Truth) -> Bool {
    guard given.stamp.leavesRoom, given.stamp.time.milliseconds == stamp.time.milliseconds,
      given.stamp.time > stamp.time
    else { return false }
    let seen = truth[EventID(given.stamp.origin, given.stamp.from)]?.seen ?? VersionVector()
    return seen[stamp.origin] >= stamp.through
  }

  // MARK: - At the end

  /// Whether every event that is held ranks above all that its author had seen.
  func checkRanks(_ truth: Truth, through vector: VersionVector) throws(ReplicationViolation) {
    var highest: [ReplicaID: [EventOrder]] = [:]
    let far = vector.entries.compactMap { origin, sequence in
      (1...sequence).first { truth[EventID(origin, $0)]?.authored?.isFar == true }
        .map { EventID(origin, $0) }
    }
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      var orders: [EventOrder] = []
      for number in 1...sequence {
        let order = order(of: EventID(origin, number), truth, vector, far)
        orders.append(orders.last.map { max($0, order) } ?? order)
      }
      highest[origin] = orders
    }
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      for number in 1...sequence {
        let id = EventID(origin, number)
        // What nobody can read writes nothing, and who lies is not believed. Nothing protects an author whose own clock
        // is far in the future from one who lies.
        guard let fact = truth[id], let authored = fact.authored, !truth.hostile.contains(origin),
          !authored.isFar || truth.hostile.isEmpty
        else { continue }
        let order = order(of: id, truth, vector, far)
        for (other, last) in fact.seen.entries {
          // Of a history that was given up it has seen something else.
          guard !truth.isGivenUp(EventID(other, last)), let orders = highest[other], last > 0,
            orders[Int(min(last, UInt64(orders.count))) - 1] >= order
          else { continue }
          throw ReplicationViolation(
            .causal,
            "\(id) ranks below an event up to \(EventID(other, last)), which its author saw")
        }
        if number > 1, let before = highest[origin]?[Int(number) - 2], before >= order {
          throw ReplicationViolation(.causal, "\(id) ranks below an earlier event of its origin")
        }
      }
    }
  }

  /// - Parameter far: the first event of each origin that is far in the future.
  private func order(of id: EventID, _ truth: Truth, _ vector: VersionVector, _ far: [EventID])
    -> EventOrder
  {
    if let given = stamp(of: id) {
      return EventOrder(stamped: given.stamp.time, hub: given.event.origin, id: id)
    }
    var seen = truth[id]?.seen ?? VersionVector()
    seen.include(id.origin, id.sequence)
    while !far.isEmpty {
      var more = seen
      for (origin, sequence) in seen.entries {
        let known = EventID(origin, min(sequence, vector[origin]))
        if let fact = truth[known] { more.formUnion(fact.seen) }
      }
      if more == seen { break }
      seen = more
    }
    guard far.contains(where: seen.contains) else {
      return EventOrder(pending: truth[id]?.authored ?? .zero, id: id)
    }
    return EventOrder(
      far: seen.entries.reduce(0) { $0 + min($1.sequence, vector[$1.origin]) },
      authored: truth[id]?.authored ?? truth[id]?.latest ?? .zero, id: id)
  }

  /// Whether every event that a hub holds has a stamp, whatever its author claims to have seen.
  func checkNothingWaits(_ truth: Truth, through vector: VersionVector) throws(ReplicationViolation)
  {
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      for number in 1...sequence where stamp(of: EventID(origin, number)) == nil {
        throw ReplicationViolation(
          .converging,
          "\(EventID(origin, number)) waits for a stamp, though nothing more is to come")
      }
    }
  }
}

extension Stamp {
  /// Whether time before it may be kept for what its event's author had seen.
  fileprivate var leavesRoom: Bool { from == through }
}
