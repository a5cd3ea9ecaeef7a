import DaybookEventCore
import DaybookFrames
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookPeers

/// Findings of the simulation of replication, with one test each.
@Suite struct SyncFindingTests {
  private let zone = ZoneID(bytes: Array(repeating: 5, count: 16))

  private func identity(_ byte: UInt8) throws -> Identity {
    try Identity(seed: Array(repeating: byte, count: 32))
  }

  private func log(_ disk: SimulatedDisk) throws -> EventLog {
    let salts = SaltSource(seed: 1)
    var options = EventLog.Options { salts.next() }
    options.lockTimeout = .zero
    return try EventLog.open(
      storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options
    ).log
  }

  /// Returns a range of the first events of an origin, with a frame for each.
  private func range(_ author: Identity, events: Int) throws -> EventRange {
    var chain = Chain(origin: author.id)
    var frames: [EventRange.Packed] = []
    for sequence in 1...events {
      let body = Body(
        operations: sequence == 1
          ? [.identity(IdentityClaim(author))] : [.delete(collection: "c", id: "\(sequence)")])
      let envelope = Envelope(
        kind: sequence == 1 ? .identity : .transaction,
        authored: HybridTime(milliseconds: Int64(sequence)))
      let frame = try Frame(
        origin: author.id, firstSequence: UInt64(sequence),
        events: [EncodedEvent(envelope, body)], chainBefore: chain)
      chain = Chain(value: frame.header.chain)
      frames.append(.init(frame))
    }
    let head = try Head(
      zone: zone.bytes, sequence: UInt64(events), chain: chain.value, by: author)
    return EventRange(
      origin: author.id, first: 1, chainBefore: nil, frames: frames, isZoneless: false,
      signature: head.signature)
  }

  private func judged(_ range: EventRange, _ log: EventLog) throws -> CheckedRange? {
    let replica = JudgingReplica(log, zone)
    var check = RangeCheck(replica, knowledge: try replica.knowledge())
    guard case .take(let checked) = try check.judge(range) else { return nil }
    return checked
  }

  private func ingest(
    _ range: CheckedRange, _ log: EventLog, as replica: ReplicaID? = nil,
    renew: () throws -> Void = {}
  ) throws {
    try log.lock()
    defer { log.unlock() }
    let replica = replica ?? ReplicaID(high: 1, low: 2)
    try log.ingest([range], as: replica, renew: renew) { _ in }
  }

  /// Returns the last event of an author that a log can offer from the first on.
  private func offered(_ log: EventLog, _ author: Identity) throws -> UInt64 {
    try RangeReader(snapshot: log.snapshot(), zone: zone, identity: nil)
      .range(of: author.id, after: 0, through: .max, hasGap: false)?.last ?? 0
  }

  @Test("a crash leaves no stored event that cannot be offered", arguments: [1, 3])
  func crashWhileStoring(events: Int) throws {
    let author = try identity(3)
    let range = try range(author, events: events)
    var calls = 0
    for call in 1...200 {
      let disk = SimulatedDisk(seed: UInt64(call))
      var log = try log(disk)
      var checked = try #require(try judged(range, log))
      disk.inject(.powerLoss, at: .call(call))
      let isDone = (try? ingest(checked, log)) != nil
      guard !isDone || disk.isOff else { break }
      calls = call
      // The process dies, and written bytes stay.
      disk.revive()
      disk.killProcess()
      log = try self.log(disk)
      let held = log.vector[author.id]
      #expect(held == 0 || held == events, "the process died at call \(call)")
      #expect(try offered(log, author) == held, "the process died at call \(call)")
      #expect(try log.verify().isSound)
      guard held == 0 else { continue }
      // What was cut off is stored again, and a power failure tears it again.
      checked = try #require(try judged(range, log))
      disk.inject(.powerLoss, at: .call(1 + call % 12))
      try? ingest(checked, log)
      disk.loseAndRestorePower()
      log = try self.log(disk)
      #expect(try offered(log, author) == log.vector[author.id], "the power failed after \(call)")
    }
    #expect(calls > 5)
  }

  @Test("a crash cuts off a part of what fills a gap, though its head is there already")
  func crashWhileFilling() throws {
    let author = try identity(3)
    let range = try range(author, events: 4)
    var cut = 0
    for call in 1...200 {
      let disk = SimulatedDisk(seed: UInt64(call))
      var log = try log(disk)
      let whole = try #require(try judged(range, log))
      try log.lock()
      try log.append(whole.head)
      try log.append(whole.frames[3])
      try log.sync()
      log.unlock()
      let filling = try #require(try judged(range, log))
      #expect(filling.frames.count == 3)
      disk.inject(.powerLoss, at: .call(call))
      let isDone = (try? ingest(filling, log)) != nil
      guard !isDone || disk.isOff else { break }
      disk.revive()
      disk.killProcess()
      let (again, report) = try EventLog.open(
        storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: .init { 7 })
      log = again
      if report.tornTail != nil { cut += 1 }
      #expect([0, 4].contains(log.vector[author.id]), "the process died at call \(call)")
      #expect(log.ranges[author.id]?.contains(4) == true)
      #expect(try offered(log, author) == log.vector[author.id])
    }
    #expect(cut > 1)
  }

