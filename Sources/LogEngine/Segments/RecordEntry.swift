public import EventCore

/// What the index knows of a record that holds a frame.
public struct RecordEntry: Hashable, Sendable {
  /// Where the record begins.
  public let position: LogPosition
  public let origin: ReplicaID
  public let firstSequence: UInt64
  private let count32: UInt32
  private let length32: UInt32
  private let rawLength32: UInt32

  init(
    position: LogPosition, origin: ReplicaID, firstSequence: UInt64, count: Int, length: Int,
    rawLength: Int
  ) {
    self.position = position
    self.origin = origin
    self.firstSequence = firstSequence
    count32 = UInt32(clamping: count)
    length32 = UInt32(clamping: length)
    rawLength32 = UInt32(clamping: rawLength)
  }

  init(_ frame: FrameHeader, at position: LogPosition) {
    self.init(
      position: position, origin: frame.origin, firstSequence: frame.firstSequence,
      count: frame.count, length: RecordHeader.size + FrameHeader.size + frame.storedLength,
      rawLength: frame.rawLength)
  }

  /// Number of events.
  public var count: Int { Int(count32) }
  /// Bytes of the record: its header and the frame.
  public var length: Int { Int(length32) }
  /// Bytes of the events, decompressed.
  public var rawLength: Int { Int(rawLength32) }
  public var lastSequence: UInt64 { firstSequence + UInt64(count32) - 1 }
  public var sequences: ClosedRange<UInt64> { firstSequence...lastSequence }
  /// Where the record ends.
  public var end: LogPosition {
    LogPosition(segment: position.segment, offset: position.offset + UInt64(length32))
  }
}
