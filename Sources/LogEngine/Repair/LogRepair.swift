package import DaybookEventCore
package import DaybookFrames

/// A repair of a damaged log, which fetches lost events and rewrites damaged or missing segments.
///
/// The caller must hold the commit lock, and proceeds in this order: inspect the log, call
/// ``fill(from:isOwn:)`` for each source, check what is still ``lost``, call ``apply()``. Until
/// then the log is not changed. Each replaced segment is copied to the quarantine folder first. A
/// repair that is interrupted at any point can be repeated.
package struct LogRepair {
  /// Durable facts from outside the log that show which events the log has held.
  package struct Evidence: Sendable {
    /// The store's own replica.
    package var replica: ReplicaID
    /// The events that the store's read model has applied; ``chains`` has the chain values there.
    package var applied: VersionVector
    package var chains: [ReplicaID: Hash256]

    package init(replica: ReplicaID, applied: VersionVector, chains: [ReplicaID: Hash256]) {
      self.replica = replica
      self.applied = applied
      self.chains = chains
    }
  }

  /// Events fetched from another log.
  struct Fill: Sendable {
    var origin: ReplicaID
    var sequences: ClosedRange<UInt64>
    var chainBefore: Hash256
    var chainAfter: Hash256
    var source: LogSnapshot
    /// The number of the segment that the events are written to.
    var segment: UInt64
  }

  let storage: any Storage
  let lock: any StoreLock
  let random: @Sendable () -> UInt64
  let evidence: Evidence
  /// The log as it was loaded; records in damaged segments do not count.
  let snapshot: LogSnapshot
  /// The damage found in the log.
  package let findings: [LogFinding]
  /// The damaged and missing segments, ascending.
  ///
  /// If there are none but a gap is to be filled, it is a new segment.
  var salvages: [SegmentSalvage]
  /// Whether the log ends with bytes that were never durable, which recovery will cut off.
  package let hasTornTail: Bool
  /// The number of a new segment for events that fill gaps in an otherwise sound log.
  let nextNumber: UInt64
  /// The sound events, including those of the fills.
  var known: [ReplicaID: SequenceRanges] = [:]
  /// The highest sequence of each origin that was ever in the log, as far as known.
  private(set) var tops: [ReplicaID: UInt64] = [:]
  /// The chain values after the sound frames of damaged segments.
  private(set) var ends: [EventID: Hash256] = [:]
  var fills: [Fill] = []

  private init(
    storage: any Storage, lock: any StoreLock, evidence: Evidence,
    random: @escaping @Sendable () -> UInt64, snapshot: LogSnapshot, findings: [LogFinding],
    salvages: [SegmentSalvage], hasTornTail: Bool, nextNumber: UInt64
  ) {
    self.storage = storage
    self.lock = lock
    self.random = random
    self.evidence = evidence
    self.snapshot = snapshot
    self.findings = findings
    self.salvages = salvages
    self.hasTornTail = hasTornTail
    self.nextNumber = nextNumber
  }

  /// Reads every byte of the log and finds the damage.
  ///
  /// Changes nothing, except that it creates the folder `log` if it is missing.
  /// - Parameters:
  ///   - random: the source of salts and generations.
  ///   - progress: called with the bytes done and the bytes in all.
  /// - Throws: ``LogError`` if a file cannot be read, or is of a newer format.
  package static func inspect(
    storage: any Storage, lock: any StoreLock, evidence: Evidence,
    random: @escaping @Sendable () -> UInt64, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogRepair {
    try requireFolder(storage)
    var loader = LogLoader(storage: storage, files: SegmentFiles(storage: storage))
    loader.mode = .read
    try loader.load()
    var verifier = LogVerifier(storage: storage, lock: lock, snapshot: loader.snapshot)
    let verification = try verifier.run(damage: loader.damage, progress: progress)
    let mark = loader.mark?.position
    let snapshot = loader.snapshot
    var findings = verification.findings
    var salvages = try salvaged(findings, snapshot, last: loader.lastNumber, mark, storage)
    // Also if every segment is sound: the log may end before the events that the read model
    // applied.
    if salvages.isEmpty, !holds(evidence.applied, snapshot.ranges) {
      let number = max(loader.lastNumber, 1)
      findings.append(
        LogFinding("the read model has applied events that the log does not hold", segment: number))
      salvages.append(
        try SegmentSalvage(
          number, at: try places(of: [number], storage)[number], in: storage, mark: mark,
          nextEnd: 0, flagged: []))
    }
    // A process that makes the first segment changes the generation first. If it died in between,
    // nothing is lost, but this cannot be told from a loss.
    let generation = try lock.soundState()?.generation ?? 0
    if loader.lastNumber == 0, salvages.isEmpty, generation != 0 {
      findings.append(LogFinding("the log has no segments, and had some", segment: 1))
      salvages.append(
        try SegmentSalvage(1, at: nil, in: storage, mark: mark, nextEnd: 0, flagged: []))
    }
    var repair = LogRepair(
      storage: storage, lock: lock, evidence: evidence, random: random, snapshot: snapshot,
      findings: findings, salvages: salvages, hasTornTail: loader.active?.scan.tail == .torn,
      nextNumber: max(loader.lastNumber, snapshot.parts.last?.segment.number ?? 0) + 1)
    try repair.findSoundEvents()
    return repair
  }

  private static func requireFolder(_ storage: any Storage) throws(LogError) {
    do throws(LogError) { _ = try storage.list(SegmentName.folder) } catch {
      guard error.code == .notFound else { throw error }
      try storage.makeFolder(SegmentName.folder)
      try storage.syncFolder("")
    }
  }

  /// Reads what is left of the damaged and missing segments.
  private static func salvaged(
    _ findings: [LogFinding], _ snapshot: LogSnapshot, last: UInt64, _ mark: LogPosition?,
    _ storage: any Storage
  ) throws(LogError) -> [SegmentSalvage] {
    let numbers = damagedSegments(findings, snapshot, last: last)
    let places = try Self.places(of: numbers, storage)
    var salvages: [SegmentSalvage] = []
    for number in numbers {
      let flagged = Set(
        findings.filter { $0.segment == number }.compactMap { $0.offset })
      var salvage = try SegmentSalvage(
        number, at: places[number], in: storage, mark: mark,
        nextEnd: try previousEnd(in: number + 1, storage), flagged: flagged)
      let isVerified =
        places[number] == SegmentName.file(number)
        && snapshot.parts.contains { $0.segment.number == number }
      // The signatures in a segment that the verifier could not read have not been checked.
      if !isVerified { try salvage.keepHeads { _ in false } }
      salvages.append(salvage)
    }
    return salvages
  }

  /// Determines the sound events.
  ///
  /// All events in unchanged segments are sound. Of damaged segments, a frame is sound if its
  /// events follow the chain of those before, if known, and are in no other frame.
  private mutating func findSoundEvents() throws(LogError) {
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
    // A finding on several missing segments names only the first.
    let there = Set(snapshot.parts.map(\.segment.number))
    // Segments far beyond the others are not searched for, even if the mark names them.
    let end = (numbers.union(there).max() ?? 0) + SegmentName.missingMax
    let last = min(last, end)
    if last > 0 { for number in 1...last where !there.contains(number) { numbers.insert(number) } }
    numbers.remove(0)
    return numbers.sorted()
  }

  /// Returns the files that hold these segments.
  ///
  /// A readable header states the number, because files may have been swapped.
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

  // MARK: - Results

  /// Whether any segment must be rewritten.
  package var isNeeded: Bool { !salvages.isEmpty }

  /// The damaged or missing segments that will be rewritten.
  package var segments: [UInt64] { salvages.filter { !$0.isNew }.map(\.number) }

  /// The events that neither the log nor a source holds.
  package var lost: [LogFinding.Events] {
    tops.keys.sorted().flatMap { origin -> [LogFinding.Events] in
      guard let top = tops[origin], top > 0 else { return [] }
      let ranges = known[origin] ?? SequenceRanges()
      return ranges.missing(in: 1...top).map { .init(origin, $0) }
    }
  }

  /// Whether events of unknown extent may be lost.
  ///
  /// The contents of a part of the log are unknown, and the read model cannot confirm that the log
  /// will hold all events that it has applied.
  package var mayHaveLostMore: Bool {
    hasUnknownLoss && (evidence.applied.isEmpty || !Self.holds(evidence.applied, known))
  }

  /// Whether the repaired log will hold every event of a vector.
  package func holds(_ vector: VersionVector) -> Bool { Self.holds(vector, known) }

  /// Whether the repaired log will hold every event that is known to have been in it.
  package var losesNothing: Bool { lost.isEmpty && !mayHaveLostMore }

  var hasUnknownLoss: Bool { salvages.contains(where: \.hasUnknownLoss) }

  /// The number of events fetched from sources.
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

  /// Whether the replica must take a new identity before it writes.
  ///
  /// The store's own latest events may be lost. The replica would reuse their sequences for other
  /// events.
  package var mustRenewIdentity: Bool {
    guard !segments.isEmpty else { return false }
    let own = [evidence.replica, evidence.replica.privateOrigin]
    if lost.contains(where: { own.contains($0.origin) }) { return true }
    // An own event after the gap is later than any that could be lost in it.
    return salvages.contains { $0.hasUnknownLoss && !hasOwnEvent(behind: $0) }
  }
}
