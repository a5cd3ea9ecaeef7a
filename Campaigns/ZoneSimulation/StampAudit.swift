import DaybookEventCore

/// All stamps of all hubs, with the rules that each stamp must obey.
struct StampAudit {
  struct Given {
    var stamp: Stamp
    /// The hub's event that contains the stamp.
    var event: EventID

    func covers(_ id: EventID) -> Bool {
      stamp.origin == id.origin && stamp.from <= id.sequence && id.sequence <= stamp.through
    }
  }

  private(set) var given: [ReplicaID: [Given]] = [:]
  /// Number of stamps of all hubs.
  private(set) var count = 0

  mutating func note(_ stamp: Stamp, by event: EventID) {
    given[stamp.origin, default: []].append(Given(stamp: stamp, event: event))
    count += 1
  }

  /// Removes the stamps of a hub after `common`, which belong to a history that was given up.
  mutating func forget(by hub: ReplicaID, after common: UInt64) {
    for origin in Array(given.keys) {
      let before = given[origin]?.count ?? 0
      given[origin]?.removeAll { $0.event.origin == hub && $0.event.sequence > common }
      count -= before - (given[origin]?.count ?? 0)
    }
  }

  /// Returns the stamp of `id` that counts: the one with the least time, then with the least hub.
  ///
  /// - Parameter isKnown: Whether a hub's event is to be considered.
  /// - Returns: Nil if the event has no stamp.
  func stamp(of id: EventID, isKnown: (EventID) -> Bool = { _ in true }) -> Given? {
    (given[id.origin] ?? []).filter { $0.covers(id) && isKnown($0.event) }.min {
      $0.stamp.time != $1.stamp.time
        ? $0.stamp.time < $1.stamp.time : $0.event.origin < $1.event.origin
    }
  }