  @Test("a process cuts off the part of a range that another left when it died")
  func otherProcessDies() throws {
    let author = try identity(3)
    let range = try range(author, events: 3)
    var cut = 0
    for call in 1...200 {
      let disk = SimulatedDisk(seed: UInt64(call))
      let (dying, living) = (try log(disk), try log(disk))
      // Both know the segment, so that the living one reads only what is new.
      let earlier = try #require(try judged(try self.range(try identity(4), events: 1), dying))
      try ingest(earlier, dying)
      try living.lock()
      living.unlock()
      let checked = try #require(try judged(range, dying))
      disk.inject(.powerLoss, at: .call(call))
      let isDone = (try? ingest(checked, dying)) != nil
      guard !isDone || disk.isOff else { break }
      disk.revive()
      try living.lock()
      let held = living.vector[author.id]
      living.unlock()
      #expect(held == 0 || held == 3, "the process died at call \(call)")
      if held == 0 {
        cut += 1
        try ingest(try #require(try judged(range, living)), living)
      }
      #expect(living.vector[author.id] == 3)
      #expect(try offered(living, author) == 3)
      #expect(try living.verify().isSound)
    }
    #expect(cut > 1)
  }

  @Test("events that no head closes are not reported until one arrives")
  func eventsWithoutHead() throws {
    let author = try identity(3)
    let range = try range(author, events: 3)
    let disk = SimulatedDisk(seed: 1)
    var log = try log(disk)
    let whole = try #require(try judged(range, log))
    let short = try #require(try judged(try self.range(author, events: 1), log))
    try ingest(short, log)
    // A copy of the author with another key has the events so.
    try log.lock()
    for frame in whole.frames.dropFirst() { try log.append(frame) }
    try log.sync()
    log.unlock()
    let replica = LogReader(log)
    #expect(log.vector[author.id] == 3)
    #expect(try replica.knowledge(signer: author.id)[author.id]?.through == 3)
    #expect(try replica.knowledge(signer: nil)[author.id]?.through == 1)
    // A peer sends the other events with a head.
    let closing = try #require(try judged(range, log))
    #expect(closing.frames.isEmpty)
    try ingest(closing, log, as: author.id) { Issue.record("nothing of it is new") }
    #expect(try replica.knowledge(signer: nil)[author.id]?.through == 3)
    try log.close()
    log = try self.log(disk)
    #expect(try LogReader(log).knowledge(signer: nil)[author.id]?.through == 3)
  }

  @Test("a head of a branch that a crash removed closes no events")
  func headOfLostBranch() throws {
    let author = try identity(3)
    let log = try log(SimulatedDisk(seed: 1))
    let other = try Head(
      zone: zone.bytes, sequence: 2, chain: Chain(origin: author.id).value, by: author)
    try log.lock()
    try log.append(other)
    log.unlock()
    try ingest(try #require(try judged(try range(author, events: 3), log)), log)
    let reader = RangeReader(snapshot: log.snapshot(), zone: zone, identity: nil)
    #expect(try reader.range(of: author.id, after: 0, through: 2, hasGap: false) == nil)
    #expect(try reader.range(of: author.id, after: 0, through: 3, hasGap: false)?.last == 3)
    #expect(try LogReader(log).knowledge(signer: nil)[author.id]?.through == 3)
  }

  @Test("a range of which a part was stored meanwhile is left out")
  func overtakenRange() throws {
    let author = try identity(3)
    let log = try log(SimulatedDisk(seed: 1))
    let long = try range(author, events: 4)
    let judgedLong = try #require(try judged(long, log))
    let judgedShort = try #require(try judged(try range(author, events: 2), log))
    try ingest(judgedShort, log)
    // The long range was checked before the short one was stored.
    try ingest(judgedLong, log)
    #expect(log.vector[author.id] == 2)
    try ingest(try #require(try judged(long, log)), log)
    #expect(log.vector[author.id] == 4)
    #expect(try log.verify().isSound)
  }

  @Test("a replica that gets its own lost events back renews its identity first")
  func renewalFirst() throws {
    let author = try identity(3)
    let log = try log(SimulatedDisk(seed: 1))
    var renewals = 0
    try ingest(try #require(try judged(try range(author, events: 2), log)), log, as: author.id) {
      renewals += 1
      #expect(log.vector[author.id] == 0)
    }
    #expect(renewals == 1 && log.vector[author.id] == 2)
  }

  @Test("a restored hub passes on the events of its former identity")
  func restoredHub() async throws {
    let place = SyncPlace()
    defer { place.remove() }
    let first = try place.zone("first")
    let before = first.replica
    try first.close()
    let restored = place.folder.appending(path: "restored")
    try FileManager.default.copyItem(at: first.folder, to: restored)
    try FileManager.default.removeItem(at: restored.appending(path: "identity.key"))
    let second = try place.zone("restored")
    #expect(second.replica != before)
    let a = try await place.store("a")
    try await a.syncOnce(with: ZonePeer(second))
    #expect(a.core.log.vector == second.log.vector)
    #expect(a.core.log.vector[before] == 1)
    try await a.close()
    try second.close()
  }
}

/// The part of a replica that the check of a range needs.
private final class JudgingReplica: LoggedReplica {
  let log: EventLog
  let reader: LogReader
  let zone: ZoneID

  init(_ log: EventLog, _ zone: ZoneID) {
    self.log = log
    reader = LogReader(log)
    self.zone = zone
  }

  var replica: ReplicaID { ReplicaID(high: 1, low: 2) }
  var takesGaps: Bool { true }
  var authority: [UInt8]? { nil }

  var signer: Identity? { nil }

  func store(_ ranges: [CheckedRange]) throws {}
  func adopt(_ zone: ZoneID) throws {}
}
