/// What one origin had seen at its latest event: follows the origin's deltas, and makes the next.
public struct CausalContext: Hashable, Sendable {
  public let author: ReplicaID
  /// Origins in the order in which the author mentioned them first.
  public private(set) var mentioned: [ReplicaID] = []
  private var numbers: [ReplicaID: Int] = [:]
  /// What the author had seen of others; its own events are not in it.
  public private(set) var vector = VersionVector()

  public init(author: ReplicaID) { self.author = author }

  /// Takes up one kept elsewhere: `entries` in the order of first mention.
  public init(author: ReplicaID, entries: [(origin: ReplicaID, sequence: UInt64)]) {
    self.init(author: author)
    for (origin, sequence) in entries { advance(origin, to: sequence) }
  }

  /// The place of an origin among those ``mentioned``.
  public func number(of origin: ReplicaID) -> Int? { numbers[origin] }

  /// The difference that `seen` makes to what the author had seen. What a private origin has written
  /// is no business of others: only the context of a private event names it.
  public func delta(to seen: VersionVector) -> ContextDelta {
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
    // What is left out is said by the next event: to have seen less is never wrong.
    let advances = known.map { ContextDelta.Advance(origin: .known($0.number), by: $0.by) } + new
    return ContextDelta(Array(advances.prefix(ContextDelta.advancesMax)))
  }

  /// Goes on to the author's next event.
  ///
  /// - Returns: the origins of which the author had seen more, and how far.
  /// - Throws: ``EventError/Code/badContext`` where the delta mentions a number never given out,
  ///   the author itself, an origin twice, or more events than there can be. Nothing has changed then.
  @discardableResult
  public mutating func apply(_ delta: ContextDelta) throws(EventError)
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
