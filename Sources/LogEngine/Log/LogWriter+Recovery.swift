import DaybookEventCore
import DaybookFrames

extension LogWriter {
  /// Loads the log read-only: nothing is locked, made durable or cut.
  mutating func loadReadOnly(applied: VersionVector?) throws(LogError) -> RecoveryReport {
    var report = RecoveryReport()
    remember(try readLockState())
    var loader = makeLoader()
    loader.mode = .read
    loader.onlyDurable = true
    try loader.load()
    loader.damage.append(contentsOf: try lostToReader(applied, loader))
    report.damage = loader.damage
    report.notes = loader.notes
    if let scan = loader.active?.scan, scan.tail == .torn {
      report.tornTail = .init(
        segment: loader.lastNumber, offset: scan.end, bytes: scan.fileSize - scan.end, copy: nil)
    }
    mark = loader.mark
    adopt(loader)
    return report
  }

  /// Returns the applied events that are lost.
  ///
  /// Events that are sound but above the mark are not lost: a power failure may have taken the mark
  /// back, and the next writer will show them.
  private func lostToReader(_ applied: VersionVector?, _ loader: LogLoader) throws(LogError)
    -> [LogFinding]
  {
    let hidden = Self.lost(applied, loader.snapshot)
    guard !hidden.isEmpty else { return [] }
    var all = makeLoader()
    all.mode = .read
    try all.load()
    return Self.lost(applied, all.snapshot)
  }

  /// Loads the log and recovers from a crash or a failure.
  ///
  /// The lock must be held. If it is interrupted at any point, the next call recovers.
  mutating func recover(applied: VersionVector?) throws(LogError) -> RecoveryReport {
    var report = RecoveryReport()
    let (state, wasUnreadable) = try takeUpLockState()
    if wasUnreadable {
      report.notes.append("the lock file was unreadable and has been written anew")
    }
    remember(state)
    // The mark is created last: if it exists, the folder's name is durable.
    if try MarkFile.open(in: storage, .read) == nil {
      try storage.makeFolder(SegmentName.folder)
      // Also if the folder exists: the process that made it may have died before this sync.
      try storage.syncFolder("")
    }
    var loader = makeLoader()
    loader.doubtsFooter = state.isPoisoned
    loader.applied = applied
    try loader.load()
    report.notes.append(contentsOf: loader.notes)
    for name in loader.unfinished {
      // A new segment is written under another name and renamed once complete: this one never was.
      try storage.remove(name)
      report.notes.append("\(name), left by an interrupted seal, was removed")
    }
    lastNumber = loader.lastNumber
    if try vouchForLockFile() {
      report.notes.append("the lock file was missing or empty and has been written anew")
    }
    mark = loader.mark
    let isUnmarked = mark?.position == nil
    loader.damage.append(contentsOf: Self.lost(applied, loader.snapshot))
    report.damage = loader.damage
    if loader.damage.isEmpty {
      try secureNames(loader)
      for (number, end) in loader.overlong { cutGivenUp(number, at: end) }
      let isDoubtful = loader.active?.scan.tail == .torn && isUnmarked && applied == nil
      if isDoubtful { try noteRenewal() }
      report.isAmbiguous = isDoubtful || loader.isRenewalDue
      if state.isPoisoned {
        try recoverFromFailure(loader, &report)
        try putMarkRight(&report)
        return report
      }
      if let found = loader.active {
        let mended = try mend(found, isNew: true)
        loader.active = mended.found
        report.tornTail = mended.tornTail
        report.completedEvents = isUnmarked ? 0 : mended.completedEvents
      }
    }
    adopt(try durablePart(of: loader))
    try putMarkRight(&report)
    return report
  }

  /// Notes durably that the replica must take a new identity, before a doubtful tail is cut.
  ///
  /// The cut removes the evidence of doubt. If this process dies before it has a new identity, the
  /// next opening must know.
  private func noteRenewal() throws(LogError) {
    _ = try storage.open(SegmentName.renewal, .create)
    try storage.syncFolder(SegmentName.folder)
  }

