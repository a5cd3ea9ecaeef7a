import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// Findings of the campaign of the log (`Tools/simulate log`), with one test each.
@Suite struct CampaignFindingTests {
  @Test("abandoned records do not come back after a power failure", arguments: 0..<40)
  func abandoned(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.append(try author.copyOfNext(1, size: 900))
    try log.append(try Author(2).copyFrame())
    try log.abandon()
    log.unlock()
    machine.disk.loseAndRestorePower()
    let (again, _) = try machine.open()
    #expect(try again.events(of: author.origin) == author.events)
    #expect(again.vector.count == 1)
  }

  @Test("a write that never arrived is found by the next process, which overwrites nothing")
  func lostWrite() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (other, _) = try machine.open()
    let start = Int(log.durableEnd.offset)
    try log.commit(try author.frame(2))
    let end = Int(log.durableEnd.offset)
    try log.commit(try author.frame(2))
    // The disk wrote elsewhere, so the reserved space still has zeros.
    let file = try SimulatedStorage(machine.disk).open(segment1, .readWrite)
    try file.write([UInt8](repeating: 0, count: end - start), at: UInt64(start))
    expect(.damaged) { try other.commit(try author.copyFrame()) }
    #expect(other.damage.first?.segment == 1)
    #expect(other.damage.first?.offset == UInt64(start))
  }

  @Test("a reader reports no damage for records that only the mark does not cover")
  func readerBehindMark() throws {
    let scene = try Scene(commits: 3)
    try scene.setMark(afterCommit: 1)
    let reading = LogMachine.options { $0.isReadOnly = true }
    let (log, report) = try scene.machine.open(reading, applied: scene.vector(6))
    #expect(report.damage.isEmpty)
    #expect(log.vector == scene.vector(4) || log.vector == scene.vector(2))
    let lost = try scene.machine.open(reading, applied: scene.vector(7)).report
    #expect(lost.damage.map(\.events) == [.init(scene.author.origin, 7...7)])
  }

  @Test("an unreadable lock file does not keep a reader from later events")
  func unreadableLockFile() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let options = LogMachine.options { $0.segmentBytes = 100 }
    let (log, _) = try machine.open(options)
    try log.commit(try author.frame(2))
    let (reader, _) = try machine.open(options)
    try log.commit(try author.frame(2))
    try log.lock()
    try log.rollIfNeeded()
    log.unlock()
    let bytes = machine.disk.files["lock"] ?? []
    machine.disk.put("lock", bytes.map { $0 ^ 0x5A })
    try reader.refreshForReading()
    #expect(try reader.events(of: author.origin) == author.events)
  }

  @Test("a process that failed to reload the log reloads it the next time")
  func failedReload() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (other, _) = try machine.open()
    try log.lock()
    try log.append(try author.frame(2))
    try log.seal()
    log.unlock()
    machine.disk.inject(.ioFailed, at: .next(.list, 1))
    expect(.ioFailed) { try other.lock() }
    try other.commit(try author.frame(2))
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.isClean)
    #expect(try again.events(of: author.origin) == author.events)
  }

  @Test("a generation that could not be written is not used twice")
  func failedGeneration() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let (other, _) = try machine.open()
    // The first call reads the state; the second writes it before the first segment is renamed.
    machine.disk.inject(.ioFailed, at: .next(.lockState, 2))
    expect(.ioFailed) { try log.commit(try author.copyFrame()) }
    try other.commit(try author.frame(2))
    try log.lock()
    #expect(log.vector[author.origin] == 2)
    log.unlock()
  }

  @Test("recovery from a failure rewrites a torn mark even if nothing else is left to repair")
  func tornMarkAfterFailure() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.seal()
    log.unlock()
    machine.kill()
    var state = try SimulatedLock(machine.disk).readState()
    state.isPoisoned = true
    try SimulatedLock(machine.disk).writeState(state)
    machine.disk.tamper("log/mark") { $0[3] ^= 1 }
    let (again, report) = try machine.open()
    #expect(report.recoveredFromFailure)
    #expect(try again.verify().isSound)
  }

  @Test(
    "a mark whose creation was interrupted is durable once the log has opened",
    arguments: 1...4)
  func interruptedMark(call: Int) throws {
    for seed in 0..<20 as Range<UInt64> {
      let machine = LogMachine(seed: seed)
      var author = try Author(1)
      let first: SimulatedDisk.Moment =
        call < 4 ? .next([.write, .truncate, .sync][call - 1], 1) : .next(.syncFolder, 1)
      machine.disk.inject(.ioFailed, at: first)
      expect(.ioFailed) { _ = try machine.open() }
      let (log, _) = try machine.open()
      try log.commit(try author.frame(2))
      try log.lock()
      try log.append(try author.copyOfNext(2, size: 900))
      machine.disk.loseAndRestorePower()
      let report = try machine.open().report
      #expect(!report.mustRenewIdentity, "seed \(seed): \(report)")
    }
  }

  @Test("the mark does not refer to a sealed file before its name is durable", arguments: 0..<20)
  func sealedName(seed: UInt64) throws {
    for opensAgain in [true, false] {
      let machine = LogMachine(seed: seed)
      var author = try Author(1)
      let (log, _) = try machine.open()
      try log.commit(try author.frame(2))
      try log.lock()
      machine.disk.inject(.ioFailed, at: .next(.syncFolder, 1))
      #expect(try log.seal() == .rewritten)
      log.unlock()
      if opensAgain { _ = try machine.open() } else { try log.close() }
      machine.disk.loseAndRestorePower()
      let (again, report) = try machine.open()
      #expect(report.damage.isEmpty)
      #expect(try again.events(of: author.origin) == author.events)
    }
  }

  @Test("a reader that opened the log before it had a mark sees later events")
  func readerBeforeMark() throws {
    let scene = try Scene(commits: 1)
    try scene.setMark(afterCommit: nil)
    let (reader, _) = try scene.machine.open(LogMachine.options { $0.isReadOnly = true })
    let (log, _) = try scene.machine.open()
    var author = scene.author
    try log.commit(try author.frame(2))
    try reader.refreshForReading()
    #expect(try reader.events(of: author.origin) == author.events)
  }

  @Test("a segment first seen without the lock is made durable before it is written to")
  func seenWithoutLock() throws {
    for seed in 0..<20 as Range<UInt64> {
      let machine = LogMachine(seed: seed)
      var author = try Author(1)
      let (dying, _) = try machine.open()
      try dying.commit(try author.frame(2))
      try dying.lock()
      try dying.seal()
      dying.unlock()
      let (log, _) = try machine.open()
      machine.disk.inject(.powerLoss, at: .next(.syncFolder, 1))
      _ = try? dying.commit(try author.copyFrame())
      machine.disk.revive()
      machine.disk.clearFailures()
      try log.refreshForReading()
      try log.commit(try author.frame(2))
      machine.disk.loseAndRestorePower()
      let (again, report) = try machine.open()
      #expect(report.damage.isEmpty, "seed \(seed): \(report)")
      #expect(try again.events(of: author.origin) == author.events)
    }
  }

  @Test("a failed fsync of a footer stops every process")
  func failedFooter() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (other, _) = try machine.open()
    try log.lock()
    // The first sync is of the copy, and the second of the footer.
    machine.disk.inject(.ioFailed, at: .next(.sync, 1))
    machine.disk.inject(.ioFailed, at: .next(.sync, 2))
    guard case .failed = try log.seal() else {
      Issue.record("the seal went well")
      return
    }
    log.unlock()
    expect(.poisoned) { try other.commit(try author.copyFrame()) }
    expect(.poisoned) { try log.commit(try author.copyFrame()) }
    let (again, report) = try machine.open()
    #expect(report.recoveredFromFailure)
    try again.commit(try author.frame(2))
    #expect(try again.events(of: author.origin) == author.events)
    #expect(try again.verify().isSound)
  }

  @Test("a segment before a missing one is not cut at the end of the missing one")
  func beforeMissing() throws {
    let machine = LogMachine()
    var author = try Author(1)
    try machine.open().log.commit(try author.frame(2, size: 400, isNoise: true))
    for _ in 0..<2 {
      // Each failed fsync begins another segment, and leaves one that is not sealed.
      let (log, _) = try machine.open()
      try log.lock()
      try log.append(try author.frame(1, size: 20))
      machine.disk.inject(.ioFailed, at: .next(.sync, 1))
      expect(.poisoned) { try log.sync() }
      log.unlock()
      _ = try machine.open()
    }
    machine.disk.removeFile(segment2)
    machine.kill()
    let (damaged, report) = try machine.open()
    #expect(report.damage.contains { $0.segment == 2 })
    #expect(damaged.vector[author.origin] >= 2)
    #expect(try !damaged.verify().isSound)
  }

  @Test("a sealed segment that is cut between two records is damaged")
  func cutAtRecord() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.seal()
    log.unlock()
    try log.commit(try author.frame(2))
    machine.kill()
    machine.disk.tamper(segment1) { $0.removeSubrange(SegmentHeader.size...) }
    let (_, report) = try machine.open()
    #expect(report.damage.map(\.segment) == [1])
  }

  @Test("a failed takeover of a tail does not cut records that another process made durable")
  func failedTakeover() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (dying, _) = try machine.open()
    try dying.commit(try author.frame(2))
    let (log, _) = try machine.open()
    let (other, _) = try machine.open()
    try dying.lock()
    try dying.append(try author.frame(2))
    machine.disk.releaseLock()
    // The tail that is found is written again before it is made durable.
    machine.disk.inject(.ioFailed, at: .next(.read, 4))
    expect(.ioFailed) { try log.lock() }
    try other.commit(try author.frame(1))
    try log.lock()
    try log.append(try author.copyFrame())
    try log.abandon()
    log.unlock()
    #expect(try log.events(of: author.origin) == author.events)
    machine.kill()
    #expect(try machine.open().log.events(of: author.origin) == author.events)
  }

  @Test(
    "pages that a failed fsync marked clean are written again before they count",
    arguments: 0..<40)
  func cleanPages(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.append(try author.frame(4, size: 600, isNoise: true))
    // The disk takes no more writes, so that no other process is told.
    machine.disk.injectForGood(.ioFailed, from: 1)
    expect(.poisoned) { try log.sync() }
    log.unlock()
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.completedEvents == 4)
    #expect(try again.events(of: author.origin) == author.events)
    machine.disk.loseAndRestorePower()
    let (last, second) = try machine.open()
    #expect(second.damage.isEmpty)
    #expect(try last.events(of: author.origin) == author.events)
  }

  @Test("a tail that a process was cutting when it died does not come back", arguments: 0..<100)
  func cutByTheDead(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (dying, _) = try machine.open()
    try dying.commit(try author.frame(2))
    let (other, _) = try machine.open()
    try dying.lock()
    try dying.append(try author.copyFrame())
    machine.disk.inject(.powerLoss, at: .next(.sync, 1))
    dying.unlock()
    machine.disk.revive()
    machine.disk.clearFailures()
    if seed % 2 == 0 {
      _ = try machine.open()
    } else {
      try other.lock()
      other.unlock()
    }
    machine.disk.loseAndRestorePower()
    let (again, _) = try machine.open()
    #expect(try again.events(of: author.origin) == author.events)
  }

  @Test("closing on a full disk does not set the mark back", arguments: 0..<200)
  func markOnClosing(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0...seed % 2 { try log.commit(try author.frame(2)) }
    machine.disk.inject(.noSpace, at: .next(.write, 1 + Int(seed / 2 % 2)))
    expect(.noSpace) { try log.close() }
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    #expect(try reader.events(of: author.origin) == author.events)
  }

  @Test(
    "a reader does not show events of a segment whose name may not be durable",
    arguments: 0..<20)
  func readerBeforeName(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    try log.lock()
    // Each record says that the record before it is durable, once it is in the log.
    for _ in 0..<3 { try log.append(try author.frame(1, size: 700, isNoise: true)) }
    machine.disk.inject(.ioFailed, at: .next(.sync, 1))
    expect(.poisoned) { try log.sync() }
    log.unlock()
    // The first sync is of the quarantine, and the second of the log.
    machine.disk.inject(.powerLoss, at: .next(.syncFolder, 2))
    expect(.ioFailed) { _ = try machine.open() }
    machine.disk.revive()
    machine.disk.clearFailures()
    try reader.refreshForReading()
    let seen = try reader.events(of: author.origin)
    #expect(seen.count >= 2)
    machine.disk.loseAndRestorePower()
    #expect(try machine.open().log.events(of: author.origin).starts(with: seen))
  }
}
