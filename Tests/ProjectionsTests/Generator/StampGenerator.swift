import DaybookEventCore
import DaybookSimulation

@testable import DaybookReferenceModel

/// Random stamps: right ones, and all that a hub may get wrong.
struct StampGenerator {
  private(set) var features: Set<EventFeature> = []
  /// What was stamped, by which hub, at which time.
  private var given: [EventID: [(hub: ReplicaID, time: Int64)]] = [:]
  private var times: [Int64: Stamp] = [:]

  /// The operations of one event of `hub`.
  mutating func stamps(
    by hub: inout GeneratedOrigin, of origins: [GeneratedOrigin], step: Int,
    _ random: inout SplitMix64
  ) -> [Operation] {
    (0..<random.pick([1, 1, 2, 4])).map { _ in
      let time = time(of: &hub, step: step, &random)
      if random.chance(4) {
        features.insert(.stampOfNobody)
        let nobody = ReplicaID(high: random.next(), low: 1)
        return .stamp(
          Stamp(origin: nobody, from: 1, through: 3, chain: .zero, time: time))
      }
      let author = random.pick(origins).author
      if author.origin.isPrivate { features.insert(.stampOfPrivate) }
      let (from, through) = range(of: author, &random)
      let chain =
        author.chains.indices.contains(Int(through) - 1) ? author.chains[Int(through) - 1] : .zero
      let stamp = Stamp(
        origin: author.origin, from: from, through: through, chain: chain, time: time)
      note(stamp, by: hub, known: author.sequence)
      return .stamp(stamp)
    }
  }

  /// Mostly rising, in steps so coarse that hubs give the same time now and then.
  private mutating func time(
    of hub: inout GeneratedOrigin, step: Int, _ random: inout SplitMix64
  ) -> HybridTime {
    hub.serverTime = max(hub.serverTime, Int64(step / 4 * 4)) + Int64(random.pick([0, 1, 1, 4]))
    let time = random.chance(10) ? Int64(random.pick(0...step)) : hub.serverTime
    if random.chance(3) {
      features.insert(.farStamp)
      return random.pick([HybridTime.farFuture, HybridTime(rawValue: .max)])
    }
    return HybridTime(milliseconds: GeneratedOrigin.epoch + time * 1000)
  }

  private func range(
    of author: EventAuthor, _ random: inout SplitMix64
  ) -> (from: UInt64, through: UInt64) {
    let known = Int(author.sequence)
    if random.chance(40) {
      let first = (1...known + 1).first { given[EventID(author.origin, UInt64($0))] == nil }
      let from = first ?? 1
      return (UInt64(from), UInt64(max(from, known)))
    }
    let from = random.pick(1...known + 2)
    return (UInt64(from), UInt64(from + random.pick([0, 0, 1, 3, 8])))
  }

  private mutating func note(_ stamp: Stamp, by hub: GeneratedOrigin, known: UInt64) {
    let hubID = hub.author.origin
    features.insert(stamp.from == stamp.through ? .singleStamp : .rangeStamp)
    if stamp.through > known { features.insert(.earlyStamp) }
    if stamp.from + 5 < known { features.insert(.lateStamp) }
    let time = stamp.time.milliseconds
    if let other = times[time], other != stamp { features.insert(.equalStamps) }
    times[time] = stamp
    for sequence in stamp.from...stamp.through {
      let before = given[EventID(stamp.origin, sequence), default: []]
      if !before.isEmpty { features.insert(.overlappingStamps) }
      if before.contains(where: { $0.hub != hubID }) { features.insert(.stampsByTwoHubs) }
      given[EventID(stamp.origin, sequence)] = before + [(hubID, time)]
    }
  }
}
