package import DaybookFrames

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
