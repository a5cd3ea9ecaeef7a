import DaybookEventCore
import DaybookFrames

extension LogWriter {
  /// Reads, without the lock, what other processes have written below the mark.
  mutating func refreshForReading() throws(LogError) {
    try checkOpen()
    // A process that holds the lock, or that has failed, knows more than the files show.
    guard !isLocked, failure == nil || isPutRight() else { return }
    for _ in 0..<8 {
      // Nil if the lock file is unreadable: a writer replaces it before it changes any other file.
      let before = try lock.soundState()
      if let before, isCurrent(before) {
        // Another process may have recovered the log and created the missing mark.
        if mark == nil { mark = try MarkFile.open(in: storage, options.readMode) }
        try mark?.reload()
        // The generation changes before the files do: what was loaded here may be older than the
        // change that the generation announced.
        let isListed = (mark?.position?.segment ?? 0) <= lastNumber
        if isListed, !isBehindInDamagedLog { return try readTail() }
      }
      var loader = makeLoader()
      loader.mode = options.readMode
      loader.onlyDurable = true
      do { try loader.load() } catch {
        // A file can vanish after it was listed and before it is opened.
        if error.code == .notFound { continue }
        throw error
      }
      let after = try lock.soundState()
      guard after?.generation == before?.generation, after?.file == before?.file else { continue }
      if let before { remember(before) } else { remember(try readLockState()) }
      mark = loader.mark ?? mark
      adopt(loader)
      isLoadedUnlocked = true
      return
    }
    // Segments are added faster than they can be listed: what was loaded before still holds.
  }

  private mutating func readTail() throws(LogError) {
    guard var active, let marked = mark?.position, marked.segment == active.segment.number,
      marked.offset > active.end
    else { return }
    let scan = try scanTail(of: active)
    let number = active.segment.number
    let durable = marked.offset
    let findings = scan.findings(segment: number)
    note(findings)
    for record in scan.records where record.header.end <= durable {
      let position = LogPosition(segment: number, offset: record.header.offset)
      switch record.content {
      case .frame(let frame): unsynced.append(.frame(RecordEntry(frame, at: position)))
      case .head(let event): unsynced.append(.head(HeadEntry(position: position, event: event)))
      case .other, .footer: break
      }
      active.end = record.header.end
    }
    active.durable = active.end
    active.size = max(active.size, scan.fileSize)
    self.active = active
    lastEnd = active.end
    publishSynced()
    known = shared.current.ranges
  }
}
