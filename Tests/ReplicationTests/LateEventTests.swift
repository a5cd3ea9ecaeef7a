import DaybookEventCore
import DaybookReplication
import DaybookSimulation
import Testing

/// Events that come to a hub after events whose authors had seen them.
@Suite final class LateEventTests: StampingFixture {
  @Test("a refilled hub stamps a late event before the event that named it")
  func refilledHub() throws {
    var devices = Devices(2, seed: 1)
    try devices.write(0)
    devices.meet(1, 0)
    try devices.write(1)
    let (late, early) = (devices.events[0], devices.events[1])
    var first = ledger()
    try note(early.event, early.id, in: &first)
    let given = first.stamps(wallMilliseconds: 10, offer: offer(first.vector, to: first))
    #expect(given.map(\.origin) == [early.id.origin])
    // Another hub is refilled with the stamps first, and then has nothing to stamp.
    var second = ledger()
    try noteOwn(given, in: &second)
    #expect(second.stamps(wallMilliseconds: 20).isEmpty)
    try note(early.event, early.id, in: &second)
    #expect(second.stamps(wallMilliseconds: 20).isEmpty)
    try note(late.event, late.id, in: &second)
    let stamps = second.stamps(wallMilliseconds: 20)
    #expect(stamps.map(\.origin) == [late.id.origin] && stamps[0].time < given[0].time)
  }

