import DaybookEventCore
package import DaybookFrames

/// The durable bytes of a segment of a snapshot, for a copy.
///
/// Sealing does not disturb the copy: an unsealed segment keeps its file open, and a sealed one
/// never changes.
package struct SegmentCopy: Sendable {
  package let number: UInt64
  /// The file's random salt: a segment that is rewritten gets another one.
  package let salt: UInt64
  /// Whether the segment is sealed and will never change.
  package let isSealed: Bool
  /// The number of bytes to copy.
  package let length: UInt64
  private let segment: Segment

  /// Returns the path of a segment's file, relative to the store's folder.
  package static func path(_ number: UInt64) -> String { SegmentName.file(number) }
  package static let folder = SegmentName.folder

  fileprivate init(_ segment: Segment, end: LogPosition) throws(LogError) {
    number = segment.number
    salt = segment.header.salt
    isSealed = segment.isSealed
    self.segment = segment
    let size = try segment.file().size()
    length = end.segment == segment.number && !segment.isSealed ? min(end.offset, size) : size
  }

  /// Calls `body` with the bytes in pieces of up to 1 MiB, in order.
  ///
  /// - Throws: what `body` throws; ``LogError/Code/damaged`` if the file has become shorter.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let piece = 1 << 20
    let file = try segment.file()
    var offset: UInt64 = 0
    while offset < length {
      let bytes = try file.read(at: offset, count: min(piece, Int(length - offset)))
      guard !bytes.isEmpty else {
        throw LogError.damaged(
          "the segment is shorter than it was", segment: number, offset: offset)
      }
      try bytes.withUnsafeBytes(body)
      offset += UInt64(bytes.count)
    }
  }
}

extension LogSnapshot {
  /// Returns copies of the snapshot's segments, in order.
  package func segmentCopies() throws(LogError) -> [SegmentCopy] {
    var copies: [SegmentCopy] = []
    for part in parts { copies.append(try SegmentCopy(part.segment, end: durableEnd)) }
    return copies
  }
}
