package import DaybookEventCore
import DequeModule
import HeapModule

/// Gives the stamps that a hub owes.
extension StampLedger {
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
          (round.stampedThrough[seen.origin] ?? origins[seen.origin]?.stampedThrough ?? 0)
            < seen.sequence
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
        round.stampedThrough[id] = stampedEnd(origin, event.sequence, round.stampedThrough[id])
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
    var least = HybridTime.zero
    if !open.isEmpty {
      for (origin, sequence) in event.seen {
        least = max(least, time(of: EventID(origin, min(sequence, through(origin))), round))
      }
      // Events of one origin rank by their sequence if the same hub gives them the same time.
      let previous = EventID(id, event.sequence - 1)
      if round.time(of: previous) == nil || !lacking.isEmpty {
        least = max(least, time(of: previous, round))
      }
    }
    round.stamp(
      EventID(id, event.sequence), event.chain, above: least, in: open,
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
  private func stampedEnd(_ origin: Origin, _ sequence: UInt64, _ before: UInt64?) -> UInt64 {
    let last = before ?? origin.stampedThrough
    guard sequence == last + 1 else { return last }
    // Another hub may have stamped events beyond it.
    return origin.stamped.end(of: sequence + 1) ?? sequence
  }
}
