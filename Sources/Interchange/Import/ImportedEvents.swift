import Daybook
import DaybookEventCore
import DaybookLocks

/// The events that were imported, by the names that they had where they come from.
final class ImportedEvents: Sendable {
  private let names = Mutex<[EventID: EventID]?>(nil)

  /// Reads which events the store has imported before, the first time.
  ///
  /// Cost: a pass over the log.
  func load(from store: Store) async throws {
    guard names.withLock({ $0 == nil }) else { return }
    let found = Mutex<[EventID: EventID]>([:])
    try await store.forEachEvent(EventQuery()) { logged in
      if let original = logged.annotations[ImportLog.eventsEventKey].flatMap({ EventID($0) }) {
        found.withLock { $0[original] = logged.id }
      }
      return true
    }
    names.withLock { $0 = found.withLock(\.self) }
  }

  /// Notes an event that was imported.
  func note(_ original: String?, as event: EventID) {
    guard let original = original.flatMap({ EventID($0) }) else { return }
    names.withLock { $0?[original] = event }
  }

  /// Returns events under the names that they have here, besides the names that they had.
  func runs(_ runs: [EventRun]) -> [EventRun] {
    let known = names.withLock { $0 ?? [:] }
    let here = known.filter { original, _ in runs.contains { $0.contains(original) } }.values
    return (runs + EventRun.runs(of: here)).sorted {
      ($0.origin, $0.sequences.lowerBound) < ($1.origin, $1.sequences.lowerBound)
    }
  }
}