  /// Removes the note that a new identity is due, durably.
  func identityRenewed() throws(LogError) {
    try storage.remove(SegmentName.renewal)
    try storage.syncFolder(SegmentName.folder)
  }

  private mutating func putMarkRight(_ report: inout RecoveryReport) throws(LogError) {
    guard damage.isEmpty else { return }
    try writeMark(durableEnd)
    let storage = self.storage
    if let fault = try mark?.repair(in: storage) {
      report.notes.append("\(fault); it has been written anew")
    }
  }

  /// Returns what a writer may show of the loaded log.
  ///
  /// In a damaged log nothing is made durable, so records above the mark are not shown.
  func durablePart(of loader: LogLoader) throws(LogError) -> LogLoader {
    guard !loader.damage.isEmpty, mark?.position != nil else { return loader }
    var again = makeLoader()
    again.onlyDurable = true
    try again.load()
    again.damage = loader.damage
    return again
  }

  /// Makes the names of segment files durable before the mark is moved.
  ///
  /// The process that made a segment, or sealed it, may have failed before it synced the folder.
  /// Nothing may be acknowledged in a segment that a power failure could remove. Nor may the mark
  /// give the size of a sealed file that a power failure could replace with the unsealed one.
  mutating func secureNames(_ loader: LogLoader) throws(LogError) {
    let end = LogPosition(segment: loader.lastNumber, offset: loader.lastEnd)
    let marked = mark?.position ?? .start
    guard marked.segment < end.segment || loader.active == nil && marked != end else { return }
    try storage.syncFolder(SegmentName.folder)
    guard loader.active == nil, let last = loader.snapshot.parts.last?.segment,
      last.number == loader.lastNumber, !last.header.isComplete
    else { return }
    // The process that added a footer in place may have died before the footer was durable.
    let file = try storage.open(SegmentName.file(last.number), .readWrite)
    try writeAgain(file, from: marked.segment == end.segment ? marked.offset : 0, to: end.offset)
    do { try file.sync() } catch { throw poison(error) }
  }

  /// Writes bytes again that another process may have failed to sync.
  ///
  /// A failed fsync may mark pages as clean that were never written, and the next fsync would skip
  /// them. The process that failed says so in the lock file, unless that write failed too.
  private mutating func writeAgain(_ file: any StorageFile, from: UInt64, to: UInt64)
    throws(LogError)
  {
    let step: UInt64 = 1 << 20
    var offset = from
    while offset < to {
      let bytes = try file.read(at: offset, count: Int(min(step, to - offset)))
      if bytes.isEmpty { break }
      do { try file.write(bytes, at: offset) } catch { throw poison(error) }
      offset += UInt64(bytes.count)
    }
  }

  /// Returns findings for events that the read model has applied, so were durable, and that are
  /// lost.
  private static func lost(_ applied: VersionVector?, _ snapshot: LogSnapshot) -> [LogFinding] {
    guard let applied else { return [] }
    var findings: [LogFinding] = []
    for (origin, sequence) in applied.entries {
      let ranges = snapshot.ranges[origin] ?? SequenceRanges()
      for missing in ranges.missing(in: 1...sequence) {
        findings.append(
          LogFinding(
            "the read model has applied events that the log does not hold",
            segment: snapshot.durableEnd.segment, offset: snapshot.durableEnd.offset,
            events: .init(origin, missing)))
      }
    }
    return findings
  }

  // MARK: - The tail

  struct Mended {
    var found: LogLoader.Unsealed
    var tornTail: RecoveryReport.TornTail?
    var completedEvents = 0
  }

