import DaybookEventCore
import Testing

@testable import DaybookReferenceModel

@Suite("EventSetGenerator")
struct EventSetGeneratorTests {
  @Test("the same seed gives the same bytes, and another seed gives others")
  func deterministic() {
    for seed in UInt64(0)..<20 {
      let set = EventSetGenerator.events(seed: seed)
      #expect(set.events == EventSetGenerator.events(seed: seed).events)
      #expect(set.events != EventSetGenerator.events(seed: seed + 1).events)
    }
  }

  @Test("exactly the events that were meant to be opaque are opaque")
  func decodesAsIntended() {
    for seed in UInt64(0)..<100 {
      let set = EventSetGenerator.events(seed: seed)
      for (origin, encoded) in set.events {
        for event in ReferenceEvent.read(encoded, of: origin) {
          #expect(
            (event.operations == nil) == set.opaque.contains(event.id), "seed \(seed), \(event.id)")
        }
      }
    }
  }

  @Test("every feature of event sets occurs more than once in 200 seeds")
  func coverage() {
    var counts: [EventFeature: Int] = [:]
    for seed in UInt64(0)..<200 {
      for feature in EventSetGenerator.events(seed: seed).features {
        counts[feature, default: 0] += 1
      }
    }
    for feature in EventFeature.allCases {
      #expect(counts[feature, default: 0] > 1, "\(feature)")
    }
  }

  @Test("sets have 20 to 120 events, and each origin begins with an identity event")
  func shape() {
    for seed in UInt64(0)..<100 {
      let set = EventSetGenerator.events(seed: seed)
      #expect((20...120).contains(set.count))
      for (origin, encoded) in set.events {
        let first = ReferenceEvent.read(Array(encoded.prefix(1)), of: origin).first
        #expect(first?.envelope?.kind == .identity || origin.isPrivate)
        var chain = Chain(origin: origin)
        for event in encoded { chain.append(event) }
        #expect(set.chains[origin]?.last == chain.value)
      }
    }
  }

  @Test("authored times exceed all times in the context, but for far ones, or are detached")
  func authoredTimes() {
    var detached = 0
    for seed in UInt64(0)..<50 {
      let set = EventSetGenerator.events(seed: seed)
      let events = set.events.mapValues { $0 }.flatMap { ReferenceEvent.read($0.value, of: $0.key) }
      let authored = Dictionary(
        uniqueKeysWithValues: events.compactMap { event in
          event.envelope.map { (event.id, $0.authored) }
        })
      for event in events {
        guard let time = authored[event.id] else { continue }
        if time.isDetached { detached += 1 }
        guard !time.isDetached else { continue }
        for (origin, sequence) in event.seen.entries {
          #expect(sequence <= set.vector[origin])
          let seen = (1...sequence).compactMap { authored[EventID(origin, $0)] }
          #expect(seen.allSatisfy { $0 < time || $0.isFar }, "seed \(seed), \(event.id)")
        }
      }
    }
    #expect(detached > 100)
  }

  @Test("folded sets have rows, misfits, parked entities, cycles, conflicts and incomplete states")
  func foldsToSomething() {
    var (rows, misfits, conflicts, definitionConflicts, incomplete) = (0, 0, 0, 0, 0)
    var (parked, cycles) = (0, 0)
    for seed in UInt64(0)..<80 {
      let state = ReferenceModel(events: EventSetGenerator.events(seed: seed).events).state
      rows += state.tables.values.reduce(0) { $0 + $1.rows.count }
      misfits += state.misfits.count
      parked += state.parked.count
      cycles += state.cycles.count
      conflicts += state.conflicts.filter { $0.id != nil }.count
      definitionConflicts += state.conflicts.filter { $0.id == nil }.count
      incomplete += state.isComplete ? 0 : 1
    }
    #expect(rows > 60 && misfits > 10 && parked > 10, "\(rows) \(misfits) \(parked)")
    #expect(cycles > 10, "\(cycles)")
    #expect(conflicts > 60 && definitionConflicts > 10)
    #expect(incomplete > 10 && incomplete < 80)
  }
}
