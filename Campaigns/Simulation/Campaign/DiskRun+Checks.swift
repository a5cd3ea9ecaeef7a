import DaybookEventCore
import DaybookLogEngine

/// Checks that must hold after each step.
extension DiskRun {
  /// Segments in which the disk has silently changed what was written.
  ///
  /// The copy that a seal makes does not count: it is read back before it replaces the original.
  var touchedSegments: Set<UInt64> {
    var touched: Set<UInt64> = []
    for spoiled in disk.spoiled {
      guard spoiled.name.hasPrefix("log/"), let dot = spoiled.name.firstIndex(of: "."),
        let number = UInt64(spoiled.name[..<dot].dropFirst(4), radix: 16)
      else { continue }
      let isCopy =
        spoiled.name.hasSuffix(".unfinished")
        && spoiled.existing.contains(Self.segmentName(number))
      if !isCopy { touched.insert(number) }
    }
    return touched
  }

  private var isMarkTouched: Bool { disk.spoiled.contains { $0.name == "log/mark" } }

  static func segmentName(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return "log/" + String(repeating: "0", count: 16 - digits.count) + digits + ".segment"
  }

  /// Checks what opening reported, and what the log serves afterward.
  ///
  /// - Parameter applied: The events that a read model was said to have applied; nil if there is
  ///   none.
  mutating func judge(
    _ report: RecoveryReport, _ log: EventLog, applied: VersionVector?, isReader: Bool
  ) throws(Violation) {
    if !report.damage.isEmpty, !isTainted {
      throw Violation(.noFalseAlarm, "\(report)")
    }
    if report.isAmbiguous, !isMarkLost, !isMarkTouched, renewal == .none {
      throw Violation(.identity, "\(report)")
    }
    if renewal == .due, !isTainted, !isReader, !report.isAmbiguous {
      throw Violation(.identity, "a new identity was due and is forgotten: \(report)")
    }
    try observe(
      log, report, applied: applied, isComplete: !isReader || isMarkCurrent && !isTainted)
    guard !isReader, report.damage.isEmpty else { return }
    ledger.forgetUncertain(but: unreadable)
    isMarkLost = false
    if report.mustRenewIdentity { renewIdentity(log) }
  }

  /// Gives the replica a new identity.
  ///
  /// In two cases of three its process tells the log, unless a fault prevents it.
  private mutating func renewIdentity(_ log: EventLog) {
    identity = min(identity + 1, Authors.own.count - 2)
    renewal = .due
    guard random.below(3) > 0 else { return }
    renewal = .uncertain
    if (try? log.identityRenewed()) != nil, !disk.isOff { renewal = .none }
  }

  /// Checks that the tail which recovery cut off is in the quarantine, byte for byte, and stays
  /// there.
  ///
  /// - Parameter before: The files as they were before recovery.
  mutating func checkCopies(_ report: RecoveryReport, _ before: [String: [UInt8]])
    throws(Violation)
  {
    guard !isTainted else { return }
    if let tail = report.tornTail, let name = tail.copy {
      var bytes = before[Self.segmentName(tail.segment)]?.dropFirst(Int(tail.offset)) ?? []
      while bytes.last == 0 { bytes.removeLast() }
      copies[name] = Array(bytes)
    }
    guard !copies.isEmpty else { return }
    let files = disk.files
    for (name, bytes) in copies.sorted(by: { $0.key < $1.key }) where files[name] != bytes {
      throw Violation(
        .setAside, "\(name) has \(files[name]?.count ?? -1) bytes, cut off were \(bytes.count)")
    }
  }

  /// Compares what the log serves now with the ledger.
  ///
  /// - Parameter isComplete: Whether every acknowledged event must be present.
  mutating func observe(
    _ log: EventLog, _ report: RecoveryReport? = nil, applied: VersionVector? = nil,
    isComplete: Bool
  ) throws(Violation) {
    guard !disk.isOff else { return }
    let served = try disk.observing { () throws(Violation) in try Served(log.snapshot().whole) }
    unreadable = Set(served.unreadable.keys)
    let damage = log.damage
    if !isTainted {
      if let finding = damage.first { throw Violation(.noFalseAlarm, "\(finding)") }
      if let (id, error) = served.unreadable.first {
        throw Violation(.kept, "event \(id) cannot be read: \(error)")
      }
    }
    let lost = try ledger.compare(served)
    guard isComplete, !lost.events.isEmpty || !lost.heads.isEmpty else { return }
    let names = lost.events.map(\.description).sorted().joined(separator: ", ")
    let message = "lost: events \(names), \(lost.heads.count) heads"
    let isMarkStale = powerLossesWhileTainted > 0 || isMarkTouched || isMarkLost
    // A damaged log serves nothing above the mark, and reports the damage.
    if !damage.isEmpty, isMarkStale { return }
    let touched = touchedSegments
    let segments =
      lost.events.compactMap { ledger.facts[$0]?.segment }
      + lost.heads.compactMap { ledger.heads[$0] }
    guard touched.isSuperset(of: segments) else { throw Violation(.kept, message) }
    // Events that are still indexed but unreadable are reported when they are read.
    let silent = lost.events.filter { served.unreadable[$0] == nil }
    if !damage.isEmpty || silent.isEmpty { return }
    // If the mark was lost too, the log cannot know that there were more events. Only a read model
    // can.
    let isKnown = silent.contains { applied?.contains($0) == true }
    let isExcused = report?.isAmbiguous == true || !isKnown && isMarkStale
    guard isExcused else { throw Violation(.noSilence, message) }
    ledger.writeOff(silent)
    ledger.writeOffHeads(lost.heads)
  }
}
