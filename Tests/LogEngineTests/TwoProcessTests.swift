import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

/// Two logs on one folder, as two processes have them.
@Suite struct TwoProcessTests {
  @Test("commits of two processes interleave, and none is lost", arguments: 0..<20 as Range<UInt64>)
  func interleave(seed: UInt64) throws {
    let machine = LogMachine(seed: seed)
    let options = LogMachine.options { $0.segmentBytes = 3000 }
    var logs = [try machine.open(options).log, try machine.open(options).log]
    var authors = [try Author(1), try Author(2)]
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let who = Int(random.next() % 2)
      switch random.next() % 12 {
      case 0:
        try logs[who].close()
        logs[who] = try machine.open(options).log
      case 1:
        try logs[who].lock()
        try logs[who].seal()
        logs[who].unlock()
      default:
        try logs[who].lock()
        // The log that takes the lock sees all events of the other.
        #expect(logs[who].vector[authors[1 - who].origin] == authors[1 - who].next - 1)
        try logs[who].append(try authors[who].frame(2, size: 100, isNoise: true))
        try logs[who].sync()
        try logs[who].rollIfNeeded()
        logs[who].unlock()
      }
    }
    for log in logs {
      try log.refreshForReading()
      for author in authors { #expect(try log.events(of: author.origin) == author.events) }
      #expect(try log.verify().isSound)
    }
    #expect(logs[0].durableEnd == logs[1].durableEnd)
  }

  @Test("a reader sees the events that another process has made durable, and no others")
  func reader() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    #expect(reader.vector[author.origin] == 2)
    try log.lock()
    try log.append(try author.frame(2))
    try reader.refreshForReading()
    #expect(reader.vector[author.origin] == 2)
    try log.sync()
    log.unlock()
    #expect(reader.vector[author.origin] == 2)
    try reader.refreshForReading()
    #expect(try reader.events(of: author.origin) == author.events)
    try log.lock()
    try log.seal()
    log.unlock()
    try log.commit(try author.frame(3))
    try reader.refreshForReading()
    #expect(try reader.events(of: author.origin) == author.events)
    #expect(reader.snapshot().heads.isEmpty)
  }

  @Test("a reader that refreshes between an announcement and its change sees the change later")
  func readerBetween() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.seal()
    log.unlock()
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    // The announcement that a log makes before it begins a segment.
    let lock = SimulatedLock(machine.disk)
    var state = try lock.readState()
    state.generation += 1
    try log.lock()
    try lock.writeState(state)
    try reader.refreshForReading()
    try log.append(try author.frame(2))
    try log.sync()
    log.unlock()
    #expect(try lock.readState() == state)
    try reader.refreshForReading()
    #expect(try reader.events(of: author.origin) == author.events)
  }

  @Test("a reader keeps its snapshot while another process seals the segment")
  func readerDuringSeal() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<5 { try log.commit(try author.frame(2)) }
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    let snapshot = reader.snapshot()
    try log.lock()
    try log.seal()
    log.unlock()
    var found: [EncodedEvent] = []
    for entry in snapshot.entries { found += try snapshot.frame(at: entry).events() }
    #expect(found == author.events)
  }

  @Test("whole records of a process that died before its fsync are made durable by the next")
  func takesOver() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (dying, _) = try machine.open()
    try dying.commit(try author.frame(2))
    let (log, _) = try machine.open()
    try dying.lock()
    try dying.append(try author.frame(2))
    releaseLock(machine)
    #expect(log.vector[author.origin] == 2)
    let syncs = machine.disk.count(of: .sync)
    try log.lock()
    #expect(machine.disk.count(of: .sync) == syncs + 1)
    #expect(log.vector[author.origin] == 4)
    log.unlock()
    machine.disk.loseAndRestorePower()
    #expect(try machine.open().log.events(of: author.origin) == author.events)
  }

  @Test("a torn record of a process that died is cut by the next process with the lock")
  func cutsTorn() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let end = Int(log.durableEnd.offset)
    let (other, _) = try machine.open()
    let torn = Array(try author.copyFrame().bytes)
    // The bytes are written without either log, into the file that both have open.
    let file = try SimulatedStorage(machine.disk).open(segment1, .readWrite)
    try file.write(torn, at: UInt64(end))
    try other.commit(try author.frame(2))
    try log.commit(try author.frame(2))
    #expect(try log.events(of: author.origin) == author.events)
    #expect(try log.verify().isSound)
    #expect(machine.disk.files.keys.contains { $0.hasPrefix("quarantine/") })
  }

  @Test("a process that dies during a roll leaves no other process with a stale file")
  func diesWithinRoll() throws {
    var call = 1
    while true {
      let machine = LogMachine(seed: UInt64(call))
      var author = try Author(1)
      let (log, _) = try machine.open()
      let (dying, _) = try machine.open()
      for _ in 0..<4 { try log.commit(try author.frame(2)) }
      try dying.lock()
      machine.disk.inject(.powerLoss, at: .call(call))
      let finished = (try? dying.seal()) == .rewritten && !machine.disk.isOff
      // The machine keeps running: only that process is dead.
      machine.disk.clearFailures()
      machine.disk.revive()
      try log.commit(try author.frame(2))
      machine.disk.loseAndRestorePower()
      let (again, report) = try machine.open()
      #expect(report.damage.isEmpty, "call \(call): \(report)")
      #expect(try again.events(of: author.origin) == author.events, "call \(call)")
      #expect(try again.verify().isSound)
      if finished { break }
      call += 1
    }
    #expect(call > 10)
  }

  @Test("an unreadable lock file makes each process reload the log, and is rewritten")
  func badLockFile() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let (other, _) = try machine.open()
    try log.commit(try author.frame(2))
    machine.disk.tamper("lock") { $0[5] ^= 1 }
    try other.commit(try author.frame(2))
    try log.commit(try author.frame(2))
    #expect(try log.events(of: author.origin) == author.events)
    #expect(try log.verify().isSound)
    try log.close()
    try other.close()
    machine.disk.tamper("lock") { $0[5] ^= 1 }
    #expect(try !log.verify().isSound)
    let (again, report) = try machine.open()
    #expect(report.notes.count == 1)
    #expect(try again.verify().isSound)
  }

  /// One process went on in a file that the other had replaced, because the generation that it
  /// remembered was the same.
  @Test(
    "a lock file that is missing or older makes each process reload the log",
    arguments: [false, true])
  func otherLockFile(isOlder: Bool) throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let (other, _) = try machine.open()
    let older = try #require(machine.disk.files["lock"])
    try other.lock()
    try other.seal()
    other.unlock()
    machine.disk.removeFile("lock")
    if isOlder { machine.disk.put("lock", older) }
    try log.commit(try author.frame(2))
    try other.commit(try author.frame(2))
    #expect(try log.verify().isSound)
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.isClean)
    #expect(try again.events(of: author.origin) == author.events)
  }

  /// Found by the campaign: a process that had opened a log without segments still saw none.
  @Test("a lock file that was removed is not taken for one that never existed")
  func neverThere() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (early, _) = try machine.open()
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    machine.disk.removeFile("lock")
    try early.commit(try author.frame(2))
    try early.refreshForReading()
    #expect(try early.events(of: author.origin) == author.events)
    try log.refreshForReading()
    #expect(try log.events(of: author.origin) == author.events)
    #expect(try log.verify().isSound)
  }

  private func releaseLock(_ machine: LogMachine) { machine.disk.releaseLock() }
}
