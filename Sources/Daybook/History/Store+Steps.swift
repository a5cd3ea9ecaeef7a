public import EventCore
import Projections

extension Store {
  /// The events of a position, as a vector, local events included. For a time: of each origin those before its first that
  /// is later.
  ///
  /// Cost: for a time, a search among the authored times of each origin.
  /// - Throws: as ``at(_:)``.
  public func vector(at position: Position) async throws -> VersionVector {
    switch try await known(position) {
    case .vector(let vector): return vector
    case .all: return try await view { view, _ in view.wholeVector }
    case .time(let moment):
      return try await view { view, _ in
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

  /// The store as it was with exactly these events: also where no private origin is among them, and
  /// local collections are empty. For ``step(from:by:)``, which goes through local events, too.
  /// - Throws: as ``at(_:)``.
  public func at(exactly vector: VersionVector) async throws -> PastStore {
    PastStore(store: self, selection: try await requireKnown(.vector(vector)))
  }

  /// The vector so many events later, or earlier, in the order of authored times: each step forward
  /// adds, of the origins' next events, the one authored first (then by origin), and each step back
  /// takes away, of their last ones, the one authored last.
  ///
  /// Since an event is authored after all that its author had seen, none stands before what it
  /// builds on. Cost: looks at the times of the events passed.
  /// - Parameters:
  ///   - vector: where to begin.
  ///   - count: how many events; negative to go back. It ends where there are no more.
  /// - Returns: the vector, and the events passed, in order.
  public func step(from vector: VersionVector, by count: Int) async throws
    -> (vector: VersionVector, events: [EventID])
  {
    try await view { view, _ in
      let known = view.wholeVector
      let origins = known.entries.map(\.origin)
      var at = Dictionary(
        uniqueKeysWithValues: origins.map { ($0, min(vector[$0], known[$0])) })
      /// When the event was authored that a step would pass; nil where there is none.
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
