import DaybookEngine
import DaybookEventCore
import DaybookFrames
import DaybookLogEngine
import DaybookProjections

/// Reads the events of a query from one snapshot of the log.
struct EventReader: Sendable {
  /// The frame that an event was read from.
  struct Place {
    /// The frame's number among those of the snapshot, in the order of the query.
    var frame: Int
    /// The bytes of the frame's events.
    var bytes: Int
  }

  private let store: Store
  private let query: EventQuery
  private let filter: EventFilter
  private let snapshot: LogSnapshot
  /// The frames, in the order of the query.
  private let entries: [RecordEntry]

  /// Takes the snapshot.
  ///
  /// Blocks the thread. A deferred read model must have been built.
  /// - Throws: ``StoreError`` `invalidPosition`; `ProjectionError` `unknownPosition`; what SQLite
  ///   and reading the log throw.
  init(_ query: EventQuery, _ store: Store) throws {
    self.store = store
    self.query = query
    // The log may hold events that other processes have written meanwhile.
    try store.core.log.refreshForReading()
    snapshot = store.core.log.snapshot().whole
    filter = try store.core.reads.blocking { snapshot in
      let view = try snapshot.view
      let bounds = EventFilter.Bounds(
        after: try query.after?.selection(in: view), until: try query.until?.selection(in: view),
        past: store.core.past)
      return try EventFilter(query, bounds, view)
    }
    entries = query.isNewestFirst ? snapshot.entries.reversed() : snapshot.entries
  }

  /// Calls `body` with events one by one until it returns false.
  ///
  /// Blocks the thread. Memory: a frame.
  /// - Parameters:
  ///   - event: the event behind which to begin; nil for the beginning.
  ///   - frame: the number of the frame in which that event probably is.
  /// - Returns: whether `body` has been called with all events.
  /// - Throws: ``StoreError`` `invalidPosition` if the event is not in the log; what `body`, SQLite
  ///   and reading the log throw.
  func read(
    after event: EventID? = nil, near frame: Int = 0, _ body: (LoggedEvent, Place) throws -> Bool
  ) throws -> Bool {
    let first = try event.map { try number(ofFrameWith: $0, near: frame) } ?? 0
    for number in entries.indices[first...] where filter.mayHold(entries[number]) {
      let entry = entries[number]
      var events = try snapshot.frame(at: entry).events().enumerated().map {
        (EventID(entry.origin, entry.firstSequence + UInt64($0.offset)), $0.element)
      }
      if query.isNewestFirst { events.reverse() }
      if number == first, let event {
        events.removeAll { query.isNewestFirst ? $0.0 >= event : $0.0 <= event }
      }
      let found = try store.core.reads.blocking { snapshot in
        let view = try snapshot.view
        return try events.compactMap { id, encoded in try filter.match(id, encoded, view) }
      }
      let place = Place(frame: number, bytes: entry.rawLength)
      for event in found where try !body(event, place) { return false }
    }
    return true
  }

  private func number(ofFrameWith event: EventID, near frame: Int) throws -> Int {
    func holds(_ entry: RecordEntry) -> Bool {
      entry.origin == event.origin
        && entry.firstSequence...entry.lastSequence ~= event.sequence
    }
    if entries.indices.contains(frame), holds(entries[frame]) { return frame }
    guard let number = entries.firstIndex(where: holds) else {
      throw StoreError(
        .invalidPosition, "event \(event) is not in the log any more",
        hint: "Read the list from its beginning")
    }
    return number
  }
}
