/// The events that one origin had seen at its latest event.
///
/// It follows the deltas of the origin's events, and makes the next one.
package struct CausalContext: Hashable, Sendable {
  package let author: ReplicaID
  /// The other origins, in the order of their first mention by the author.
  package private(set) var mentioned: [ReplicaID] = []
  private var numbers: [ReplicaID: Int] = [:]
  /// The latest events of other origins that the author had seen; its own are not included.
  package private(set) var vector = VersionVector()

  package init(author: ReplicaID) { self.author = author }

  /// Restores a context that was saved elsewhere.
  ///
  /// - Parameter entries: the origins in the order of their first mention, with their sequences.
  package init(author: ReplicaID, entries: [(origin: ReplicaID, sequence: UInt64)]) {
    self.init(author: author)
    for (origin, sequence) in entries { advance(origin, to: sequence) }
  }

  /// Returns the position of an origin in ``mentioned``; nil if it was never mentioned.
  package func number(of origin: ReplicaID) -> Int? { numbers[origin] }

  /// Returns the difference between `seen` and what the author had seen before.
  ///
  /// Private origins are left out, unless the author is one itself.
  package func delta(to seen: VersionVector) -> ContextDelta {
    var known: [(number: Int, by: UInt64)] = []
    var new: [ContextDelta.Advance] = []
    let told = author.isPrivate ? seen : seen.shared
    for (origin, sequence) in told.entries where origin != author {
      let by = sequence.subtractingReportingOverflow(vector[origin])
      guard !by.overflow, by.partialValue > 0 else { continue }
      if let number = numbers[origin] {
        known.append((number, by.partialValue))
      } else {
        new.append(.init(origin: .new(origin), by: by.partialValue))
      }
    }
    known.sort { $0.number < $1.number }
    // Advances beyond the limit are left to the next event: to claim to have seen less is safe.
    let advances = known.map { ContextDelta.Advance(origin: .known($0.number), by: $0.by) } + new
    return ContextDelta(Array(advances.prefix(ContextDelta.advancesMax)))
  }

  /// Advances the context to the author's next event.
  ///
  /// - Returns: the origins that advanced, with their new sequences.
  /// - Throws: ``EventError/Code/badContext`` if the delta mentions an unknown number, the author
  ///   itself, an origin twice, or more events than there can be. The context is unchanged then.
  @discardableResult
  package mutating func apply(_ delta: ContextDelta) throws(EventError)
    -> [(origin: ReplicaID, sequence: UInt64)]
  {
    guard !delta.advances.isEmpty else { return [] }
    var introduced: Set<ReplicaID> = []
    var changes: [(origin: ReplicaID, sequence: UInt64)] = []
    var previous = -1
    for advance in delta.advances {
      let origin: ReplicaID
      switch advance.origin {
      case .known(let number):
        guard number < mentioned.count, number > previous else {
          throw EventError(.badContext, "the causal context names origin \(number) out of turn")
        }
        previous = number
        origin = mentioned[number]
      case .new(let id):
        guard id != author, numbers[id] == nil, introduced.insert(id).inserted else {
          throw EventError(.badContext, "the causal context introduces \(id) again")
        }
        previous = Int.max
        origin = id
      }
      let (sequence, overflow) = vector[origin].addingReportingOverflow(advance.by)
      guard !overflow, sequence < UInt64(Int64.max) else {
        throw EventError(.badContext, "the causal context counts too many events of \(origin)")
      }
      changes.append((origin, sequence))
    }
    for (origin, sequence) in changes { advance(origin, to: sequence) }
    return changes
  }

  private mutating func advance(_ origin: ReplicaID, to sequence: UInt64) {
    if numbers[origin] == nil {
      numbers[origin] = mentioned.count
      mentioned.append(origin)
    }
    vector[origin] = sequence
  }
}
