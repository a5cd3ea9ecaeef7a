import DaybookEventCore
import DaybookFrames
import DaybookReplication
import Testing

/// A clone that is ahead of what a hub holds of the original.
@Suite struct ForkEvidenceTests {
  private let original: MemoryReplica
  private let clone: MemoryReplica
  private let hub: MemoryReplica
  private let held: UInt64

  init() throws {
    original = try MemoryReplica(seed: 1)
    clone = try MemoryReplica(seed: 1)
    hub = try MemoryReplica(seed: 9)
    hub.takesGaps = false
    for replica in [original, clone] {
      replica.rangeEvents = 100
      try replica.write("in common")
    }
    try original.write("in the original")
    try clone.write("in the clone")
    held = original.knowledge()[original.replica]?.through ?? 0
    for number in 0..<5 { try clone.write("more \(number)") }
    var session = SyncSession()
    _ = try sync(original, with: hub, session: &session)
    #expect(hub.knowledge()[original.replica]?.through == held)
  }

  /// Returns the hub's refusals of a push of the clone's events that begins where the hub's events
  /// end.
  private func refusals(
    report: KnowledgeReport, rangeEvents: Int = 100, saysChain: Bool = false,
    change: (inout EventRange) -> Void = { _ in }
  ) throws -> [RangeRefusal] {
    clone.rangeEvents = rangeEvents
    var ranges: [EventRange] = []
    let through = try #require(clone.knowledge()[clone.replica]?.through)
    var after = held
    while after < through {
      var range = try #require(
        try clone.range(of: clone.replica, after: after, through: through, hasGap: saysChain))
      after = range.last
      change(&range)
      ranges.append(range)
    }
    let before = hub.held
    let response = try SyncResponder().respond(
      to: SyncRequest(
        zone: clone.zone, replica: clone.replica, answerBytes: 1000, report: report,
        ranges: ranges),
      hub)
    #expect(hub.held == before)
    return response.refusals
  }

  private var fork: RangeRefusal {
    RangeRefusal(
      .fork, EventID(original.replica, held),
      tag: hub.chain(after: EventID(original.replica, held)).map(ChainTag.init))
  }

  @Test("a push is refused as a fork if its report shows another chain")
  func reportOfOtherChain() throws {
    let report = KnowledgeReport.entries(mask: .max, clone.knowledge())
    #expect(try refusals(report: report) == [fork])
    // The same holds for several ranges.
    #expect(try refusals(report: report, rangeEvents: 2) == [fork])
  }

  @Test("a push is refused as a fork if its report shows another chain beyond a gap")
  func reportBeyondGap() throws {
    let entry = try #require(clone.knowledge()[clone.replica])
    var known = Knowledge()
    known[clone.replica] = .init(.init(held + 1...entry.through, try #require(entry.tag)))
    #expect(try refusals(report: .entries(mask: .max, known)) == [fork])
    #expect(try refusals(report: .entries(mask: .max, known), rangeEvents: 2) == [fork])
  }

  @Test("a range that is signed on another chain is refused as a fork")
  func rangeOnOtherChain() throws {
    let report = KnowledgeReport.digest(clone.knowledge().digest)
    #expect(try refusals(report: report, saysChain: true) == [fork])
  }

  @Test("a range of another branch is refused for its signature if nothing proves a fork")
  func missingEvidence() throws {
    let report = KnowledgeReport.digest(clone.knowledge().digest)
    #expect(try refusals(report: report).map(\.code) == [.badSignature])
    // A chain value that is not signed proves nothing.
    let forged = try refusals(report: report, saysChain: true) { $0.signature[3] ^= 1 }
    #expect(forged.map(\.code) == [.badSignature])
    let claimed = try refusals(report: report, saysChain: true) { $0.chainBefore = .zero }
    #expect(claimed.map(\.code) == [.badSignature])
  }

  @Test("a wrong signature on the same history is no fork")
  func wrongSignature() throws {
    let same = try MemoryReplica(seed: 1)
    same.rangeEvents = 100
    same.events = original.events
    try same.write("further")
    var range = try #require(
      try same.range(of: same.replica, after: held, through: held + 1, hasGap: true))
    range.signature[3] ^= 1
    let response = try SyncResponder().respond(
      to: SyncRequest(
        zone: same.zone, replica: same.replica, answerBytes: 1000,
        report: .entries(mask: .max, same.knowledge()), ranges: [range]),
      hub)
    #expect(response.refusals.map(\.code) == [.badSignature])
  }

  @Test("a session of the clone ends with the refusal of a fork")
  func forkInSession() throws {
    var session = SyncSession()
    let before = hub.held
    _ = try sync(clone, with: hub, session: &session)
    #expect(session.refusals[clone.replica]?.code == .fork)
    #expect(hub.held == before)
  }
}
