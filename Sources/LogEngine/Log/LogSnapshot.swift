package import DaybookEventCore
package import DaybookFrames
import DaybookLocks

/// The durable log at one moment, readable from any thread.
///
/// A snapshot stays readable and unchanged, even if records are appended, segments sealed or the
/// log closed. Copying it costs nothing. A snapshot from ``EventLog/snapshot()`` leaves out the
/// events of private origins; code that reads for this replica alone uses ``whole``.
package struct LogSnapshot: Sendable {
  /// A segment, and the numbers of its entries and heads that belong to the snapshot.
  struct Part: Sendable {
    var segment: Segment
    var entries: Int
    var heads: Int
  }

  var parts: [Part] = []
  /// Whether the snapshot shows private origins.
  package private(set) var isWhole = true
  private var allRanges: [ReplicaID: SequenceRanges] = [:]
  private var hasPrivateOrigins = false
  /// Two snapshots of this process with the same number hold the same events and heads.
  package private(set) var version: UInt64 = 0
  /// Two snapshots of this process with the same number hold the same heads.
  package private(set) var headVersion: UInt64 = 0
  private static let versions = Mutex<UInt64>(0)
  private var wholeVector = VersionVector()
  /// The stored head of each origin with the highest sequence.
  package var lastHeads: [ReplicaID: HeadEntry] = [:]
  /// The position at which the snapshot ends.
  package var durableEnd = LogPosition.start

  /// This snapshot with the events of private origins.
  package var whole: LogSnapshot { with(isWhole: true) }

  /// This snapshot without the events of private origins.
  var shared: LogSnapshot { with(isWhole: false) }

  private func with(isWhole: Bool) -> LogSnapshot {
    var snapshot = self
    snapshot.isWhole = isWhole
    return snapshot
  }

  private func shows(_ origin: ReplicaID) -> Bool { isWhole || !origin.isPrivate }

  /// The events that the snapshot holds, for each origin.
  package var ranges: [ReplicaID: SequenceRanges] {
    isWhole || !hasPrivateOrigins ? allRanges : allRanges.filter { !$0.key.isPrivate }
  }

  /// Returns the events of one origin that the snapshot holds.
  package func ranges(of origin: ReplicaID) -> SequenceRanges {
    shows(origin) ? allRanges[origin] ?? SequenceRanges() : SequenceRanges()
  }

  /// The sequence up to which the snapshot holds every event, for each origin.
  package var vector: VersionVector {
    isWhole || !hasPrivateOrigins ? wholeVector : wholeVector.shared
  }

  /// The entries of all frames, in the order of the log.
  ///
  /// Cost: copies 56 bytes for each entry.
  package var entries: [RecordEntry] { entries(after: .start) }

  /// Returns the entries of the frames that begin at or after `position`.
  ///
  /// The position comes from ``durableEnd`` or from ``RecordEntry/end``. Sealing moves records, so
  /// keep a ``vector`` rather than a position for longer than a moment.
  package func entries(after position: LogPosition) -> [RecordEntry] {
    var found: [RecordEntry] = []
    for part in parts where part.segment.number >= position.segment {
      part.segment.withIndex { index in
        let all = index.entries[..<min(part.entries, index.entries.count)]
        if part.segment.number > position.segment {
          found.append(contentsOf: all)
        } else {
          var first = all.endIndex
          while first > 0, all[first - 1].position.offset >= position.offset { first -= 1 }
          found.append(contentsOf: all[first...])
        }
      }
    }
    if !isWhole { found.removeAll { $0.origin.isPrivate } }
    return found
  }

  /// Returns the entries of the frames with events of `origin` in `range`, ascending.
  ///
  /// Sequences that no entry covers are missing.
  package func entries(of origin: ReplicaID, in range: ClosedRange<UInt64>) -> [RecordEntry] {
    guard shows(origin) else { return [] }
    var found: [RecordEntry] = []
    for part in parts {
      part.segment.withIndex { index in
        found.append(contentsOf: index.entries(of: origin, in: range, limit: part.entries))
      }
    }
    return found.sorted { $0.firstSequence < $1.firstSequence }
  }

  package func entry(containing event: EventID) -> RecordEntry? {
    guard event.sequence > 0, shows(event.origin) else { return nil }
    let range = event.sequence...event.sequence
    for part in parts.reversed() {
      let found = part.segment.withIndex {
        $0.entries(of: event.origin, in: range, limit: part.entries).first
      }
      if let found { return found }
    }
    return nil
  }

  /// Reads and checks a frame.
  ///
  /// - Throws: ``LogError/Code/notFound`` if the entry comes from another snapshot, for example
  ///   from before a seal; ``LogError/Code/damaged``, ``LogError/Code/ioFailed``.
  package func frame(at entry: RecordEntry) throws(LogError) -> Frame {
    try segment(holding: entry).frame(entry)
  }

  /// Calls `body` with each event of `origin` in `range`, in order.
  ///
  /// The views are valid only during the call. Each frame is read and decompressed once.
  /// - Throws: what `body` throws; ``LogError/Code/notFound`` at the first event that is missing.
  package func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    var next = range.lowerBound
    for entry in entries(of: origin, in: range) {
      guard entry.firstSequence <= next else { break }
      do {
        try frame(at: entry).forEachEvent { sequence, event in
          guard range.contains(sequence), sequence == next else { return }
          try body(sequence, event)
          next += 1
        }
      } catch let error as FrameError { throw LogError(error) }
    }
    if next <= range.upperBound {
      throw LogError(.notFound, "event \(EventID(origin, next)) is not in the log")
    }
  }

  /// The entries of all stored heads, in the order of the log.
  package var heads: [HeadEntry] {
    parts.flatMap { part in part.segment.withIndex { Array($0.heads.prefix(part.heads)) } }
  }

  /// Returns the entries of the stored heads at `event`.
  package func heads(at event: EventID) -> [HeadEntry] {
    heads(of: event.origin, in: event.sequence...event.sequence)
  }

  /// Returns the entries of the stored heads of `origin` in `range`, by segment and sequence.
  ///
  /// Cost: nothing if `range` begins above the origin's last head, else a search in each segment.
  package func heads(of origin: ReplicaID, in range: ClosedRange<UInt64>) -> [HeadEntry] {
    guard let last = lastHeads[origin], last.event.sequence >= range.lowerBound else { return [] }
    return parts.flatMap { part in
      part.segment.withIndex { Array($0.heads(of: origin, in: range, limit: part.heads)) }
    }
  }

  /// Returns the stored head that covers the most events of a range; later ones are not signed.
  ///
  /// A head whose events were lost in a crash does not count if the log now holds another branch.
  /// Cost: two small reads if it is the origin's last head, else a search of the heads in the
  /// range.
  /// - Parameters:
  ///   - range: consecutive events, all of which the log holds.
  ///   - most: the highest sequence at which the head should lie. If there is no head so early, the
  ///     first one after it is returned.
  ///   - zone: the zone for which the head must be signed, unless it is signed for none; nil for
  ///     any.
  /// - Returns: the head; nil if no head lies in the range.
  package func closingHead(
    of origin: ReplicaID, in range: ClosedRange<UInt64>, atMost most: UInt64 = .max,
    zone: [UInt8]? = nil
  ) throws(LogError) -> Head? {
    if let last = lastHeads[origin], last.event.sequence == min(range.upperBound, most),
      last.event.sequence >= range.lowerBound, let head = try ofThisBranch([last], zone)
    {
      return head
    }
    if most >= range.lowerBound {
      let early = heads(of: origin, in: range.lowerBound...min(range.upperBound, most))
        .sorted { $0.event.sequence > $1.event.sequence }
      if let head = try ofThisBranch(early, zone) { return head }
    }
    guard most < range.upperBound else { return nil }
    return try ofThisBranch(
      heads(of: origin, in: max(range.lowerBound, most + 1)...range.upperBound)
        .sorted { $0.event.sequence < $1.event.sequence }, zone)
  }

  /// Returns the first head of a zone whose chain value matches the events that the log holds.
  private func ofThisBranch(_ entries: [HeadEntry], _ zone: [UInt8]?) throws(LogError) -> Head? {
    for entry in entries {
      let head = try head(at: entry)
      if let zone, head.zone != zone, head.zone.contains(where: { $0 != 0 }) { continue }
      if try chain(after: entry.event) == head.chain { return head }
    }
    return nil
  }

  /// Reads a head.
  ///
  /// - Throws: ``LogError/Code/notFound`` if the entry comes from another snapshot;
  ///   ``LogError/Code/damaged``, ``LogError/Code/ioFailed``.
  package func head(at entry: HeadEntry) throws(LogError) -> Head {
    let sequences = entry.event.sequence...entry.event.sequence
    for part in parts where part.segment.number == entry.position.segment {
      let isKnown = part.segment.withIndex {
        $0.heads(of: entry.event.origin, in: sequences, limit: part.heads).contains(entry)
      }
      if isKnown { return try part.segment.head(entry) }
    }
    throw Self.foreign
  }

  /// Returns the stored heads of `origin`, ascending by sequence.
  ///
  /// Cost: reads each of them.
  package func heads(of origin: ReplicaID) throws(LogError) -> [Head] {
    var found: [Head] = []
    for entry in heads(of: origin, in: 0...UInt64.max) { found.append(try head(at: entry)) }
    return found.sorted { $0.event.sequence < $1.event.sequence }
  }

  /// Returns the chain value after `event`; for sequence 0, the initial value of the chain.
  ///
  /// Cost: reads one frame if a frame ends at the event, else also decompresses it and hashes up to
  /// the event.
  /// - Returns: nil if the value cannot be determined: no head is stored at the event, and the
  ///   event is missing or lies inside a frame that follows a gap.
  package func chain(after event: EventID) throws(LogError) -> Hash256? {
    if event.sequence == 0 { return Chain(origin: event.origin).value }
    if let entry = entry(containing: event) {
      let frame = try frame(at: entry)
      if entry.lastSequence == event.sequence { return frame.header.chain }
      if let before = try chain(beforeFrame: entry) {
        return try Self.advance(Chain(value: before), through: event.sequence, of: frame)
      }
    }
    return try heads(at: event).first.map { entry throws(LogError) in try head(at: entry).chain }
  }

  /// Returns the chain value before a frame's first event; nil if it cannot be determined.
  ///
  /// The value is known from the frame that ends there, or from a stored head.
  private func chain(beforeFrame entry: RecordEntry) throws(LogError) -> Hash256? {
    let event = EventID(entry.origin, entry.firstSequence - 1)
    if event.sequence == 0 { return Chain(origin: event.origin).value }
    if let before = self.entry(containing: event), before.lastSequence == event.sequence {
      return try frame(at: before).header.chain
    }
    return try heads(at: event).first.map { entry throws(LogError) in try head(at: entry).chain }
  }

  private static func advance(_ start: Chain, through last: UInt64, of frame: Frame)
    throws(LogError) -> Hash256
  {
    let raw = try LogError.ofFrames { () throws(FrameError) in try frame.unpacked() }
    return try raw.withRawBytes { bytes throws(LogError) in
      var chain = start
      var reader = ByteReader(bytes)
      for _ in frame.header.firstSequence...last {
        try LogError.ofFrames { () throws(FrameError) in try Frame.nextEvent(&reader) }.advance(
          &chain)
      }
      return chain.value
    }
  }

  private func segment(holding entry: RecordEntry) throws(LogError) -> Segment {
    guard shows(entry.origin), let part = part(entry.position.segment),
      part.segment.withIndex({ $0.contains(entry, limit: part.entries) })
    else { throw Self.foreign }
    return part.segment
  }

  /// Returns the part of segment `number`; the parts ascend by number.
  private func part(_ number: UInt64) -> Part? {
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].segment.number < number { low = middle + 1 } else { high = middle }
    }
    return low < parts.count && parts[low].segment.number == number ? parts[low] : nil
  }

  private static let foreign = LogError(
    .notFound, "a record's place is of another snapshot of the log",
    hint: "take entries and frames from the same snapshot")
}

