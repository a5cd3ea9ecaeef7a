import DaybookEventCore
import DaybookFrames

/// A reader of unsealed segments, record by record, that finds the next sound record after damage.
///
/// It does not tell damage from a torn tail; ``SegmentScan`` does.
struct SegmentScanner {
  struct Record: Sendable {
    enum Content: Hashable, Sendable {
      case frame(FrameHeader)
      case head(EventID)
      case footer
      /// A record of an unknown kind, or a head that cannot be decoded; its checksum is correct.
      case other
    }

    var header: RecordHeader
    var content: Content
  }

  enum Step {
    case record(Record)
    /// There is no sound record at this offset.
    case unsound(reason: String, claims: LogFinding.Events?)
    case endOfFile
  }

  private let salt: UInt64
  private(set) var window: FileWindow

  init(file: any StorageFile, size: UInt64, salt: UInt64) {
    self.salt = salt
    window = FileWindow(file, size: size)
  }

  /// Reads the record at `offset`.
  mutating func step(at offset: UInt64) throws(LogError) -> Step {
    guard offset < window.size else { return .endOfFile }
    guard let place = try window.range(at: offset, count: RecordHeader.size) else {
      return .unsound(reason: "a record ends within its header", claims: nil)
    }
    let header = window.bytes.withUnsafeBytes {
      RecordHeader($0.slice(place.lowerBound, place.count), at: offset, salt: salt)
    }
    guard let header else {
      return .unsound(reason: "there is no sound record header", claims: nil)
    }
    let start = offset + UInt64(RecordHeader.size)
    guard let payload = try window.range(at: start, count: header.length) else {
      return .unsound(reason: "a record ends within its contents", claims: nil)
    }
    return window.bytes.withUnsafeBytes {
      Self.check(header, $0.slice(payload.lowerBound, payload.count))
    }
  }

  /// Returns the payload of a record.
  mutating func contents(of record: Record) throws(LogError) -> [UInt8] {
    let start = record.header.offset + UInt64(RecordHeader.size)
    guard let place = try window.range(at: start, count: record.header.length) else {
      throw LogError(
        .ioFailed, "the segment ends before a record that was found in it", offset: start,
        hint: "another program or process has cut the file; run the command again")
    }
    return Array(window.bytes[place])
  }

  /// Checks the payload of a record whose header is sound.
  static func check(_ header: RecordHeader, _ payload: UnsafeRawBufferPointer) -> Step {
    if header.kind == RecordHeader.Kind.frame {
      do {
        return .record(Record(header: header, content: .frame(try FrameHeader(checking: payload))))
      } catch {
        return .unsound(reason: error.message, claims: claims(of: payload))
      }
    }
    let size = payload.count - RecordHeader.payloadChecksumSize
    guard size >= 0, CRC32C.checksum(payload.slice(0, size)) == payload.u32(size) else {
      return .unsound(reason: "a record's contents do not match their checksum", claims: nil)
    }
    switch header.kind {
    case RecordHeader.Kind.head:
      guard let head = try? Head(decoding: payload.slice(0, size)) else {
        return .record(Record(header: header, content: .other))
      }
      return .record(Record(header: header, content: .head(head.event)))
    case RecordHeader.Kind.footer: return .record(Record(header: header, content: .footer))
    default: return .record(Record(header: header, content: .other))
    }
  }

  /// Returns the offset of the first sound record after `offset`; nil if there is none.
  mutating func nextSound(after offset: UInt64) throws(LogError) -> UInt64? {
    var from = offset + 1
    while let candidate = try nextSalt(from: from) {
      if case .record = try step(at: candidate) { return candidate }
      from = candidate + 1
    }
    return nil
  }

  /// Whether only zeros lie between `offset` and the end of the file.
  mutating func isZero(from offset: UInt64) throws(LogError) -> Bool {
    var from = offset
    while from < window.size {
      let range = try window.chunk(at: from, least: 1)
      let isZero = window.bytes.withUnsafeBytes { $0.slice(range.lowerBound, range.count).isZero }
      if !isZero { return false }
      from += UInt64(range.count)
    }
    return true
  }

  private mutating func nextSalt(from offset: UInt64) throws(LogError) -> UInt64? {
    var from = offset
    while from < window.size, window.size - from >= UInt64(RecordHeader.size) {
      let range = try window.chunk(at: from, least: RecordHeader.size)
      // The file has become shorter meanwhile.
      guard range.count >= RecordHeader.size else { return nil }
      let last = range.upperBound - 8
      let salt = self.salt
      let found = window.bytes.withUnsafeBytes { bytes -> Int? in
        var i = range.lowerBound
        while i <= last {
          if bytes.u64(i) == salt { return i }
          i += 1
        }
        return nil
      }
      if let found { return from + UInt64(found - range.lowerBound) }
      from += UInt64(last + 1 - range.lowerBound)
    }
    return nil
  }

  /// Returns the events that a frame with a wrong checksum claims to hold.
  ///
  /// The claim is probably true, because the header is only a small part of a frame's bytes.
  private static func claims(of frame: UnsafeRawBufferPointer) -> LogFinding.Events? {
    guard frame.count >= FrameHeader.size, let header = try? FrameHeader(fields: frame) else {
      return nil
    }
    return LogFinding.Events(header.origin, header.sequences)
  }
}
