import DaybookEventCore
import DaybookFrames

/// A loader that reads a log from its folder and reports its state, without changes.
struct LogLoader {
  /// An unsealed segment as it was found, with the result of its scan.
  struct Unsealed {
    var segment: Segment
    var file: any StorageFile
    var scan: SegmentScan
  }

  let storage: any Storage
  let files: SegmentFiles
  var mode = OpenMode.readWrite
  /// Sealed segments that are loaded already, by number; they are not read again.
  var reusable: [UInt64: Segment] = [:]
  /// Whether to show only records that are certainly durable.
  var onlyDurable = false
  /// Whether the footer of the last segment may not be durable, because an fsync has failed.
  ///
  /// The failed fsync may have been that of a footer written in place: it can be read, but it may
  /// not last.
  var doubtsFooter = false
  /// What the read model has applied; nil if that is not known.
  var applied: VersionVector?

  private(set) var snapshot = LogSnapshot()
  var damage: [LogFinding] = []
  private(set) var notes: [String] = []
  private(set) var unfinished: [String] = []
  /// Unsealed segments with bytes beyond the end that the next segment states.
  private(set) var overlong: [(number: UInt64, end: UInt64)] = []
  private(set) var mark: MarkFile?
  /// Whether a doubtful tail was cut and the replica has not confirmed a new identity since.
  private(set) var isRenewalDue = false
  /// The last segment, if it is not sealed.
  var active: Unsealed?
  private(set) var lastNumber: UInt64 = 0
  /// The offset at which the last segment ends.
  private(set) var lastEnd: UInt64 = 0

  init(storage: any Storage, files: SegmentFiles) {
    self.storage = storage
    self.files = files
  }

  mutating func load() throws(LogError) {
    mark = try MarkFile.open(in: storage, mode)
    let numbers = try listSegments()
    if let first = numbers.first, first > 1 { missing(1...first - 1) }
    for (i, number) in numbers.enumerated() {
      let isLast = i == numbers.count - 1
      if i > 0, numbers[i - 1] + 1 < number { missing(numbers[i - 1] + 1...number - 1) }
      // If the next segment is missing, no header states where this one ends.
      let isFollowed = !isLast && numbers[i + 1] == number + 1
      try load(number, isLast: isLast, next: isFollowed ? number + 1 : nil)
    }
    if let marked = mark?.position, marked.segment > lastNumber {
      missing(lastNumber + 1...marked.segment)
      lastNumber = marked.segment
      lastEnd = marked.offset
    }
    snapshot.durableEnd = LogPosition(segment: lastNumber, offset: lastEnd)
  }

  private mutating func listSegments() throws(LogError) -> [UInt64] {
    var numbers: [UInt64] = []
    for name in try storage.list(SegmentName.folder).sorted() {
      if let number = SegmentName.number(name) {
        numbers.append(number)
      } else if SegmentName.unfinishedNumber(name) != nil {
        unfinished.append("\(SegmentName.folder)/\(name)")
      } else if "\(SegmentName.folder)/\(name)" == SegmentName.renewal {
        isRenewalDue = true
      } else if "\(SegmentName.folder)/\(name)" != SegmentName.mark {
        notes.append("\(SegmentName.folder)/\(name) is none of the log's files; it was left alone")
      }
    }
    let plausible = SegmentName.plausible(numbers)
    for number in numbers where number > plausible.last ?? 0 {
      notes.append(SegmentName.implausibleNote(number))
    }
    return plausible
  }

  private mutating func missing(_ numbers: ClosedRange<UInt64>) {
    let message =
      numbers.lowerBound == numbers.upperBound
      ? "segment \(numbers.lowerBound) is missing"
      : "segments \(numbers.lowerBound) to \(numbers.upperBound) are missing"
    damage.append(LogFinding(message, segment: numbers.lowerBound))
  }

  private mutating func load(_ number: UInt64, isLast: Bool, next: UInt64?) throws(LogError) {
    lastNumber = number
    if let known = reusable[number] {
      snapshot.add(known)
      lastEnd = try known.file().size()
      return
    }
    let file = try storage.open(SegmentName.file(number), isLast ? mode : .read)
    let size = try file.size()
    lastEnd = size
    let header: SegmentHeader
    do throws(LogError) {
      header = try SegmentHeader(decoding: try file.read(at: 0, count: SegmentHeader.size))
      guard header.number == number else {
        throw LogError.damaged("a segment says that its number is \(header.number)")
      }
    } catch {
      guard error.code == .damaged else { throw error.at(segment: number) }
      damage.append(LogFinding(error.message, segment: number, offset: 0))
      return
    }
    let isVouchedFor =
      header.isComplete || mark?.position == LogPosition(segment: number, offset: size)
    if !(isLast && doubtsFooter) || isVouchedFor,
      let index = try Self.sealedIndex(of: file, size: size, header)
    {
      add(
        Segment(header: header, isSealed: true, index: index, file: file, files: files))
      return
    }
    try loadUnsealed(header, file, size: size, isLast: isLast, next: next)
  }

