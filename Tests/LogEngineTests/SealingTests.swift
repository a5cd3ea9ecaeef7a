import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

@Suite struct SealingTests {
  @Test("sealing joins small frames, keeps every event byte for byte, and saves space")
  func joins() throws {
    let machine = LogMachine()
    var a = try Author(1)
    var b = try Author(2)
    let (log, _) = try machine.open()
    for i in 0..<60 {
      if i % 3 == 0 { try log.commit(try b.frame(1)) } else { try log.commit(try a.frame(2)) }
    }
    let before = log.durableEnd.offset
    try seal(log)
    let snapshot = log.snapshot()
    #expect(snapshot.entries.count == 2)
    #expect(log.durableEnd.offset < before / 2)
    #expect(UInt64(machine.size(segment1)) == log.durableEnd.offset)
    try expectEvents(log, [a, b])
    let (again, report) = try reopened(log, machine)
    #expect(report == RecoveryReport())
    #expect(try again.segments.map(\.isSealed) == [true])
    #expect(try again.segments.first?.events == 100)
    try expectEvents(again, [a, b])
    #expect(try again.verify().isSound)
  }

  @Test("of the heads in one sealed frame, the last stays, and the frame ends there")
  func cutsAtLastHead() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    var heads: [Head] = []
    for i in 1...30 {
      try log.lock()
      try log.append(try author.frame(3))
      if i % 7 == 0 {
        heads.append(try author.head())
        try log.append(try author.head())
      }
      try log.sync()
      log.unlock()
    }
    let before = log.snapshot()
    try seal(log)
    let snapshot = log.snapshot()
    #expect(snapshot.entries.map(\.sequences) == [1...84, 85...90])
    let last = try #require(heads.last)
    let entry = try #require(snapshot.entry(containing: last.event))
    #expect(try snapshot.frame(at: entry).header.chain == last.chain)
    #expect(try snapshot.heads(of: author.origin) == [last])
    #expect(try snapshot.closingHead(of: author.origin, in: 1...90, atMost: 40) == last)
    for head in heads { #expect(try snapshot.chain(after: head.event) == head.chain) }
    #expect(try before.heads(of: author.origin) == heads)
    let (again, _) = try reopened(log, machine)
    #expect(try again.snapshot().heads(of: author.origin) == [last])
    #expect(try again.verify().isSound)
  }

