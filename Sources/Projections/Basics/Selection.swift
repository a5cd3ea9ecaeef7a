package import DaybookEventCore

/// The events from which a state is folded.
package enum Selection: Hashable, Sendable {
  /// All known events.
  case all
  /// Exactly these events, stamps included.
  case vector(VersionVector)
  /// The events with min(authored, first stamp) at or before this moment (milliseconds since
  /// 1970), folded with all stamps now known.
  case time(Int64)
}
