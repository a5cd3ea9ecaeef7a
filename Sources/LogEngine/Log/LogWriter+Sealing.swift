import DaybookEventCore
import DaybookFrames

extension LogWriter {
  mutating func rollIfNeeded() throws(LogError) -> SealOutcome {
    try checkAppendable()
    guard let active, active.end >= max(options.segmentBytes, sealNotBefore) else {
      return .nothing
    }
    let outcome = try seal()
    if case .failed = outcome, let active = self.active {
      sealNotBefore = active.end + options.segmentBytes / 4
    } else {
      sealNotBefore = 0
    }
    return outcome
  }

  mutating func seal() throws(LogError) -> SealOutcome {
    try checkAppendable()
    try sync()
    for part in shared.current.parts where !part.segment.isSealed {
      // Older segments are unsealed only if an earlier attempt failed; another failure does no
      // harm.
      guard part.segment.number < lastNumber else { continue }
      if case .failed(let error) = rewrite(part.segment), error.code == .damaged { note(error) }
    }
    guard let active, active.end > UInt64(SegmentHeader.size) else { return .nothing }
    let began = ContinuousClock.now
    let outcome = sealActive(active)
    options.telemetry.sealed(
      active.segment.number, outcome, bytes: (active.end, lastEnd), ContinuousClock.now - began)
    return outcome
  }

  private mutating func sealActive(_ active: Active) -> SealOutcome {
    switch rewrite(active.segment) {
    case .rewritten:
      self.active = nil
      return .rewritten
    case .failed(let error) where error.code == .damaged:
      note(error)
      self.active = nil
      return .failed(error)
    case .failed(let error): return sealInPlace(active, because: error)
    case let outcome: return outcome
    }
  }

  /// Records damage found in durable records; from now on, writes are refused.
  private mutating func note(_ error: LogError) {
    note([LogFinding(error.message, segment: error.segment, offset: error.offset)])
  }

  // MARK: - Rewriting

  /// Writes the segment to a new file, which then replaces it.
  ///
  /// Until the rename the old file is the segment, after it the new one. Both are whole and
  /// durable, so it does not matter which of them a crash leaves.
  private mutating func rewrite(_ segment: Segment) -> SealOutcome {
    let number = segment.number
    do throws(LogError) {
      var sealer = try SegmentSealer.create(
        segment, of: shared.current, options: options, in: storage)
      let size = try sealer.run()
      try changeGeneration()
      try storage.rename(sealer.writer.name, to: SegmentName.file(number))
      let end = lastEnd
      install(sealer.writer, size: size)
      do throws(LogError) {
        try storage.syncFolder(SegmentName.folder)
      } catch {
        // After a power failure either file may have the name, and either will do. The mark stays
        // where it was, because its offset would be wrong for the old file. For the same reason the
        // next segment must state the end of the old file.
        if number == lastNumber { unsealedEnd = end }
        return .rewritten
      }
      if number == lastNumber { try? writeMark(durableEnd) }
      return .rewritten
    } catch {
      try? storage.remove(SegmentName.unfinished(number))
      return .failed(error)
    }
  }

  private mutating func install(_ writer: SegmentWriter, size: UInt64) {
    let number = writer.header.number
    var index = writer.index
    index.others = []
    let sealed = Segment(
      header: writer.header, isSealed: true, index: index, file: writer.file, files: files)
    files.forget(number)
    if number == lastNumber {
      active = nil
      lastEnd = size
    }
    let end = durableEnd
    shared.update { snapshot in
      snapshot.replace(with: sealed)
      snapshot.durableEnd = end
    }
  }

  // MARK: - Sealing in place

  /// Seals the segment by a footer at its end.
  ///
  /// This needs no space for a new file. It is done if rewriting failed with `cause`.
  private mutating func sealInPlace(_ active: Active, because cause: LogError) -> SealOutcome {
    let index = active.segment.withIndex { $0 }
    var bytes = ByteWriter()
    do throws(LogError) {
      let footer = SegmentFooter(index, last: try lastChains(index, active.segment))
      RecordHeader.append(
        kind: RecordHeader.Kind.footer, footer.encoded(), offset: active.end, durable: active.end,
        salt: active.segment.header.salt, to: &bytes)
      bytes.raw(SegmentTrailer(footer: active.end).encoded(salt: active.segment.header.salt))
      try changeGeneration()
    } catch { return .failed(error) }
    let size = active.end + UInt64(bytes.count)
    do throws(LogError) {
      try active.file.write(bytes.bytes, at: active.end)
      try active.file.truncate(to: size)
    } catch { return .failed(undoFooter(active, error)) }
    do { try active.file.sync() } catch { return .failed(poison(error)) }
    self.active = nil
    lastEnd = size
    let sealed = Segment(
      header: active.segment.header, isSealed: true, index: index, file: active.file, files: files)
    let end = durableEnd
    shared.update { snapshot in
      snapshot.replace(with: sealed)
      snapshot.durableEnd = end
    }
    // The mark is a lower bound: if it cannot be moved, the trailer still says where the log ends.
    try? writeMark(end)
    return .inPlace(cause)
  }

  /// Handles a footer that could not be written.
  ///
  /// The segment's events are durable, and stay. On a full disk the footer is cut off, and the
  /// segment takes further appends. Any other failure poisons, because other processes append to
  /// the active segment as well.
  private mutating func undoFooter(_ active: Active, _ error: LogError) -> LogError {
    guard error.code == .noSpace else { return poison(error) }
    var trimmed = active
    do { try active.file.truncate(to: active.end) } catch { return poison(error) }
    trimmed.size = active.end
    self.active = trimmed
    return error
  }

  private func lastChains(_ index: SegmentIndex, _ segment: Segment) throws(LogError)
    -> [ReplicaID: SegmentFooter.Last]
  {
    var highest: [ReplicaID: RecordEntry] = [:]
    for entry in index.entries
    where entry.firstSequence >= highest[entry.origin]?.firstSequence ?? 0 {
      highest[entry.origin] = entry
    }
    var last: [ReplicaID: SegmentFooter.Last] = [:]
    for (origin, entry) in highest.sorted(by: { $0.key < $1.key }) {
      last[origin] = .init(
        sequence: entry.lastSequence, chain: try segment.frame(entry).header.chain)
    }
    return last
  }

  // MARK: - Closing

  /// Whether closing must take the lock first.
  var mustLockToClose: Bool { !isClosed && !options.isReadOnly && failure == nil && !isLocked }

  mutating func close() throws(LogError) {
    guard !isClosed else { return }
    defer {
      releaseLock()
      isClosed = true
    }
    guard !options.isReadOnly, failure == nil else { return }
    try abandon()
    guard damage.isEmpty else { return }
    if let active, active.end - UInt64(SegmentHeader.size) >= options.sealOnCloseBytes {
      _ = try seal()
    }
    if let active, active.size > active.end {
      try active.file.truncate(to: active.end)
      try active.file.sync()
    }
    let end = durableEnd
    // The folder's sync may have failed after a seal: repeat it before the mark names the new end.
    if active == nil, mark?.position != end { try storage.syncFolder(SegmentName.folder) }
    try mark?.writeBoth(end)
    try mark?.sync()
  }
}
