import DaybookEngine
public import DaybookEventCore
import DaybookProjections

extension Store {
  /// Returns the events of a position as a vector, local events included.
  ///
  /// For a time, the vector has the events of each origin before the first one that is later.
  ///
  /// Cost: for a time, a search among the authored times of each origin.
  /// - Throws: ``StoreError`` `invalidPosition` if an event is
  ///   not known here.
  public func vector(at position: Position) async throws -> VersionVector {
    switch try await known(position) {
    case .vector(let vector): return vector
    case .all: return try await core.reads.asynchronously { try $0.view.wholeVector }
    case .time(let moment):
      return try await core.reads.asynchronously { snapshot in
        let view = try snapshot.view
        var vector = VersionVector()
        let bounds = try SelectionBounds(.time(moment), view)
        for (origin, last) in view.wholeVector.entries {
          var sequence = bounds.certain(of: origin)
          while sequence < last, let times = try view.times(of: EventID(origin, sequence + 1)),
            Selection.time(moment).contains(EventID(origin, sequence + 1), times)
          { sequence += 1 }
          vector.include(origin, sequence)
        }
        return vector
      }
    }
  }

  /// Returns the store as it was with exactly these events, for ``step(from:by:)``.
  ///
  /// If no private origin is among them, local collections are empty.
  /// - Throws: ``StoreError`` `invalidPosition` if an event is not known here.
  public func at(exactly vector: VersionVector) async throws -> PastStore {
    PastStore(store: self, selection: try await requireKnown(.vector(vector)))
  }

  /// Returns the vector `count` events later or earlier, in the order of authored times.
  ///
  /// A step forward adds one event: of the origins' next events, the one that was authored first
  /// (then by origin). A step back takes one away: of the origins' last events, the one that was
  /// authored last. Since an event is authored after all that its author had seen, none comes
  /// before what it builds on, except before what was dated by a clock in the future.
  ///
  /// Cost: looks at the times of the events passed.
  /// - Parameters:
  ///   - vector: the vector to begin with.
  ///   - count: the number of events; negative to go back. The steps end if there are no more
  ///     events.
  /// - Returns: the vector, and the events passed, in order.
  public func step(from vector: VersionVector, by count: Int) async throws
    -> (vector: VersionVector, events: [EventID])
  {
    try await core.reads.asynchronously { snapshot in
      let view = try snapshot.view
      let known = view.wholeVector
      let origins = known.entries.map(\.origin)
      var at = Dictionary(
        uniqueKeysWithValues: origins.map { ($0, min(vector[$0], known[$0])) })
      /// Returns when the event of the origin's next step was authored; nil if there is none.
      func authored(_ origin: ReplicaID) throws -> HybridTime? {
        let sequence = (at[origin] ?? 0) + (count > 0 ? 1 : 0)
        guard sequence > 0 else { return nil }
        return try view.times(of: EventID(origin, sequence))?.authored
      }
      var times: [ReplicaID: HybridTime] = [:]
      for origin in origins { times[origin] = try authored(origin) }
      var passed: [EventID] = []
      while passed.count < count.magnitude {
        let order = { (a: (ReplicaID, HybridTime), b: (ReplicaID, HybridTime)) in
          a.1 != b.1 ? a.1 < b.1 : a.0 < b.0
        }
        let candidates = times.map { ($0.key, $0.value) }
        let next = count > 0 ? candidates.min(by: order) : candidates.max(by: order)
        guard let (origin, _) = next, let sequence = at[origin] else { break }
        passed.append(EventID(origin, count > 0 ? sequence + 1 : sequence))
        at[origin] = count > 0 ? sequence + 1 : sequence - 1
        times[origin] = try authored(origin)
      }
      return (VersionVector(at.map { ($0.key, $0.value) }), passed)
    }
  }
}
