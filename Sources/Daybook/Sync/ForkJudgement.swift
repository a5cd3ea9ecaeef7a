package import EventCore
package import LogEngine
package import Replication

/// Which of two histories of an origin stands: the one that a hub has stamped first; where none is
/// stamped, the one with the smaller chain value after the last common event. It follows from the events
/// alone, so whoever asks is told the same.
package struct ForkJudgement {
  private let snapshot: LogSnapshot
  private let origin: ReplicaID
  private let finding: ForkProbe.Finding

  /// - Parameters:
  ///   - snapshot: of a log that holds one of them, and the stamps that there are.
  ///   - finding: where the two part, and what the other goes on with.
  package init(_ snapshot: LogSnapshot, _ origin: ReplicaID, _ finding: ForkProbe.Finding) {
    self.snapshot = snapshot
    self.origin = origin
    self.finding = finding
  }

  /// Whether the history in the log stands.
  /// - Throws: what reading the log throws.
  package func stands() throws -> Bool {
    // The earliest stamp of an event beyond what is common decides.
    var best: (time: HybridTime, isOurs: Bool)?
    for stamp in try stamps() {
      let chain = try snapshot.chain(after: EventID(origin, stamp.through))
      if best.map({ stamp.time < $0.time }) ?? true { best = (stamp.time, chain == stamp.chain) }
    }
    if let best { return best.isOurs }
    let next = try snapshot.chain(after: EventID(origin, finding.common + 1))
    return next.map { ChainTag($0) < finding.peerTag } ?? false
  }

  /// What the zone's hubs have stamped of the origin beyond what is common.
  private func stamps() throws -> [Stamp] {
    var found: [Stamp] = []
    for (hub, last) in snapshot.vector.entries {
      var isHub = false
      try snapshot.forEachEvent(of: hub, in: 1...1) { _, event in
        isHub = IdentityClaim.claimed(by: event)?.certifiesHub(hub) ?? false
      }
      guard isHub else { continue }
      try snapshot.forEachEvent(of: hub, in: 1...last) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope), envelope.kind == .stamps,
          !event.bodyIsHash,
          let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
        else { return }
        for case .stamp(let stamp) in body.operations
        where stamp.origin == origin && stamp.through > finding.common { found.append(stamp) }
      }
    }
    return found
  }
}
