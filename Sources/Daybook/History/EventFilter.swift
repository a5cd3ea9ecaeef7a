import DaybookEventCore
import DaybookLogEngine
import DaybookProjections

/// A filter of the log's events by an ``EventQuery``.
struct EventFilter: Sendable {
  struct Bounds: Sendable {
    var after: Selection?
    var until: Selection?
    /// The events of the store itself, if that is the past of another.
    var past: Selection?
  }

  private let query: EventQuery
  private let bounds: Bounds
  private let after: SelectionBounds?
  private let until: [SelectionBounds]
  /// The events on the entity of the query, ascending, as far as the read model has come; nil if
  /// the query names no entity.
  private let events: [EventID]?
  private let vector: VersionVector

  init(_ query: EventQuery, _ bounds: Bounds, _ view: ReadModelView) throws {
    self.query = query
    self.bounds = bounds
    after = try bounds.after.map { try SelectionBounds($0, view) }
    until = try [bounds.until, bounds.past].compactMap {
      try $0.map { try SelectionBounds($0, view) }
    }
    var events: Set<EventID>?
    if let collection = query.collection, let id = query.id {
      events = try view.events(on: id, in: collection)
    }
    self.events = events?.sorted()
    vector = view.wholeVector
  }

  /// Returns whether a frame may hold an event of the query.
  ///
  /// If not, it need not be read.
  func mayHold(_ entry: RecordEntry) -> Bool {
    let run = entry.firstSequence...entry.lastSequence
    if after?.holds(entry.origin, run) == true { return false }
    if until.contains(where: { $0.holds(entry.origin, run) == false }) { return false }
    guard let events, run.upperBound <= vector[entry.origin] else { return true }
    let first = events.partitioningIndex { $0 >= EventID(entry.origin, run.lowerBound) }
    return first < events.count && events[first] <= EventID(entry.origin, run.upperBound)
  }

  /// Returns an event of the log if the query selects it; else nil.
  func match(_ id: EventID, _ encoded: EncodedEvent, _ view: ReadModelView) throws -> LoggedEvent? {
    guard let event = try? Event(id: id, decoding: encoded) else {
      // The envelope is of a later version: the event is kept, but there is nothing to show of it.
      return nil
    }
    let known = try view.times(of: id)
    let times = known ?? Store.EventTimes(authored: event.envelope.authored)
    if let past = bounds.past, known == nil || !past.contains(id, times) { return nil }
    if let until = bounds.until, !until.contains(id, times) { return nil }
    if let after = bounds.after, after.contains(id, times) { return nil }
    if let actor = query.actor, event.body?.actor.isSame(as: actor) != true { return nil }
    if let label = query.label, event.body?.label.isSame(as: label) != true { return nil }
    if let collection = query.collection {
      let operations = event.body?.operations ?? []
      guard operations.contains(where: { $0.concerns(collection, query.id) }) else { return nil }
    }
    return LoggedEvent(event: event, times: times)
  }
}

extension [EventID] {
  /// Returns the index of the first element for which the condition holds; `count` if there is
  /// none.
  ///
  /// The array must be ascending.
  fileprivate func partitioningIndex(where belongs: (EventID) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
