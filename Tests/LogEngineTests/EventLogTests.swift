import DaybookEventCore
import DaybookFrames
import DaybookSimulation
import Testing

@testable import DaybookLogEngine

@Suite struct EventLogTests {
  @Test("committed events are there after reopening, byte for byte")
  func reopen() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, report) = try machine.open()
    #expect(report.isClean)
    for _ in 0..<5 { try log.commit(try author.frame(3)) }
    try log.close()
    let (again, second) = try machine.open()
    #expect(second == RecoveryReport())
    #expect(try again.events(of: author.origin) == author.events)
    #expect(again.vector[author.origin] == 15)
    #expect(try again.verify().isSound)
  }

  @Test("appended events are not visible before the sync")
  func invisibleBeforeSync() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.lock()
    try log.append(try author.frame())
    #expect(log.vector.isEmpty)
    #expect(log.snapshot().entries.isEmpty)
    try log.sync()
    #expect(log.vector[author.origin] == 1)
    log.unlock()
  }

  @Test("a snapshot shows the log as it was, whatever follows")
  func snapshotIsStable() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let snapshot = log.snapshot()
    let old = author.events
    for _ in 0..<3 { try log.commit(try author.frame(2)) }
    try log.lock()
    #expect(try log.seal() == .rewritten)
    log.unlock()
    try log.commit(try author.frame(2))
    try log.close()
    #expect(snapshot.entries.count == 1)
    #expect(snapshot.vector[author.origin] == 2)
    #expect(try snapshot.frame(at: snapshot.entries[0]).events() == old)
  }

  @Test("an entry of another snapshot is refused rather than misread")
  func foreignEntry() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    for _ in 0..<3 { try log.commit(try author.frame(2)) }
    let entry = try #require(log.snapshot().entries.last)
    try log.lock()
    try log.seal()
    log.unlock()
    expect(.notFound) { _ = try log.snapshot().frame(at: entry) }
  }

  @Test("events that the log holds already are refused, also while they are not synced")
  func overlap() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let frame = try author.frame(3)
    try log.commit(frame)
    try log.lock()
    expect(.notContiguous) { try log.append(frame) }
    let next = try author.frame(2)
    try log.append(next)
    expect(.notContiguous) { try log.append(next) }
    try log.sync()
    log.unlock()
    #expect(log.vector[author.origin] == 5)
  }

  @Test("events beyond a gap are held, and counted once the gap fills")
  func gaps() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let frames = try (0..<4).map { _ in try author.frame(2) }
    let (log, _) = try machine.open()
    try log.commit(frames[0], frames[3])
    #expect(log.vector[author.origin] == 2)
    #expect(log.ranges[author.origin]?.ranges == [1...2, 7...8])
    let (again, _) = try reopened(log, machine)
    #expect(again.ranges[author.origin]?.ranges == [1...2, 7...8])
    try again.commit(frames[2])
    try again.commit(frames[1])
    #expect(again.vector[author.origin] == 8)
    #expect(try again.events(of: author.origin) == author.events)
    #expect(try again.verify().isSound)
    try again.lock()
    #expect(try again.seal() == .rewritten)
    again.unlock()
    #expect(try again.events(of: author.origin) == author.events)
    #expect(try again.verify().isSound)
  }

  @Test("the chain value after any event is known, within frames and at their ends")
  func chainValues() throws {
    let machine = LogMachine()
    var author = try Author(1)
    var chains = [author.chain.value]
    let (log, _) = try machine.open()
    for _ in 0..<3 {
      let before = author.chain
      let first = author.next
      var events: [EncodedEvent] = []
      for _ in 0..<4 {
        events.append(author.event())
        chains.append(author.chain.value)
      }
      try log.commit(
        try Frame(origin: author.origin, firstSequence: first, events: events, chainBefore: before))
    }
    for (sequence, chain) in chains.enumerated() {
      #expect(try log.chain(after: EventID(author.origin, UInt64(sequence))) == chain)
    }
    #expect(try log.chain(after: EventID(author.origin, 13)) == nil)
  }

  @Test("a chain value beyond a gap is known only if a frame or a head gives it")
  func chainBeyondGap() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let filler = try author.frame(2)
    let head = try author.head()
    let beyond = try author.frame(3)
    let (log, _) = try machine.open()
    try log.commit(beyond)
    #expect(try log.chain(after: EventID(author.origin, 5)) == author.chain.value)
    #expect(try log.chain(after: EventID(author.origin, 4)) == nil)
    try log.lock()
    try log.append(head)
    try log.sync()
    log.unlock()
    #expect(try log.chain(after: EventID(author.origin, 2)) == filler.header.chain)
    #expect(try log.chain(after: EventID(author.origin, 4)) != nil)
    try log.commit(filler)
    #expect(try log.verify().isSound)
  }

  @Test("reading across a gap fails at the missing event")
  func hole() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let frames = try (0..<3).map { _ in try author.frame(2) }
    let (log, _) = try machine.open()
    try log.commit(frames[0], frames[2])
    var seen: [UInt64] = []
    expect(.notFound) {
      try log.snapshot().forEachEvent(of: author.origin, in: 1...6) { n, _ in seen.append(n) }
    }
    #expect(seen == [1, 2])
    seen = []
    try log.snapshot().forEachEvent(of: author.origin, in: 5...5) { n, _ in seen.append(n) }
    #expect(seen == [5])
  }

  @Test("a snapshot gives the entries after a position")
  func entriesAfter() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    let position = log.durableEnd
    try log.commit(try author.frame(2))
    try log.lock()
    try log.seal()
    log.unlock()
    let sealed = log.durableEnd
    try log.commit(try author.frame(3))
    #expect(log.snapshot().entries(after: sealed).map(\.firstSequence) == [5])
    #expect(log.snapshot().entries(after: .start).count == 2)
    #expect(position.segment == 1)
  }

  @Test("a sync that was begun early covers later appends, and can be abandoned")
  func earlySync() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    try log.lock()
    try log.append(try author.frame(1))
    try log.beginSync()
    try log.beginSync()
    #expect(log.vector[author.origin] == 2)
    try log.append(try author.frame(1))
    try log.sync()
    #expect(log.vector[author.origin] == 4)
    let kept = author.events
    try log.append(try author.frame(1))
    try log.beginSync()
    try log.abandon()
    #expect(log.vector[author.origin] == 4)
    log.unlock()
    machine.disk.loseAndRestorePower()
    let (again, report) = try machine.open()
    #expect(report.damage.isEmpty, "\(report)")
    #expect(try again.events(of: author.origin) == kept)
    #expect(try again.verify().isSound)
  }

  @Test("abandoned appends leave no trace")
  func abandon() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame(2))
    var other = author
    try log.lock()
    try log.append(try other.frame(5, size: 3000))
    try log.abandon()
    log.unlock()
    try log.commit(try author.frame(1))
    machine.kill()
    let (again, report) = try machine.open()
    #expect(report.isClean)
    #expect(try again.events(of: author.origin) == author.events)
  }

  @Test("unlocking abandons appends that were not synced")
  func unlockAbandons() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.lock()
    try log.append(try author.frame())
    log.unlock()
    try log.close()
    #expect(try machine.open().log.vector.isEmpty)
  }

  @Test("heads are kept, found, and not stored twice")
  func heads() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.lock()
    try log.append(try author.frame(2))
    let head = try author.head()
    try log.append(head)
    try log.sync()
    try log.append(head)
    try log.sync()
    log.unlock()
    #expect(log.snapshot().heads.count == 1)
    let (again, _) = try reopened(log, machine)
    #expect(try again.snapshot().heads(of: author.origin) == [head])
  }

  @Test("a write needs the lock and a log that is open and writable")
  func misuse() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    let frame = try author.frame()
    expect(.notLocked) { try log.append(frame) }
    expect(.notLocked) { try log.sync() }
    try log.lock()
    expect(.locked) { try log.lock() }
    log.unlock()
    try log.close()
    try log.close()
    expect(.closed) { try log.lock() }
    let (reader, _) = try machine.open(LogMachine.options { $0.isReadOnly = true })
    expect(.readOnly) { try reader.lock() }
    expect(.readOnly) { try reader.append(frame) }
  }

  @Test("a read-only opening of a missing log is an error and creates nothing")
  func readOnlyAbsent() throws {
    let machine = LogMachine()
    expect(.notFound) { _ = try machine.open(LogMachine.options { $0.isReadOnly = true }) }
    #expect(machine.disk.files.isEmpty)
  }

  @Test("a commit is one write, one sync and one write of the mark")
  func callsPerCommit() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame())
    let frame = try author.frame()
    let before = machine.disk.calls
    try log.commit(frame)
    // Lock state, tail and mark are looked at when the lock is taken: three reads.
    #expect(machine.disk.calls - before == 6)
  }

  @Test("closing gives reserved space back")
  func trim() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame())
    #expect(machine.size(segment1) >= 4096)
    let end = Int(log.durableEnd.offset)
    try log.close()
    #expect(machine.size(segment1) == end)
  }

  @Test("a store opened and closed without a write stays as it is")
  func idle() throws {
    let machine = LogMachine()
    var author = try Author(1)
    let (log, _) = try machine.open()
    try log.commit(try author.frame())
    try log.close()
    let files = machine.disk.files
    let (again, _) = try machine.open()
    try again.close()
    #expect(machine.disk.files[segment1] == files[segment1])
    #expect(machine.names == files.keys.filter { $0.hasPrefix("log/") }.sorted())
  }
}

func reopened(_ log: EventLog, _ machine: LogMachine) throws -> (
  log: EventLog, report: RecoveryReport
) {
  try log.close()
  return try machine.open()
}
