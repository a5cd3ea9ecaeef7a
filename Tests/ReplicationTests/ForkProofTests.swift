import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

/// Ranges that prove that an origin has two histories, and ranges that do not.
@Suite struct ForkProofTests {
  private let original: MemoryReplica
  private let clone: MemoryReplica
  /// The last event that both have.
  private let common: UInt64

  init() throws {
    original = try MemoryReplica(seed: 1)
    clone = try MemoryReplica(seed: 1)
    for replica in [original, clone] {
      replica.rangeEvents = 100
      try replica.write("in common")
    }
    common = original.knowledge()[original.replica]?.through ?? 0
    for number in 0..<3 { try original.write("in the original \(number)") }
    for number in 0..<5 { try clone.write("in the clone \(number)") }
  }

  private func range(
    _ replica: MemoryReplica, after: UInt64, through: UInt64 = 100
  ) throws -> EventRange {
    try #require(
      try replica.range(of: replica.replica, after: after, through: through, hasGap: false))
  }

  @Test("a signed range of the other history proves a fork from any common beginning")
  func signed() throws {
    for after in 0...common {
      let proof = try #require(try ForkProof(range(clone, after: after), original))
      #expect(proof.origin == original.replica && proof.common == common)
      for sequence in common + 1...common + 5 {
        let event = EventID(clone.replica, sequence)
        #expect(proof.chain(after: sequence) == clone.chain(after: event))
      }
      #expect(proof.chain(after: common) == nil && proof.chain(after: common + 6) == nil)
    }
  }

  @Test("an unsigned range, or one of another origin or of the same history, proves nothing")
  func unsigned() throws {
    var forged = try range(clone, after: common)
    forged.signature = Array(repeating: 0, count: 64)
    #expect(try ForkProof(forged, original) == nil)
    var foreign = try range(clone, after: common)
    foreign.origin = try MemoryReplica(seed: 2).replica
    #expect(try ForkProof(foreign, original) == nil)
    #expect(try ForkProof(range(clone, after: common + 1), original) == nil)
    #expect(try ForkProof(range(original, after: common), original) == nil)
    // One history is the beginning of the other.
    let behind = try MemoryReplica(seed: 1)
    behind.events = original.events
    try behind.write("further")
    #expect(try ForkProof(range(behind, after: common), original) == nil)
    var damaged = try range(clone, after: common)
    damaged.frames[0].rawLength += 1
    #expect(try ForkProof(damaged, original) == nil)
  }

  @Test("a probe ends with a proof, or as unproven if the peer shows no signed branch")
  func probe() throws {
    func run(_ change: (inout SyncResponse) -> Void) throws -> (ForkProbe.Step, requests: Int) {
      let held = try #require(original.knowledge()[original.replica]?.through)
      var probe = ForkProbe(original.replica, held: held)
      var requests = 0
      while case .send(let request) = try probe.next(original) {
        requests += 1
        var response = try SyncResponder().respond(to: request, clone)
        change(&response)
        try probe.receive(response, original)
      }
      return (try probe.next(original), requests)
    }
    let (found, requests) = try run { _ in }
    guard case .forked(let proof) = found else { throw NoProof() }
    #expect(proof.common == common && requests <= 6)
    guard case .unproven = try run({ $0.ranges = [] }).0 else { throw NoProof() }
    let spoiled = try run { response in
      for index in response.ranges.indices { response.ranges[index].signature[5] ^= 1 }
    }
    guard case .unproven = spoiled.0 else { throw NoProof() }
  }

  /// Seed 81783 of the lives of a zone: a file of a shared folder was found damaged meanwhile.
  @Test("a probe finds the fork if the peer loses events or contradicts itself")
  func inconsistentPeer() throws {
    func run(_ report: (Knowledge.Entry) -> Knowledge.Entry?) throws -> ForkProbe.Step {
      var probe = ForkProbe(
        original.replica, held: try #require(original.knowledge()[original.replica]?.through))
      var requests = 0
      while case .send(let request) = try probe.next(original), requests < 20 {
        requests += 1
        var response = try SyncResponder().respond(to: request, clone)
        if requests > 1, case .entries(let mask, var known) = response.report,
          let entry = known[clone.replica]
        {
          known[clone.replica] = report(entry)
          response.report = .entries(mask: mask, known)
        }
        try probe.receive(response, original)
      }
      #expect(requests < 20)
      return try probe.next(original)
    }
    for from in [2, common, common + 1, common + 2] {
      let found = try run { entry in
        entry.runs.last.map { .init(.init(from...$0.range.upperBound, $0.tag)) }
      }
      guard case .forked(let proof) = found else { throw NoProof() }
      #expect(proof.common == common, "held from \(from)")
    }
    guard case .forked = try run({ _ in nil }) else { throw NoProof() }
    let contrary = try run { entry in entry.tag.map { .init(.init(1...1, $0)) } }
    guard case .forked(let proof) = contrary else { throw NoProof() }
    #expect(proof.common == common)
  }

  /// Seed 604057 of the lives of a zone: a shared folder had a damaged file of common events.
  @Test("a probe finds the fork if the peer holds only events beyond a gap", arguments: 1...4)
  func peerBeyondGap(missing: UInt64) throws {
    for _ in 0..<3 {
      try original.write("further in the original")
      try clone.write("further in the clone")
    }
    let held = try #require(original.knowledge()[original.replica]?.through)
    // A file of a shared folder says the chain value before its first event.
    let last = EventID(clone.replica, missing)
    clone.chains[last] = clone.chain(after: last)
    for sequence in 1...missing { clone.events[clone.replica]?[sequence] = nil }
    var probe = ForkProbe(original.replica, held: held)
    var requests = 0
    while case .send(let request) = try probe.next(original), requests < 20 {
      requests += 1
      try probe.receive(SyncResponder().respond(to: request, clone), original)
    }
    let found = try probe.next(original)
    if missing > common {
      // The peer lacks the events at which the histories part, and so can prove nothing.
      guard case .unproven = found else { throw NoProof() }
    } else {
      guard case .forked(let proof) = found else { throw NoProof() }
      #expect(proof.common == common)
    }
    #expect(requests <= 8)
  }

  @Test("a probe asks a peer with a gap for the first event that differs, however much is common")
  func exactBeyondGap() throws {
    let (mine, peer) = (try MemoryReplica(seed: 1), try MemoryReplica(seed: 1))
    for replica in [mine, peer] {
      replica.rangeEvents = 1
      for number in 0..<40 { try replica.write("in common \(number)") }
    }
    let common = try #require(mine.knowledge()[mine.replica]?.through)
    for number in 0..<9 { try mine.write("in the original \(number)") }
    for number in 0..<12 { try peer.write("in the clone \(number)") }
    let last = EventID(peer.replica, 30)
    peer.chains[last] = peer.chain(after: last)
    for sequence in 3...last.sequence { peer.events[peer.replica]?[sequence] = nil }
    var probe = ForkProbe(mine.replica, held: common + 9)
    var requests = 0
    while case .send(let request) = try probe.next(mine), requests < 20 {
      requests += 1
      // The answer has room for one range of one event.
      try probe.receive(SyncResponder().respond(to: request, peer, answerBytes: 1), mine)
    }
    guard case .forked(let proof) = try probe.next(mine) else { throw NoProof() }
    #expect(proof.common == common && requests <= 14)
  }

  private struct NoProof: Error {}
}
