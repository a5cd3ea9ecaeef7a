import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

/// Changes of durable bytes on the disk, outside the log's control.
extension DiskRun {
  private struct Damage {
    var name: String
    var range: Range<Int>
    var old: [UInt8]
    var isRemoved = false
  }

  /// Damages one file of a sound log, expects a report, and undoes the damage.
  ///
  /// Events outside the damage must stay readable. Once the damage is undone, the log must be
  /// sound.
  mutating func damage() throws(Violation) {
    guard let log = processes[0].log else { return }
    let entries = log.snapshot().whole.entries
    let heads = log.snapshot().whole.heads
    let end = log.durableEnd
    processes[0].die()
    disk.killProcess()
    guard let damage = damageSomething() else { return }
    statistics.damages += 1
    let before = disk.files.filter { $0.key != "lock" }
    let opened: (log: EventLog, report: RecoveryReport)
    do throws(LogError) {
      opened = try EventLog.open(
        storage: SimulatedStorage(disk), lock: SimulatedLock(disk), options: options)
    } catch { throw Violation(.recoverable, "a damaged log does not open: \(error)") }
    tell(0, "opens what is damaged: \(opened.report)")
    let served = try disk.observing { () throws(Violation) in
      try Served(opened.log.snapshot().whole)
    }
    for (id, item) in served.events where ledger.facts[id]?.event != item.event {
      throw Violation(.genuine, "event \(id) is served as it never was")
    }
    // Only events inside the damaged bytes may be lost.
    let segment = Self.segmentNumber(damage.name)
    let isHeaderHit = damage.range.lowerBound < 64
    var spared = Set(ledger.facts.keys)
    for entry in entries where entry.position.segment == segment {
      let start = Int(entry.position.offset)
      if isHeaderHit || damage.range.overlaps(start..<start + entry.length) {
        for sequence in entry.sequences { spared.remove(EventID(entry.origin, sequence)) }
      }
    }
    if let lost = spared.first(where: { served.events[$0] == nil }) {
      throw Violation(.kept, "event \(lost) is lost, and was not where the damage is")
    }
    _ = heads
    let isLost = ledger.facts.keys.contains { served.events[$0] == nil }
    try expectReport(damage, opened, segment: segment, isLost: isLost, end: end)
    if opened.report.tornTail == nil, opened.report.damage.isEmpty == false {
      let after = disk.files.filter { $0.key != "lock" }
      guard before == after else {
        throw Violation(.untouched, "changed: \(Self.difference(before, after))")
      }
    }
    try undo(damage)
  }

  static func segmentNumber(_ name: String) -> UInt64? {
    guard name.hasPrefix("log/"), name.hasSuffix(".segment"),
      let number = UInt64(name.dropFirst(4).dropLast(8), radix: 16), segmentName(number) == name
    else { return nil }
    return number
  }

  // MARK: - Damage and reports

  private mutating func damageSomething() -> Damage? {
    let names = disk.files.keys.sorted().filter {
      $0.hasPrefix("log/") && (Self.segmentNumber($0) != nil || random.below(4) == 0)
    }
    guard !names.isEmpty else { return nil }
    let name = names[random.below(names.count)]
    guard let old = disk.files[name], !old.isEmpty else { return nil }
    var new = old
    var place = random.below(old.count)
    // Three times in four within the records, otherwise anywhere in the file.
    if let used = old.lastIndex(where: { $0 != 0 }), random.below(4) > 0 {
      place = random.below(used + 1)
    }
    var range = place..<place + 1
    let kind = random.below(name == "log/mark" ? 3 : 8)
    switch kind {
    case 0...3: new[place] ^= 1 << UInt8(random.below(8))
    case 4:
      range = place / 512 * 512..<min(place / 512 * 512 + 512, old.count)
      for i in range { new[i] = 0 }
    case 5:
      range = place..<min(place + 1 + random.below(200), old.count)
      for i in range { new[i] = UInt8(truncatingIfNeeded: random.next()) }
    case 6:
      range = place..<old.count
      new.removeSubrange(range)
    default: range = 0..<old.count
    }
    let isRemoved = kind == 7
    guard isRemoved || new != old else { return nil }
    if isRemoved { disk.removeFile(name) } else { disk.tamper(name) { $0 = new } }
    trace.step(
      "-", isRemoved ? "\(name) is gone" : "bytes \(range) of \(name) are not what they were")
    return Damage(name: name, range: range, old: old, isRemoved: isRemoved)
  }

  private mutating func expectReport(
    _ damage: Damage, _ opened: (log: EventLog, report: RecoveryReport), segment: UInt64?,
    isLost: Bool, end: LogPosition
  ) throws(Violation) {
    if segment == nil {
      guard opened.report.damage.isEmpty else { throw Violation(.noFalseAlarm, "\(opened.report)") }
      return
    }
    var findings = opened.report.damage
    do throws(LogError) { findings += try opened.log.verify().findings } catch {
      throw Violation(.recoverable, "verify of a damaged log: \(error)")
    }
    _ = disk.takeJournal()
    if findings.contains(where: { $0.segment == segment }) { return }
    if isLost { throw Violation(.noSilence, "events are lost: \(findings)") }
    // Bytes behind the end of a segment belong to no record.
    if isDead(damage, segment: segment ?? 0, end: end) { return }
    throw Violation(.noSilence, "\(damage.name), \(damage.range): \(findings), \(opened.report)")
  }

  /// Whether the damage lies in space that holds no records.
  private func isDead(_ damage: Damage, segment: UInt64, end: LogPosition) -> Bool {
    if segment == end.segment { return damage.range.lowerBound >= Int(end.offset) }
    // The header of the next segment says where this one ends (docs/log-format.md).
    guard let next = disk.files[Self.segmentName(segment + 1)], next.count >= 64 else {
      return false
    }
    let previousEnd = (0..<8).reduce(0) { $0 | Int(next[32 + $1]) << (8 * $1) }
    return damage.range.lowerBound >= previousEnd
  }

  /// Restores the damaged bytes; the log must then open without damage.
  private mutating func undo(_ damage: Damage) throws(Violation) {
    disk.killProcess()
    if damage.isRemoved || disk.files[damage.name] == nil {
      disk.put(damage.name, damage.old)
    } else {
      disk.tamper(damage.name) { $0 = damage.old }
    }
    trace.step("-", "\(damage.name) is what it was")
    guard let report = try open(0) else {
      throw Violation(.recoverable, "the log does not open after the damage was undone")
    }
    guard report.damage.isEmpty else { throw Violation(.noFalseAlarm, "\(report)") }
  }
}
