import DaybookEventCore
import DaybookFrames

/// A verifier that reads and accounts for every byte of a log, with the readers that opening uses.
struct LogVerifier {
  private let storage: any Storage
  private let lock: any StoreLock
  private let snapshot: LogSnapshot
  private var result = LogVerification()
  private var chains: ChainVerifier

  init(storage: any Storage, lock: any StoreLock, snapshot: LogSnapshot) {
    self.storage = storage
    self.lock = lock
    self.snapshot = snapshot
    chains = ChainVerifier(snapshot)
  }

  /// Verifies the log.
  ///
  /// - Parameter damage: the findings of opening the log.
  mutating func run(damage: [LogFinding], progress: (UInt64, UInt64) -> Void) throws(LogError)
    -> LogVerification
  {
    result.findings = damage
    // Read each size once: a writer may trim reserved space meanwhile.
    var sizes: [UInt64] = []
    for part in snapshot.parts { sizes.append(try part.segment.file().size()) }
    result.bytesTotal = sizes.reduce(0, +)
    for (i, part) in snapshot.parts.enumerated() {
      let next = i + 1 < snapshot.parts.count ? snapshot.parts[i + 1].segment.header : nil
      try verify(part.segment, size: sizes[i], next: next, progress: progress)
      result.segments += 1
    }
    try chains.finish()
    for finding in chains.findings { add(finding) }
    result.eventsUnchained = chains.unchained
    try verifyMark()
    try verifyLock()
    try listStrangers()
    result.findings.sort { ($0.segment ?? 0, $0.offset ?? 0) < ($1.segment ?? 0, $1.offset ?? 0) }
    return result
  }

  private mutating func add(_ finding: LogFinding) {
    let isKnown = result.findings.contains {
      $0.segment == finding.segment && $0.offset == finding.offset && finding.offset != nil
    }
    if !isKnown { result.findings.append(finding) }
  }

  // MARK: - Segments

  private mutating func verify(
    _ segment: Segment, size: UInt64, next: SegmentHeader?, progress: (UInt64, UInt64) -> Void
  ) throws(LogError) {
    let file = try segment.file()
    do throws(LogError) {
      let header = try SegmentHeader(decoding: try file.read(at: 0, count: SegmentHeader.size))
      guard header == segment.header else { throw .damaged("a segment's header has changed") }
      result.bytesCovered += UInt64(SegmentHeader.size)
    } catch {
      guard error.code == .damaged || error.code == .newerFormat else { throw error }
      add(LogFinding(error.message, segment: segment.number, offset: 0))
    }
    var limit = size
    var footer: SegmentFooter?
    if segment.isSealed {
      (limit, footer) = try verifySealed(segment, file, size: size)
    } else if let next, next.previousEnd > 0 {
      limit = min(size, next.previousEnd)
    } else if segment.number == snapshot.durableEnd.segment {
      limit = min(size, snapshot.durableEnd.offset)
    }
    let walked = try walk(
      segment, file, size: size, limit: limit, footer: footer, progress: progress)
    if let footer { compare(walked, with: footer, segment) }
    guard !segment.isSealed, limit < size else { return }
    // Space that was reserved, or bytes that were given up: accounted for, as they hold no record.
    result.bytesCovered += size - limit
    if next != nil {
      var scanner = SegmentScanner(file: file, size: size, salt: segment.header.salt)
      if try !scanner.isZero(from: limit) {
        result.notes.append(
          "\(size - limit) bytes that were never durable follow the records of segment "
            + "\(segment.number)")
      }
    }
  }

  /// Returns the offset at which the records of a sealed segment end, and its footer if it is
  /// sound.
  private mutating func verifySealed(_ segment: Segment, _ file: any StorageFile, size: UInt64)
    throws(LogError) -> (limit: UInt64, footer: SegmentFooter?)
  {
    let trailerOffset = size - min(size, UInt64(SegmentTrailer.size))
    let bytes = try file.read(at: trailerOffset, count: SegmentTrailer.size)
    guard let trailer = SegmentTrailer(bytes, salt: segment.header.salt),
      trailer.footer < trailerOffset
    else {
      add(
        LogFinding(
          "a sealed segment's trailer is damaged", segment: segment.number, offset: trailerOffset))
      return (trailerOffset, nil)
    }
    guard
      let footer = try LogLoader.footer(of: file, trailer, end: trailerOffset, segment.header)
    else {
      add(
        LogFinding(
          "a sealed segment's footer is damaged", segment: segment.number, offset: trailer.footer))
      return (trailer.footer, nil)
    }
    result.records += 1
    result.bytesCovered += size - trailer.footer
    return (trailer.footer, footer)
  }

  /// The records found by walking over a segment.
  private struct Walked {
    var entries: [RecordEntry] = []
    var heads: [HeadEntry] = []
    var last: [ReplicaID: SegmentFooter.Last] = [:]
  }

