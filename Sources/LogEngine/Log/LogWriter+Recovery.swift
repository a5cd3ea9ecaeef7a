internal import EventCore

extension LogWriter {
  /// Loads the log for reading only: nothing is locked, made durable or cut.
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

  /// A mark that a power failure took back hides from a reader what lies there all the same, sound:
  /// that is not lost, and the next writer will show it.
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

  /// Loads the log and puts right what a crash left behind. The lock is held. A crash at any point
  /// leaves what this finds the next time.
  mutating func recover(applied: VersionVector?) throws(LogError) -> RecoveryReport {
    var report = RecoveryReport()
    let (state, wasUnreadable) = try takeUpLockState()
    if wasUnreadable {
      report.notes.append("the lock file was unreadable and has been written anew")
    }
    remember(state)
    // The mark is made last, so where it is, the folder's name is durable.
    if try MarkFile(reading: storage, .read) == nil {
      try storage.makeFolder(SegmentName.folder)
      // Also where it was there: whoever made it may have died before this.
      try storage.syncFolder("")
    }
    var loader = makeLoader()
    loader.doubtsFooter = state.isPoisoned
    try loader.load()
    report.notes.append(contentsOf: loader.notes)
    for name in loader.unfinished {
      // A segment is written beside and renamed when it is whole: this is the rest of an attempt.
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
        let settled = try settle(found, isNew: true)
        loader.active = settled.found
        report.tornTail = settled.tornTail
        report.completedEvents = isUnmarked ? 0 : settled.completedEvents
      }
    }
    adopt(try durablePart(of: loader))
    try putMarkRight(&report)
    return report
  }

  /// Before the cut, which takes all that shows that it was doubtful: whoever opens the log next, should
  /// this process not live to take a new identity, has to know.
  private func noteRenewal() throws(LogError) {
    _ = try storage.open(SegmentName.renewal, .create)
    try storage.syncFolder(SegmentName.folder)
  }

  /// The identity is new, durably.
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

  /// Nothing is made durable in a damaged log, so nothing may be shown there that the mark rules
  /// out.
  func durablePart(of loader: LogLoader) throws(LogError) -> LogLoader {
    guard !loader.damage.isEmpty, mark?.position != nil else { return loader }
    var again = makeLoader()
    again.onlyDurable = true
    try again.load()
    again.damage = loader.damage
    return again
  }

  /// The mark names a segment, and the size of a sealed one, once the file's name is durable.
  /// Whoever made it may have failed before that, and nothing may be acknowledged in a segment that
  /// a power failure could take away, nor said of one that it could bring back unsealed.
  mutating func secureNames(_ loader: LogLoader) throws(LogError) {
    let end = LogPosition(segment: loader.lastNumber, offset: loader.lastEnd)
    let marked = mark?.position ?? .start
    guard marked.segment < end.segment || loader.active == nil && marked != end else { return }
    try storage.syncFolder(SegmentName.folder)
    guard loader.active == nil, let last = loader.snapshot.parts.last?.segment,
      last.number == loader.lastNumber, !last.header.isComplete
    else { return }
    // Whoever added a footer in place may have died before it was durable.
    let file = try storage.open(SegmentName.file(last.number), .readWrite)
    try writeAgain(file, from: marked.segment == end.segment ? marked.offset : 0, to: end.offset)
    do { try file.sync() } catch { throw poison(error) }
  }

  /// An fsync that failed in another process has perhaps called pages clean that were never
  /// written, and the next one would pass over them. Whoever failed says so, if the disk lets it.
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

  /// Events that the read model has applied, so were durable, and that the log has no more.
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

  struct Settled {
    var found: LogLoader.Unsealed
    var tornTail: RecoveryReport.TornTail?
    var completedEvents = 0
  }

  /// Cuts what was never durable, after copying it aside, and makes durable what is whole.
  /// - Parameter isNew: whether the segment is looked at as a whole. Then it is synced in any case:
  ///   whoever cut it last may have died before that was durable.
  mutating func settle(_ unsealed: LogLoader.Unsealed, isNew: Bool = false) throws(LogError)
    -> Settled
  {
    var settled = Settled(found: unsealed)
    let number = unsealed.segment.number
    let scan = unsealed.scan
    let end = LogPosition(segment: number, offset: scan.end)
    let marked = mark?.position ?? .start
    settled.completedEvents = scan.records.reduce(0) { sum, record in
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
        let copy = try quarantine(unsealed.file, number, from: scan.end, to: scan.fileSize)
        settled.tornTail = .init(
          segment: number, offset: scan.end, bytes: copy.bytes, copy: copy.name)
      }
      try changeGeneration()
      do {
        try unsealed.file.truncate(to: scan.end)
        try unsealed.file.sync()
      } catch { throw poison(error) }
      settled.found.scan.fileSize = scan.end
      settled.found.scan.tail = .none
    } else if isNew || end > marked {
      do { try unsealed.file.sync() } catch { throw poison(error) }
    }
    do { try writeMark(end) } catch { throw poison(error) }
    return settled
  }

  /// Copies of torn tails in quarantine.
  static let tornCopiesMax = 100

  /// Copies bytes of a segment to a file of their own, durably; trailing zeros are left out.
  /// The same bytes get the same name, so that doing it again changes nothing.
  private func quarantine(
    _ file: any StorageFile, _ number: UInt64, from: UInt64, to: UInt64
  ) throws(LogError) -> (name: String, bytes: UInt64) {
    let step: UInt64 = 1 << 20
    var crc: UInt32 = 0
    var used = from
    var offset = from
    while offset < to {
      let bytes = try file.read(at: offset, count: Int(min(step, to - offset)))
      if bytes.isEmpty { break }
      if let last = bytes.lastIndex(where: { $0 != 0 }) { used = offset + UInt64(last) + 1 }
      crc = CRC32C.checksum(bytes, continuing: crc)
      offset += UInt64(bytes.count)
    }
    try storage.makeFolder(SegmentName.quarantine)
    try storage.syncFolder("")
    let name =
      "\(SegmentName.quarantine)/\(SegmentName.digits(number))-\(from)-"
      + "\(String(crc, radix: 16)).torn"
    let copy = try storage.open(name, .create)
    offset = from
    while offset < used {
      let bytes = try file.read(at: offset, count: Int(min(step, used - offset)))
      if bytes.isEmpty { break }
      try copy.write(bytes, at: offset - from)
      offset += UInt64(bytes.count)
    }
    try copy.sync()
    try storage.syncFolder(SegmentName.quarantine)
    removeOldCopies(but: name)
    return (name, used - from)
  }

  /// The oldest copies of torn tails go once there are ``tornCopiesMax``. One that cannot be removed now
  /// is removed with the next.
  private func removeOldCopies(but latest: String) {
    guard let names = try? storage.list(SegmentName.quarantine) else { return }
    let copies = names.filter { $0.hasSuffix(".torn") }.sorted { Self.age($0) < Self.age($1) }
    for copy in copies.dropLast(Self.tornCopiesMax) {
      let name = "\(SegmentName.quarantine)/\(copy)"
      if name != latest { try? storage.remove(name) }
    }
  }

  /// Segment and offset of a copy's name: the log grows from one to the next.
  private static func age(_ copy: String) -> (Substring, UInt64) {
    let parts = copy.split(separator: "-")
    return (parts.first ?? "", parts.count == 3 ? UInt64(parts[1]) ?? 0 : 0)
  }

  // MARK: - After a failed fsync

  /// What lies above the durable end may be in memory and not on disk, and asking the disk again
  /// proves nothing. Its sound records are written anew into a segment of their own; the old one
  /// ends, by the word of the new one, where it was durable for certain.
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
    let floor = min(found.scan.floor, found.scan.end)
    let copy = try quarantine(found.file, number, from: floor, to: found.scan.fileSize)
    if copy.bytes > 0 {
      report.tornTail = .init(segment: number, offset: floor, bytes: copy.bytes, copy: copy.name)
    }
    var writer = try SegmentWriter(
      SegmentHeader(number: number + 1, salt: options.random(), previousEnd: floor),
      storage: storage)
    for record in found.scan.records where record.header.offset >= floor {
      let start = record.header.offset + UInt64(RecordHeader.size)
      var payload = try found.file.read(at: start, count: record.header.length)
      if case .frame(let frame) = record.content {
        try writer.append(try Frame(decoding: payload))
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
    cutGivenUp(number, at: floor)
    var again = makeLoader()
    try again.load()
    report.damage = again.damage
    adopt(again)
    try clearPoison()
  }

  /// The next segment says where this one ends, so only who cannot read that any more would take
  /// for events what lies behind. A copy is in the quarantine. Done again by each opening, until it is
  /// done.
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
