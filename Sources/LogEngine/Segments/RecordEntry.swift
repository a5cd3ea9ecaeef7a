public import EventCore

/// The index entry of a record that holds a frame.
public struct RecordEntry: Hashable, Sendable {
  /// The position at which the record begins.
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

  /// The number of events.
  public var count: Int { Int(count32) }
  /// The size of the record in bytes: its header and the frame.
  public var length: Int { Int(length32) }
  /// The size of the events in bytes, decompressed.
  public var rawLength: Int { Int(rawLength32) }
  public var lastSequence: UInt64 { firstSequence + UInt64(count32) - 1 }
  public var sequences: ClosedRange<UInt64> { firstSequence...lastSequence }
  /// The position at which the record ends.
  public var end: LogPosition {
    LogPosition(segment: position.segment, offset: position.offset + UInt64(length32))
  }
}
