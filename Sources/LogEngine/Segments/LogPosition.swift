/// A position in the log: a segment's number and an offset in it.
///
/// It is valid until that segment is sealed. Do not store it beyond the life of a process.
public struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of the segment.
  public var segment: UInt64
  /// The offset in the segment.
  public var offset: UInt64

  /// Makes a position.
  public init(segment: UInt64, offset: UInt64) {
    self.segment = segment
    self.offset = offset
  }

  /// The position before all records.
  public static let start = LogPosition(segment: 0, offset: 0)

  public static func < (a: LogPosition, b: LogPosition) -> Bool {
    a.segment != b.segment ? a.segment < b.segment : a.offset < b.offset
  }

  public var description: String { "\(segment):\(offset)" }
}