  /// Returns the index of a sealed segment; nil if it is not sealed or its footer is not sound.
  static func sealedIndex(of file: any StorageFile, size: UInt64, _ header: SegmentHeader)
    throws(LogError) -> SegmentIndex?
  {
    let least = UInt64(SegmentHeader.size + RecordHeader.size + SegmentTrailer.size)
    guard size >= least else { return nil }
    let trailerOffset = size - UInt64(SegmentTrailer.size)
    let bytes = try file.read(at: trailerOffset, count: SegmentTrailer.size)
    guard let trailer = SegmentTrailer(bytes, salt: header.salt),
      trailer.footer >= UInt64(SegmentHeader.size), trailer.footer < trailerOffset
    else { return nil }
    return try footer(of: file, trailer, end: trailerOffset, header)?.index
  }

  /// Returns the footer; nil if its record is not sound or does not end at `end`.
  static func footer(
    of file: any StorageFile, _ trailer: SegmentTrailer, end: UInt64, _ header: SegmentHeader
  ) throws(LogError) -> SegmentFooter? {
    guard end - trailer.footer <= UInt64(RecordHeader.size + RecordHeader.lengthMax) else {
      return nil
    }
    let record = try file.read(at: trailer.footer, count: Int(end - trailer.footer))
    return record.withUnsafeBytes { bytes -> SegmentFooter? in
      guard bytes.count >= RecordHeader.size + RecordHeader.payloadChecksumSize,
        let local = RecordHeader(
          bytes.slice(0, RecordHeader.size), at: trailer.footer, salt: header.salt),
        local.kind == RecordHeader.Kind.footer, local.end == end
      else { return nil }
      let payload = bytes.slice(RecordHeader.size, local.length)
      guard case .record = SegmentScanner.check(local, payload) else { return nil }
      return try? SegmentFooter(
        decoding: payload.slice(0, payload.count - RecordHeader.payloadChecksumSize),
        segment: header.number, end: trailer.footer)
    }
  }

  private mutating func loadUnsealed(
    _ header: SegmentHeader, _ file: any StorageFile, size: UInt64, isLast: Bool, next: UInt64?
  ) throws(LogError) {
    var durableEnd = UInt64(SegmentHeader.size)
    var limit = size
    if let marked = mark?.position, marked.segment == header.number {
      durableEnd = max(durableEnd, marked.offset)
    }
    if header.isComplete {
      durableEnd = max(durableEnd, size)
    } else if let next {
      // The next segment states where this one ends; bytes beyond that were given up for good.
      let end = try previousEnd(in: next)
      if end > 0, end < size {
        limit = end
        overlong.append((header.number, end))
      }
      durableEnd = max(durableEnd, end)
    }
    var scan = try SegmentScan(
      file: file, fileSize: limit, salt: header.salt, from: UInt64(SegmentHeader.size),
      durableEnd: durableEnd)
    // A mark in a later segment means that all of this one was durable. A mark in an earlier one
    // means that even this segment's name may not be durable.
    if onlyDurable, isLast {
      let marked = mark?.position?.segment ?? header.number
      if marked < header.number {
        scan.drop(above: UInt64(SegmentHeader.size))
      } else if marked == header.number {
        scan.drop(above: scan.durableEnd)
      }
    }
    if isLast { scan.dropIncompleteRange(held: snapshot.ranges, applied: applied) }
    var findings = scan.findings(segment: header.number)
    if header.isComplete, findings.isEmpty {
      // The file was cut between two records: the rest is sound, but the size of the loss is
      // unknown.
      findings.append(
        LogFinding(
          "a sealed segment ends without its footer", segment: header.number, offset: scan.end))
    }
    damage.append(contentsOf: findings)
    lastEnd = max(scan.end, scan.damage.isEmpty ? 0 : scan.durableEnd)
    let segment = Segment(
      header: header, isSealed: false, index: SegmentIndex(scan.records, segment: header.number),
      file: file, files: files)
    add(segment)
    if isLast { active = Unsealed(segment: segment, file: file, scan: scan) }
  }

  /// Returns the end of the previous segment, as the header of segment `number` states it; 0 if the
  /// header cannot be read.
  private func previousEnd(in number: UInt64) throws(LogError) -> UInt64 {
    let file = try storage.open(SegmentName.file(number), .read)
    let bytes = try file.read(at: 0, count: SegmentHeader.size)
    return (try? SegmentHeader(decoding: bytes))?.previousEnd ?? 0
  }

  /// Adds a segment without the frames whose events the log holds already; those are damage.
  private mutating func add(_ segment: Segment) {
    let index = segment.withIndex { $0 }
    var known = snapshot.ranges
    var repeated: [RecordEntry] = []
    for entry in index.entries {
      let ranges = known[entry.origin] ?? SequenceRanges()
      if ranges.missing(in: entry.sequences) == [entry.sequences] {
        known[entry.origin, default: SequenceRanges()].insert(entry.sequences)
      } else {
        repeated.append(entry)
      }
    }
    if !repeated.isEmpty {
      for entry in repeated {
        damage.append(
          LogFinding(
            "events are in the log twice", segment: segment.number, offset: entry.position.offset,
            events: .init(entry.origin, entry.sequences)))
      }
      segment.withIndex { $0 = index.without(Set(repeated)) }
    }
    snapshot.add(segment)
  }
}
