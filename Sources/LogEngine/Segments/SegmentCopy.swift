internal import EventCore

/// A segment of a snapshot as bytes to be copied: what is durable of it and nothing behind.
///
/// Sealing meanwhile changes nothing: what is not sealed keeps its file open, what is never changes.
package struct SegmentCopy: Sendable {
  package let number: UInt64
  /// Random, of this file: a segment that is written anew has another.
  package let salt: UInt64
  /// Whether it will never change.
  package let isSealed: Bool
  /// In bytes.
  package let length: UInt64
  private let segment: Segment

  /// The name of a segment's file in a store's folder.
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

  /// Hands the bytes over in pieces.
  /// - Throws: what `body` throws; ``LogError/Code/damaged`` where the file has become shorter.
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
  /// The files of the log, in order.
  package func segmentCopies() throws(LogError) -> [SegmentCopy] {
    var copies: [SegmentCopy] = []
    for part in parts { copies.append(try SegmentCopy(part.segment, end: durableEnd)) }
    return copies
  }
}