  @Test("each sealed frame ends at a head if one lies in it")
  func headsOfManyFrames() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open(LogMachine.options { $0.sealBatchBytes = 4000 })
    var heads: [UInt64: Head] = [:]
    for i in 1...60 {
      try log.lock()
      try log.append(try author.frame(1, size: 500))
      if i % 3 == 0 {
        let head = try author.head()
        heads[head.event.sequence] = head
        try log.append(head)
      }
      try log.sync()
      log.unlock()
    }
    try seal(log)
    let snapshot = log.snapshot()
    #expect(snapshot.entries.allSatisfy { $0.rawLength <= 4000 })
    let ends = snapshot.entries.map(\.lastSequence)
    #expect(ends.allSatisfy { $0 % 3 == 0 })
    #expect(ends.count < 15)
    #expect(try snapshot.heads(of: author.origin) == ends.compactMap { heads[$0] })
    try expectEvents(log, [author])
    #expect(try log.verify().isSound)
  }

  @Test("a head stays if the next one is for another zone")
  func zones() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let zones = [0, 0, 1, 1, 0].map { [UInt8](repeating: $0, count: 16) }
    for zone in zones {
      try log.lock()
      try log.append(try author.frame(1))
      try log.append(
        try Head(
          zone: zone, sequence: author.next - 1, chain: author.chain.value, by: author.identity))
      try log.sync()
      log.unlock()
    }
    try seal(log)
    let snapshot = log.snapshot()
    #expect(try snapshot.heads(of: author.origin).map(\.event.sequence) == [2, 4, 5])
    #expect(
      try snapshot.closingHead(of: author.origin, in: 1...5, zone: zones[2])?.event.sequence == 5)
    #expect(try log.verify().isSound)
  }

  @Test("a head within a frame cuts the frame if its chain value is right, and not otherwise")
  func cutsWithinFrames() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let before = author.chain
    var events = [author.event(), author.event()]
    let head = try author.head()
    events += [author.event(), author.event()]
    let lie = try Head(
      zone: head.zone, sequence: 3, chain: Hash256.sha256(of: [1]), by: author.identity)
    try log.lock()
    try log.append(
      try Frame(origin: author.origin, firstSequence: 1, events: events, chainBefore: before))
    try log.append(head)
    try log.append(lie)
    try log.sync()
    #expect(try log.seal() == .rewritten)
    log.unlock()
    #expect(log.snapshot().entries.map(\.sequences) == [1...2, 3...4])
    #expect(log.snapshot().heads.count == 2)
    #expect(try log.verify().findings.count == 1)
    try expectEvents(log, [author])
  }

  @Test("large frames are copied as they are")
  func copiesLarge() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let frames = [
      try author.frame(2), try author.frame(3, size: 40_000, isNoise: true), try author.frame(1),
      try author.frame(1),
    ]
    for frame in frames { try log.commit(frame) }
    try seal(log)
    let snapshot = log.snapshot()
    #expect(snapshot.entries.map(\.sequences) == [1...2, 3...5, 6...7])
    #expect(try snapshot.frame(at: snapshot.entries[1]) == frames[1])
  }

  @Test("no sealed frame that was joined exceeds the batch size")
  func batchSize() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open(LogMachine.options { $0.sealBatchBytes = 4000 })
    for _ in 0..<50 { try log.commit(try author.frame(1, size: 500)) }
    try seal(log)
    #expect(log.snapshot().entries.count > 5)
    for entry in log.snapshot().entries { #expect(entry.rawLength <= 4000) }
    try expectEvents(log, [author])
  }

  @Test("a full segment is sealed, and another is begun")
  func rolls() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let options = LogMachine.options { $0.segmentBytes = 6000 }
    let (log, _) = try machine.open(options)
    for _ in 0..<60 {
      try log.lock()
      try log.append(try author.frame(2, size: 200, isNoise: true))
      try log.sync()
      try log.rollIfNeeded()
      log.unlock()
    }
    #expect(try log.segments.count > 2)
    #expect(try !log.segments.dropLast().map(\.isSealed).contains(false))
    try expectEvents(log, [author])
    machine.kill()
    let (again, report) = try machine.open(options)
    #expect(report.isClean)
    try expectEvents(again, [author])
    let verification = try again.verify()
    #expect(verification.isSound)
    #expect(verification.events == 120)
    #expect(verification.bytesCovered == verification.bytesTotal)
  }

  @Test("closing seals a segment that is large enough, and the next event begins another")
  func sealsOnClose() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let options = LogMachine.options { $0.sealOnCloseBytes = 1000 }
    var (log, _) = try machine.open(options)
    try log.commit(try author.frame(1))
    try log.close()
    (log, _) = try machine.open(options)
    #expect(try log.segments.map(\.isSealed) == [false])
    try log.commit(try author.frame(20, size: 400, isNoise: true))
    try log.close()
    (log, _) = try machine.open(options)
    #expect(try log.segments.map(\.isSealed) == [true])
    #expect(machine.names == [segment1, "log/mark"])
    try log.commit(try author.frame(1))
    #expect(machine.names.contains(segment2))
    try expectEvents(log, [author])
  }

  @Test("a segment on a full disk is sealed in place, and the log is not poisoned")
  func inPlace() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<10 { try log.commit(try author.frame(2)) }
    try log.lock()
    machine.disk.inject(.noSpace, at: .next(.write, 1))
    guard case .inPlace(let cause) = try log.seal() else {
      Issue.record("not sealed in place")
      return
    }
    #expect(cause.code == .noSpace)
    log.unlock()
    #expect(try log.segments.map(\.isSealed) == [true])
    #expect(log.snapshot().entries.count == 10)
    #expect(!machine.names.contains { $0.hasSuffix("unfinished") })
    try log.commit(try author.frame(2))
    let (again, report) = try reopened(log, machine)
    #expect(report == RecoveryReport())
    #expect(try again.segments.map(\.isSealed) == [true, false])
    try expectEvents(again, [author])
    #expect(try again.verify().isSound)
  }

  @Test("a seal that fails for lack of room loses nothing, and succeeds later")
  func fails() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<10 { try log.commit(try author.frame(2)) }
    try log.lock()
    machine.disk.inject(.noSpace, at: .next(.write, 1))
    machine.disk.inject(.noSpace, at: .next(.write, 2))
    guard case .failed = try log.seal() else {
      Issue.record("the seal did not fail")
      return
    }
    log.unlock()
    try log.commit(try author.frame(2))
    try expectEvents(log, [author])
    #expect(try log.verify().isSound)
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.damage.isEmpty)
    try expectEvents(again, [author])
    try seal(again)
    #expect(try !again.segments.map(\.isSealed).contains(false))
    try expectEvents(again, [author])
    #expect(try again.verify().isSound)
  }

  /// The next segment names the end of the sealed file, and recovery cut the original file there:
  /// acknowledged events were lost, or damage was reported.
  @Test(
    "a seal whose new name may be lost loses nothing, even if another segment is begun",
    arguments: 0..<100 as Range<UInt64>)
  func unsyncedName(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<10 { try log.commit(try author.frame(2)) }
    try log.lock()
    machine.disk.inject(.ioFailed, at: .next(.syncFolder, 1))
    #expect(try log.seal() == .rewritten)
    machine.disk.inject(.powerLoss, at: .next(.syncFolder, 1))
    var next = author
    let frame = try next.frame(2)
    #expect(throws: LogError.self) { try log.append(frame) }
    machine.disk.loseAndRestorePower()
    let (again, report) = try machine.open()
    #expect(report.damage.isEmpty, "\(report)")
    #expect(report.tornTail == nil, "\(report)")
    try expectEvents(again, [author])
    try again.commit(frame)
    #expect(try again.verify().isSound)
    try expectEvents(again, [next])
  }

  @Test(
    "a sealed copy that reads back differently does not replace the segment",
    arguments: 0..<20 as Range<UInt64>)
  func readsBack(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    for i in 0..<10 {
      try log.lock()
      try log.append(try author.frame(2))
      if i % 3 == 0 { try log.append(try author.head()) }
      try log.sync()
      log.unlock()
    }
    try log.lock()
    machine.disk.inject(.silentCorruption, at: .next(.write, 1))
    guard case .inPlace(let cause) = try log.seal() else {
      Issue.record("a bit rotted on the way to the disk, and nobody noticed")
      return
    }
    #expect(cause.code != .damaged)
    log.unlock()
    try expectEvents(log, [author])
    #expect(try log.verify().isSound)
  }

  @Test("a damaged segment is not sealed, and is left as it is")
  func damagedSource() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<10 { try log.commit(try author.frame(2)) }
    let before = machine.disk.files[segment1]
    // A rotten source: one durable record changes between commit and seal.
    machine.disk.tamper(segment1) { $0[200] ^= 1 }
    try log.lock()
    guard case .failed(let error) = try log.seal() else {
      Issue.record("a damaged segment was sealed")
      return
    }
    #expect(error.code == .damaged)
    log.unlock()
    machine.disk.tamper(segment1) { $0[200] ^= 1 }
    #expect(machine.disk.files[segment1]?.prefix(1000) == before?.prefix(1000))
  }

  @Test("a damaged trailer or footer of a sealed segment is reported, and its events stay readable")
  func damagedFooter() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<10 { try log.commit(try author.frame(2)) }
    try seal(log)
    try log.close()
    let size = machine.size(segment1)
    for offset in [1, 8, 16, 17, 30, 50].map({ size - $0 }) {
      let copy = LogMachine(machine.disk.copy(seed: 1))
      copy.disk.tamper(segment1) { $0[offset] ^= 2 }
      let (again, report) = try copy.open()
      #expect(!report.damage.isEmpty)
      try expectEvents(again, [author])
      expect(.damaged) { try again.commit(try author.copyFrame()) }
    }
  }

  private func seal(_ log: EventLog) throws {
    try log.lock()
    defer { log.unlock() }
    #expect(try log.seal() == .rewritten)
  }

  private func expectEvents(_ log: EventLog, _ authors: [Author]) throws {
    for author in authors { #expect(try log.events(of: author.origin) == author.events) }
  }
}
