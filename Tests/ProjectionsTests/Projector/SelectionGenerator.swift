import DaybookEventCore
import DaybookSimulation

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Random moments of the past of a set of events.
struct SelectionGenerator {
  private var random: SplitMix64
  private let set: EventSet

  init(seed: UInt64, _ set: EventSet) {
    random = SplitMix64(seed: seed)
    self.set = set
  }

  /// Vectors that some author had seen, vectors that nobody had, and moments.
  mutating func selections(_ count: Int) -> [(Selection, ReferenceSelection)] {
    (0..<count).map { index in
      switch index % 3 {
      case 0:
        let vector = anyVector()
        return (.vector(vector), .vector(vector))
      case 1:
        let vector = context()
        return (.vector(vector), .vector(vector))
      default:
        let moment = moment()
        return (.time(moment), .time(milliseconds: moment))
      }
    }
  }

  private mutating func anyVector() -> VersionVector {
    VersionVector(
      set.events.keys.sorted().map {
        ($0, UInt64(random.pick(0...(set.events[$0]?.count ?? 0))))
      })
  }

  /// An event with all that its author had seen, as far as it is there.
  private mutating func context() -> VersionVector {
    let origin = random.pick(set.events.keys.sorted())
    let read = ReferenceEvent.read(set.events[origin] ?? [], of: origin)
    let event = random.pick(read)
    var vector = VersionVector()
    for (other, sequence) in event.seen.entries {
      vector.include(other, min(sequence, UInt64(set.events[other]?.count ?? 0)))
    }
    vector.include(origin, event.id.sequence)
    return vector
  }

  private mutating func moment() -> Int64 {
    let origin = random.pick(set.events.keys.sorted())
    let read = ReferenceEvent.read(set.events[origin] ?? [], of: origin)
    let authored = random.pick(read).envelope?.authored.milliseconds ?? GeneratedOrigin.epoch
    return authored + Int64(random.pick([-1, 0, 0, 1, 500]))
  }
}
