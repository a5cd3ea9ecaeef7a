import DaybookEventCore
import DaybookFrames

extension LogWriter {
  /// Returns the segment to append to; begins one if the last is sealed, damaged or missing.
  mutating func ensureActive() throws(LogError) -> Active {
    if let active { return active }
    let header = SegmentHeader(
      number: lastNumber + 1, salt: options.random(), previousEnd: unsealedEnd ?? lastEnd)
    do {
      var writer = try SegmentWriter.create(header, in: storage)
      try writer.finish()
      return try begin(writer)
    } catch {
      try? storage.remove(SegmentName.unfinished(header.number))
      throw error
    }
  }

  /// Makes the segment that `writer` has written durably the active one.
  mutating func begin(_ writer: SegmentWriter) throws(LogError) -> Active {
    let number = writer.header.number
    try changeGeneration()
    try storage.rename(writer.name, to: SegmentName.file(number))
    // Without this, a power failure could remove the segment with acknowledged records in it.
    do { try storage.syncFolder(SegmentName.folder) } catch { throw poison(error) }
    let segment = Segment(
      header: writer.header, isSealed: false, index: writer.index, file: writer.file, files: files)
    let active = Active(
      segment: segment, file: writer.file, end: writer.end, durable: writer.end, size: writer.end)
    self.active = active
    lastNumber = number
    lastEnd = writer.end
    unsealedEnd = nil
    do { try writeMark(durableEnd) } catch { throw poison(error) }
    options.telemetry.began(number)
    let end = durableEnd
    shared.update { snapshot in
      snapshot.add(segment)
      snapshot.durableEnd = end
    }
    known = shared.current.ranges
    return active
  }

  // MARK: - Locking

  /// Checks that the lock may be asked for, and notes that it is.
  ///
  /// The wait itself may be long; it happens outside the mutex, so that other calls are not
  /// blocked.
  mutating func beginLocking() throws(LogError) {
    try checkWritable()
    guard !isLocked, !isLocking else {
      throw LogError(.locked, "this log holds the commit lock already")
    }
    isLocking = true
  }

  /// Notes that the lock could not be taken.
  mutating func giveUpLocking() { isLocking = false }

  /// Notes that the lock is held, and reads what other processes have written.
  mutating func endLocking(after time: Duration) throws(LogError) {
    isLocking = false
    isLocked = true
    options.telemetry.lockTaken(after: time)
    do {
      // Another thread may have closed the log while this one waited.
      try checkWritable()
      try refresh()
    } catch {
      releaseLock()
      throw error
    }
  }

  mutating func releaseLock() {
    guard isLocked else { return }
    _ = try? endSync()
    isLocked = false
    lock.unlock()
  }

  /// Reads what other processes have written.
  ///
  /// The lock is held, so no write is in progress.
  private mutating func refresh() throws(LogError) {
    let state = try takeUpLockState().state
    if state.isPoisoned {
      let error = LogError(
        .poisoned, "another process failed to write the log, so what the disk holds is uncertain",
        hint: "close the store and open it again")
      failure = error
      throw error
    }
    if isCurrent(state), !isLoadedUnlocked { return try probeTail() }
    let known = (generation, lockFile)
    if state.file != lockFile { options.telemetry.lockFileReplaced() }
    remember(state)
    do {
      try reload()
      try vouchForLockFile()
    } catch {
      // The files were not reloaded: the next call must not take the old state for current.
      (generation, lockFile) = known
      throw error
    }
  }

  /// Returns the state in the lock file; an unreadable one makes everything be loaded again.
  func readLockState() throws(LogError) -> LockState {
    if let state = try lock.soundState() { return state }
    var state = LockState()
    state.generation = options.random()
    return state
  }

  /// Returns the state in the lock file; the lock must be held.
  ///
  /// An unreadable state is replaced by a new one, with a generation that no process remembers.
  func takeUpLockState() throws(LogError) -> (state: LockState, wasUnreadable: Bool) {
    if let state = try lock.soundState() { return (state, false) }
    var state = LockState()
    state.generation = options.random() | 1
    return (try lock.writeState(state), true)
  }

