import DaybookEventCore
import DaybookFrames

/// A sealer that rewrites a segment: joins small frames of one origin, compresses them well, and
/// leaves out heads that a later one in the same frame makes superfluous.
///
/// Frames are joined whole, so each new frame ends with a chain value that was stored before. A
/// frame is cut only at a head, and only if hashing its events gives the head's chain value. The
/// old segment is not changed. See decision 0080.
struct SegmentSealer {
  /// What must be found when a new frame is read back.
  private struct Expected {
    var entry: RecordEntry
    var header: FrameHeader
    var frame: Hash256
    /// The hash of the raw events; nil for a frame that was copied unchanged.
    var raw: Hash256?
  }

  private let source: Segment
  private let snapshot: LogSnapshot
  private let options: EventLog.Options
  private let index: SegmentIndex
  private(set) var writer: SegmentWriter
  private var expected: [Expected] = []
  /// The number of heads that were left out.
  private var superseded = 0

  private init(
    _ source: Segment, of snapshot: LogSnapshot, options: EventLog.Options, index: SegmentIndex,
    writer: SegmentWriter
  ) {
    self.source = source
    self.snapshot = snapshot
    self.options = options
    self.index = index
    self.writer = writer
  }

  /// Creates the file of the sealed segment.
  static func create(
    _ source: Segment, of snapshot: LogSnapshot, options: EventLog.Options, in storage: any Storage
  ) throws(LogError) -> SegmentSealer {
    let index: SegmentIndex = source.withIndex { $0 }
    let header = SegmentHeader(
      number: source.number, salt: options.random(), previousEnd: source.header.previousEnd,
      isComplete: true)
    let writer = try SegmentWriter.create(header, in: storage)
    return SegmentSealer(source, of: snapshot, options: options, index: index, writer: writer)
  }

  /// Writes the sealed segment, makes it durable, and reads it back.
  ///
  /// - Returns: the size of the sealed file.
  mutating func run() throws(LogError) -> UInt64 {
    // A segment may hold as many origins as heads: all are looked at once.
    var heads = Dictionary(grouping: index.heads, by: \.event.origin)
    for origin in index.origins {
      // Of equal sequences the first in the segment stays the first.
      let own = (heads.removeValue(forKey: origin) ?? []).enumerated().sorted {
        ($0.element.event.sequence, $0.offset) < ($1.element.event.sequence, $1.offset)
      }
      try write(origin, heads: own.map(\.element))
    }
    for head in index.heads where heads[head.event.origin] != nil {
      try writer.append(try source.head(head))
    }
    for other in index.others { try copy(other) }
    let size = try writer.seal()
    try readBack(size: size)
    return size
  }

  private mutating func copy(_ other: SegmentIndex.Other) throws(LogError) {
    let skipped = RecordHeader.size
    let count = other.length - skipped - RecordHeader.payloadChecksumSize
    let payload = try source.file().read(at: other.offset + UInt64(skipped), count: count)
    try writer.append(other: other.kind, payload)
  }

  // MARK: - One origin

  /// Writes an origin's events, each closed batch followed by the heads at its last event.
  ///
  /// Heads that close nothing here come last: their events are elsewhere, or have other chain
  /// values.
  ///
  /// - Parameter heads: the origin's heads, ascending by sequence.
  private mutating func write(_ origin: ReplicaID, heads: [HeadEntry]) throws(LogError) {
    var batches = SealedBatches(limit: options.sealBatchBytes)
    var placed: Set<HeadEntry> = []
    var next = 0
    let entries = index.entries(
      of: origin, in: 1...UInt64(Int64.max), limit: index.entries.count)
    for entry in entries {
      while next < heads.count, heads[next].event.sequence < entry.firstSequence { next += 1 }
      let first = next
      while next < heads.count, heads[next].event.sequence <= entry.lastSequence { next += 1 }
      for piece in try pieces(of: try source.frame(entry), heads: heads[first..<next]) {
        placed.formUnion(piece.heads.map(\.entry))
        for batch in batches.add(piece) { try write(batch, origin) }
      }
    }
    for batch in batches.finish() { try write(batch, origin) }
    superseded += batches.superseded
    for head in heads where !placed.contains(head) { try writer.append(try source.head(head)) }
  }

