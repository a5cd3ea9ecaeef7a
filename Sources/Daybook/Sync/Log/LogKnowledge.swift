import EventCore
import LogEngine
import Replication
import Synchronization

/// What a log can offer, as replicas tell one another: of each origin, what a head closes, and of those
/// that this replica can sign for, everything. Follows the log: what has not changed since the last look
/// costs nothing.
///
/// What is held and not closed is not told: others would believe that this replica can hand it on, and
/// would not send it the head that it lacks.
final class LogKnowledge: Sendable {
  private struct State {
    /// Of the snapshot that was looked at last.
    var version: UInt64?
    var ranges: [ReplicaID: SequenceRanges] = [:]
    /// Of these, more is held than is closed.
    var open: Set<ReplicaID> = []
    var headCount = 0
    var signer: ReplicaID?
    var knowledge = Knowledge()
  }

  private let state = Mutex(State())

  /// - Parameter signer: whose key is at hand.
  /// - Throws: `LogError` where the chain value of an origin that has changed cannot be read.
  func current(_ snapshot: LogSnapshot, signer: ReplicaID?) throws -> Knowledge {
    try state.withLock { state in
      if state.version == snapshot.version, state.signer == signer { return state.knowledge }
      state.version = nil
      let all = snapshot.ranges
      var changed: Set<ReplicaID> = []
      for (origin, ranges) in all where state.ranges[origin] != ranges { changed.insert(origin) }
      let headCount = snapshot.headCount
      if headCount != state.headCount { changed.formUnion(state.open) }
      if signer != state.signer {
        changed.formUnion([signer, state.signer].compactMap(\.self).filter { all[$0] != nil })
      }
      // In an order of their own: a simulation sees the disk read the same way twice.
      for origin in changed.sorted() {
        let ranges = all[origin] ?? SequenceRanges()
        let entry = try Self.entry(origin, ranges, snapshot, isSigner: origin == signer)
        state.knowledge[origin] = entry
        state.ranges[origin] = ranges
        let isClosed = entry.map { $0.runs.map(\.range) == ranges.ranges } ?? false
        if isClosed { state.open.remove(origin) } else { state.open.insert(origin) }
      }
      state.headCount = headCount
      state.signer = signer
      state.version = snapshot.version
      return state.knowledge
    }
  }

  private static func entry(
    _ origin: ReplicaID, _ ranges: SequenceRanges, _ snapshot: LogSnapshot, isSigner: Bool
  ) throws -> Knowledge.Entry? {
    var entry: Knowledge.Entry?
    for range in ranges.ranges {
      let end =
        isSigner
        ? try snapshot.chain(after: EventID(origin, range.upperBound)).map {
          (range.upperBound, $0)
        }
        : try snapshot.closingHead(of: origin, in: range).map { ($0.event.sequence, $0.chain) }
      guard let end else { continue }
      let run = Knowledge.Run(range.lowerBound...end.0, ChainTag(end.1))
      if entry == nil { entry = Knowledge.Entry(run) } else { entry?.insert(run) }
    }
    return entry
  }
}
