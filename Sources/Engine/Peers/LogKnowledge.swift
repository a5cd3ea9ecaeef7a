package import DaybookEventCore
import DaybookLocks
package import DaybookLogEngine
package import DaybookReplication

/// The knowledge that a log can offer to other replicas. It covers each origin up to the last head
/// that closes its events, and all events of the replica that can sign for itself. The result is
/// cached, and only origins that have changed are looked at again.
///
/// Events that no head closes are left out. A peer would otherwise believe that this replica can
/// pass them on, and would not send the head that is missing here.
package final class LogKnowledge: Sendable {
  private struct State {
    /// The version of the latest snapshot that was examined.
    var version: UInt64?
    var ranges: [ReplicaID: SequenceRanges] = [:]
    /// Origins with events that no head closes yet.
    var open: Set<ReplicaID> = []
    var headVersion: UInt64 = 0
    var signer: ReplicaID?
    var zone = ZoneID.none
    var knowledge = Knowledge()
  }

  private let state = Mutex(State())

  package init() {}

  /// Returns the knowledge that a snapshot of the log supports.
  ///
  /// Cost: proportional to the origins that changed since the last call; nothing if the snapshot
  /// and the signer are unchanged.
  /// - Parameters:
  ///   - snapshot: the snapshot of the log.
  ///   - signer: the replica whose private key is available; nil if there is none.
  ///   - zone: the zone for which heads must be signed; ``ZoneID/none`` for any.
  /// - Throws: `LogError` if the chain value of a changed origin cannot be read.
  package func current(_ snapshot: LogSnapshot, signer: ReplicaID?, zone: ZoneID) throws
    -> Knowledge
  {
    try state.withLock { state in
      // A head for another zone than the one before counts no more, and others may.
      if state.zone != zone { state = State(zone: zone) }
      if state.version == snapshot.version, state.signer == signer { return state.knowledge }
      state.version = nil
      let all = snapshot.ranges
      var changed: Set<ReplicaID> = []
      for (origin, ranges) in all where state.ranges[origin] != ranges { changed.insert(origin) }
      if snapshot.headVersion != state.headVersion { changed.formUnion(state.open) }
      if signer != state.signer {
        changed.formUnion([signer, state.signer].compactMap(\.self).filter { all[$0] != nil })
      }
      // A fixed order, so that a simulation reads the disk in the same order each time.
      for origin in changed.sorted() {
        let ranges = all[origin] ?? SequenceRanges()
        let entry = try Self.entry(origin, ranges, snapshot, isSigner: origin == signer, zone)
        state.knowledge[origin] = entry
        state.ranges[origin] = ranges
        let isClosed = entry.map { $0.runs.map(\.range) == ranges.ranges } ?? false
        if isClosed { state.open.remove(origin) } else { state.open.insert(origin) }
      }
      state.headVersion = snapshot.headVersion
      state.signer = signer
      state.version = snapshot.version
      return state.knowledge
    }
  }

  private static func entry(
    _ origin: ReplicaID, _ ranges: SequenceRanges, _ snapshot: LogSnapshot, isSigner: Bool,
    _ zone: ZoneID
  ) throws -> Knowledge.Entry? {
    var entry: Knowledge.Entry?
    for range in ranges.ranges {
      let end =
        isSigner
        ? try snapshot.chain(after: EventID(origin, range.upperBound)).map {
          (range.upperBound, $0)
        }
        : try snapshot.closingHead(
          of: origin, in: range, zone: zone == .none ? nil : zone.bytes
        ).map { ($0.event.sequence, $0.chain) }
      guard let end else { continue }
      let run = Knowledge.Run(range.lowerBound...end.0, ChainTag(end.1))
      if entry == nil { entry = Knowledge.Entry(run) } else { entry?.insert(run) }
    }
    return entry
  }
}
