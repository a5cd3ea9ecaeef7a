/// A summary of a segment, as `evtool status` shows it.
public struct SegmentInfo: Hashable, Sendable {
  public let number: UInt64
  /// The size of the file, including reserved space.
  public let bytes: UInt64
  public let isSealed: Bool
  public let records: Int
  public let events: Int
}

/// The outcome of an attempt to seal a segment.
package enum SealOutcome: Hashable, Sendable {
  /// There was nothing to seal.
  case nothing
  /// The segment was rewritten, with small frames joined.
  case rewritten
  /// A footer was added to the unchanged segment, because rewriting it failed with this error.
  case inPlace(LogError)
  /// The segment could not be sealed, because of this error; nothing is lost.
  case failed(LogError)
}