  /// The events arrive in random orders, some peers offer nothing more, and the hub is started
  /// again at random times.
  @Test("a late event ranks below the events of authors that had seen it")
  func lateEvents() throws {
    var lateCount = 0
    for seed in 0..<60 {
      var devices = try Devices.meeting(seed: UInt64(seed))
      var queues = Dictionary(grouping: devices.events) { $0.id.origin }
      var arrived: [ReplicaID: [(id: EventID, event: EncodedEvent)]] = [:]
      var given: [[Stamp]] = []
      var ledger = ledger()
      try noteOwn([], in: &ledger)
      var times: [EventID: HybridTime] = [:]
      func stamp(_ offer: PeerOffer?) throws {
        let stamps = ledger.stamps(
          wallMilliseconds: Int64(devices.random.pick(0...5000)), offer: offer)
        for stamp in stamps {
          for sequence in stamp.from...stamp.through {
            let old = times.updateValue(stamp.time, forKey: EventID(stamp.origin, sequence))
            #expect(old == nil, "stamped twice")
          }
        }
        if zip(stamps, stamps.dropFirst()).contains(where: { $0.time > $1.time }) { lateCount += 1 }
        given.append(stamps)
        try noteOwn(stamps, in: &ledger)
      }
      while let origin = queues.keys.sorted().randomElement(using: &devices.random) {
        let next = queues[origin]?.removeFirst()
        if queues[origin]?.isEmpty == true { queues[origin] = nil }
        guard let next else { continue }
        arrived[origin, default: []].append(next)
        try note(next.event, next.id, in: &ledger)
        if devices.random.chance(20) {
          try stamp(devices.random.chance(50) ? offer(ledger.vector, to: ledger) : nil)
        }
        guard devices.random.chance(10) else { continue }
        // A hub that is started again reads one origin after the other.
        ledger = self.ledger()
        let hubsTurn = devices.random.pick(0...4)
        for (turn, origin) in devices.random.shuffled(arrived.keys.sorted()).enumerated() {
          if turn == hubsTurn { for stamps in given { try noteOwn(stamps, in: &ledger) } }
          for (id, event) in arrived[origin] ?? [] { try note(event, id, in: &ledger) }
        }
        if hubsTurn >= arrived.count { for stamps in given { try noteOwn(stamps, in: &ledger) } }
        if ledger.through(hub.id) == 0 { try noteOwn([], in: &ledger) }
      }
      try stamp(nil)
      #expect(ledger.pendingCount == 0, "seed \(seed)")
      for (id, _) in devices.events {
        guard let time = times[id] else {
          Issue.record("\(id) has no stamp, seed \(seed)")
          continue
        }
        for (origin, sequence) in devices.seen[id]?.entries ?? [] {
          guard let before = times[EventID(origin, sequence)] else { continue }
          #expect(
            before < time || origin == id.origin && before == time,
            "\(id) ranks below \(EventID(origin, sequence)), seed \(seed)")
        }
      }
    }
    #expect(lateCount > 20)
  }

  /// An author that holds an event without the events that this event's author had seen.
  private struct Chain {
    /// `last` names only `late`, which names `part`, which names `root`.
    let root = ReplicaID(high: 9 << 40, low: 1)
    let part = ReplicaID(high: 7 << 40, low: 1)
    let late = ReplicaID(high: 5 << 40, low: 1)
    let last = ReplicaID(high: 3 << 40, low: 1)

    /// Returns the first event of `origin`, whose author had seen the first event of `seen`.
    func event(_ origin: ReplicaID, after seen: ReplicaID? = nil) -> (EventID, EncodedEvent) {
      let delta = ContextDelta(seen.map { [.init(origin: .new($0), by: 1)] } ?? [])
      let envelope = Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: 5), context: delta)
      return (EventID(origin, 1), EncodedEvent(envelope, Body(operations: [])))
    }

    var events: [(id: EventID, event: EncodedEvent)] {
      [event(root), event(part, after: root), event(late, after: part), event(last, after: late)]
    }
  }

  /// Found by a life of a zone: the events that the late event's author had seen were stamped when
  /// they came, and the late event after them.
  @Test(
    "what comes with a late event ranks below the event that named it, in whatever order it comes",
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [false, true])
  func lateContext(order: [Int], isRestarted: Bool) throws {
    let chain = Chain()
    var events = [chain.events[3]]
    var ledger = ledger()
    try note(events[0].event, events[0].id, in: &ledger)
    let first = ledger.stamps(wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
    try noteOwn(first, in: &ledger)
    for index in order {
      events.append(chain.events[index])
      try note(chain.events[index].event, chain.events[index].id, in: &ledger)
    }
    if isRestarted {
      // It reads the events that came last first.
      ledger = self.ledger()
      for (id, event) in events.reversed() { try note(event, id, in: &ledger) }
      try noteOwn(first, in: &ledger)
    }
    let stamps = ledger.stamps(wallMilliseconds: 20)
    #expect(stamps.map(\.origin) == [chain.root, chain.part, chain.late])
    let times = (stamps + first).map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    try noteOwn(stamps, in: &ledger)
    #expect(ledger.pendingCount == 0)
  }

  @Test("a late event that waits for its context keeps the room for that")
  func lateContextAwaited() throws {
    let chain = Chain()
    var ledger = ledger()
    try note(chain.events[3].event, chain.events[3].id, in: &ledger)
    var stamps = ledger.stamps(wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
    try noteOwn(stamps, in: &ledger)
    let last = try #require(stamps.last).time
    for (index, wall) in [(2, 20), (1, 30), (0, 40)] {
      try note(chain.events[index].event, chain.events[index].id, in: &ledger)
      stamps = ledger.stamps(wallMilliseconds: Int64(wall))
      #expect(stamps.isEmpty == (index > 0))
      try noteOwn(stamps, in: &ledger)
    }
    #expect(stamps.map(\.origin) == [chain.root, chain.part, chain.late])
    #expect(stamps.allSatisfy { $0.time < last })
  }

  /// The limit that docs/replication.md states: a stamp that was given stays.
  @Test("what has a stamp before the hub knows of the late event stays above, as does that event")
  func lateContextUnknown() throws {
    let chain = Chain()
    var ledger = ledger()
    var times: [ReplicaID: HybridTime] = [:]
    for index in [3, 0, 1, 2] {
      try note(chain.events[index].event, chain.events[index].id, in: &ledger)
      let stamps = ledger.stamps(
        wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
      for stamp in stamps { times[stamp.origin] = stamp.time }
      try noteOwn(stamps, in: &ledger)
    }
    let ranked = [chain.last, chain.root, chain.part, chain.late].compactMap { times[$0] }
    #expect(ranked.count == 4 && zip(ranked, ranked.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// A store and a hub that is lost know stamps of which the next hub learns only a part.
  @Test("what had lost its stamp ranks before the events of authors that had seen it")
  func lostStamps() throws {
    var lostCount = 0
    for seed in 0..<60 {
      var devices = try Devices.meeting(seed: UInt64(seed))
      var first = ledger()
      var given: [Stamp] = []
      for (id, event) in devices.events {
        try note(event, id, in: &first)
        guard devices.random.chance(30) else { continue }
        let stamps = first.stamps(wallMilliseconds: Int64(devices.random.pick(0...5000)))
        try noteOwn(stamps, in: &first)
        given += stamps
      }
      let kept = given.filter { _ in devices.random.chance(50) }
      // The next hub reads one origin after the other, and the stamps at some time.
      var second = ledger()
      try noteOwn([], in: &second)
      let origins = devices.random.shuffled((0...3).map { Devices.id($0) })
      let hubsTurn = devices.random.pick(0...4)
      for (turn, origin) in origins.enumerated() {
        if turn == hubsTurn { try noteOwn(kept, in: &second) }
        for (id, event) in devices.events where id.origin == origin {
          try note(event, id, in: &second)
        }
      }
      if hubsTurn == 4 { try noteOwn(kept, in: &second) }
      let again = second.stamps(wallMilliseconds: 9000)
      try noteOwn(again, in: &second)
      #expect(second.pendingCount == 0)
      var times: [EventID: HybridTime] = [:]
      for stamp in kept + again {
        for sequence in stamp.from...stamp.through {
          times[EventID(stamp.origin, sequence)] = stamp.time
        }
      }
      for (id, _) in devices.events {
        let time = try #require(times[id])
        for (origin, sequence) in devices.seen[id]?.entries ?? [] {
          let before = try #require(times[EventID(origin, sequence)])
          #expect(
            before < time || origin == id.origin && before == time,
            "\(id) ranks below \(EventID(origin, sequence)), seed \(seed)")
        }
      }
      lostCount += again.count
    }
    #expect(lostCount > 100)
  }

  /// Two hubs have stamped a zone, and the next one reads the stamps of the later hub first.
  @Test("what has a stamp of an earlier hub takes no room from what is still to come")
  func stampsOfTwoHubs() throws {
    let (late, author) = (Devices.id(5), Devices.id(0))
    let naming = ContextDelta([.init(origin: .new(late), by: 1)])
    func event(_ sequence: UInt64) -> (EncodedEvent, EventID) {
      let envelope = Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: Int64(sequence)),
        context: sequence == 1 ? naming : ContextDelta([]))
      return (EncodedEvent(envelope, Body(operations: [])), EventID(author, sequence))
    }
    var first = ledger()
    try note(event(1).0, event(1).1, in: &first)
    let early = first.stamps(wallMilliseconds: 100, offer: offer(first.vector, to: first))
    try noteOwn(early, in: &first)
    #expect(early.count == 1)
    // Each of the later stamps is one event's.
    let later = (2...1200).map { sequence in
      Stamp(
        origin: author, from: sequence, through: sequence, chain: .zero,
        time: HybridTime(milliseconds: 5000 + Int64(sequence)))
    }
    var second = ledger()
    try noteOwn(later, in: &second)
    for sequence in 1...1200 as ClosedRange<UInt64> {
      try note(event(sequence).0, event(sequence).1, in: &second)
    }
    try noteOwn(early, in: &second)
    let missing = Envelope(kind: .transaction, authored: HybridTime(milliseconds: 1))
    try note(EncodedEvent(missing, Body(operations: [])), EventID(late, 1), in: &second)
    let stamps = second.stamps(wallMilliseconds: 9000)
    #expect(stamps.map(\.origin) == [late])
    #expect(stamps[0].time < early[0].time)
  }

  @Test("a late event ranks above that part of its context that is here")
  func partOfContext() throws {
    let (part, late, last) = (Devices.id(0), Devices.id(1), Devices.id(2))
    func event(
      _ origin: ReplicaID, _ sequence: UInt64, seen: (ReplicaID, Int)? = nil
    ) -> (EncodedEvent, EventID) {
      let delta = ContextDelta(
        seen.map { [.init(origin: .new($0.0), by: UInt64($0.1))] } ?? [])
      let envelope = Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: 5), context: delta)
      return (EncodedEvent(envelope, Body(operations: [])), EventID(origin, sequence))
    }
    var ledger = ledger()
    var times: [ReplicaID: HybridTime] = [:]
    func stamp(_ wall: Int64) throws {
      let stamps = ledger.stamps(
        wallMilliseconds: wall, offer: offer(ledger.vector, to: ledger))
      for stamp in stamps { times[stamp.origin] = stamp.time }
      try noteOwn(stamps, in: &ledger)
    }
    // `last` names an event of `late`, which is missing and names ten events of `part`.
    try note(event(last, 1, seen: (late, 1)).0, EventID(last, 1), in: &ledger)
    try stamp(10)
    for sequence in 1...5 as ClosedRange<UInt64> {
      try note(event(part, sequence).0, EventID(part, sequence), in: &ledger)
    }
    try stamp(20)
    try note(event(late, 1, seen: (part, 10)).0, EventID(late, 1), in: &ledger)
    try stamp(30)
    let (before, after) = (try #require(times[part]), try #require(times[late]))
    #expect(before < after)
  }
}
