import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// The end of a run: the disk works again, and the log must be in order.
extension DiskRun {
  mutating func finish() throws(Violation) {
    heal()
    disk.clearFailures()
    if random.below(2) == 0 {
      losePower()
    } else {
      for who in processes.indices where processes[who].log != nil {
        if random.below(2) == 0 { close(who) } else { die(who) }
      }
      disk.killProcess()
      if random.below(12) == 0 { loseMark() }
    }
    statistics.failures = disk.failures
    statistics.lies = disk.spoiled.isEmpty ? 0 : 1
    try crashRecovery()
    mayFail = false
    guard let report = try open(0), let log = processes[0].log else {
      throw Violation(.recoverable, "nothing is wrong with the disk any more")
    }
    if isTainted { return try endTainted(log) }
    if !report.damage.isEmpty { throw Violation(.noFalseAlarm, "\(report)") }
    try checkVerify(log)
    try recoverAgain(log)
    if random.below(2) == 0 { try damage() }
    try liveOn()
  }

  /// Interrupts recovery, possibly several times.
  private mutating func crashRecovery() throws(Violation) {
    while random.below(2) == 0 {
      let isDeath = random.below(2) == 0
      disk.inject(.powerLoss, at: .call(1 + random.below(random.below(3) == 0 ? 60 : 25)))
      mayFail = true
      trace.step("-", "planned: recovery is stopped")
      try open(0)
      if disk.isOff { statistics.crashesInRecovery += 1 }
      if isDeath {
        die(0)
        disk.killProcess()
      } else {
        losePower()
      }
    }
  }

  private mutating func checkVerify(_ log: EventLog) throws(Violation) {
    let verification: LogVerification
    do throws(LogError) { verification = try log.verify() } catch {
      throw Violation(.sound, "verify failed: \(error)")
    }
    _ = disk.takeJournal()
    guard verification.isSound, verification.bytesCovered == verification.bytesTotal else {
      throw Violation(
        .sound,
        "\(verification.findings.map(\.description)), "
          + "\(verification.bytesCovered) of \(verification.bytesTotal) bytes covered")
    }
  }

  private mutating func recoverAgain(_ log: EventLog) throws(Violation) {
    let vector = log.vector
    do throws(LogError) { try log.identityRenewed() } catch {
      throw Violation(.recoverable, "that the identity is new cannot be said: \(error)")
    }
    renewal = .none
    processes[0].die()
    disk.killProcess()
    let before = disk.files.filter { $0.key != "log/mark" }
    guard let report = try open(0), let again = processes[0].log else {
      throw Violation(.recoverable, "a log that had been recovered does not open")
    }
    guard report.isClean, again.vector == vector else {
      throw Violation(.idempotent, "\(report)")
    }
    let after = disk.files.filter { $0.key != "log/mark" }
    guard before == after else {
      throw Violation(.idempotent, "files have changed: \(Self.difference(before, after))")
    }
  }

  static func difference(_ a: [String: [UInt8]], _ b: [String: [UInt8]]) -> String {
    Set(a.keys).union(b.keys).filter { a[$0] != b[$0] }.sorted()
      .map { "\($0): \(a[$0]?.count ?? -1) and \(b[$0]?.count ?? -1) bytes" }
      .joined(separator: ", ")
  }

  /// Checks that the store accepts events again and keeps them through another power failure.
  private mutating func liveOn() throws(Violation) {
    processes[0].die()
    disk.killProcess()
    try open(0)
    try begin(0)
    if processes[0].isWriting { try goOn(0) }
    losePower()
    guard try open(0) != nil, let log = processes[0].log else {
      throw Violation(.recoverable, "the log does not open any more")
    }
    try checkVerify(log)
  }

  /// Checks a log whose disk has lied.
  ///
  /// If the log is damaged, it must refuse writes, and opening must change no file but the lock.
  private mutating func endTainted(_ log: EventLog) throws(Violation) {
    guard !log.damage.isEmpty else { return }
    let before = disk.files.filter { $0.key != "lock" }
    processes[0].die()
    disk.killProcess()
    try open(0, hasReadModel: true)
    let after = disk.files.filter { $0.key != "lock" }
    guard before == after else {
      throw Violation(.untouched, "changed: \(Self.difference(before, after))")
    }
    try refuseWrites()
  }

  mutating func refuseWrites() throws(Violation) {
    guard let log = processes[0].log else { return }
    do throws(LogError) {
      try log.lock()
      defer { log.unlock() }
      let last = UInt64(Authors.peerCount)
      try log.append(
        try LogError.ofFrames { () throws(FrameError) in
          try Authors.peerFrame(last...last)
        })
    } catch {
      if error.code == .damaged || error.code == .notContiguous { return }
      throw Violation(.explained, "a write to a damaged log: \(error)")
    }
    throw Violation(.noSilence, "a damaged log takes writes")
  }
}
