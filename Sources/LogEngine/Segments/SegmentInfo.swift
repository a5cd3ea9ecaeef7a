/// A summary of a segment, as `evtool status` shows it.
public struct SegmentInfo: Hashable, Sendable {
  public let number: UInt64
  /// The size of the file, including reserved space.
  public let bytes: UInt64
  public let isSealed: Bool
  public let records: Int
  public let events: Int
}
