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

  /// Returns whether an event with these times is selected.
  package func contains(_ id: EventID, _ times: EventTimes) -> Bool {
    switch self {
    case .all: true
    case .vector(let vector): vector.contains(id)
    case .time(let moment): times.first.milliseconds <= moment
    }
  }
}
