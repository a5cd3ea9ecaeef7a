import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// The steps of a process.
extension DiskRun {
  mutating func tell(_ who: Int, _ text: @autoclosure () -> String) {
    guard trace.isOn else { return }
    trace.step(processes[who].name, text(), calls: disk.takeJournal())
  }

  // MARK: - Opening and closing

  /// Opens the log in a process, and checks what recovery reports.
  ///
  /// - Parameter hasReadModel: Whether a read model has applied all events; nil for a random
  ///   choice.
  /// - Returns: The report of recovery; nil if the log did not open.
  @discardableResult
  mutating func open(
    _ who: Int, isReader: Bool = false, hasReadModel: Bool? = nil
  ) throws(Violation) -> RecoveryReport? {
    let applied = hasReadModel ?? (random.below(3) == 0) ? ledger.vector : nil
    var options = self.options
    options.isReadOnly = isReader
    let lock = SimulatedLock(disk)
    let before = isReader ? [:] : disk.files
    let opened: (log: EventLog, report: RecoveryReport)
    do throws(LogError) {
      opened = try EventLog.open(
        storage: SimulatedStorage(disk), lock: lock, options: options, applied: applied)
    } catch {
      lock.unlock()
      tell(who, "opens\(isReader ? " to read" : "") ✗ \(error)")
      if isReader, error.code == .notFound { return nil }
      try explain(error, who)
      return nil
    }
    tell(
      who,
      "opens\(isReader ? " to read" : "")\(applied == nil ? "" : ", with a read model"): "
        + "\(opened.report)")
    guard !disk.isOff else { return nil }
    processes[who].log = opened.log
    processes[who].lock = lock
    processes[who].isReader = isReader
    if !isReader {
      statistics.recoveries += 1
      if opened.report.damage.isEmpty { isMarkCurrent = true }
      try checkCopies(opened.report, before)
    }
    try judge(opened.report, opened.log, applied: applied, isReader: isReader)
    return opened.report
  }

  mutating func close(_ who: Int) {
    do throws(LogError) {
      try processes[who].log?.close()
      tell(who, "closes")
      if !disk.isOff { ledger.takeBack(who) }
    } catch { tell(who, "closes ✗ \(error)") }
    ledger.lose(who)
    processes[who].die()
  }

  mutating func refresh(_ who: Int) throws(Violation) {
    guard let log = processes[who].log else { return }
    do throws(LogError) {
      try log.refreshForReading()
      tell(who, "refreshes: \(log.durableEnd)")
    } catch {
      tell(who, "refreshes ✗ \(error)")
      return try explain(error, who)
    }
    try observe(log, isComplete: isMarkCurrent && !isTainted)
  }

  // MARK: - Writing

  mutating func begin(_ who: Int) throws(Violation) {
    guard let log = processes[who].log else { return }
    do throws(LogError) { try log.lock() } catch {
      tell(who, "locks ✗ \(error)")
      return try explain(error, who)
    }
    tell(who, "locks: \(log.durableEnd)")
    guard !disk.isOff else { return }
    processes[who].isWriting = true
    try observe(log, isComplete: true)
    if log.damage.isEmpty { ledger.forgetUncertain(but: unreadable) }
    var last = log.vector[ownOrigin]
    var chain: Chain?
    for _ in 0..<1 + random.below(3) {
      let isGoing =
        switch random.below(7) {
        case 0: try appendHead(who, log)
        case 1...2: try appendPeer(who, log)
        default: try appendOwn(who, log, &last, &chain)
        }
      guard isGoing else { return }
    }
    // Otherwise the transaction stays open: other processes run meanwhile, or this one dies.
    if random.below(5) > 0 { try goOn(who) }
  }

  /// Ends a transaction: commits, abandons, or only unlocks.
  mutating func goOn(_ who: Int) throws(Violation) {
    guard let log = processes[who].log else { return }
    switch random.below(8) {
    case 0:
      do throws(LogError) {
        try log.abandon()
        ledger.takeBack(who)
        tell(who, "abandons")
      } catch {
        tell(who, "abandons ✗ \(error)")
        if error.code == .poisoned { ledger.lose(who, as: .lingering) }
        try explain(error, who)
      }
    case 1: break
    default: try commit(who, log)
    }
    unlock(who, log)
  }

  private mutating func unlock(_ who: Int, _ log: EventLog) {
    guard !disk.isOff else { return }
    let failures = disk.failures
    log.unlock()
    processes[who].isWriting = false
    tell(who, "unlocks")
    guard !disk.isOff else { return }
    // Unlocking abandons what was not synced, unless a call failed.
    if disk.failures == failures { return ledger.takeBack(who) }
    ledger.lose(who, as: .lingering)
    processes[who].isPoisoned = true
  }

  private mutating func commit(_ who: Int, _ log: EventLog) throws(Violation) {
    do throws(LogError) {
      // The sync runs on another thread; nothing else happens until it ends.
      if statistics.acknowledged % 3 == 0 { try log.beginSync() }
      try log.sync()
    } catch {
      tell(who, "syncs ✗ \(error)")
      return try explain(error, who)
    }
    ledger.acknowledge(who, segment: log.durableEnd.segment)
    statistics.acknowledged += 1
    isMarkCurrent = true
    tell(who, "syncs: acknowledged up to \(log.durableEnd)")
    if random.below(2) == 0 { try observe(log, isComplete: true) }
    do throws(LogError) {
      let isForced = random.below(6) == 0
      let outcome = isForced ? try log.seal() : try log.rollIfNeeded()
      if outcome != .nothing { tell(who, "\(isForced ? "seals" : "rolls"): \(outcome)") }
    } catch {
      tell(who, "seals ✗ \(error)")
      return try explain(error, who)
    }
    if random.below(3) == 0 { try observe(log, isComplete: true) }
  }

