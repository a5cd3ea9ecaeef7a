package import EventCore

/// Which events a state is folded from.
package enum Selection: Hashable, Sendable {
  /// Everything known.
  case all
  /// Exactly these events, stamps included.
  case vector(VersionVector)
  /// The events with min(authored, first stamp) at or before this moment (milliseconds since
  /// 1970), folded with all stamps now known.
  case time(Int64)
}
