import DaybookEventCore
import DaybookFrames

/// The records that can still be read of a segment's file, whatever has happened to it.
struct SegmentSalvage: Sendable {
  let number: UInt64
  private(set) var isNew = false
  /// The segment's file; nil if it is missing.
  private(set) var file: (any StorageFile)?
  private var salt: UInt64 = 0
  /// The sound records, in the order of the file.
  private(set) var records: [SegmentScanner.Record] = []
  /// The events that were in the segment and cannot be read.
  private(set) var lost: [LogFinding.Events] = []
  /// The end of the last bytes whose contents are unknown; 0 if there are none.
  private(set) var unknownEnd: UInt64 = 0

  var hasUnknownLoss: Bool { unknownEnd > 0 }

  /// Reads the sound records of a segment.
  ///
  /// - Parameters:
  ///   - place: the file that holds the segment, perhaps under another one's name; nil if there is
  ///     none.
  ///   - mark: the position up to which the log was durable.
  ///   - nextEnd: the end of this segment as the next one states it; 0 if unknown.
  ///   - flagged: the offsets of records whose contents were found to be unsound.
  /// - Throws: ``LogError`` if the file cannot be read.
  init(
    _ number: UInt64, at place: String?, in storage: any Storage, mark: LogPosition?,
    nextEnd: UInt64, flagged: Set<UInt64>
  ) throws(LogError) {
    self.number = number
    guard let place else {
      unknownEnd = .max
      return
    }
    let file = try storage.open(place, .read)
    self.file = file
    let size = try file.size()
    let header = try? SegmentHeader(decoding: try file.read(at: 0, count: SegmentHeader.size))
    var salt = header?.salt
    if salt == nil { salt = try Self.findSalt(file, size) }
    guard let salt else {
      // Without a salt, no record can be recognized.
      unknownEnd = .max
      return
    }
    self.salt = salt
    try scan(file, size, header, mark: mark, nextEnd: nextEnd)
    drop(flagged)
  }

  /// Makes an empty segment that never existed before.
  init(new number: UInt64) {
    self.number = number
    isNew = true
  }

  /// Reads the payload of a record.
  func contents(of record: SegmentScanner.Record) throws(LogError) -> [UInt8] {
    guard let file else { throw LogError(.notFound, "the segment is missing", segment: number) }
    return try file.read(
      at: record.header.offset + UInt64(RecordHeader.size), count: record.header.length)
  }

  /// Removes a record.
  ///
  /// - Parameter events: the events that are lost with it; nil if the log holds them elsewhere.
  mutating func drop(at offset: UInt64, losing events: LogFinding.Events?) {
    records.removeAll { $0.header.offset == offset }
    if let events { lost.append(events) }
  }

  /// Removes the heads for which `closes` returns false.
  ///
  /// Nothing is lost with them: their authors can sign new ones.
  mutating func keepHeads(where closes: (Head) throws(LogError) -> Bool) throws(LogError) {
    var dropped: Set<UInt64> = []
    for record in records {
      guard case .head = record.content else { continue }
      var payload = try contents(of: record)
      payload.removeLast(min(payload.count, RecordHeader.payloadChecksumSize))
      let head = payload.withUnsafeBytes { try? Head(decoding: $0) }
      if let head, try closes(head) { continue }
      dropped.insert(record.header.offset)
    }
    records.removeAll { dropped.contains($0.header.offset) }
  }