  /// Checks a new stamp against those that its hub held.
  ///
  /// - Parameter event: The hub's event; its context is what the hub held.
  /// - Throws: ``ReplicationViolation`` if the stamp breaks a rule.
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
      isKnown($0.event) && hasRoom(before: $0, for: stamp, by: event, truth)
    }
    let isStampedAgain =
      self.stamp(of: EventID(stamp.origin, stamp.through)) != nil
      && given.values.joined().contains {
        isKnown($0.event) && isBefore($0, stamp, by: event, truth)
      }
    for known in given.values.joined()
    where isKnown(known.event) && !isStampedAgain
      && (isInRoom ? known.stamp.time == stamp.time : known.stamp.time >= stamp.time)
    {
      throw ReplicationViolation(
        .rising, "\(what) at \(stamp.time), after a stamp at \(known.stamp.time) that it held")
    }
    // A hub's events need no stamps. A stamp of one only shows which of the hub's histories wins.
    if truth.hubs.contains(stamp.origin) { return }
    for sequence in stamp.from...stamp.through {
      let id = EventID(stamp.origin, sequence)
      guard self.stamp(of: id, isKnown: isKnown) == nil else {
        throw ReplicationViolation(.once, "\(what), of which \(id) had a stamp")
      }
      // The claims of a hostile author do not count. An author whose own clock is far in the
      // future, or behind the clocks of others, cannot be protected from a hostile one.
      let fact = truth.fact(id, stampedBy: stamp)
      let isFar = fact?.authored?.ranksBySeen == true
      if truth.hostile.contains(id.origin) || isFar && !truth.hostile.isEmpty { continue }
      // Events that the event before had seen were checked with that event.
      let previous = truth.fact(EventID(id.origin, sequence - 1), stampedBy: stamp)
      let before = previous?.seen ?? VersionVector()
      for (origin, last) in fact?.seen.entries ?? []
      where !truth.hubs.contains(origin) && last > before[origin] {
        // A hostile author may claim any sequence number, so check at most 1,000.
        for other in before[origin] + 1...min(last, before[origin] + 1000)
        where self.stamp(of: EventID(origin, other), isKnown: isKnown) == nil
          && !(stamp.leavesRoom
            && (seen[origin] < other || truth.isForked(EventID(origin, other))
              || isInCircle(EventID(origin, other), with: id, truth)))
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

  /// Whether the author of `event` claims to have seen `id`, and may come after it.
  ///
  /// In such a circle an event far in the future comes first: its author gains nothing by its time.
  private func isInCircle(_ event: EventID, with id: EventID, _ truth: Truth) -> Bool {
    truth[event]?.authored?.isFar != true && truth.authors(of: event, hadSeen: id)
  }

  /// Whether `given` has left room for a stamp that a hub gives in `event`.
  ///
  /// The hub gives such a stamp at the end of a millisecond, or within it if the stamped event was
  /// itself late.
  private func hasRoom(
    before given: Given, for stamp: Stamp, by event: EventID, _ truth: Truth
  ) -> Bool {
    guard given.stamp.leavesRoom, given.stamp.time.milliseconds == stamp.time.milliseconds,
      given.stamp.time > stamp.time
    else { return false }
    return below(EventID(given.stamp.origin, given.stamp.from), at: event, truth)
      .contains(EventID(stamp.origin, stamp.through))
  }

  /// Whether a hub gives a stamp in `event` to events that belong below those of `given`, and whose
  /// first stamps were lost with a hub's disk.
  private func isBefore(
    _ given: Given, _ stamp: Stamp, by event: EventID, _ truth: Truth
  ) -> Bool {
    guard given.stamp.time > stamp.time else { return false }
    if given.stamp.origin == stamp.origin { return given.stamp.from > stamp.through }
    return below(EventID(given.stamp.origin, given.stamp.through), at: event, truth)
      .contains(EventID(stamp.origin, stamp.through))
  }

  /// Returns the events that belong below `id`, as far as the hub could know when it wrote `event`:
  /// what the author of `id` had seen, and what the authors of those events had seen that the hub
  /// held. A hub may hold either history of a clone and its original, so both count.
  private func below(_ id: EventID, at event: EventID, _ truth: Truth) -> VersionVector {
    let held = truth[event]?.seen ?? VersionVector()
    var below = truth.seen(by: id)
    while true {
      var more = below
      for (origin, sequence) in below.entries {
        more.formUnion(truth.seen(by: EventID(origin, min(sequence, held[origin]))))
      }
      if more == below { return below }
      below = more
    }
  }

  // MARK: - Final checks

  /// Checks that every event ranks above all events that its author had seen.
  func checkRanks(_ truth: Truth, through vector: VersionVector) throws(ReplicationViolation) {
    var highest: [ReplicaID: [EventOrder]] = [:]
    let far = vector.entries.compactMap { origin, sequence in
      (1...sequence).first { truth[EventID(origin, $0)]?.authored?.ranksBySeen == true }
        .map { EventID(origin, $0) }
    }
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      highest[origin] = (1...sequence).reduce(into: []) { orders, number in
        let order = order(of: EventID(origin, number), truth, vector, far)
        orders.append(orders.last.map { max($0, order) } ?? order)
      }
    }
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      for number in 1...sequence {
        let id = EventID(origin, number)
        // An unreadable event writes nothing, and the claims of a hostile author do not count. An
        // author who does not follow the times that it has seen cannot be protected from a hostile
        // one.
        guard let fact = truth[id], let authored = fact.authored, !truth.hostile.contains(origin),
          !authored.ranksBySeen || truth.hostile.isEmpty
        else { continue }
        let order = order(of: id, truth, vector, far)
        for (other, last) in fact.seen.entries {
          // If that history was given up, the author saw another event.
          guard !truth.isGivenUp(EventID(other, last)), let orders = highest[other], last > 0,
            let above = orders.prefix(Int(clamping: last)).firstIndex(where: { $0 >= order }),
            !isStampedElsewhere(EventID(other, UInt64(above) + 1), above: id, truth, vector),
            !followsUnknown(EventID(other, UInt64(above) + 1), above: id, truth, vector),
            !claimsLater(
              EventID(other, UInt64(above) + 1),
              than: firstOrder(
                of: origin, havingSeen: EventID(other, UInt64(above) + 1), truth, highest),
              truth, highest)
          else { continue }
          throw ReplicationViolation(
            .causal,
            "\(id), stamped \(text(of: id)), ranks below an event up to \(EventID(other, last)), "
              + "stamped \(text(of: EventID(other, last))), which its author saw")
        }
        if number > 1, let before = highest[origin]?[Int(number) - 2], before >= order {
          let earlier = EventID(origin, number - 1)
          throw ReplicationViolation(
            .causal,
            "\(id), stamped \(text(of: id)), ranks below an event up to \(earlier), stamped "
              + "\(text(of: earlier)), of its own origin")
        }
      }
    }
  }

  /// Whether `event`, or one that its author had seen, has a later stamp than `id` by another hub,
  /// of which the hub that stamped `id` could not know.
  ///
  /// That hub held neither the event nor the stamp, which a store brought after the other hub had
  /// lost its disk. It does not stamp again what has a stamp, and what follows ranks above that.
  private func isStampedElsewhere(
    _ event: EventID, above id: EventID, _ truth: Truth, _ vector: VersionVector
  ) -> Bool {
    guard let own = stamp(of: id, isKnown: vector.contains), let known = truth[own.event]?.seen
    else { return false }
    var seen = truth[event]?.seen ?? VersionVector()
    seen.include(event.origin, event.sequence)
    return given.values.joined().contains { other in
      let origin = other.stamp.origin
      let first = max(other.stamp.from, known[origin] + 1)
      let last = min(other.stamp.through, seen[origin])
      guard other.event.origin != own.event.origin, !known.contains(other.event),
        other.stamp.time >= own.stamp.time, first <= last
      else { return false }
      return (first...last).contains {
        stamp(of: EventID(origin, $0), isKnown: vector.contains)?.event == other.event
      }
    }
  }

  /// Whether the author of `event` had seen an event that has a later stamp than `id`, and of which
  /// the hub could not know at that time that it belongs below `id`.
  ///
  /// The author of `id` holds `event` without a part of its context, which comes to the hub after
  /// `id` and before `event`.
  private func followsUnknown(
    _ event: EventID, above id: EventID, _ truth: Truth, _ vector: VersionVector
  ) -> Bool {
    guard let own = stamp(of: id, isKnown: vector.contains), let seen = truth[id]?.seen else {
      return false
    }
    var looked: Set<EventID> = []
    var open = [event]
    while let next = open.popLast() {
      guard looked.insert(next).inserted, let fact = truth[next],
        let given = stamp(of: next, isKnown: vector.contains), given.stamp.time >= own.stamp.time
      else { continue }
      if !seen.contains(next) {
        if given.event.origin == own.event.origin, given.event.sequence < own.event.sequence {
          return true
        }
        let knowsStamp =
          given.event.origin == own.event.origin
          || truth[given.event]?.seen.contains(own.event) == true
        if knowsStamp, !below(id, at: given.event, truth).contains(next) { return true }
      }
      open.append(EventID(next.origin, next.sequence - 1))
      open += fact.seen.entries.map { EventID($0, min($1, vector[$0])) }
    }
    return false
  }

  /// Returns the order of an author's first event that names `event` as seen.
  private func firstOrder(
    of origin: ReplicaID, havingSeen event: EventID, _ truth: Truth,
    _ highest: [ReplicaID: [EventOrder]]
  ) -> EventOrder? {
    let orders = highest[origin] ?? []
    return orders.indices.first { index in
      truth[EventID(origin, UInt64(index) + 1)]?.seen.contains(event) ?? false
    }.map { orders[$0] }
  }

  /// Whether a hostile author claims to have seen an event that ranks at `order` or above. Its
  /// event then has to rank above that, whatever the authors who saw it wrote before.
  private func claimsLater(
    _ event: EventID, than order: EventOrder?, _ truth: Truth, _ highest: [ReplicaID: [EventOrder]]
  ) -> Bool {
    guard let order, truth.hostile.contains(event.origin) else { return false }
    return (truth[event]?.seen.entries ?? []).contains { origin, sequence in
      highest[origin]?.prefix(Int(clamping: sequence)).last.map { $0 >= order } ?? false
    }
  }

  /// Returns all stamps of an event, with the hubs' events that contain them.
  private func text(of id: EventID) -> String {
    let stamps = (given[id.origin] ?? []).filter { $0.covers(id) }
    return "\(stamps.map { "\($0.stamp.time) by \($0.event)" })"
  }

  /// Returns the order key of an event.
  ///
  /// - Parameter far: The first event of each origin that is far in the future or detached.
  private func order(
    of id: EventID, _ truth: Truth, _ vector: VersionVector, _ far: [EventID]
  ) -> EventOrder {
    if let given = stamp(of: id, isKnown: vector.contains) {
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

  /// Checks that every event at a hub has a stamp, whatever its author claims to have seen.
  func checkNothingWaits(_ truth: Truth, through vector: VersionVector) throws(ReplicationViolation)
  {
    for (origin, sequence) in vector.entries where !truth.hubs.contains(origin) {
      for number in 1...sequence
      where stamp(of: EventID(origin, number), isKnown: vector.contains) == nil {
        throw ReplicationViolation(
          .converging,
          "\(EventID(origin, number)) waits for a stamp, though nothing more is to come")
      }
    }
  }
}

extension Stamp {
  /// Whether the hub may keep time before it for events that its event's author had seen.
  fileprivate var leavesRoom: Bool { from == through }
}
