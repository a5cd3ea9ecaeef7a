package import DaybookEventCore
import DaybookFrames

/// The index entry of a record that holds a frame.
package struct RecordEntry: Hashable, Sendable {
  /// The position at which the record begins.
  package let position: LogPosition
  package let origin: ReplicaID
  package let firstSequence: UInt64
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
  package var count: Int { Int(count32) }
  /// The size of the record in bytes: its header and the frame.
  package var length: Int { Int(length32) }
  /// The size of the events in bytes, decompressed.
  package var rawLength: Int { Int(rawLength32) }
  package var lastSequence: UInt64 { firstSequence + UInt64(count32) - 1 }
  package var sequences: ClosedRange<UInt64> { firstSequence...lastSequence }
  /// The position at which the record ends.
  package var end: LogPosition {
    LogPosition(segment: position.segment, offset: position.offset + UInt64(length32))
  }
}
