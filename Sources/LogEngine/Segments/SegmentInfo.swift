/// A summary of a segment, as `evtool status` shows it.
public struct SegmentInfo: Hashable, Sendable {
  /// The number of the segment. Later segments have higher ones.
  public let number: UInt64
  /// The size of the file, including reserved space.
  public let bytes: UInt64
  /// Whether the segment is full, so that nothing is added to it.
  public let isSealed: Bool
  /// The number of records in it.
  public let records: Int
  /// The number of events.
  public let events: Int
}
