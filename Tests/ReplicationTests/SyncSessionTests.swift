import EventCore
import LogEngine
import Replication
import Simulation
import Testing

@Suite struct SyncSessionTests {
  private func pair(_ a: Int, _ b: Int) throws -> (MemoryReplica, MemoryReplica) {
    let (one, two) = (try MemoryReplica(seed: 1), try MemoryReplica(seed: 2))
    for number in 0..<a { try one.write("a\(number)") }
    for number in 0..<b { try two.write("b\(number)") }
    return (one, two)
  }

  @Test func bothHoldTheSameInTheEnd() throws {
    for (ofA, ofB) in [(0, 0), (1, 0), (0, 1), (7, 20), (50, 3)] {
      let (a, b) = try pair(ofA, ofB)
      var session = SyncSession()
      let exchanges = try sync(a, with: b, session: &session)
      #expect(a.held == b.held && a.knowledge() == b.knowledge())
      #expect(exchanges <= 2 && session.refusals.isEmpty)
      // The next one learns in one exchange that there is nothing to do.
      var again = SyncSession()
      #expect(try sync(a, with: b, session: &again) == 1)
      #expect(again.progress.eventsSent == 0 && again.progress.eventsReceived == 0)
    }
  }

  @Test func oneEditIsOneSmallExchange() throws {
    let (a, b) = try pair(5, 5)
    var session = SyncSession()
    let responder = SyncResponder()
    _ = try sync(a, with: b, session: &session, responder: responder)
    try a.write("edit")
    var bytes = 0
    let exchanges = try sync(
      a, with: b, session: &session, responder: responder,
      request: {
        bytes += $0.encoded().count
        return true
      },
      response: {
        bytes += $0.encoded().count
        return true
      })
    #expect(exchanges == 1 && a.held == b.held)
    #expect(bytes < 300, "\(bytes)")
  }

  @Test func smallBatchesArriveToo() throws {
    let (a, b) = try pair(60, 80)
    var session = SyncSession(batchBytes: 500)
    let exchanges = try sync(a, with: b, session: &session)
    #expect(a.held == b.held && exchanges > 5)
  }

  @Test func answerHasNoMoreThanWasAskedForButOneRange() throws {
    let (a, b) = try pair(1, 60)
    b.rangeEvents = 2
    let sizes = try (1...61).map { sequence in
      try b.range(
        of: b.replica, after: UInt64(sequence) - 1, through: UInt64(sequence), hasGap: false)?
        .size ?? 0
    }
    let largest = try #require(sizes.max())
    for limit in [0, 1, largest, largest * 3, largest * 7 + 1] {
      let answer = try SyncResponder().respond(
        to: SyncRequest(
          zone: a.zone, replica: a.replica, answerBytes: 1 << 20,
          report: .entries(mask: .max, a.knowledge()), ranges: []),
        b, answerBytes: limit)
      let size = answer.ranges.reduce(0) { $0 + $1.size }
      #expect(answer.hasMore)
      #expect(answer.ranges.count == 1 || size <= limit && answer.ranges.count > 1, "\(limit)")
      if limit > largest * 6 { #expect(answer.ranges.count > 2) }
    }
  }

  /// Requests and answers that are lost, or arrive and whose answer is lost, and others who write
  /// meanwhile.
  @Test func lossesCostTimeAndNothingElse() throws {
    for seed in 0..<60 {
      var random = SplitMix64(seed: UInt64(seed))
      let (a, b) = try pair(random.pick(0...15), random.pick(0...15))
      var session = SyncSession(batchBytes: 400)
      let responder = SyncResponder(rememberedMax: random.pick(0...2))
      var left = 40
      let exchanges = try sync(
        a, with: b, session: &session, responder: responder, limit: 400,
        request: { _ in
          left -= 1
          if left > 0, random.chance(20) { try? b.write("meanwhile") }
          if left > 0, random.chance(20) { try? a.write("here too") }
          return left < 0 || random.chance(60)
        }, response: { _ in left < 0 || random.chance(60) })
      #expect(exchanges < 400, "seed \(seed)")
      // What b has written after its last answer is for the next time.
      _ = try sync(a, with: b, session: &session, responder: responder)
      var last = SyncSession()
      _ = try sync(a, with: b, session: &last, responder: responder)
      #expect(a.held == b.held, "seed \(seed)")
    }
  }

  @Test func aThousandOriginsAreComparedByBuckets() throws {
    let (a, b) = try pair(1, 0)
    for seed in 0..<300 {
      let origin = try MemoryReplica(seed: UInt8(seed % 250 + 3))
      // Of the same key, so of the same origin: spread by hand.
      let id = ReplicaID(high: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(seed))
      try origin.write("x")
      let last = origin.held(of: origin.replica).contiguous
      let head = try Head(
        zone: MemoryReplica.zone.bytes, sequence: last,
        chain: try #require(origin.chain(after: EventID(origin.replica, last))),
        by: origin.identity)
      for replica in [a, b] {
        replica.events[id] = origin.events[origin.replica]
        replica.heads[id] = [last: head]
      }
    }
    var session = SyncSession()
    var sizes: [Int] = []
    let exchanges = try sync(
      a, with: b, session: &session,
      request: {
        sizes.append($0.encoded().count)
        return true
      },
      response: {
        sizes.append($0.encoded().count)
        return true
      })
    #expect(a.knowledge() == b.knowledge())
    #expect(exchanges == 3 && sizes.reduce(0, +) < 3_000, "\(sizes)")
    // Equal ones say so in a hundred bytes.
    var again = SyncSession()
    var bytes = 0
    let equal = try sync(
      a, with: b, session: &again,
      request: {
        bytes += $0.encoded().count
        return true
      })
    #expect(equal == 1 && bytes < 150, "\(bytes)")
  }

  @Test func forkIsRefusedForItsOriginAlone() throws {
    let (a, b) = try pair(3, 3)
    let clone = try MemoryReplica(seed: 1)
    for number in 0..<3 { try clone.write("a\(number)") }
    try a.write("in the original")
    try clone.write("in the clone")
    try clone.write("and more")
    var session = SyncSession()
    _ = try sync(a, with: b, session: &session)
    let before = b.held
    var other = SyncSession()
    _ = try sync(clone, with: b, session: &other)
    #expect(other.refusals[a.replica]?.code == .fork)
    #expect(b.held == before)
    // What is not forked has come through.
    #expect(clone.held[b.replica] == b.held[b.replica])
    #expect(b.chain(after: EventID(a.replica, 5)) == a.chain(after: EventID(a.replica, 5)))
  }

  @Test func anotherZoneIsRefusedAndNoneIsAdopted() throws {
    let (a, b) = try pair(1, 1)
    b.zone = ZoneID(bytes: Array(repeating: 9, count: 16))
    var session = SyncSession()
    #expect { try sync(a, with: b, session: &session) } throws: {
      ($0 as? SyncError)?.code == .wrongZone
    }
    a.zone = .none
    var second = SyncSession()
    _ = try sync(a, with: b, session: &second)
    #expect(a.zone == b.zone && a.held == b.held)
  }
}
