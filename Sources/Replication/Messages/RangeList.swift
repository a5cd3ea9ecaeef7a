import DaybookEventCore

/// The ranges of a message: `varint n · n × range`, within the limits of ``SyncProtocol``.
struct RangeList {
  let ranges: [EventRange]

  /// Decodes the ranges of a message.
  /// - Throws: `EventError`: `.tooLarge` for more ranges, frames, events or decompressed bytes than
  ///   a message may have; the error of a range that cannot be decoded.
  init(from reader: inout ByteReader, sender: ReplicaID) throws(EventError) {
    let count = try reader.count()
    guard count <= SyncProtocol.rangesMax else {
      throw EventError(.tooLarge, "a message of \(count) ranges", offset: reader.offset)
    }
    var ranges: [EventRange] = []
    var budget = RangeBudget()
    for _ in 0..<count {
      let range = try EventRange(from: &reader, sender: sender)
      try budget.spend(range, offset: reader.offset)
      ranges.append(range)
    }
    self.ranges = ranges
  }
}

/// The budget for the ranges of one message, or of one file of a shared folder: what they may cost
/// their reader.
struct RangeBudget {
  private var frames = 0
  private var events = 0
  private var raw = 0

  /// Counts a range against the budget.
  /// - Throws: `EventError.tooLarge` if the frames, events or bytes exceed what a message may have.
  mutating func spend(_ range: EventRange, offset: Int) throws(EventError) {
    frames += range.frames.count
    events += range.count
    raw += range.rawLength
    guard frames <= SyncProtocol.framesMax, events <= SyncProtocol.eventsMax,
      raw <= SyncProtocol.rawBytesMax
    else {
      throw EventError(
        .tooLarge, "\(frames) frames of \(events) events that become \(raw) bytes", offset: offset)
    }
  }
}
