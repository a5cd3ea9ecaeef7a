import EventCore
import Testing

@testable import ReferenceModel

@Suite("EventSetGenerator")
struct EventSetGeneratorTests {
  @Test("the same seed gives the same bytes, another seed others")
  func deterministic() {
    for seed in UInt64(0)..<20 {
      let set = EventSetGenerator.events(seed: seed)
      #expect(set.events == EventSetGenerator.events(seed: seed).events)
      #expect(set.events != EventSetGenerator.events(seed: seed + 1).events)
    }
  }

  @Test("exactly those events are opaque that were meant to be")
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

  @Test("over 200 seeds everything that a set may contain occurs, more than once")
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

  @Test("sets have 20 to 120 events, of origins that begin by saying who they are")
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

  @Test("authored times exceed everything in the context, but for times far in the future")
  func authoredTimes() {
    for seed in UInt64(0)..<50 {
      let set = EventSetGenerator.events(seed: seed)
      let events = set.events.mapValues { $0 }.flatMap { ReferenceEvent.read($0.value, of: $0.key) }
      let authored = Dictionary(
        uniqueKeysWithValues: events.compactMap { event in
          event.envelope.map { (event.id, $0.authored) }
        })
      for event in events {
        guard let time = authored[event.id] else { continue }
        for (origin, sequence) in event.seen.entries {
          #expect(sequence <= set.vector[origin])
          let seen = (1...sequence).compactMap { authored[EventID(origin, $0)] }
          #expect(seen.allSatisfy { $0 < time || $0.isFar }, "seed \(seed), \(event.id)")
        }
      }
    }
  }

  @Test("folding shows all that sets are made for: rows, misfits, conflicts, incompleteness")
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
