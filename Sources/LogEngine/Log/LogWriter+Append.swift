import DaybookEventCore
import DaybookFrames

extension LogWriter {
  mutating func append(_ frame: Frame) throws(LogError) -> RecordEntry {
    try checkAppendable()
    let header = frame.header
    let ranges = known[header.origin] ?? SequenceRanges()
    guard ranges.missing(in: header.sequences) == [header.sequences] else {
      throw LogError(
        .notContiguous,
        "the log has some of the events \(header.firstSequence)…\(header.lastSequence) of "
          + "\(header.origin) already", hint: "append only what is missing")
    }
    let offset = try append(kind: RecordHeader.Kind.frame, frame.bytes)
    let entry = RecordEntry(header, at: LogPosition(segment: lastNumber, offset: offset))
    unsynced.append(.frame(entry))
    known[header.origin, default: SequenceRanges()].insert(header.sequences)
    return entry
  }

  /// Appends a head, unless the log already holds an equal one.
  /// - Parameter again: whether to append it even then, because the events of its range follow.
  mutating func append(_ head: Head, again: Bool) throws(LogError) {
    try checkAppendable()
    let snapshot = shared.current
    for entry in snapshot.heads(at: head.event) where !again {
      if try snapshot.head(at: entry) == head { return }
    }
    let offset = try append(kind: RecordHeader.Kind.head, head.encoded())
    unsynced.append(
      .head(
        HeadEntry(position: LogPosition(segment: lastNumber, offset: offset), event: head.event)))
  }

  /// Appends a record to the active segment with one write; begins a segment if there is none.
  private mutating func append(kind: UInt8, _ payload: [UInt8]) throws(LogError) -> UInt64 {
    var active = try ensureActive()
    let offset = active.end
    let end = offset + RecordHeader.total(kind: kind, payload: payload.count)
    guard end <= UInt64(UInt32.max) else {
      throw LogError(.tooLarge, "the active segment has no room", hint: "seal it")
    }
    try reserve(&active, end)
    self.active = active
    scratch.bytes.removeAll(keepingCapacity: true)
    RecordHeader.append(
      kind: kind, payload, offset: offset, durable: active.durable,
      salt: active.segment.header.salt, to: &scratch)
    do { try active.file.write(scratch.bytes, at: offset) } catch {
      try undoWrite(to: offset, error)
    }
    active.file.startWriting(at: offset, count: scratch.bytes.count)
    active.end = end
    active.size = max(active.size, end)
    self.active = active
    if scratch.bytes.capacity > 4 << 20 { scratch = ByteWriter() }
    return offset
  }

  /// Reserves space in steps; if the disk is nearly full, only as much as is needed.
  ///
  /// Steps grow with the segment, so that a small log leaves space on a small disk to the read
  /// model.
  private func reserve(_ active: inout Active, _ end: UInt64) throws(LogError) {
    guard end > active.size else { return }
    let step = max(
      end, active.size + min(options.preallocationStep, max(Self.firstReserve, active.size / 4)))
    do {
      try active.file.allocate(to: step)
      active.size = try active.file.size()
    } catch {
      guard error.code == .noSpace else { throw error.at(segment: active.segment.number) }
      try active.file.allocate(to: end)
      active.size = try active.file.size()
    }
  }

  private static let firstReserve: UInt64 = 64 << 10

  /// Cuts off a partial write if the disk is full, which does not poison; any other failure does.
  private mutating func undoWrite(to offset: UInt64, _ error: LogError) throws(LogError) -> Never {
    guard error.code == .noSpace, var active else { throw poison(error) }
    do { try active.file.truncate(to: offset) } catch { throw poison(error) }
    active.size = offset
    self.active = active
    throw error.at(segment: active.segment.number, offset: offset)
  }

  // MARK: - Durability

  /// Starts the fsync that ``sync()`` waits for, if the options allow another thread.
  mutating func beginSync() throws(LogError) {
    try checkAppendable()
    guard options.syncsOnOtherThread, let active, active.end > active.durable, syncing == nil else {
      return
    }
    background.begin(active.file)
    syncing = active.end
  }

  /// Waits for the fsync in progress, if any.
  ///
  /// - Returns: the offset up to which it made the active segment durable; nil if there was none.
  mutating func endSync() throws(LogError) -> UInt64? {
    guard let end = syncing else { return nil }
    syncing = nil
    do { try background.wait() } catch { throw poison(error) }
    return end
  }

  /// Makes appended records durable: one fsync and one small write for the mark.
  mutating func sync() throws(LogError) {
    try checkAppendable()
    guard var active, active.end > active.durable else { return }
    let began = ContinuousClock.now
    if try endSync() != active.end {
      do { try active.file.sync() } catch { throw poison(error) }
    }
    active.durable = active.end
    do { try writeMark(LogPosition(segment: active.segment.number, offset: active.end)) } catch {
      throw poison(error)
    }
    self.active = active
    lastEnd = active.end
    publishSynced()
    options.telemetry.synced(
      background.takeTime() ?? (ContinuousClock.now - began), through: durableEnd)
  }

  mutating func writeMark(_ position: LogPosition) throws(LogError) {
    guard mark?.position != position else { return }
    if mark == nil {
      mark = try MarkFile.create(in: storage, at: position)
    } else {
      try mark?.write(position)
    }
  }

  mutating func publishSynced() {
    let unsynced = self.unsynced
    let end = durableEnd
    shared.update { snapshot in
      for record in unsynced {
        switch record {
        case .frame(let entry): snapshot.add(entry)
        case .head(let entry): snapshot.add(entry)
        }
      }
      snapshot.durableEnd = end
    }
    self.unsynced.removeAll(keepingCapacity: true)
  }

  /// Removes the records appended since the last ``sync()``, durably.
  mutating func abandon() throws(LogError) {
    try checkOpen()
    guard isLocked else { throw LogError(.notLocked, "the commit lock is not held") }
    _ = try endSync()
    guard failure == nil, var active, active.end > active.durable else { return }
    // The writer is told that nothing was written. Without the fsync, a power failure could bring
    // whole records back, and recovery would accept them. If this process dies before the fsync,
    // the new generation makes the next process look again, and its recovery makes the cut durable.
    do {
      try changeGeneration()
      try active.file.truncate(to: active.durable)
      try active.file.sync()
    } catch { throw poison(error) }
    active.end = active.durable
    active.size = active.durable
    self.active = active
    unsynced.removeAll(keepingCapacity: true)
    known = shared.current.ranges
  }
}
