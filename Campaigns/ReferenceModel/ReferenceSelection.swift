import DaybookEventCore

/// The known events from which a state is folded.
enum ReferenceSelection {
  case everything
  /// The events within a vector, and the stamps among them.
  case vector(VersionVector)
  /// The events that were authored or first stamped at or before a moment;
  /// every known stamp applies.
  /// - Parameter milliseconds: milliseconds since 1970.
  case time(milliseconds: Int64)

  func selects(_ event: ReferenceEvent, _ order: ReferenceOrder) -> Bool {
    switch self {
    case .everything: return true
    case .vector(let vector): return vector.contains(event.id)
    case .time(let milliseconds):
      let times = [event.envelope?.authored, order.stamp(of: event.id)?.time].compactMap { $0 }
      // An event without a known time might belong to any moment, and makes the state incomplete.
      return times.min().map { $0.milliseconds <= milliseconds } ?? true
    }
  }

  /// Returns the events whose stamps count.
  func stamping(_ events: [ReferenceEvent]) -> [ReferenceEvent] {
    guard case .vector(let vector) = self else { return events }
    return events.filter { vector.contains($0.id) }
  }
}