  private mutating func walk(
    _ segment: Segment, _ file: any StorageFile, size: UInt64, limit: UInt64,
    footer: SegmentFooter?, progress: (UInt64, UInt64) -> Void
  ) throws(LogError) -> Walked {
    var walked = Walked()
    var scanner = SegmentScanner(file: file, size: size, salt: segment.header.salt)
    var offset = UInt64(SegmentHeader.size)
    while offset < limit {
      switch try scanner.step(at: offset) {
      case .record(let record) where record.header.end <= limit:
        result.records += 1
        result.bytesCovered += record.header.total
        try check(record, try scanner.contents(of: record), segment, &walked)
        offset = record.header.end
      case .record, .endOfFile:
        add(
          LogFinding(
            "records end where none should end", segment: segment.number, offset: offset))
        return walked
      case .unsound(let reason, let claims):
        let indexed = footer?.entries.first { $0.position.offset == offset }
        let events = indexed.map { LogFinding.Events($0.origin, $0.sequences) } ?? claims
        add(LogFinding(reason, segment: segment.number, offset: offset, events: events))
        guard let next = try scanner.nextSound(after: offset), next < limit else { return walked }
        offset = next
      }
      progress(result.bytesCovered, result.bytesTotal)
    }
    return walked
  }

  private mutating func check(
    _ record: SegmentScanner.Record, _ contents: [UInt8], _ segment: Segment,
    _ walked: inout Walked
  ) throws(LogError) {
    let position = LogPosition(segment: segment.number, offset: record.header.offset)
    switch record.content {
    case .frame(let header):
      let entry = RecordEntry(header, at: position)
      walked.entries.append(entry)
      if entry.lastSequence > walked.last[entry.origin]?.sequence ?? 0 {
        walked.last[entry.origin] = .init(sequence: entry.lastSequence, chain: header.chain)
      }
      result.events += UInt64(header.count)
      do throws(LogError) {
        try chains.check(
          try LogError.ofFrames { () throws(FrameError) in try Frame(decoding: contents) },
          at: position)
      } catch {
        if error.code == .unknownCodec {
          result.notes.append("\(error.message) (segment \(position.segment), \(position.offset))")
        } else {
          let events = LogFinding.Events(header.origin, header.sequences)
          add(
            LogFinding(
              error.message, segment: position.segment, offset: position.offset, events: events))
        }
      }
    case .head(let event): walked.heads.append(HeadEntry(position: position, event: event))
    case .footer:
      add(
        LogFinding(
          "a footer stands among the records", segment: segment.number, offset: position.offset))
    case .other:
      result.notes.append(
        "a record of kind \(record.header.kind), which is not known here, is kept "
          + "(segment \(position.segment), offset \(position.offset))")
    }
  }

  private mutating func compare(_ walked: Walked, with footer: SegmentFooter, _ segment: Segment) {
    guard
      walked.entries == footer.entries, walked.heads == footer.heads, walked.last == footer.last
    else {
      result.findings.append(
        LogFinding("a footer does not name the records before it", segment: segment.number))
      return
    }
  }

  // MARK: - Files beside the segments

  private mutating func verifyMark() throws(LogError) {
    let bytes: [UInt8]
    do throws(LogError) {
      // Read one byte more than the file may have, so that a longer file shows.
      bytes = try storage.open(SegmentName.mark, .read).read(at: 0, count: MarkFile.size + 1)
    } catch {
      guard error.code == .notFound else { throw error }
      if !snapshot.parts.isEmpty { result.findings.append(LogFinding("the mark is missing")) }
      return
    }
    if let fault = MarkFile.fault(in: bytes) { result.findings.append(LogFinding(fault)) }
  }

  private mutating func verifyLock() throws(LogError) {
    let state: LockState
    do { state = try lock.readState() } catch {
      guard error.code == .damaged else { throw error }
      result.findings.append(LogFinding(error.message))
      return
    }
    if state.generation == 0, !snapshot.parts.isEmpty {
      result.findings.append(LogFinding("the lock file is missing or empty"))
    } else if state.isPoisoned {
      result.findings.append(
        LogFinding("a write failed earlier; opening the store puts that right"))
    }
  }

  private mutating func listStrangers() throws(LogError) {
    let known = Set(snapshot.parts.map(\.segment.number))
    let names = try storage.list(SegmentName.folder).sorted()
    let last = SegmentName.plausible(names.compactMap(SegmentName.number)).last ?? 0
    for name in names {
      if let number = SegmentName.number(name) {
        if number > last {
          result.notes.append(SegmentName.implausibleNote(number))
        } else if !known.contains(number), number < snapshot.durableEnd.segment {
          add(LogFinding("a segment cannot be read", segment: number, offset: 0))
        }
      } else if ![SegmentName.mark, SegmentName.renewal].contains("\(SegmentName.folder)/\(name)") {
        result.notes.append("\(SegmentName.folder)/\(name) is none of the log's files")
      }
    }
  }
}
