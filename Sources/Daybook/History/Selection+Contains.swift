import DaybookEventCore
import DaybookProjections

extension Selection {
  /// Returns whether an event with these times is selected.
  func contains(_ id: EventID, _ times: Store.EventTimes) -> Bool {
    switch self {
    case .all: true
    case .vector(let vector): vector.contains(id)
    case .time(let moment): times.first.milliseconds <= moment
    }
  }
}
