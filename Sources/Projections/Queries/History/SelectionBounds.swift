package import DaybookEventCore

/// Bounds on a selection, which decide about whole runs of events without reading each. So a query
/// for few events need not read a long log.
package struct SelectionBounds: Sendable {
  private struct Bounds {
    /// All events up to this sequence are selected.
    var certain: UInt64
    /// No event beyond this sequence is selected.
    var possible: UInt64
    /// Events beyond this sequence are not known to the bounds.
    var known: UInt64
  }

  private let selection: Selection
  private var bounds: [ReplicaID: Bounds] = [:]

  /// Computes the bounds. Cost: for a selection by time, a binary search among the authored times
  /// of each origin.
  package init(_ selection: Selection, _ view: ReadModelView) throws {
    self.selection = selection
    guard case .time(let moment) = selection else { return }
    let index = view.index
    // An event far in the future may come before earlier times, so such origins have no bounds.
    for (number, origin) in zip(1..., index.origins)
    where origin.isMonotone && origin.firstFar == 0 {
      let certain = try Self.lastAuthored(by: moment, number, index)
      // Events authored later may have been stamped before the moment.
      let stamped = origin.hasStamps ? try index.lastStamped(by: moment, number) : 0
      bounds[origin.id] = Bounds(
        certain: certain, possible: max(certain, stamped), known: origin.sequence)
    }
  }

  /// Returns whether the selection holds all events of a run, or none; nil if each
  /// has to be checked.
  package func holds(_ origin: ReplicaID, _ run: ClosedRange<UInt64>) -> Bool? {
    switch selection {
    case .all: return true
    case .vector(let vector):
      let last = vector[origin]
      return run.upperBound <= last ? true : run.lowerBound > last ? false : nil
    case .time:
      guard let bounds = bounds[origin], run.upperBound <= bounds.known else { return nil }
      return run.upperBound <= bounds.certain
        ? true : run.lowerBound > bounds.possible ? false : nil
    }
  }

  /// Returns the number of an origin's first events that are certainly selected.
  package func certain(of origin: ReplicaID) -> UInt64 { bounds[origin]?.certain ?? 0 }

  private static func lastAuthored(by moment: Int64, _ number: Int, _ index: EventIndex) throws
    -> UInt64
  {
    var (low, high) = (UInt64(0), index.origin(number).sequence)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if try index.authored(number, middle).milliseconds <= moment {
        low = middle
      } else {
        high = middle - 1
      }
    }
    return low
  }
}

extension EventIndex {
  /// Returns the last event of an origin that was stamped by a moment; 0 if none was.
  /// - Parameters:
  ///   - moment: milliseconds since 1970.
  ///   - number: the origin's number.
  func lastStamped(by moment: Int64, _ number: Int) throws(ProjectionError) -> UInt64 {
    let query = try sql(
      "SELECT coalesce(max(last), 0) FROM _daybook_stamps WHERE origin = ?1 AND time <= ?2")
    try query.bind(1, number)
    try query.bind(2, Int64(clamping: HybridTime(milliseconds: moment, counter: .max).rawValue))
    defer { query.reset() }
    return try query.step() ? UInt64(clamping: query.integer(0)) : 0
  }
}

extension ReadModelView {
  /// Returns the projected events that wrote to an entity, in the shared and the local collection
  /// of that name; nil if no event names such a collection.
  package func events(on id: String, in collection: String) throws -> Set<EventID>? {
    let identities = [false, true].map { CollectionIdentity.of(collection, isLocal: $0) }
    guard identities.contains(where: { projector.knownTable($0) != nil }) else { return nil }
    var events: Set<EventID> = []
    for identity in identities {
      guard let record = try record(identity: identity, id) else { continue }
      for entry in try projector.entities.history.entries(of: record) {
        events.insert(EventID(index.origin(entry.ref.origin).id, entry.ref.sequence))
      }
    }
    return events
  }
}
