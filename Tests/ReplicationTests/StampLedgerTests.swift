import DaybookEventCore
import DaybookReplication
import DaybookSimulation
import Testing

@Suite final class StampLedgerTests: StampingFixture {
  /// The events arrive in random orders.
  @Test("no event is stamped before the events that its author had seen")
  func stampOrder() throws {
    for seed in 0..<40 {
      var devices = try Devices.meeting(seed: UInt64(seed))
      // Each origin's events arrive in sequence, and the origins are interleaved at random.
      var queues = Dictionary(grouping: devices.events) { $0.id.origin }
      var ledger = ledger()
      var times: [EventID: HybridTime] = [:]
      var wall: Int64 = 5_000
      var stamped: [Stamp] = []
      func stamp() throws {
        wall += Int64(devices.random.pick(-50...50))
        let stamps = ledger.stamps(wallMilliseconds: wall)
        for stamp in stamps {
          for sequence in stamp.from...stamp.through {
            let old = times.updateValue(stamp.time, forKey: EventID(stamp.origin, sequence))
            #expect(old == nil, "stamped twice")
          }
        }
        stamped += stamps
        try noteOwn(stamps, in: &ledger)
      }
      while let origin = queues.keys.sorted().randomElement(using: &devices.random) {
        let next = queues[origin]?.removeFirst()
        if queues[origin]?.isEmpty == true { queues[origin] = nil }
        guard let next else { continue }
        try note(next.event, next.id, in: &ledger)
        if devices.random.chance(15) { try stamp() }
      }
      try stamp()
      #expect(ledger.pendingCount == 0, "seed \(seed)")
      #expect(zip(stamped, stamped.dropFirst()).allSatisfy { $0.time < $1.time })
      for (id, _) in devices.events {
        guard let time = times[id] else {
          Issue.record("\(id) has no stamp, seed \(seed)")
          continue
        }
        for (origin, sequence) in devices.seen[id]?.entries ?? [] {
          guard let before = times[EventID(origin, sequence)] else { continue }
          #expect(before < time || origin == id.origin && before == time, "seed \(seed)")
        }
      }
    }
  }

  @Test("an event waits for the events that its author had seen")
  func waitsForContext() throws {
    var devices = Devices(2, seed: 1)
    try devices.write(0)
    devices.meet(1, 0)
    try devices.write(1)
    var ledger = ledger()
    try note(devices.events[1].event, devices.events[1].id, in: &ledger)
    #expect(ledger.stamps(wallMilliseconds: 10).isEmpty && ledger.pendingCount == 1)
    try note(devices.events[0].event, devices.events[0].id, in: &ledger)
    let stamps = ledger.stamps(wallMilliseconds: 10)
    #expect(stamps.map(\.origin) == [Devices.id(0), Devices.id(1)])
  }

  @Test("an event does not wait for events that no peer offers")
  func missingContext() throws {
    var devices = Devices(2, seed: 1)
    for _ in 0..<3 { try devices.write(0) }
    devices.meet(1, 0)
    try devices.write(1)
    try devices.write(1)
    var ledger = ledger()
    for index in [0, 3, 4] {
      try note(devices.events[index].event, devices.events[index].id, in: &ledger)
    }
    let (a, b) = (Devices.id(0), Devices.id(1))
    #expect(ledger.stamps(wallMilliseconds: 10).map(\.origin) == [a])
    try noteOwn([], in: &ledger)
    // A peer that does not hold the event proves nothing, and the ledger waits for a peer that
    // offers the missing events.
    let (silent, more) = (
      VersionVector([(a, UInt64(1))]), VersionVector([(a, UInt64(3)), (b, UInt64(2))])
    )
    for vector in [silent, more] {
      let offer = offer(vector, to: ledger)
      let given = ledger.stamps(wallMilliseconds: 10, offer: offer)
      #expect(!given.contains { $0.origin == b })
    }
    #expect(
      ledger.waiting(limit: 9).map(\.cause) == [EventID(a, 3)]
        && !ledger.waiting(limit: 9)[0].isHeld)
    let given = ledger.stamps(wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
    #expect(given.filter { $0.origin == b }.map(\.from) == [1, 2])
    try noteOwn(given, in: &ledger)
    #expect(ledger.pendingCount == 0 && ledger.waiting(limit: 9).isEmpty)
    // The missing events rank below it if they arrive after all.
    for index in [1, 2] {
      try note(devices.events[index].event, devices.events[index].id, in: &ledger)
    }
    let late = ledger.stamps(wallMilliseconds: 99)
    #expect(late.map(\.from) == [2] && late.map(\.through) == [3])
    #expect(late[0].time > given[0].time && late[0].time < given[1].time)
    try noteOwn(late, in: &ledger)
    #expect(ledger.stamps(wallMilliseconds: 99).isEmpty)
  }