  /// Makes whole records durable, and cuts a torn tail or an unfinished footer.
  ///
  /// A torn tail is copied to quarantine first.
  /// - Parameter isNew: whether the whole segment was scanned. It is synced in any case then: the
  ///   process that last cut it may have died before the cut was durable.
  mutating func mend(_ unsealed: LogLoader.Unsealed, isNew: Bool = false) throws(LogError)
    -> Mended
  {
    var mended = Mended(found: unsealed)
    let number = unsealed.segment.number
    let scan = unsealed.scan
    let end = LogPosition(segment: number, offset: scan.end)
    let marked = mark?.position ?? .start
    mended.completedEvents = scan.records.reduce(0) { sum, record in
      guard case .frame(let frame) = record.content,
        LogPosition(segment: number, offset: record.header.offset) >= marked
      else { return sum }
      return sum + frame.count
    }
    if end > marked {
      try writeAgain(
        unsealed.file, from: marked.segment == number ? marked.offset : 0, to: end.offset)
    }
    if scan.tail == .torn || scan.tail == .footer {
      if scan.tail == .torn {
        let copy = try QuarantineCopy.make(
          of: unsealed.file, number, from: scan.end, to: scan.fileSize, in: storage)
        mended.tornTail = .init(
          segment: number, offset: scan.end, bytes: copy.bytes, copy: copy.name)
      }
      try changeGeneration()
      do {
        try unsealed.file.truncate(to: scan.end)
        try unsealed.file.sync()
      } catch { throw poison(error) }
      mended.found.scan.fileSize = scan.end
      mended.found.scan.tail = .none
    } else if isNew || end > marked {
      do { try unsealed.file.sync() } catch { throw poison(error) }
    }
    do { try writeMark(end) } catch { throw poison(error) }
    return mended
  }

  // MARK: - After a failed fsync

  /// Recovers after a failed fsync or write.
  ///
  /// Records above the durable end may be in memory and not on disk, and another fsync would prove
  /// nothing. The sound ones are written to a new segment, whose header states that the old one
  /// ends at its durable end.
  private mutating func recoverFromFailure(_ loader: LogLoader, _ report: inout RecoveryReport)
    throws(LogError)
  {
    isRecovering = true
    defer { isRecovering = false }
    report.recoveredFromFailure = true
    guard let found = loader.active else {
      adopt(loader)
      return try clearPoison()
    }
    let number = found.segment.number
    let durableEnd = min(found.scan.durableEnd, found.scan.end)
    let copy = try QuarantineCopy.make(
      of: found.file, number, from: durableEnd, to: found.scan.fileSize, in: storage)
    if copy.bytes > 0 {
      report.tornTail = .init(
        segment: number, offset: durableEnd, bytes: copy.bytes, copy: copy.name)
    }
    var writer = try SegmentWriter.create(
      SegmentHeader(number: number + 1, salt: options.random(), previousEnd: durableEnd),
      in: storage)
    for record in found.scan.records where record.header.offset >= durableEnd {
      let start = record.header.offset + UInt64(RecordHeader.size)
      var payload = try found.file.read(at: start, count: record.header.length)
      if case .frame(let frame) = record.content {
        try writer.append(
          try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: payload) })
        report.completedEvents += frame.count
      } else {
        payload.removeLast(RecordHeader.payloadChecksumSize)
        try writer.append(record: record, payload)
      }
    }
    try writer.finish()
    try changeGeneration()
    try storage.rename(writer.name, to: SegmentName.file(number + 1))
    try storage.syncFolder(SegmentName.folder)
    try writeMark(LogPosition(segment: number + 1, offset: writer.end))
    cutGivenUp(number, at: durableEnd)
    var again = makeLoader()
    try again.load()
    report.damage = again.damage
    adopt(again)
    try clearPoison()
  }

  /// Cuts the part of a segment that was given up, if possible.
  ///
  /// The next segment's header states where this one ends. Only if that header became unreadable
  /// would the part count as events again. A copy is in quarantine. Each opening repeats the cut
  /// until it succeeds.
  private func cutGivenUp(_ number: UInt64, at end: UInt64) {
    guard let file = try? storage.open(SegmentName.file(number), .readWrite) else { return }
    try? file.truncate(to: end)
    try? file.sync()
  }

  private mutating func clearPoison() throws(LogError) {
    isRecovering = false
    try changeGeneration()
  }
}
