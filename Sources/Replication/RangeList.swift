internal import EventCore

/// The ranges of a message: `varint n · n × range`, within the limits of ``SyncProtocol``.
struct RangeList {
  let ranges: [EventRange]

  /// - Throws: ``EventError`` `tooLarge` for more ranges, frames or decompressed bytes than a message may have;
  ///   what a range throws.
  init(from reader: inout ByteReader, sender: ReplicaID) throws(EventError) {
    let count = try reader.count()
    guard count <= SyncProtocol.rangesMax else {
      throw EventError(.tooLarge, "a message of \(count) ranges", offset: reader.offset)
    }
    var ranges: [EventRange] = []
    var frames = 0
    var raw = 0
    for _ in 0..<count {
      let range = try EventRange(from: &reader, sender: sender)
      frames += range.frames.count
      raw += range.rawLength
      guard frames <= SyncProtocol.framesMax, raw <= SyncProtocol.rawBytesMax else {
        throw EventError(
          .tooLarge, "a message of \(frames) frames that become \(raw) bytes", offset: reader.offset
        )
      }
      ranges.append(range)
    }
    self.ranges = ranges
  }
}
