import DaybookEventCore
import DaybookFrames

/// A writer of a new segment file, which is renamed into the log when it is complete.
struct SegmentWriter {
  private static let bufferSize = 1 << 20

  let header: SegmentHeader
  let name: String
  let file: any StorageFile
  private(set) var index = SegmentIndex()
  private var last: [ReplicaID: SegmentFooter.Last] = [:]
  private var buffer = ByteWriter()
  /// The offset in the file at which the buffer begins.
  private var written: UInt64 = 0

  /// The offset of the next record.
  var end: UInt64 { written + UInt64(buffer.count) }

  private init(_ header: SegmentHeader, name: String, file: any StorageFile) {
    self.header = header
    self.name = name
    self.file = file
    buffer.raw(header.encoded())
  }

  /// Creates the file, under a name that says that it is unfinished.
  static func create(_ header: SegmentHeader, in storage: any Storage) throws(LogError)
    -> SegmentWriter
  {
    let name = SegmentName.unfinished(header.number)
    return SegmentWriter(header, name: name, file: try storage.open(name, .create))
  }

  /// Appends a frame.
  ///
  /// - Returns: the entry of the new record, with its position.
  @discardableResult
  mutating func append(_ frame: Frame) throws(LogError) -> RecordEntry {
    let position = LogPosition(segment: header.number, offset: end)
    try append(kind: RecordHeader.Kind.frame, frame.bytes)
    let entry = RecordEntry(frame.header, at: position)
    index.append(entry)
    if frame.header.lastSequence > last[entry.origin]?.sequence ?? 0 {
      last[entry.origin] = .init(sequence: entry.lastSequence, chain: frame.header.chain)
    }
    return entry
  }

  mutating func append(_ head: Head) throws(LogError) {
    let position = LogPosition(segment: header.number, offset: end)
    try append(kind: RecordHeader.Kind.head, head.encoded())
    index.append(HeadEntry(position: position, event: head.event))
  }

  /// Appends a copy of a record that is not a frame.
  ///
  /// - Parameter payload: the payload without its checksum.
  mutating func append(record: SegmentScanner.Record, _ payload: [UInt8]) throws(LogError) {
    guard case .head(let event) = record.content else {
      return try append(other: record.header.kind, payload)
    }
    let position = LogPosition(segment: header.number, offset: end)
    try append(kind: record.header.kind, payload)
    index.append(HeadEntry(position: position, event: event))
  }

  /// Appends a record of a kind other than frame and head.
  ///
  /// - Parameter payload: the payload without its checksum.
  mutating func append(other kind: UInt8, _ payload: [UInt8]) throws(LogError) {
    let offset = end
    try append(kind: kind, payload)
    index.others.append(.init(kind: kind, offset: offset, length: Int(end - offset)))
  }

  /// Appends a record whose durable mark is its own offset.
  ///
  /// Everything before a record is durable by the time this segment comes into the log.
  private mutating func append(kind: UInt8, _ payload: [UInt8]) throws(LogError) {
    guard end + UInt64(payload.count) < UInt64(UInt32.max) else {
      throw LogError(.tooLarge, "a segment holds 4 GiB at most", segment: header.number)
    }
    RecordHeader.append(
      kind: kind, payload, offset: end, durable: end, salt: header.salt, to: &buffer)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private mutating func flush() throws(LogError) {
    try file.write(buffer.bytes, at: written)
    written += UInt64(buffer.count)
    buffer.bytes.removeAll(keepingCapacity: true)
  }

  /// Appends footer and trailer, and makes the file durable.
  ///
  /// - Returns: the size of the file.
  mutating func seal() throws(LogError) -> UInt64 {
    let footer = end
    let payload = SegmentFooter(index, last: last).encoded()
    try append(kind: RecordHeader.Kind.footer, payload)
    buffer.raw(SegmentTrailer(footer: footer).encoded(salt: header.salt))
    try finish()
    return end
  }

  /// Makes everything written durable.
  mutating func finish() throws(LogError) {
    try flush()
    try file.sync()
  }
}
