import EventCore
import LogEngine
import Replication
import Synchronization

/// What a log holds, as replicas tell one another. Follows the log: what has not changed since the
/// last look costs nothing.
final class LogKnowledge: Sendable {
  private struct State {
    var ranges: [ReplicaID: SequenceRanges] = [:]
    var knowledge = Knowledge()
  }

  private let state = Mutex(State())

  /// - Throws: `LogError` where the chain value of an origin that has changed cannot be read.
  func current(_ snapshot: LogSnapshot) throws -> Knowledge {
    try state.withLock { state in
      // In an order of their own: a simulation sees the disk read the same way twice.
      let changed = snapshot.ranges.filter { state.ranges[$0.key] != $0.value }
      for (origin, ranges) in changed.sorted(by: { $0.key < $1.key }) {
        state.knowledge[origin] = try Self.entry(origin, ranges, snapshot)
        state.ranges[origin] = ranges
      }
      return state.knowledge
    }
  }

  private static func entry(
    _ origin: ReplicaID, _ ranges: SequenceRanges, _ snapshot: LogSnapshot
  ) throws -> Knowledge.Entry? {
    var entry: Knowledge.Entry?
    for range in ranges.ranges {
      guard let chain = try snapshot.chain(after: EventID(origin, range.upperBound)) else {
        continue
      }
      let run = Knowledge.Run(range, ChainTag(chain))
      if entry == nil { entry = Knowledge.Entry(run) } else { entry?.insert(run) }
    }
    return entry
  }
}
