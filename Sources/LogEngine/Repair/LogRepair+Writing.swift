import DaybookEventCore
package import DaybookFrames

/// Writing the new segments, and replacing the damaged ones.
extension LogRepair {
  /// The size in raw bytes at which a frame of fetched events takes no further event.
  private static let frameBytes = 256 << 10

  /// Writes the sound and the fetched events to new segments, which replace the damaged ones.
  ///
  /// The damaged files are copied to the quarantine folder first. The commit lock must be held.
  /// - Returns: the paths of the copies, relative to the store's folder.
  /// - Throws: ``LogError``: `.noSpace`, `.ioFailed`. Either the log is unchanged, or some segments
  ///   are replaced already. In both cases the repair can be repeated.
  package func apply() throws(LogError) -> [String] {
    do { return try replace() } catch {
      // Remove the unfinished files, which may be what fills a full disk.
      for salvage in salvages { try? storage.remove(SegmentName.unfinished(salvage.number)) }
      throw error
    }
  }

  private func replace() throws(LogError) -> [String] {
    var ends: [UInt64: UInt64] = [:]
    for salvage in salvages { ends[salvage.number] = try write(salvage, ends) }
    var copies: [String] = []
    for salvage in salvages { if let copy = try quarantine(salvage) { copies.append(copy) } }
    var state = try lock.soundState() ?? LockState()
    state.generation = state.generation == 0 ? random() | 1 : state.generation &+ 1
    try lock.writeState(state)
    for salvage in salvages {
      try storage.rename(
        SegmentName.unfinished(salvage.number), to: SegmentName.file(salvage.number))
    }
    try storage.syncFolder(SegmentName.folder)
    return copies
  }

  /// Writes one segment beside the log, sealed and durable, and reads it back.
  ///
  /// - Parameter ends: the sizes of the segments written so far, by number.
  /// - Returns: the size of the file.
  private func write(_ salvage: SegmentSalvage, _ ends: [UInt64: UInt64]) throws(LogError)
    -> UInt64
  {
    let header = SegmentHeader(
      number: salvage.number, salt: random(), previousEnd: try end(of: salvage.number - 1, ends),
      isComplete: true)
    var writer = try SegmentWriter.create(header, in: storage)
    for record in salvage.records {
      var payload = try salvage.contents(of: record)
      if case .frame = record.content {
        try writer.append(
          try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: payload) })
      } else {
        payload.removeLast(min(payload.count, RecordHeader.payloadChecksumSize))
        try writer.append(record: record, payload)
      }
    }
    for fill in fills where fill.segment == salvage.number { try write(fill, &writer) }
    let size = try writer.seal()
    let found = try LogLoader.sealedIndex(of: writer.file, size: size, header)
    guard let found, found.entries == writer.index.entries else {
      throw LogError(
        .ioFailed, "a repaired segment reads back differently from what was written",
        segment: salvage.number, hint: "check the disk")
    }
    for entry in found.entries {
      let start = entry.position.offset + UInt64(RecordHeader.size)
      let bytes = try writer.file.read(at: start, count: entry.length - RecordHeader.size)
      _ = try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: bytes) }
    }
    return size
  }

  private func write(_ fill: Fill, _ writer: inout SegmentWriter) throws(LogError) {
    var builder = FrameBuilder(
      origin: fill.origin, firstSequence: fill.sequences.lowerBound,
      chainBefore: Chain(value: fill.chainBefore))
    var failure: LogError?
    do {
      try fill.source.forEachEvent(of: fill.origin, in: fill.sequences) { sequence, event in
        try builder.append(event.encoded)
        guard builder.rawLength >= Self.frameBytes, sequence < fill.sequences.upperBound else {
          return
        }
        try writer.append(try builder.finish(.high))
        builder = FrameBuilder(
          origin: fill.origin, firstSequence: sequence + 1, chainBefore: builder.chain)
      }
    } catch let error as LogError { failure = error } catch let error as FrameError {
      failure = LogError(error)
    } catch {
      failure = LogError(.malformed, "a fetched event cannot be read", cause: "\(error)")
    }
    if let failure { throw failure }
    guard builder.chain.value == fill.chainAfter else {
      throw LogError(.malformed, "the source has changed while it was read", hint: "try again")
    }
    try writer.append(try LogError.ofFrames { () throws(FrameError) in try builder.finish(.high) })
  }

  /// Returns the offset at which a segment ends; 0 if there is no such segment.
  private func end(of number: UInt64, _ ends: [UInt64: UInt64]) throws(LogError) -> UInt64 {
    if number == 0 { return 0 }
    if let end = ends[number] { return end }
    guard let part = snapshot.parts.first(where: { $0.segment.number == number }) else { return 0 }
    if part.segment.isSealed { return try part.segment.file().size() }
    return part.segment.withIndex { index in
      let frames = index.entries.map(\.end.offset)
      let heads = index.heads.map { $0.position.offset + UInt64(HeadEntry.length) }
      let others = index.others.map { $0.offset + UInt64($0.length) }
      return (frames + heads + others).max() ?? UInt64(SegmentHeader.size)
    }
  }

  /// Copies a damaged file to quarantine, durably.
  /// - Returns: the copy's path; nil if the file is missing.
  private func quarantine(_ salvage: SegmentSalvage) throws(LogError) -> String? {
    let file: any StorageFile
    do throws(LogError) { file = try storage.open(SegmentName.file(salvage.number), .read) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
    return try QuarantineCopy.make(of: file, salvage.number, in: storage).name
  }
}
