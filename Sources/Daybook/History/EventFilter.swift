import EventCore
import LogEngine
import Projections

/// Which events of the log an ``EventQuery`` asks for.
struct EventFilter: Sendable {
  struct Bounds: Sendable {
    var after: Selection?
    var until: Selection?
    /// Of a store that is the past of another.
    var past: Selection?
  }

  private let query: EventQuery
  private let bounds: Bounds
  private let after: SelectionBounds?
  private let until: [SelectionBounds]
  /// The events on one entity, in their order, as far as the read model has come; nil where others may be
  /// asked for, too.
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

  /// Whether a frame may hold any of them: else it need not be read.
  func mayHold(_ entry: RecordEntry) -> Bool {
    let run = entry.firstSequence...entry.lastSequence
    if after?.holds(entry.origin, run) == true { return false }
    if until.contains(where: { $0.holds(entry.origin, run) == false }) { return false }
    guard let events, run.upperBound <= vector[entry.origin] else { return true }
    let first = events.partitioningIndex { $0 >= EventID(entry.origin, run.lowerBound) }
    return first < events.count && events[first] <= EventID(entry.origin, run.upperBound)
  }

  /// An event of the log, if it is one of them.
  func match(_ id: EventID, _ encoded: EncodedEvent, _ view: ReadModelView) throws -> LoggedEvent? {
    guard let event = try? Event(id: id, decoding: encoded) else {
      // An envelope of a later version: kept, but there is nothing to show of it.
      return nil
    }
    let known = try view.times(of: id)
    let times = known ?? EventTimes(authored: event.envelope.authored)
    if let past = bounds.past, known == nil || !past.contains(id, times) { return nil }
    if let until = bounds.until, !until.contains(id, times) { return nil }
    if let after = bounds.after, after.contains(id, times) { return nil }
    if let collection = query.collection {
      let operations = event.body?.operations ?? []
      guard operations.contains(where: { $0.concerns(collection, query.id) }) else { return nil }
    }
    return LoggedEvent(event: event, times: times)
  }
}

extension [EventID] {
  /// Of an ascending array, the place of the first for which it holds; the end where there is none.
  fileprivate func partitioningIndex(where belongs: (EventID) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