  /// Whether a frame holds the events that its header names; the check is that of verification.
  ///
  /// - Parameter before: the chain value before its events; nil if unknown.
  func isSound(_ record: SegmentScanner.Record, chainBefore before: Hash256?) throws(LogError)
    -> Bool
  {
    let contents = try contents(of: record)
    let frame = try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: contents) }
    // Kept for a later version that knows the codec.
    if frame.header.codec > FrameHeader.Codec.lz4 { return true }
    guard let raw = try? frame.unpacked() else { return false }
    let end = raw.withUnsafeBytes { bytes -> Chain? in
      var reader = ByteReader(bytes)
      var chain = Chain(value: before ?? frame.header.chain)
      for _ in frame.header.sequences {
        guard let event = try? Frame.nextEvent(&reader) else { return nil }
        event.advance(&chain)
      }
      return reader.isAtEnd ? chain : nil
    }
    guard let end else { return false }
    return before == nil || end.value == frame.header.chain
  }

  // MARK: - Reading

  private mutating func scan(
    _ file: any StorageFile, _ size: UInt64, _ header: SegmentHeader?, mark: LogPosition?,
    nextEnd: UInt64
  ) throws(LogError) {
    let named = SegmentHeader(number: number, salt: salt, previousEnd: 0)
    let trailerOffset = size - min(size, UInt64(SegmentTrailer.size))
    let trailer = SegmentTrailer(
      try file.read(at: trailerOffset, count: SegmentTrailer.size), salt: salt)
    if let trailer, trailer.footer >= UInt64(SegmentHeader.size), trailer.footer < trailerOffset {
      let scan = try SegmentScan(
        file: file, fileSize: trailer.footer, salt: salt, from: UInt64(SegmentHeader.size),
        durableEnd: trailer.footer)
      records = scan.records
      if let footer = try LogLoader.footer(of: file, trailer, end: trailerOffset, named) {
        compare(with: footer)
      } else {
        try judge(scan.damage, file)
      }
      return
    }
    var limit = size
    var durableEnd = UInt64(SegmentHeader.size)
    if header?.isComplete == true {
      durableEnd = size
    } else {
      if nextEnd > 0 { limit = min(limit, nextEnd) }
      if let mark, mark.segment == number { durableEnd = max(durableEnd, mark.offset) }
      durableEnd = max(durableEnd, nextEnd)
    }
    let scan = try SegmentScan(
      file: file, fileSize: limit, salt: salt, from: UInt64(SegmentHeader.size),
      durableEnd: durableEnd)
    records = scan.records
    var scanner = SegmentScanner(file: file, size: limit, salt: salt)
    if scan.tail == .footer, case .record(let record) = try scanner.step(at: scan.end),
      let footer = try LogLoader.footer(
        of: file, SegmentTrailer(footer: scan.end), end: record.header.end, named)
    {
      compare(with: footer)
    } else {
      try judge(scan.damage, file)
      // The file was cut between two records, so the size of the loss is unknown.
      if header?.isComplete != false { unknownEnd = .max }
    }
  }

  /// Finds the lost frames by comparison with a footer, which names every record before it.
  private mutating func compare(with footer: SegmentFooter) {
    let found = Set(
      records.compactMap { record -> RecordEntry? in
        guard case .frame(let frame) = record.content else { return nil }
        return RecordEntry(
          frame, at: LogPosition(segment: number, offset: record.header.offset))
      })
    for entry in footer.entries where !found.contains(entry) {
      lost.append(.init(entry.origin, entry.sequences))
    }
  }

  /// Finds losses of unknown extent without a footer: a damaged record's own claims may be wrong.
  private mutating func judge(_ damage: [SegmentScan.Damage], _ file: any StorageFile)
    throws(LogError)
  {
    for gap in damage {
      let bytes = try file.read(at: gap.range.lowerBound, count: RecordHeader.size)
      let header = bytes.withUnsafeBytes {
        RecordHeader($0, at: gap.range.lowerBound, salt: salt)
      }
      // The gap is one record, of a kind that holds no events.
      if let header, header.kind != RecordHeader.Kind.frame, header.end == gap.range.upperBound {
        continue
      }
      unknownEnd = max(unknownEnd, gap.range.upperBound)
    }
  }

  private mutating func drop(_ flagged: Set<UInt64>) {
    for record in records where flagged.contains(record.header.offset) {
      if case .frame(let frame) = record.content {
        lost.append(.init(frame.origin, frame.sequences))
      }
    }
    records.removeAll { flagged.contains($0.header.offset) }
  }

  /// Returns the salt of a file whose header is damaged, as found in its records.
  private static func findSalt(_ file: any StorageFile, _ size: UInt64) throws(LogError)
    -> UInt64?
  {
    var window = FileWindow(file, size: size)
    var offset = UInt64(SegmentHeader.size)
    while offset < size, size - offset >= UInt64(RecordHeader.size) {
      let range = try window.chunk(at: offset, least: RecordHeader.size)
      // The file may become shorter while it is read.
      guard range.count >= RecordHeader.size else { return nil }
      let last = range.upperBound - RecordHeader.size
      let start = offset
      let found = window.bytes.withUnsafeBytes { bytes -> UInt64? in
        var i = range.lowerBound
        while i <= last {
          let own = start + UInt64(i - range.lowerBound)
          // A record states its own offset; if that matches, the checksum decides.
          if UInt64(bytes.u32(i + RecordHeader.offsetOffset)) == own {
            let salt = bytes.u64(i)
            if RecordHeader(bytes.slice(i, RecordHeader.size), at: own, salt: salt) != nil {
              return salt
            }
          }
          i += 1
        }
        return nil
      }
      if let found { return found }
      offset += UInt64(last + 1 - range.lowerBound)
    }
    return nil
  }
}
