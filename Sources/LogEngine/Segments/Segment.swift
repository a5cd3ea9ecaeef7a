import DaybookEventCore
import DaybookFrames
import DaybookLocks

/// A segment file and the index of its durable records.
///
/// Records are only ever added to it.
final class Segment: Sendable {
  let header: SegmentHeader
  let isSealed: Bool
  private let index: Mutex<SegmentIndex>
  /// The file of an unsealed segment, which stays open: the sealed file has other offsets.
  private let ownFile: (any StorageFile)?
  private let files: SegmentFiles

  var number: UInt64 { header.number }

  init(
    header: SegmentHeader, isSealed: Bool, index: SegmentIndex, file: any StorageFile,
    files: SegmentFiles
  ) {
    self.header = header
    self.isSealed = isSealed
    self.index = Mutex(index)
    ownFile = isSealed ? nil : file
    self.files = files
  }

  func withIndex<R: Sendable>(_ body: (inout SegmentIndex) -> R) -> R {
    index.withLock { index -> R in body(&index) }
  }

  /// Returns the segment's file, which it may have to open.
  func file() throws(LogError) -> any StorageFile {
    if let ownFile { return ownFile }
    return try files.file(number)
  }

  /// Reads and checks a frame.
  func frame(_ entry: RecordEntry) throws(LogError) -> Frame {
    let start = entry.position.offset + UInt64(RecordHeader.size)
    let count = entry.length - RecordHeader.size
    let bytes = try file().read(at: start, count: count)
    let frame: Frame
    do { frame = try Frame(decoding: bytes) } catch {
      var failure = LogError.damaged(
        "events \(entry.firstSequence)…\(entry.lastSequence) of \(entry.origin) cannot be read",
        segment: number, offset: entry.position.offset)
      failure.cause = error.message
      throw failure
    }
    guard frame.header.origin == entry.origin, frame.header.sequences == entry.sequences,
      frame.header.rawLength == entry.rawLength
    else {
      throw .damaged(
        "a frame is not the one that the index names", segment: number,
        offset: entry.position.offset)
    }
    return frame
  }

  /// Reads a frame and returns its header.
  func frameHeader(_ entry: RecordEntry) throws(LogError) -> FrameHeader {
    // The checksum covers the stored bytes too, so all of them must be read to trust the header.
    try frame(entry).header
  }

  func head(_ entry: HeadEntry) throws(LogError) -> Head {
    let start = entry.position.offset + UInt64(RecordHeader.size)
    let count = HeadEntry.length - RecordHeader.size
    let bytes = try file().read(at: start, count: count)
    let payload = bytes.dropLast(RecordHeader.payloadChecksumSize)
    let checksum = bytes.withUnsafeBytes { $0.count == count ? $0.u32(payload.count) : nil }
    guard let checksum, checksum == CRC32C.checksum(Array(payload)) else {
      throw .damaged(
        "a head of \(entry.event) cannot be read", segment: number, offset: entry.position.offset)
    }
    do {
      return try Array(payload).withRawBytes { raw throws(EventError) in try Head(decoding: raw) }
    } catch {
      throw LogError(
        .malformed, "a head of \(entry.event) cannot be read", segment: number,
        offset: entry.position.offset, cause: error.description)
    }
  }
}
