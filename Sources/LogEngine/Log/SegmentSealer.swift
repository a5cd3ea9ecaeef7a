internal import EventCore

/// A sealer that rewrites a segment: joins small frames of one origin, compresses them well, and
/// cuts frames at heads.
///
/// Frames are joined whole, so each new frame ends with a chain value that was stored before. A
/// frame is cut only at a head, and only if hashing its events gives the head's chain value. The
/// old segment is not changed.
struct SegmentSealer {
  /// What must be found when a new frame is read back.
  private struct Expected {
    var entry: RecordEntry
    var header: FrameHeader
    var frame: Hash256
    /// The hash of the raw events; nil for a frame that was copied unchanged.
    var raw: Hash256?
  }

  /// Events of one origin that will become one frame.
  private struct Batch {
    var first: UInt64
    var count = 0
    var raw: [UInt8] = []
    var chain: Hash256
    /// The original frame, if the batch is exactly that frame.
    var whole: Frame?
  }

  private let source: Segment
  private let snapshot: LogSnapshot
  private let options: EventLog.Options
  private let index: SegmentIndex
  private(set) var writer: SegmentWriter
  private var expected: [Expected] = []

  init(
    _ source: Segment, of snapshot: LogSnapshot, options: EventLog.Options, storage: any Storage
  ) throws(LogError) {
    self.source = source
    self.snapshot = snapshot
    self.options = options
    index = source.withIndex { $0 }
    let header = SegmentHeader(
      number: source.number, salt: options.random(), previousEnd: source.header.previousEnd,
      isComplete: true)
    writer = try SegmentWriter(header, storage: storage)
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

  private mutating func write(_ origin: ReplicaID, heads: [HeadEntry]) throws(LogError) {
    var waiting = heads[...]
    var batch: Batch?
    let entries = index.entries(
      of: origin, in: 1...UInt64(Int64.max), limit: index.entries.count)
    for entry in entries {
      let frame = try source.frame(entry)
      if frame.header.codec > FrameHeader.Codec.lz4
        || frame.header.rawLength >= options.sealCopyBytes
      {
        let inside = waiting.contains {
          entry.sequences.contains($0.event.sequence) && $0.event.sequence < entry.lastSequence
        }
        if !inside || frame.header.codec > FrameHeader.Codec.lz4 {
          try flush(&batch, origin)
          batch = Batch(
            first: entry.firstSequence, count: entry.count, chain: frame.header.chain, whole: frame)
          try flush(&batch, origin)
          try writeHeads(&waiting, through: entry.lastSequence)
          continue
        }
      }
      for piece in try pieces(of: frame, heads: waiting) {
        let isJoined = batch.map {
          $0.first + UInt64($0.count) == piece.first
            && $0.raw.count + piece.raw.count <= options.sealBatchBytes
        }
        if isJoined == true {
          batch?.raw.append(contentsOf: piece.raw)
          batch?.count += piece.count
          batch?.chain = piece.chain
        } else {
          try flush(&batch, origin)
          batch = piece
        }
        let end = piece.first + UInt64(piece.count) - 1
        if waiting.contains(where: { $0.event.sequence == end }) {
          try flush(&batch, origin)
          try writeHeads(&waiting, through: end)
        }
      }
    }
    try flush(&batch, origin)
    try writeHeads(&waiting, through: .max)
  }

  private mutating func writeHeads(_ waiting: inout ArraySlice<HeadEntry>, through last: UInt64)
    throws(LogError)
  {
    while let head = waiting.first, head.event.sequence <= last {
      try writer.append(try source.head(head))
      waiting.removeFirst()
    }
  }

  /// Returns the frame's events, cut at each head inside whose chain value is correct.
  private func pieces(of frame: Frame, heads: ArraySlice<HeadEntry>) throws(LogError) -> [Batch] {
    let header = frame.header
    let raw = try frame.unpacked()
    let inside = heads.filter {
      header.sequences.contains($0.event.sequence) && $0.event.sequence < header.lastSequence
    }
    let whole = Batch(
      first: header.firstSequence, count: header.count, raw: raw, chain: header.chain)
    guard !inside.isEmpty,
      let before = try snapshot.chain(
        after: EventID(header.origin, header.firstSequence - 1))
    else { return [whole] }
    var said: [UInt64: Hash256] = [:]
    for head in inside { said[head.event.sequence] = try source.head(head).chain }
    return try raw.withRawBytes { bytes throws(LogError) in
      var chain = Chain(value: before)
      var reader = ByteReader(bytes)
      var pieces: [Batch] = []
      var start = 0
      var first = header.firstSequence
      for sequence in header.sequences {
        try Frame.nextEvent(&reader).advance(&chain)
        guard said[sequence] == chain.value || sequence == header.lastSequence else { continue }
        pieces.append(
          Batch(
            first: first, count: Int(sequence - first) + 1,
            raw: Array(bytes[start..<reader.offset]), chain: chain.value))
        start = reader.offset
        first = sequence + 1
      }
      // Sealing cannot repair a broken chain; `verify` reports it.
      guard chain.value == header.chain, reader.isAtEnd else { return [whole] }
      return pieces
    }
  }

  private mutating func flush(_ batch: inout Batch?, _ origin: ReplicaID) throws(LogError) {
    guard let full = batch else { return }
    batch = nil
    let frame: Frame
    if let whole = full.whole {
      frame = whole
    } else {
      frame = try full.raw.withRawBytes { raw throws(LogError) in
        try Frame.pack(
          raw: raw, count: full.count, origin: origin, firstSequence: full.first,
          chainAfter: full.chain, compression: .high)
      }
    }
    let entry = try writer.append(frame)
    expected.append(
      Expected(
        entry: entry, header: frame.header, frame: Hash256.sha256(of: frame.bytes),
        raw: full.whole == nil ? Hash256.sha256(of: full.raw) : nil))
  }

  // MARK: - Reading back

  /// Reads the new file as opening would, then every record in it, and compares with `expected`.
  private func readBack(size: UInt64) throws(LogError) {
    do throws(LogError) {
      guard let found = try sealedIndex(size: size), found.entries == expected.map(\.entry),
        found.heads == writer.index.heads, found.heads.count == index.heads.count,
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
        let frame = try Frame(decoding: try scanner.contents(of: record))
        guard Hash256.sha256(of: frame.bytes) == expected.frame else { return false }
        if let raw = expected.raw, Hash256.sha256(of: try frame.unpacked()) != raw { return false }
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

  private static func ranges(_ index: SegmentIndex) -> [ReplicaID: SequenceRanges] {
    var ranges: [ReplicaID: SequenceRanges] = [:]
    for entry in index.entries {
      ranges[entry.origin, default: SequenceRanges()].insert(entry.sequences)
    }
    return ranges
  }
}