extension LogSnapshot {
  /// Adds a durable frame to the last part.
  mutating func add(_ entry: RecordEntry) {
    guard let last = parts.indices.last else { return }
    parts[last].segment.withIndex { $0.append(entry) }
    parts[last].entries += 1
    cover(entry)
  }

  mutating func add(_ head: HeadEntry) {
    guard let last = parts.indices.last else { return }
    parts[last].segment.withIndex { $0.append(head) }
    parts[last].heads += 1
    cover(head)
  }

  /// Adds a segment with all records of its index.
  mutating func add(_ segment: Segment) {
    let (entries, heads) = segment.withIndex { ($0.entries, $0.heads) }
    parts.append(Part(segment: segment, entries: entries.count, heads: heads.count))
    for entry in entries { cover(entry) }
    for head in heads { cover(head) }
  }

  /// Replaces a segment by its sealed version.
  mutating func replace(with segment: Segment) {
    guard let i = parts.firstIndex(where: { $0.segment.number == segment.number }) else { return }
    let (entries, heads) = segment.withIndex { ($0.entries.count, $0.heads) }
    parts[i] = Part(segment: segment, entries: entries, heads: heads.count)
    // The heads have other positions in the sealed segment.
    for head in heads { cover(head) }
  }

  private mutating func cover(_ head: HeadEntry) {
    changeVersion()
    headVersion = version
    let known = lastHeads[head.event.origin]
    if known.map({ $0.event.sequence <= head.event.sequence }) ?? true {
      lastHeads[head.event.origin] = head
    }
  }

  private mutating func changeVersion() {
    version = Self.versions.withLock { value in
      value += 1
      return value
    }
  }

  private mutating func cover(_ entry: RecordEntry) {
    changeVersion()
    if entry.origin.isPrivate { hasPrivateOrigins = true }
    allRanges[entry.origin, default: SequenceRanges()].insert(entry.sequences)
    wholeVector[entry.origin] = allRanges[entry.origin]?.contiguous ?? 0
  }
}