  // MARK: - Appending

  /// Appends `frame`, and records the attempt in the ledger.
  ///
  /// - Returns: Whether the transaction goes on.
  private mutating func append(
    _ who: Int, _ log: EventLog, _ frame: Frame, _ events: [EncodedEvent]
  ) throws(Violation) -> Bool {
    let first = EventID(frame.header.origin, frame.header.firstSequence)
    ledger.attempt(first, events, by: who)
    do throws(LogError) {
      let entry = try log.append(frame)
      tell(who, "appends \(events.count) from \(first) at \(entry.position)")
      return true
    } catch {
      tell(who, "appends \(events.count) from \(first) ✗ \(error)")
      if disk.isOff { return false }
      if error.code != .poisoned { ledger.refused(count: events.count, fate: .takenBack) }
      try explain(error, who)
      // A full disk is no reason to abandon earlier appends.
      if !processes[who].isPoisoned, error.code != .noSpace || random.below(2) == 0 {
        unlock(who, log)
        return false
      }
      return !processes[who].isPoisoned
    }
  }

  private mutating func appendOwn(
    _ who: Int, _ log: EventLog, _ last: inout UInt64, _ chain: inout Chain?
  ) throws(Violation) -> Bool {
    do throws(LogError) {
      if chain == nil {
        chain = try log.chain(after: EventID(ownOrigin, last)).map { Chain(value: $0) }
      }
    } catch {
      tell(who, "reads the chain ✗ \(error)")
      if disk.isOff { return false }
      try explain(error, who)
      unlock(who, log)
      return false
    }
    guard let before = chain else {
      throw Violation(.kept, "the chain after event \(last) of \(ownOrigin) is not known")
    }
    let events = ownEvents(after: last)
    let frame: Frame
    do throws(FrameError) {
      frame = try Frame(
        origin: ownOrigin, firstSequence: last + 1, events: events, chainBefore: before)
    } catch { throw Violation(.explained, "\(error)") }
    guard try append(who, log, frame, events) else { return false }
    // After a refusal, the next frame uses the same sequence numbers.
    if isAttemptInFlight(frame, who) {
      last += UInt64(events.count)
      chain = Chain(value: frame.header.chain)
    }
    return true
  }

  private func isAttemptInFlight(_ frame: Frame, _ who: Int) -> Bool {
    ledger.attempts.last?.fate == .inFlight(process: who)
      && ledger.attempts.last?.id.sequence == frame.header.lastSequence
  }

  /// Appends some of the peer's missing events: the next ones, or some beyond a gap.
  private mutating func appendPeer(_ who: Int, _ log: EventLog) throws(Violation) -> Bool {
    var known = log.ranges[Authors.peerOrigin] ?? SequenceRanges()
    for attempt in ledger.attempts
    where attempt.fate == .inFlight(process: who) && attempt.id.origin == Authors.peerOrigin {
      known.insert(attempt.id.sequence...attempt.id.sequence)
    }
    let missing = known.missing(in: 1...UInt64(Authors.peerCount))
    guard !missing.isEmpty else { return true }
    let gap = missing[random.below(3) == 0 ? random.below(missing.count) : 0]
    let skipped = random.below(4) == 0 ? UInt64(random.below(4)) : 0
    let first = min(gap.lowerBound + skipped, gap.upperBound)
    let last = min(first + UInt64(random.below(4)), gap.upperBound)
    let frame: Frame
    do throws(FrameError) { frame = try Authors.peerFrame(first...last) } catch {
      throw Violation(.explained, "\(error)")
    }
    return try append(who, log, frame, Array(Authors.peer[Int(first) - 1..<Int(last)]))
  }

  /// Appends a signed head of the store's own replica, at its latest durable event.
  private mutating func appendHead(_ who: Int, _ log: EventLog) throws(Violation) -> Bool {
    let last = log.vector[ownOrigin]
    guard last > 0, random.below(2) == 0 else { return true }
    do throws(LogError) {
      guard let chain = try log.chain(after: EventID(ownOrigin, last)),
        let head = Authors.head(identity, last, chain)
      else { return true }
      ledger.attempt(head)
      try log.append(head)
      ledger.appended(head, by: who)
      tell(who, "appends a head at \(last)")
      return true
    } catch {
      tell(who, "appends a head ✗ \(error)")
      if disk.isOff { return false }
      try explain(error, who)
      guard !processes[who].isPoisoned else { return false }
      unlock(who, log)
      return false
    }
  }

  // MARK: - Errors

  /// Checks that this disk explains `error`.
  ///
  /// - Throws: ``Violation`` if it does not.
  mutating func explain(_ error: LogError, _ who: Int) throws(Violation) {
    if disk.isOff { return }
    switch error.code {
    case .locked: return
    case .poisoned:
      processes[who].isPoisoned = true
      processes[who].isWriting = false
      processes[who].lock?.unlock()
      ledger.lose(who)
      if mayFail { return }
    case .ioFailed, .noSpace: if mayFail { return }
    case .damaged: if isTainted { return }
    default: break
    }
    throw Violation(error.code == .damaged ? .noFalseAlarm : .explained, "\(error.code): \(error)")
  }
}
