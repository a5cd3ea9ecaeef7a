package import EventCore

/// Puts a damaged log right: looks at all of it, fetches what is lost from elsewhere, and writes the
/// segments that are damaged or missing anew.
///
/// To be used by one who holds the commit lock, in this order: make it, ``fill(from:)`` for each
/// source, look at what is still ``lost``, ``apply()``. Until that nothing changes. A segment that is
/// replaced has been copied to the quarantine folder before. Stopped at any point, it can be done
/// again.
package struct LogRepair {
  /// What was durable elsewhere and says what this log has held.
  package struct Evidence: Sendable {
    /// The store's own replica.
    package var replica: ReplicaID
    /// What the store's read model has applied, and the chain values there.
    package var applied: VersionVector
    package var chains: [ReplicaID: Hash256]

    package init(replica: ReplicaID, applied: VersionVector, chains: [ReplicaID: Hash256]) {
      self.replica = replica
      self.applied = applied
      self.chains = chains
    }
  }

  /// Events that another log has.
  struct Fill: Sendable {
    var origin: ReplicaID
    var sequences: ClosedRange<UInt64>
    var chainBefore: Hash256
    var chainAfter: Hash256
    var source: LogSnapshot
    /// The segment that they go to.
    var segment: UInt64
  }

  let storage: any Storage
  let lock: any StoreLock
  let random: @Sendable () -> UInt64
  let evidence: Evidence
  /// The log as it was loaded; what is in damaged segments does not count.
  let snapshot: LogSnapshot
  /// What is wrong.
  package let findings: [LogFinding]
  /// The damaged and the missing segments, ascending; a new one where there are none of those and a
  /// gap is filled.
  var salvages: [SegmentSalvage]
  /// Something that was never durable is at the end, for recovery to cut off.
  package let hasTornTail: Bool
  /// The segment for what fills gaps in a sound log.
  let nextNumber: UInt64
  /// The sound events, those of the fills included.
  var known: [ReplicaID: SequenceRanges] = [:]
  /// How far each origin's events were once in the log, as far as anybody can say.
  private(set) var tops: [ReplicaID: UInt64] = [:]
  /// The chain values after the sound frames of damaged segments.
  private(set) var ends: [EventID: Hash256] = [:]
  var fills: [Fill] = []

  /// Reads every byte of the log. Changes nothing, unless there is no folder for it.
  /// - Parameter random: for salts and generations.
  /// - Throws: ``LogError`` where a file cannot be read, or is of a newer format.
  package init(
    storage: any Storage, lock: any StoreLock, evidence: Evidence,
    random: @escaping @Sendable () -> UInt64, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) {
    self.storage = storage
    self.lock = lock
    self.random = random
    self.evidence = evidence
    do throws(LogError) { _ = try storage.list(SegmentName.folder) } catch {
      guard error.code == .notFound else { throw error }
      try storage.makeFolder(SegmentName.folder)
      try storage.syncFolder("")
    }
    var loader = LogLoader(storage: storage, files: SegmentFiles(storage: storage))
    loader.mode = .read
    try loader.load()
    var verifier = LogVerifier(storage: storage, lock: lock, snapshot: loader.snapshot)
    let verification = try verifier.run(damage: loader.damage, progress: progress)
    let mark = loader.mark?.position
    snapshot = loader.snapshot
    var findings = verification.findings
    let numbers = Self.damagedSegments(findings, snapshot, last: loader.lastNumber)
    let places = try Self.places(of: numbers, storage)
    var salvages: [SegmentSalvage] = []
    for number in numbers {
      let flagged = Set(
        findings.filter { $0.segment == number }.compactMap { $0.offset })
      var salvage = try SegmentSalvage(
        number, at: places[number], in: storage, mark: mark,
        nextEnd: try Self.previousEnd(in: number + 1, storage), flagged: flagged)
      let isVerified =
        places[number] == SegmentName.file(number)
        && snapshot.parts.contains { $0.segment.number == number }
      // Nobody has checked the signatures of one that verifying could not read.
      if !isVerified { try salvage.keepHeads { _ in false } }
      salvages.append(salvage)
    }
    // Also where every segment is sound: the log may end before what the read model has applied.
    if salvages.isEmpty, !Self.holds(evidence.applied, snapshot.ranges) {
      let number = max(loader.lastNumber, 1)
      findings.append(
        LogFinding("the read model has applied events that the log does not hold", segment: number))
      salvages.append(
        try SegmentSalvage(
          number, at: try Self.places(of: [number], storage)[number], in: storage, mark: mark,
          nextEnd: 0, flagged: []))
    }
    // Whoever makes a segment changes the generation first; one that died between has lost nothing,
    // but nobody can say that it was so.
    let generation = try lock.soundState()?.generation ?? 0
    if loader.lastNumber == 0, salvages.isEmpty, generation != 0 {
      findings.append(LogFinding("the log has no segments, and had some", segment: 1))
      salvages.append(
        try SegmentSalvage(1, at: nil, in: storage, mark: mark, nextEnd: 0, flagged: []))
    }
    hasTornTail = loader.active?.scan.tail == .torn
    nextNumber = max(loader.lastNumber, snapshot.parts.last?.segment.number ?? 0) + 1
    self.findings = findings
    self.salvages = salvages
    try settle()
  }

  /// Counts what is sound: all of the segments that stay, and of the others the frames that hold
  /// events, on the chain of those before, which are nowhere else.
  private mutating func settle() throws(LogError) {
    for part in snapshot.parts where isSound(part.segment.number) {
      for entry in part.segment.withIndex({ $0.entries }) {
        known[entry.origin, default: SequenceRanges()].insert(entry.sequences)
      }
    }
    var candidates: [(salvage: Int, record: SegmentScanner.Record, frame: FrameHeader)] = []
    for (number, salvage) in salvages.enumerated() {
      for record in salvage.records {
        if case .frame(let frame) = record.content { candidates.append((number, record, frame)) }
      }
    }
    candidates.sort {
      $0.frame.origin != $1.frame.origin
        ? $0.frame.origin < $1.frame.origin : $0.frame.firstSequence < $1.frame.firstSequence
    }
    for (number, record, frame) in candidates {
      let ranges = known[frame.origin] ?? SequenceRanges()
      guard ranges.missing(in: frame.sequences) == [frame.sequences] else {
        salvages[number].drop(at: record.header.offset, losing: nil)
        continue
      }
      let before = try chain(after: EventID(frame.origin, frame.firstSequence - 1))
      guard try salvages[number].isSound(record, chainBefore: before) else {
        salvages[number].drop(
          at: record.header.offset, losing: .init(frame.origin, frame.sequences))
        continue
      }
      known[frame.origin, default: SequenceRanges()].insert(frame.sequences)
      ends[EventID(frame.origin, frame.lastSequence)] = frame.chain
    }
    for number in salvages.indices {
      var salvage = salvages[number]
      try salvage.keepHeads { head throws(LogError) in try chain(after: head.event) == head.chain }
      salvages[number] = salvage
    }
    for (origin, sequence) in evidence.applied.entries { tops[origin] = sequence }
    for events in salvages.flatMap(\.lost) {
      tops[events.origin] = max(tops[events.origin] ?? 0, events.sequences.upperBound)
    }
    for (origin, ranges) in known {
      tops[origin] = max(tops[origin] ?? 0, ranges.ranges.last?.upperBound ?? 0)
    }
  }

  private static func damagedSegments(
    _ findings: [LogFinding], _ snapshot: LogSnapshot, last: UInt64
  ) -> [UInt64] {
    var numbers = Set(findings.compactMap(\.segment))
    // A finding of several missing segments names the first.
    let there = Set(snapshot.parts.map(\.segment.number))
    // Nor does a mark name more than can be looked for.
    let end = (numbers.union(there).max() ?? 0) + SegmentName.missingMax
    let last = min(last, end)
    if last > 0 { for number in 1...last where !there.contains(number) { numbers.insert(number) } }
    numbers.remove(0)
    return numbers.sorted()
  }

  /// The files that hold these segments: a header says whose file it is, where it can be read, as
  /// someone may have swapped them.
  private static func places(of numbers: [UInt64], _ storage: any Storage) throws(LogError)
    -> [UInt64: String]
  {
    var places: [UInt64: String] = [:]
    for number in numbers {
      let name = SegmentName.file(number)
      do throws(LogError) {
        let bytes = try storage.open(name, .read).read(at: 0, count: SegmentHeader.size)
        let said = (try? SegmentHeader(decoding: bytes))?.number ?? number
        if said == number || places[said] == nil && numbers.contains(said) { places[said] = name }
      } catch { guard error.code == .notFound else { throw error } }
    }
    return places
  }

  static func previousEnd(in number: UInt64, _ storage: any Storage) throws(LogError) -> UInt64 {
    do throws(LogError) {
      let file = try storage.open(SegmentName.file(number), .read)
      let bytes = try file.read(at: 0, count: SegmentHeader.size)
      return (try? SegmentHeader(decoding: bytes))?.previousEnd ?? 0
    } catch {
      guard error.code == .notFound else { throw error }
      return 0
    }
  }

  private static func holds(_ vector: VersionVector, _ known: [ReplicaID: SequenceRanges]) -> Bool {
    vector.entries.allSatisfy { origin, sequence in
      sequence == 0 || (known[origin] ?? SequenceRanges()).contiguous >= sequence
    }
  }

  // MARK: - What is known

  /// Whether a segment has to be written anew.
  package var isNeeded: Bool { !salvages.isEmpty }

  /// The damaged or missing segments that will be written anew.
  package var segments: [UInt64] { salvages.filter { !$0.isNew }.map(\.number) }

  /// The events that neither the log nor a source has.
  package var lost: [LogFinding.Events] {
    tops.keys.sorted().flatMap { origin -> [LogFinding.Events] in
      guard let top = tops[origin], top > 0 else { return [] }
      let ranges = known[origin] ?? SequenceRanges()
      return ranges.missing(in: 1...top).map { .init(origin, $0) }
    }
  }

  /// A part of the log is gone of which nobody can say what was in it, and there is no read model to
  /// say how far the log went.
  package var mayHaveLostMore: Bool {
    hasUnknownLoss && (evidence.applied.isEmpty || !Self.holds(evidence.applied, known))
  }

  /// Whether the log will hold every event of that vector.
  package func holds(_ vector: VersionVector) -> Bool { Self.holds(vector, known) }

  /// Whether everything that was ever known to be in the log will be in it.
  package var losesNothing: Bool { lost.isEmpty && !mayHaveLostMore }

  var hasUnknownLoss: Bool { salvages.contains(where: \.hasUnknownLoss) }

  /// Events fetched from sources.
  package var fetched: UInt64 { fills.reduce(0) { $0 + UInt64($1.sequences.count) } }

  private func hasOwnEvent(behind salvage: SegmentSalvage) -> Bool {
    let inIt = salvage.records.contains { record in
      guard case .frame(let frame) = record.content else { return false }
      return frame.origin == evidence.replica && record.header.offset >= salvage.unknownEnd
    }
    if inIt { return true }
    let damaged = Set(salvages.map(\.number))
    let inSound = snapshot.parts.contains { part in
      part.segment.number > salvage.number && !damaged.contains(part.segment.number)
        && part.segment.withIndex { $0.entries.contains { $0.origin == evidence.replica } }
    }
    return inSound
      || salvages.contains { other in
        other.number > salvage.number
          && other.records.contains { record in
            guard case .frame(let frame) = record.content else { return false }
            return frame.origin == evidence.replica
          }
      }
  }

  /// The store's own latest events may be among what is lost, so that the replica would give their
  /// numbers to others: it must take a new identity before it writes.
  package var mustRenewIdentity: Bool {
    guard !segments.isEmpty else { return false }
    let own = [evidence.replica, evidence.replica.privateOrigin]
    if lost.contains(where: { own.contains($0.origin) }) { return true }
    // An own event that lies behind is later than any that could have been lost.
    return salvages.contains { $0.hasUnknownLoss && !hasOwnEvent(behind: $0) }
  }
}
