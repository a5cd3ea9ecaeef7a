/// What `status` shows of a segment.
public struct SegmentInfo: Hashable, Sendable {
  public let number: UInt64
  /// Size of the file, reserved space included.
  public let bytes: UInt64
  public let isSealed: Bool
  public let records: Int
  public let events: Int
}

/// What became of an attempt to seal.
package enum SealOutcome: Hashable, Sendable {
  /// There was nothing to seal.
  case nothing
  /// Written anew, with small frames joined.
  case rewritten
  /// A footer was added to the segment as it is; why it was not written anew.
  case inPlace(LogError)
  /// The segment stays as it is, which loses nothing; why.
  case failed(LogError)
}
