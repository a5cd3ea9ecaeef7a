import DaybookEventCore
import DaybookSimulation

/// In which pieces and in which order a set of events reaches a replica: with repetitions, overlaps
/// and gaps, all of which are filled by the end.
struct DeliveryPlan {
  enum Step: Hashable, Sendable {
    case deliver(ReplicaID, ClosedRange<UInt64>)
    /// The replica stops, and starts again from what it kept.
    case reopen
  }

  /// What a plan does with the hubs' events, should it do anything special.
  private enum Mode: CaseIterable { case mixed, inOrder, wholeOrigins, singleEvents, reversed }

  let steps: [Step]

  init(seed: UInt64, events: [ReplicaID: [EncodedEvent]]) {
    var random = SplitMix64(seed: seed)
    let mode = random.pick(Mode.allCases)
    var batches: [[Step]] = []
    for origin in events.keys.sorted() {
      let count = events[origin]?.count ?? 0
      batches.append(Self.batches(of: origin, count: count, mode, &random))
    }
    var steps: [Step] = []
    switch mode {
    case .wholeOrigins: steps = random.shuffled(batches).flatMap { $0 }
    case .mixed: steps = random.shuffled(batches.flatMap { $0 })
    case .reversed: steps = random.shuffled(batches).flatMap { $0.reversed() }
    case .inOrder, .singleEvents: steps = Self.interleaved(batches, &random)
    }
    self.steps = Self.disturbed(steps, &random)
  }

  private static func batches(
    of origin: ReplicaID, count: Int, _ mode: Mode, _ random: inout SplitMix64
  ) -> [Step] {
    var batches: [Step] = []
    var first = 1
    while first <= count {
      let size =
        switch mode {
        case .wholeOrigins: count
        case .singleEvents: 1
        default: random.pick([1, 1, 2, 5, 20])
        }
      let last = min(count, first + size - 1)
      batches.append(.deliver(origin, UInt64(first)...UInt64(last)))
      first = last + 1
    }
    return batches
  }

  /// Each origin's batches in their order, origins mixed.
  private static func interleaved(
    _ batches: [[Step]], _ random: inout SplitMix64
  ) -> [Step] {
    var rest = batches.map { $0[...] }.filter { !$0.isEmpty }
    var steps: [Step] = []
    while !rest.isEmpty {
      let index = random.pick(0...rest.count - 1)
      steps.append(rest[index].removeFirst())
      if rest[index].isEmpty { rest.remove(at: index) }
    }
    return steps
  }

  /// With batches widened to overlap, repeated, and reopenings in between.
  private static func disturbed(_ steps: [Step], _ random: inout SplitMix64) -> [Step] {
    var disturbed: [Step] = []
    for step in steps {
      guard case .deliver(let origin, let range) = step else { continue }
      let wider = random.chance(15) ? UInt64(random.pick(0...4)) : 0
      let lower = max(1, range.lowerBound - min(wider, range.lowerBound))
      disturbed.append(.deliver(origin, lower...range.upperBound))
      if random.chance(10) { disturbed.append(random.pick(disturbed)) }
      if random.chance(8) { disturbed.append(.reopen) }
    }
    return disturbed
  }
}