  /// Returns the frame's events, cut at each head inside whose chain value is correct.
  private func pieces(of frame: Frame, heads: ArraySlice<HeadEntry>) throws(LogError)
    -> [SealedBatches.Batch]
  {
    let header = frame.header
    var said: [UInt64: [(head: SealedBatches.StoredHead, chain: Hash256)]] = [:]
    for entry in heads {
      let head = try source.head(entry)
      said[entry.event.sequence, default: []].append(
        (.init(entry: entry, zone: head.zone), head.chain))
    }
    func closing(_ sequence: UInt64, _ chain: Hash256) -> [SealedBatches.StoredHead] {
      (said[sequence] ?? []).filter { $0.chain == chain }.map(\.head)
    }
    let isCut = said.keys.contains { $0 < header.lastSequence }
    let isUnknown = header.codec > FrameHeader.Codec.lz4
    var whole = SealedBatches.Batch(
      first: header.firstSequence, count: header.count, chain: header.chain,
      heads: closing(header.lastSequence, header.chain))
    if isUnknown || header.rawLength >= options.sealCopyBytes && !isCut {
      whole.frame = frame
      return [whole]
    }
    whole.raw = try LogError.ofFrames { () throws(FrameError) in try frame.unpacked() }
    guard isCut,
      let before = try snapshot.chain(
        after: EventID(header.origin, header.firstSequence - 1))
    else { return [whole] }
    return try whole.raw.withRawBytes { bytes throws(LogError) in
      var chain = Chain(value: before)
      var reader = ByteReader(bytes)
      var pieces: [SealedBatches.Batch] = []
      var start = 0
      var first = header.firstSequence
      for sequence in header.sequences {
        try LogError.ofFrames { () throws(FrameError) in try Frame.nextEvent(&reader) }.advance(
          &chain)
        let heads = closing(sequence, chain.value)
        guard !heads.isEmpty || sequence == header.lastSequence else { continue }
        pieces.append(
          SealedBatches.Batch(
            first: first, count: Int(sequence - first) + 1,
            raw: Array(bytes[start..<reader.offset]), chain: chain.value, heads: heads))
        start = reader.offset
        first = sequence + 1
      }
      // Sealing cannot repair a broken chain; `verify` reports it.
      guard chain.value == header.chain, reader.isAtEnd else { return [whole] }
      return pieces
    }
  }

  private mutating func write(_ batch: SealedBatches.Batch, _ origin: ReplicaID) throws(LogError) {
    let frame: Frame
    if let whole = batch.frame {
      frame = whole
    } else {
      frame = try LogError.ofFrames { () throws(FrameError) in
        try batch.raw.withRawBytes { raw throws(FrameError) in
          try Frame.pack(
            raw: raw, count: batch.count, origin: origin, firstSequence: batch.first,
            chainAfter: batch.chain, compression: .high)
        }
      }
    }
    let entry = try writer.append(frame)
    expected.append(
      Expected(
        entry: entry, header: frame.header, frame: Hash256.sha256(of: frame.bytes),
        raw: batch.frame == nil ? Hash256.sha256(of: batch.raw) : nil))
    for head in batch.heads { try writer.append(try source.head(head.entry)) }
  }

  // MARK: - Reading back

  /// Reads the new file as opening would, then every record in it, and compares with `expected`.
  private func readBack(size: UInt64) throws(LogError) {
    do throws(LogError) {
      guard let found = try sealedIndex(size: size), found.entries == expected.map(\.entry),
        found.heads == writer.index.heads,
        found.heads.count + superseded == index.heads.count,
        Self.lastHeads(found) == Self.lastHeads(index),
        writer.index.others.count == index.others.count,
        Self.ranges(found) == Self.ranges(index), try readRecords(size: size)
      else { throw mismatch }
    } catch {
      // Any fault must be in the copy: the source segment is sound.
      throw error.code == .damaged || error.code == .malformed ? mismatch : error
    }
  }

  private func sealedIndex(size: UInt64) throws(LogError) -> SegmentIndex? {
    let header = try SegmentHeader(
      decoding: try writer.file.read(at: 0, count: SegmentHeader.size))
    guard header == writer.header, try writer.file.size() == size else { return nil }
    return try LogLoader.sealedIndex(of: writer.file, size: size, header)
  }

  /// Whether every record is sound and has the expected contents.
  private func readRecords(size: UInt64) throws(LogError) -> Bool {
    var scanner = SegmentScanner(file: writer.file, size: size, salt: writer.header.salt)
    var offset = UInt64(SegmentHeader.size)
    var frames = expected[...]
    var found = SegmentIndex()
    while case .record(let record) = try scanner.step(at: offset) {
      if record.content == .footer { break }
      if case .frame(let header) = record.content {
        guard let expected = frames.popFirst(), expected.header == header else { return false }
        let contents = try scanner.contents(of: record)
        let frame = try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: contents) }
        guard Hash256.sha256(of: frame.bytes) == expected.frame else { return false }
        if let raw = expected.raw,
          Hash256.sha256(
            of: try LogError.ofFrames { () throws(FrameError) in try frame.unpacked() }) != raw
        {
          return false
        }
      }
      found.append(record, segment: writer.header.number)
      offset = record.header.end
    }
    return frames.isEmpty && found.heads == writer.index.heads
      && found.others == writer.index.others
  }

  private var mismatch: LogError {
    LogError(
      .ioFailed, "a sealed segment reads back differently from what was written",
      segment: source.number, hint: "check the disk")
  }

  private static func lastHeads(_ index: SegmentIndex) -> [ReplicaID: UInt64] {
    index.heads.reduce(into: [:]) { last, head in
      last[head.event.origin] = max(last[head.event.origin] ?? 0, head.event.sequence)
    }
  }

  private static func ranges(_ index: SegmentIndex) -> [ReplicaID: SequenceRanges] {
    var ranges: [ReplicaID: SequenceRanges] = [:]
    for entry in index.entries {
      ranges[entry.origin, default: SequenceRanges()].insert(entry.sequences)
    }
    return ranges
  }
}
