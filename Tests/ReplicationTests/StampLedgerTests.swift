import EventCore
import Replication
import Simulation
import Testing

@Suite struct StampLedgerTests {
  private let authority: Identity
  private let hub: Identity

  init() throws {
    authority = try Identity(seed: Array(repeating: 8, count: 32))
    hub = try Identity(seed: Array(repeating: 9, count: 32))
  }

  private func ledger() -> StampLedger { StampLedger(authority: authority.publicKey) }

  private func note(_ event: EncodedEvent, _ id: EventID, in ledger: inout StampLedger) throws {
    var writer = ByteWriter()
    event.encode(to: &writer)
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      ledger.note(try EventView(from: &reader), id: id)
    }
  }

  /// Devices that write, and that see the events of others.
  private struct Devices {
    var vectors: [VersionVector]
    var contexts: [CausalContext]
    var clock: [Int64]
    var random: SplitMix64
    /// For each event, the vector that its author had seen.
    var seen: [EventID: VersionVector] = [:]
    var events: [(id: EventID, event: EncodedEvent)] = []

    init(_ count: Int, seed: UInt64) {
      random = SplitMix64(seed: seed)
      vectors = Array(repeating: VersionVector(), count: count)
      contexts = (0..<count).map { CausalContext(author: Self.id($0)) }
      clock = (0..<count).map { _ in 0 }
      for device in 0..<count { clock[device] = Int64(random.pick(0...1000)) }
    }

    static func id(_ device: Int) -> ReplicaID {
      ReplicaID(high: UInt64(device + 1) << 56, low: UInt64(device))
    }

    mutating func write(_ device: Int) throws {
      let origin = Self.id(device)
      let id = EventID(origin, vectors[device][origin] + 1)
      let delta = contexts[device].delta(to: vectors[device])
      try contexts[device].apply(delta)
      seen[id] = vectors[device]
      vectors[device].include(origin, id.sequence)
      clock[device] += Int64(random.pick(0...5))
      let envelope = Envelope(
        kind: .transaction, authored: HybridTime(milliseconds: clock[device]), context: delta)
      events.append((id, EncodedEvent(envelope, Body(operations: []))))
    }

    mutating func meet(_ a: Int, _ b: Int) {
      vectors[a].formUnion(vectors[b])
      clock[a] = max(clock[a], clock[b])
    }
  }

  /// The events arrive in random orders.
  @Test("no event is stamped before the events that its author had seen")
  func stampOrder() throws {
    for seed in 0..<40 {
      var devices = Devices(4, seed: UInt64(seed))
      for _ in 0..<60 {
        let device = devices.random.pick(0...3)
        if devices.random.chance(40) { devices.meet(device, devices.random.pick(0...3)) }
        try devices.write(device)
      }
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

  /// Notes the hub's events with these stamps, as storing them would.
  private func noteOwn(_ stamps: [Stamp], in ledger: inout StampLedger) throws {
    if ledger.through(hub.id) == 0 {
      let claim = try IdentityClaim(hub, certifiedBy: authority)
      try note(
        EncodedEvent(
          Envelope(kind: .identity, authored: .zero), Body(operations: [.identity(claim)])),
        EventID(hub.id, 1), in: &ledger)
    }
    guard !stamps.isEmpty else { return }
    try note(
      EncodedEvent(
        Envelope(kind: .stamps, authored: .zero), Body(operations: stamps.map { .stamp($0) })),
      EventID(hub.id, ledger.through(hub.id) + 1), in: &ledger)
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

  /// Returns the offer of a peer that holds `vector` and no other branch.
  private func offer(_ vector: VersionVector, to ledger: StampLedger) -> PeerOffer {
    func knowledge(_ vector: VersionVector) -> Knowledge {
      Knowledge(
        vector.entries.map { origin, sequence in
          (origin, Knowledge.Entry(.init(1...sequence, ChainTag(.zero))))
        })
    }
    return PeerOffer(mine: knowledge(ledger.vector), theirs: knowledge(vector))
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
      var devices = Devices(4, seed: UInt64(seed))
      for _ in 0..<60 {
        let device = devices.random.pick(0...3)
        if devices.random.chance(40) { devices.meet(device, devices.random.pick(0...3)) }
        try devices.write(device)
      }
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

  /// Two authors write in turns, so that each event has a stamp of its own. If each stamp looked at
  /// all events that wait, the test would take minutes.
  @Test(
    "the time to stamp an event does not grow with the events that wait",
    .timeLimit(.minutes(1)))
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
