import DaybookEventCore
package import DaybookFrames

/// Fetching lost events from another copy of the log.
extension LogRepair {
  /// Loads the log in another folder, of a store or a backup, as a source for
  /// ``fill(from:isOwn:)``.
  ///
  /// Frames are checked when they are read; damaged ones are not used.
  /// - Throws: ``LogError`` if the log cannot be loaded.
  package static func source(_ storage: any Storage) throws(LogError) -> LogSnapshot {
    var loader = LogLoader(storage: storage, files: SegmentFiles(storage: storage))
    loader.mode = .read
    // Events that a store in use has not made durable yet must not be fetched from it.
    loader.onlyDurable = try MarkFile.open(in: storage, .read)?.position != nil
    try loader.load()
    return loader.snapshot
  }

  /// Fetches lost events from `source`.
  ///
  /// The events must continue the chain of those before the gap, and lead to the chain value of
  /// those after it. If the extent of a loss is unknown, all events are fetched that continue the
  /// known ones, provided that the source is related to this store. Events of private origins are
  /// fetched only if they are this store's own.
  /// - Parameters:
  ///   - source: the log to fetch from; see ``source(_:)``.
  ///   - isOwn: whether the source is a copy of this very replica, such as a backup. All its events
  ///     were this store's then.
  /// - Returns: the number of events fetched by this call.
  /// - Throws: ``LogError`` if a file cannot be read.
  @discardableResult
  package mutating func fill(from source: LogSnapshot, isOwn: Bool = false) throws(LogError)
    -> UInt64
  {
    let before = fetched
    if salvages.isEmpty, !lost.isEmpty { salvages = [SegmentSalvage(new: nextNumber)] }
    defer { if segments.isEmpty, fills.isEmpty { salvages = [] } }
    for events in lost { try fill(events, from: source) }
    guard hasUnknownLoss, isOwn || isRelated(source) else { return fetched - before }
    for (origin, ranges) in source.ranges.sorted(by: { $0.key < $1.key }) {
      let next = (known[origin]?.ranges.last?.upperBound ?? 0) + 1
      guard isOwn || isOurs(origin) else { continue }
      guard lost.allSatisfy({ $0.origin != origin }),
        let run = ranges.ranges.first(where: { $0.contains(next) })
      else { continue }
      try fill(.init(origin, next...run.upperBound), from: source)
    }
    return fetched - before
  }

  /// Whether events of `origin` may be fetched from another replica.
  ///
  /// Events that are private to that replica must not be fetched.
  private func isOurs(_ origin: ReplicaID) -> Bool {
    !origin.isPrivate || origin == evidence.replica.privateOrigin || tops[origin] != nil
  }

  /// Whether the source holds events of an origin that this store knows.
  private func isRelated(_ source: LogSnapshot) -> Bool {
    source.ranges.keys.contains { $0 == evidence.replica || tops[$0] != nil }
  }

  private mutating func fill(_ events: LogFinding.Events, from source: LogSnapshot)
    throws(LogError)
  {
    let there = source.ranges[events.origin] ?? SequenceRanges()
    var next = events.sequences.lowerBound
    while next <= events.sequences.upperBound,
      let run = there.ranges.first(where: { $0.upperBound >= next })
    {
      let first = max(next, run.lowerBound)
      let last = min(run.upperBound, events.sequences.upperBound)
      guard first <= last else { return }
      next = last + 1
      guard let fill = try checked(.init(events.origin, first...last), source) else { continue }
      known[events.origin, default: SequenceRanges()].insert(fill.sequences)
      fills.append(fill)
    }
  }

  /// Returns the events as a fill; nil if they are not on this log's chain.
  private func checked(_ events: LogFinding.Events, _ source: LogSnapshot) throws(LogError) -> Fill?
  {
    let (origin, range) = (events.origin, events.sequences)
    // After another gap there is no chain value to continue from.
    guard let before = try chain(after: EventID(origin, range.lowerBound - 1)) else { return nil }
    var chain = Chain(value: before)
    var last = range.lowerBound - 1
    let witness = evidence.applied[origin]
    var isForeign = false
    do {
      try source.forEachEvent(of: origin, in: range) { sequence, event in
        event.advance(&chain)
        last = sequence
        if sequence == witness, let expected = evidence.chains[origin], chain.value != expected {
          isForeign = true
        }
      }
    } catch let error as LogError {
      // Damaged in the source as well: events read from a damaged frame cannot be trusted.
      guard [.damaged, .malformed, .notFound, .unknownCodec].contains(error.code) else {
        throw error
      }
      return nil
    } catch { return nil }
    guard !isForeign, last == range.upperBound,
      try leads(chain.value, to: EventID(origin, range.upperBound + 1))
    else { return nil }
    return Fill(
      origin: origin, sequences: range, chainBefore: before, chainAfter: chain.value,
      source: source, segment: try segment(for: EventID(origin, range.lowerBound)))
  }

  /// Whether the sound frame that begins with `event` continues `chain`; true if there is none.
  private func leads(_ chain: Hash256, to event: EventID) throws(LogError) -> Bool {
    guard let frame = try frame(beginning: event) else { return true }
    return try LogError.ofFrames { () throws(FrameError) in
      try frame.chain(from: Chain(value: chain))
    }.value == frame.header.chain
  }

  // MARK: - Sound frames

  func isSound(_ number: UInt64) -> Bool { !salvages.contains { $0.number == number } }

  func chain(after event: EventID) throws(LogError) -> Hash256? {
    if event.sequence == 0 { return Chain(origin: event.origin).value }
    for fill in fills where fill.origin == event.origin {
      if fill.sequences.upperBound == event.sequence { return fill.chainAfter }
    }
    if let end = ends[event] { return end }
    guard let entry = entry(containing: event), entry.lastSequence == event.sequence else {
      return nil
    }
    return try snapshot.frame(at: entry).header.chain
  }

  private func frame(beginning event: EventID) throws(LogError) -> Frame? {
    for salvage in salvages {
      for record in salvage.records {
        guard case .frame(let frame) = record.content, frame.origin == event.origin,
          frame.firstSequence == event.sequence
        else { continue }
        let contents = try salvage.contents(of: record)
        return try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: contents) }
      }
    }
    guard let entry = entry(containing: event), entry.firstSequence == event.sequence else {
      return nil
    }
    return try snapshot.frame(at: entry)
  }

  /// Returns the entry of an event in a segment that stays unchanged.
  private func entry(containing event: EventID) -> RecordEntry? {
    let range = event.sequence...event.sequence
    for part in snapshot.parts where isSound(part.segment.number) {
      let found = part.segment.withIndex {
        $0.entries(of: event.origin, in: range, limit: part.entries).first
      }
      if let found { return found }
    }
    return nil
  }

  /// Returns the first segment to be written that is not before the one with the event's
  /// predecessor.
  private func segment(for event: EventID) throws(LogError) -> UInt64 {
    let before = EventID(event.origin, event.sequence - 1)
    let least = event.sequence > 1 ? entry(containing: before)?.position.segment ?? 0 : 0
    let number = salvages.first { $0.number >= least }?.number ?? salvages.last?.number
    guard let number else { throw LogError(.notFound, "there is no segment to repair") }
    return number
  }
}