  @Test("an event that names missing events waits for those of them that are held")
  func heldContext() throws {
    var devices = Devices(1, seed: 1)
    for _ in 0..<2 { try devices.write(0) }
    let (a, liar) = (Devices.id(0), Devices.id(9))
    var ledger = ledger()
    for written in devices.events { try note(written.event, written.id, in: &ledger) }
    // The event is the first in pending order.
    let envelope = Envelope(
      kind: .transaction, authored: .zero,
      context: ContextDelta([.init(origin: .new(a), by: 1000)]))
    try note(EncodedEvent(envelope, Body(operations: [])), EventID(liar, 1), in: &ledger)
    let given = ledger.stamps(wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
    #expect(given.map(\.origin) == [a, liar] && given[0].time < given[1].time)
    #expect(given[0].through == 2)
  }

  @Test("events whose contexts name each other in a circle are stamped")
  func circles() throws {
    // Three circles, and one event that waits for the first of them.
    var ledger = ledger()
    func write(_ origin: ReplicaID, seen: ReplicaID) throws {
      let delta = CausalContext(author: origin).delta(to: VersionVector([(seen, UInt64(1))]))
      let envelope = Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: 5), context: delta)
      try note(
        EncodedEvent(envelope, Body(operations: [])), EventID(origin, 1), in: &ledger)
    }
    let ids = (1...10).map { ReplicaID(high: UInt64($0) << 40, low: 1) }
    for circle in [[0, 1], [2, 3, 4], [5, 6, 7, 8]] {
      for (place, index) in circle.enumerated() {
        try write(ids[index], seen: ids[circle[(place + 1) % circle.count]])
      }
    }
    try write(ids[9], seen: ids[1])
    let stamps = ledger.stamps(wallMilliseconds: 10)
    #expect(Set(stamps.map(\.origin)) == Set(ids) && stamps.count == 10)
    try noteOwn(stamps, in: &ledger)
    #expect(ledger.pendingCount == 0)
  }

  /// Found by a life of a zone: the honest author's event was stamped below the event that its
  /// author had seen.
  @Test(
    "an event that names a future event is stamped below it, whatever time it claims",
    arguments: [HybridTime.zero, HybridTime(milliseconds: 4), HybridTime(rawValue: .max)])
  func liarInACircle(claimed: HybridTime) throws {
    let (liar, honest) = (ReplicaID(high: 9 << 40, low: 1), ReplicaID(high: 1 << 40, low: 1))
    func event(_ time: HybridTime, seen: ReplicaID, through: UInt64) -> EncodedEvent {
      let context = ContextDelta([.init(origin: .new(seen), by: through)])
      return EncodedEvent(
        Envelope(kind: .transaction, authored: time, context: context), Body(operations: []))
    }
    var ledger = ledger()
    try note(event(claimed, seen: honest, through: 1000), EventID(liar, 1), in: &ledger)
    let later = HybridTime(milliseconds: 5)
    try note(event(later, seen: liar, through: 1), EventID(honest, 1), in: &ledger)
    let stamps = ledger.stamps(
      wallMilliseconds: 10, offer: offer(ledger.vector, to: ledger))
    let times = Dictionary(uniqueKeysWithValues: stamps.map { ($0.origin, $0.time) })
    #expect(try #require(times[liar]) < #require(times[honest]))
  }

  @Test("a hub keeps the stamps of the hub before it, and its own stamps are later")
  func earlierStamps() throws {
    var devices = Devices(1, seed: 1)
    for _ in 0..<4 { try devices.write(0) }
    var first = ledger()
    for (id, event) in devices.events.prefix(2) { try note(event, id, in: &first) }
    let stamps = first.stamps(wallMilliseconds: 1_000_000)
    // Another incarnation, whose clock is far behind, is refilled.
    var second = ledger()
    try noteOwn(stamps, in: &second)
    for (id, event) in devices.events { try note(event, id, in: &second) }
    let later = second.stamps(wallMilliseconds: 5)
    #expect(later.map(\.from) == [3] && later.map(\.through) == [4])
    #expect(later[0].time > stamps[0].time)
  }

  @Test(
    "an event with a stamp beyond all hubs' clocks is stamped again, below it",
    arguments: [
      Stamp.hubsEnd, HybridTime(rawValue: HybridTime.farFuture.rawValue - 1), .farFuture,
      HybridTime(rawValue: .max),
    ])
  func falseStamps(time: HybridTime) throws {
    var devices = Devices(1, seed: 1)
    for _ in 0..<3 { try devices.write(0) }
    var ledger = ledger()
    for (id, event) in devices.events { try note(event, id, in: &ledger) }
    let lie = Stamp(
      origin: devices.events[0].id.origin, from: 1, through: 2, chain: .zero, time: time)
    try noteOwn([lie], in: &ledger)
    let stamps = ledger.stamps(wallMilliseconds: 1_000_000)
    #expect(stamps.map(\.from) == [1] && stamps.map(\.through) == [3])
    #expect(stamps.allSatisfy { $0.time.milliseconds == 1_000_000 })
    try noteOwn(stamps, in: &ledger)
    #expect(ledger.pendingCount == 0 && ledger.latest == stamps.last?.time)
  }

  @Test("a hub whose clock is beyond all clocks stamps on from the latest stamp")
  func falseClock() throws {
    var devices = Devices(1, seed: 1)
    var ledger = ledger()
    var latest = HybridTime.zero
    for wall in [1_000_000, .max, Stamp.hubsEnd.milliseconds, 2_000_000] {
      try devices.write(0)
      if let (id, event) = devices.events.last { try note(event, id, in: &ledger) }
      let stamps = ledger.stamps(wallMilliseconds: wall)
      #expect(stamps.count == 1 && stamps.allSatisfy { $0.time > latest })
      latest = stamps.last?.time ?? latest
      #expect(latest.milliseconds <= 2_000_000)
      try noteOwn(stamps, in: &ledger)
    }
  }

  /// Two authors write in turns, so that each event has a stamp of its own. If each stamp looked at
  /// all events that wait, the test would take minutes.
  @Test(
    "the time to stamp an event does not grow with the events that wait",
    .timeLimit(.minutes(10)))
  func stampingTime() throws {
    var ledger = ledger()
    try noteOwn([], in: &ledger)
    let count: UInt64 = 30_000
    for sequence in 1...count {
      for (device, later) in [(0, UInt64(0)), (1, 1)] {
        let time = HybridTime(milliseconds: Int64(2 * sequence + later))
        try note(
          EncodedEvent(Envelope(kind: .transaction, authored: time), Body(operations: [])),
          EventID(Devices.id(device), sequence), in: &ledger)
      }
    }
    let stamps = ledger.stamps(wallMilliseconds: 1)
    #expect(stamps.count == Int(2 * count))
    try noteOwn(stamps, in: &ledger)
    #expect(ledger.pendingCount == 0)
  }

  @Test("stamps of an origin that the authority has not certified do not count")
  func impostorStamps() throws {
    var devices = Devices(1, seed: 1)
    try devices.write(0)
    var ledger = ledger()
    let impostor = try Identity(seed: Array(repeating: 3, count: 32))
    let claims = [IdentityClaim(impostor), try IdentityClaim(impostor, certifiedBy: impostor)]
    let id = devices.events[0].id
    try note(devices.events[0].event, id, in: &ledger)
    try note(
      EncodedEvent(
        Envelope(kind: .identity, authored: .zero),
        Body(operations: claims.map { .identity($0) })), EventID(impostor.id, 1), in: &ledger)
    try note(
      EncodedEvent(
        Envelope(kind: .stamps, authored: .zero),
        Body(operations: [
          .stamp(
            Stamp(
              origin: id.origin, from: 1, through: 1, chain: .zero,
              time: HybridTime(milliseconds: 1 << 40)))
        ])), EventID(impostor.id, 2), in: &ledger)
    let stamps = ledger.stamps(wallMilliseconds: 10)
    #expect(stamps.contains { $0.origin == id.origin && $0.time.milliseconds == 10 })
  }
}
