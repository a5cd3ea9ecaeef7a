import DaybookEngine
public import DaybookEventCore
import DaybookProjections

extension Store {
  /// Calls `body` with events of the log one by one, in the order of the log or from its end.
  ///
  /// The loop ends if `body` returns false. `body` runs on a thread of its own. Memory does not
  /// grow with the log.
  ///
  /// Cost: reads the frames of the log that may hold such an event.
  /// - Throws: what `body`, SQLite and reading the log throw; ``StoreError`` `invalidPosition`.
  public func forEachEvent(
    _ query: EventQuery = EventQuery(),
    _ body: @escaping @Sendable (LoggedEvent) throws -> Bool
  ) async throws {
    try await core.reads.buildDeferred()
    try await Blocking.surfacing { [self] in
      let reader = try EventReader(query, self)
      var left = query.limit ?? .max
      guard left > 0 else { return }
      _ = try reader.read { event, _ in
        left -= 1
        return try body(event) && left > 0
      }
    }
  }

  /// Returns one event; nil if it is not known here.
  ///
  /// Cost: reads the frame that holds it.
  /// - Throws: what reading the log throws.
  public func event(_ id: EventID) async throws -> LoggedEvent? {
    let feed = core.feed
    guard let times = try await times(of: id) else { return nil }
    return try await Blocking.surfacing {
      var found: LoggedEvent?
      try feed.forEachEvent(of: id.origin, in: id.sequence...id.sequence) { _, view in
        found = (try? Event(id: id, decoding: view.encoded)).map {
          LoggedEvent(event: $0, times: times)
        }
      }
      return found
    }
  }
}