  /// Writes the lock file again if it is missing or empty although the log has segments.
  ///
  /// It is written before the first segment is made, so it must have been lost.
  /// - Returns: whether it was written.
  @discardableResult
  mutating func vouchForLockFile() throws(LogError) -> Bool {
    guard generation == 0, lastNumber > 0 else { return false }
    var state = LockState()
    state.generation = options.random() | 1
    remember(try lock.writeState(state))
    return true
  }

  /// Lists the segments and loads those that are new.
  private mutating func reload() throws(LogError) {
    var loader = makeLoader()
    try loader.load()
    mark = loader.mark ?? mark
    if loader.damage.isEmpty {
      try secureNames(loader)
      if let found = loader.active {
        let mended = try mend(found, isNew: true)
        loader.active = mended.found
        if let tail = mended.tornTail { options.telemetry.cut(tail) }
      }
    }
    adopt(try durablePart(of: loader))
    isLoadedUnlocked = false
  }

  func makeLoader() -> LogLoader {
    var loader = LogLoader(storage: storage, files: files)
    for part in shared.current.parts where part.segment.isSealed {
      loader.reusable[part.segment.number] = part.segment
    }
    return loader
  }

  /// Reads records that another process has appended to the active segment.
  private mutating func probeTail() throws(LogError) {
    guard let active else {
      try mark?.reload()
      return isBehindInDamagedLog ? try reload() : ()
    }
    let bytes = try active.file.read(at: active.end, count: RecordHeader.size)
    try mark?.reload()
    // A process that dies while it writes leaves the first bytes of a record, so zeros mean that
    // there is none. But if the mark lies beyond them, the disk has lost what was written there.
    let isMarkedBeyond =
      mark?.position.map {
        $0 > LogPosition(segment: active.segment.number, offset: active.end)
      } ?? false
    if bytes.withUnsafeBytes(\.isZero), !isMarkedBeyond { return }
    var scan = try scanTail(of: active)
    scan.dropIncompleteRange(held: known)
    let findings = scan.findings(segment: active.segment.number)
    if !findings.isEmpty {
      note(findings)
      return
    }
    // This may fail, so it comes first: records taken before would count as this log's own.
    let found = LogLoader.Unsealed(segment: active.segment, file: active.file, scan: scan)
    let mended = try mend(found)
    if let tail = mended.tornTail { options.telemetry.cut(tail) }
    take(scan)
    self.active?.size = mended.found.scan.fileSize
    self.active?.durable = mended.found.scan.end
    lastEnd = mended.found.scan.end
    publishSynced()
  }

  func scanTail(of active: Active) throws(LogError) -> SegmentScan {
    var durableEnd: UInt64 = 0
    if let marked = mark?.position, marked.segment == active.segment.number {
      durableEnd = marked.offset
    }
    return try SegmentScan(
      file: active.file, fileSize: try active.file.size(), salt: active.segment.header.salt,
      from: active.end, durableEnd: durableEnd)
  }

  /// Adds the records found by a scan of the active segment's tail; they are shown once durable.
  private mutating func take(_ scan: SegmentScan) {
    guard var active else { return }
    let number = active.segment.number
    for record in scan.records {
      let position = LogPosition(segment: number, offset: record.header.offset)
      switch record.content {
      case .frame(let frame):
        unsynced.append(.frame(RecordEntry(frame, at: position)))
        known[frame.origin, default: SequenceRanges()].insert(frame.sequences)
      case .head(let event): unsynced.append(.head(HeadEntry(position: position, event: event)))
      case .other, .footer:
        active.segment.withIndex {
          $0.others.append(
            .init(
              kind: record.header.kind, offset: record.header.offset,
              length: Int(record.header.total)))
        }
      }
    }
    active.end = scan.end
    active.size = scan.fileSize
    self.active = active
  }
}
