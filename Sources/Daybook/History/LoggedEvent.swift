public import EventCore
import GRDB
import LogEngine
public import Projections

/// An event of the log, with its times.
public struct LoggedEvent: Hashable, Sendable {
  package var event: Event
  /// The times at which it was authored and, if a hub has it, stamped.
  public internal(set) var times: EventTimes

  public var id: EventID { event.id }
  /// The actor that ``Store/write(actor:label:_:)`` was given; empty if the body cannot be read.
  public var actor: String { event.body?.actor ?? "" }
  /// The label that ``Store/write(actor:label:_:)`` was given; empty if the body cannot be read.
  public var label: String { event.body?.label ?? "" }
  /// Facts about the event itself, for example the source of an import.
  public var annotations: [String: String] { event.body?.annotations ?? [:] }
}

/// A query for events of the log, for ``Store/forEachEvent(_:_:)``.
public struct EventQuery: Hashable, Sendable {
  /// Only events that this position does not select.
  public var after: Position?
  /// Only events that this position selects.
  public var until: Position?
  /// Only events with an operation on this collection; with ``id``, on that entity of it.
  public var collection: String?
  /// Only events with an operation on the entity of this id; needs ``collection``.
  public var id: String?
  /// The most events to pass on; nil for all.
  public var limit: Int?
  /// Whether the newest event comes first.
  public var isNewestFirst: Bool

  public init(
    after: Position? = nil, until: Position? = nil, collection: String? = nil,
    id: String? = nil, limit: Int? = nil, isNewestFirst: Bool = false
  ) {
    self.after = after
    self.until = until
    self.collection = collection
    self.id = id
    self.limit = limit
    self.isNewestFirst = isNewestFirst
  }
}

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
    let bounds = EventFilter.Bounds(
      after: try await optionalSelection(query.after),
      until: try await optionalSelection(query.until), past: past)
    try await settle()
    try await Blocking.run { [self] in
      // The log may hold events that other processes have written meanwhile.
      try log.refreshForReading()
      let snapshot = log.snapshot().whole
      let filter = try snapshotNow { db in
        try views.withView(db) { try EventFilter(query, bounds, $0) }
      }
      let entries = query.isNewestFirst ? snapshot.entries.reversed() : snapshot.entries
      var left = query.limit ?? .max
      for entry in entries where left > 0 && filter.mayHold(entry) {
        var events = try snapshot.frame(at: entry).events().enumerated().map {
          (EventID(entry.origin, entry.firstSequence + UInt64($0.offset)), $0.element)
        }
        if query.isNewestFirst { events.reverse() }
        let found = try snapshotNow { db in
          try views.withView(db) { view in
            try events.compactMap { id, encoded in try filter.match(id, encoded, view) }
          }
        }
        for event in found where left > 0 {
          left -= 1
          if try !body(event) { return }
        }
      }
    }
  }

  /// Returns one event; nil if it is not known here.
  ///
  /// Cost: reads the frame that holds it.
  /// - Throws: what reading the log throws.
  public func event(_ id: EventID) async throws -> LoggedEvent? {
    let feed = feed
    guard let times = try await times(of: id) else { return nil }
    return try await Blocking.run {
      var found: LoggedEvent?
      try feed.forEachEvent(of: id.origin, in: id.sequence...id.sequence) { _, view in
        found = (try? Event(id: id, decoding: view.encoded)).map {
          LoggedEvent(event: $0, times: times)
        }
      }
      return found
    }
  }

  func optionalSelection(_ position: Position?) async throws -> Selection? {
    guard let position else { return nil }
    return try await selection(position)
  }
}

extension Selection {
  func contains(_ id: EventID, _ times: EventTimes) -> Bool {
    switch self {
    case .all: true
    case .vector(let vector): vector.contains(id)
    case .time(let moment):
      min(times.authored, times.stamped ?? times.authored).milliseconds <= moment
    }
  }
}

extension Operation {
  /// Returns whether the operation concerns a collection or, if an id is given, that entity of it.
  public func concerns(_ name: String, _ entity: String?) -> Bool {
    switch self {
    case .define(let definition): return definition.collection == name && entity == nil
    case .drop(let collection, _): return collection == name && entity == nil
    case .insert(let collection, let id, _), .update(let collection, let id, _),
      .delete(let collection, let id), .restore(let collection, let id),
      .erase(let collection, let id):
      return collection == name && (entity.map { $0.utf8.elementsEqual(id.utf8) } ?? true)
    case .stamp, .identity, .unknown: return false
    }
  }
}
