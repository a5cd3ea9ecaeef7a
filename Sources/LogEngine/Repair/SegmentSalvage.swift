internal import EventCore

/// What can still be read of a segment's file, record by record, whatever has happened to it.
struct SegmentSalvage: Sendable {
  let number: UInt64
  private(set) var isNew = false
  /// Nil where it is gone.
  private(set) var file: (any StorageFile)?
  private var salt: UInt64 = 0
  /// The sound records, as they lie there.
  private(set) var records: [SegmentScanner.Record] = []
  /// Events that were in it and cannot be read.
  private(set) var lost: [LogFinding.Events] = []
  /// Before this offset there were bytes of which nobody can say what they held; 0 where there were
  /// none.
  private(set) var unknownEnd: UInt64 = 0

  var hasUnknownLoss: Bool { unknownEnd > 0 }

  /// - Parameters:
  ///   - place: the file that holds it, perhaps under another's name; nil where there is none.
  ///   - mark: how far the log was durable.
  ///   - nextEnd: where the segment after it says that this one ended; 0 where that is unknown.
  ///   - flagged: offsets of records that reading their contents has shown to be unsound.
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
      // Not one record is left by which to know them.
      unknownEnd = .max
      return
    }
    self.salt = salt
    try scan(file, size, header, mark: mark, nextEnd: nextEnd)
    drop(flagged)
  }

  /// A segment that there has never been.
  init(new number: UInt64) {
    self.number = number
    isNew = true
  }

  /// A record as it stands in the file, and its payload.
  func contents(of record: SegmentScanner.Record) throws(LogError) -> [UInt8] {
    guard let file else { throw LogError(.notFound, "the segment is missing", segment: number) }
    return try file.read(
      at: record.header.offset + UInt64(RecordHeader.size), count: record.header.length)
  }

  /// Takes out a record.
  /// - Parameter events: that are lost with it; nil where they are elsewhere.
  mutating func drop(at offset: UInt64, losing events: LogFinding.Events?) {
    records.removeAll { $0.header.offset == offset }
    if let events { lost.append(events) }
  }

  /// Takes out the heads but those that close with what is there. Their authors can make the others
  /// again.
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

  /// Whether a frame holds the events that its header names, as verifying asks.
  /// - Parameter before: the chain value before them; nil where that is not known.
  func isSound(_ record: SegmentScanner.Record, chainBefore before: Hash256?) throws(LogError)
    -> Bool
  {
    let frame = try Frame(decoding: try contents(of: record))
    // Kept for a version that knows it, like everything that is not understood.
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
        floor: trailer.footer)
      records = scan.records
      if let footer = try LogLoader.footer(of: file, trailer, end: trailerOffset, named) {
        compare(with: footer)
      } else {
        try judge(scan.damage, file)
      }
      return
    }
    var limit = size
    var floor = UInt64(SegmentHeader.size)
    if header?.isComplete == true {
      floor = size
    } else {
      if nextEnd > 0 { limit = min(limit, nextEnd) }
      if let mark, mark.segment == number { floor = max(floor, mark.offset) }
      floor = max(floor, nextEnd)
    }
    let scan = try SegmentScan(
      file: file, fileSize: limit, salt: salt, from: UInt64(SegmentHeader.size), floor: floor)
    records = scan.records
    var scanner = SegmentScanner(file: file, size: limit, salt: salt)
    if scan.tail == .footer, case .record(let record) = try scanner.step(at: scan.end),
      let footer = try LogLoader.footer(
        of: file, SegmentTrailer(footer: scan.end), end: record.header.end, named)
    {
      compare(with: footer)
    } else {
      try judge(scan.damage, file)
      // Cut between two records, nobody can say what is gone.
      if header?.isComplete != false { unknownEnd = .max }
    }
  }

  /// A footer names everything that was before it.
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

  /// Without a footer, what damaged records say of themselves may be what is damaged.
  private mutating func judge(_ damage: [SegmentScan.Damage], _ file: any StorageFile)
    throws(LogError)
  {
    for gap in damage {
      let bytes = try file.read(at: gap.range.lowerBound, count: RecordHeader.size)
      let header = bytes.withUnsafeBytes {
        RecordHeader($0, at: gap.range.lowerBound, salt: salt)
      }
      // One record, of a kind that holds no events.
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

  /// The salt that the records of a file have whose header is damaged.
  private static func findSalt(_ file: any StorageFile, _ size: UInt64) throws(LogError)
    -> UInt64?
  {
    var window = FileWindow(file, size: size)
    var offset = UInt64(SegmentHeader.size)
    while offset < size, size - offset >= UInt64(RecordHeader.size) {
      let range = try window.chunk(at: offset, least: RecordHeader.size)
      let last = range.upperBound - RecordHeader.size
      let start = offset
      let found = window.bytes.withUnsafeBytes { bytes -> UInt64? in
        var i = range.lowerBound
        while i <= last {
          let own = start + UInt64(i - range.lowerBound)
          // A record says where it stands; its checksum then says whether that is one.
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
