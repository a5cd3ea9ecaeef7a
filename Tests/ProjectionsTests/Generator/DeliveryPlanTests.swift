import DaybookEventCore
import Testing

@Suite("DeliveryPlan")
struct DeliveryPlanTests {
  private static let set = EventSetGenerator.events(seed: 7)

  @Test("the same seed gives the same plan")
  func deterministic() {
    for seed in UInt64(0)..<20 {
      let plan = DeliveryPlan(seed: seed, events: Self.set.events)
      #expect(plan.steps == DeliveryPlan(seed: seed, events: Self.set.events).steps)
    }
  }

  @Test("every event is delivered in the end, and no others")
  func complete() {
    for seed in UInt64(0)..<100 {
      var known: [ReplicaID: SequenceRanges] = [:]
      for case .deliver(let origin, let range) in DeliveryPlan(
        seed: seed, events: Self.set.events
      ).steps {
        known[origin, default: SequenceRanges()].insert(range)
      }
      for (origin, events) in Self.set.events {
        #expect(known[origin]?.ranges == [1...UInt64(events.count)])
      }
    }
  }

  @Test("plans contain gaps, repetitions, overlaps and reopenings")
  func disturbances() {
    var (gaps, repetitions, overlaps, reopenings) = (0, 0, 0, 0)
    for seed in UInt64(0)..<50 {
      var known: [ReplicaID: SequenceRanges] = [:]
      for step in DeliveryPlan(seed: seed, events: Self.set.events).steps {
        guard case .deliver(let origin, let range) = step else {
          reopenings += 1
          continue
        }
        let missing = known[origin, default: SequenceRanges()].missing(in: range)
        if missing.isEmpty { repetitions += 1 } else if missing != [range] { overlaps += 1 }
        known[origin, default: SequenceRanges()].insert(range)
        if known[origin]?.beyondGaps.isEmpty == false { gaps += 1 }
      }
    }
    #expect(gaps > 0 && repetitions > 0 && overlaps > 0 && reopenings > 0)
  }
}
