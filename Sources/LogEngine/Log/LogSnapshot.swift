package import EventCore
internal import Synchronization

/// The durable log at one moment. Stays readable, and the same, whatever is appended, sealed or
/// closed after it; copying it costs nothing. May be read from any thread.
///
/// As ``EventLog/snapshot()`` hands it out, it holds what may be told to others: events of private
/// origins are not in it. Who reads for this replica alone asks for the ``whole``.
package struct LogSnapshot: Sendable {
  /// A segment, and how much of it belongs to the snapshot.
  struct Part: Sendable {
    var segment: Segment
    var entries: Int
    var heads: Int
  }

  var parts: [Part] = []
  /// Whether private origins are in it.
  package private(set) var isWhole = true
  private var allRanges: [ReplicaID: SequenceRanges] = [:]
  private var hasPrivateOrigins = false
  /// Two snapshots of this process with the same number hold the same events and heads.
  package private(set) var version: UInt64 = 0
  private static let versions = Atomic<UInt64>(0)
  private var wholeVector = VersionVector()
  /// The stored head of each origin that closes with its highest event.
  package var lastHeads: [ReplicaID: HeadEntry] = [:]
  /// Where the snapshot ends.
  package var durableEnd = LogPosition.start

  /// The same with the events of private origins.
  package var whole: LogSnapshot { with(isWhole: true) }

  /// The same without them.
  var shared: LogSnapshot { with(isWhole: false) }

  private func with(isWhole: Bool) -> LogSnapshot {
    var snapshot = self
    snapshot.isWhole = isWhole
    return snapshot
  }

  private func shows(_ origin: ReplicaID) -> Bool { isWhole || !origin.isPrivate }

  /// The events that it holds, of each origin.
  package var ranges: [ReplicaID: SequenceRanges] {
    isWhole || !hasPrivateOrigins ? allRanges : allRanges.filter { !$0.key.isPrivate }
  }

  /// Those of one origin.
  package func ranges(of origin: ReplicaID) -> SequenceRanges {
    shows(origin) ? allRanges[origin] ?? SequenceRanges() : SequenceRanges()
  }

  /// How far it holds every event, of each origin.
  package var vector: VersionVector {
    isWhole || !hasPrivateOrigins ? wholeVector : wholeVector.shared
  }

  /// Every frame in the order of the log. Copies: 56 bytes for each.
  package var entries: [RecordEntry] { entries(after: .start) }

  /// The frames that begin at or after `position`, which comes from ``durableEnd`` or an entry's
  /// ``RecordEntry/end``. Sealing moves what it rewrites: remember a ``vector`` rather than a
  /// position for longer than a moment.
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

  /// The frames that hold events of `origin` within `range`, ascending. What is between them is
  /// missing.
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
  /// - Throws: ``LogError/Code/notFound`` where the entry is of another snapshot, before or after a
  ///   seal; ``LogError/Code/damaged``, ``LogError/Code/ioFailed``.
  package func frame(at entry: RecordEntry) throws(LogError) -> Frame {
    try segment(holding: entry).frame(entry)
  }

  /// Hands over the events of `origin` in `range` one by one, in order. The views are valid during
  /// the call only. Reads and decompresses each frame once.
  /// - Throws: what `body` throws; ``LogError/Code/notFound`` at the first event that is missing.
  package func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    var next = range.lowerBound
    for entry in entries(of: origin, in: range) {
      guard entry.firstSequence <= next else { break }
      try frame(at: entry).forEachEvent { sequence, event in
        guard range.contains(sequence), sequence == next else { return }
        try body(sequence, event)
        next += 1
      }
    }
    if next <= range.upperBound {
      throw LogError(.notFound, "event \(EventID(origin, next)) is not in the log")
    }
  }

  /// Every stored head, in the order of the log.
  package var heads: [HeadEntry] {
    parts.flatMap { part in part.segment.withIndex { Array($0.heads.prefix(part.heads)) } }
  }

  /// The stored heads that close with `event`, or one of them.
  package func heads(at event: EventID) -> [HeadEntry] {
    heads(of: event.origin, in: event.sequence...event.sequence)
  }

  /// The stored heads of `origin` that close within `range`, by segment, and there by sequence.
  ///
  /// Costs nothing where there is none, else a search in each segment.
  package func heads(of origin: ReplicaID, in range: ClosedRange<UInt64>) -> [HeadEntry] {
    guard let last = lastHeads[origin], last.event.sequence >= range.lowerBound else { return [] }
    return parts.flatMap { part in
      part.segment.withIndex { Array($0.heads(of: origin, in: range, limit: part.heads)) }
    }
  }

  /// How many heads are stored.
  package var headCount: Int { parts.reduce(0) { $0 + $1.heads } }

  /// The stored head that closes the most of consecutive events that are held: what lies after it, nobody
  /// has signed.
  ///
  /// - Parameters:
  ///   - range: all of it is held.
  ///   - most: where the head should close, if there is one so early; else the first after it is taken.
  /// Costs two small readings where it is the origin's last head, else a look at its heads in the range.
  /// - Returns: nil where no head closes any. A head that a crash has left without its events does not
  ///   count where they are of another branch now.
  package func closingHead(
    of origin: ReplicaID, in range: ClosedRange<UInt64>, atMost most: UInt64 = .max
  ) throws(LogError) -> Head? {
    if let last = lastHeads[origin], last.event.sequence == min(range.upperBound, most),
      last.event.sequence >= range.lowerBound, let head = try ofThisBranch([last])
    {
      return head
    }
    if most >= range.lowerBound {
      let early = heads(of: origin, in: range.lowerBound...min(range.upperBound, most))
        .sorted { $0.event.sequence > $1.event.sequence }
      if let head = try ofThisBranch(early) { return head }
    }
    guard most < range.upperBound else { return nil }
    return try ofThisBranch(
      heads(of: origin, in: max(range.lowerBound, most + 1)...range.upperBound)
        .sorted { $0.event.sequence < $1.event.sequence })
  }

  /// The first that closes what is held.
  private func ofThisBranch(_ entries: [HeadEntry]) throws(LogError) -> Head? {
    for entry in entries {
      let head = try head(at: entry)
      if try chain(after: entry.event) == head.chain { return head }
    }
    return nil
  }

  /// Reads a head.
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

  /// The stored heads of `origin`, ascending by sequence. Reads each.
  package func heads(of origin: ReplicaID) throws(LogError) -> [Head] {
    var found: [Head] = []
    for entry in heads(of: origin, in: 0...UInt64.max) { found.append(try head(at: entry)) }
    return found.sorted { $0.event.sequence < $1.event.sequence }
  }

  /// The chain value after `event`; after sequence 0, the value that every chain begins with.
  ///
  /// Reads one frame where a frame ends there, else decompresses one and hashes up to the event.
  /// - Returns: nil where the log cannot tell: the event is missing, or lies beyond a gap in a
  ///   frame of which it is not the last.
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

  /// The event before a frame's first is the last of another frame, or not in the log.
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
    let raw = try frame.unpacked()
    return try raw.withRawBytes { bytes throws(LogError) in
      var chain = start
      var reader = ByteReader(bytes)
      for _ in frame.header.firstSequence...last { try Frame.nextEvent(&reader).advance(&chain) }
      return chain.value
    }
  }

  private func segment(holding entry: RecordEntry) throws(LogError) -> Segment {
    guard shows(entry.origin), let part = part(entry.position.segment),
      part.segment.withIndex({ $0.contains(entry, limit: part.entries) })
    else { throw Self.foreign }
    return part.segment
  }

  /// Parts ascend by number.
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

  /// Adds a segment with all that its index holds.
  mutating func add(_ segment: Segment) {
    let (entries, heads) = segment.withIndex { ($0.entries, $0.heads) }
    parts.append(Part(segment: segment, entries: entries.count, heads: heads.count))
    for entry in entries { cover(entry) }
    for head in heads { cover(head) }
  }

  /// Puts a sealed segment in the place of the one that it was made from.
  mutating func replace(with segment: Segment) {
    guard let i = parts.firstIndex(where: { $0.segment.number == segment.number }) else { return }
    let (entries, heads) = segment.withIndex { ($0.entries.count, $0.heads) }
    parts[i] = Part(segment: segment, entries: entries, heads: heads.count)
    // They lie elsewhere in it.
    for head in heads { cover(head) }
  }

  private mutating func cover(_ head: HeadEntry) {
    changeVersion()
    let known = lastHeads[head.event.origin]
    if known.map({ $0.event.sequence <= head.event.sequence }) ?? true {
      lastHeads[head.event.origin] = head
    }
  }

  private mutating func changeVersion() {
    version = Self.versions.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private mutating func cover(_ entry: RecordEntry) {
    changeVersion()
    if entry.origin.isPrivate { hasPrivateOrigins = true }
    allRanges[entry.origin, default: SequenceRanges()].insert(entry.sequences)
    wholeVector[entry.origin] = allRanges[entry.origin]?.contiguous ?? 0
  }
}
