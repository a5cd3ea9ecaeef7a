package import EventCore
package import LogEngine
package import Replication

/// Which of two histories of an origin stands: the one that a hub has stamped first; where none is
/// stamped, the one with the smaller chain value after the last common event. It follows from the events
/// alone, so whoever asks is told the same.
package struct ForkJudgement {
  private let snapshot: LogSnapshot
  private let origin: ReplicaID
  private let proof: ForkProof

  /// - Parameters:
  ///   - snapshot: of a log that holds one of them, and the stamps that there are.
  ///   - proof: of the other history; it says which events both have in common.
  package init(_ snapshot: LogSnapshot, _ proof: ForkProof) {
    self.snapshot = snapshot
    origin = proof.origin
    self.proof = proof
  }

  /// Whether the history in the log stands.
  /// - Throws: what reading the log throws.
  package func stands() throws -> Bool {
    // The earliest stamp of an event beyond what is common decides. It says the chain value after its events.
    for stamp in try stamps().sorted(by: { $0.time < $1.time }) {
      if let own = try snapshot.chain(after: EventID(origin, stamp.through)) {
        return own == stamp.chain
      }
      if let other = proof.chain(after: stamp.through) { return other != stamp.chain }
    }
    let first = proof.common + 1
    guard let own = try snapshot.chain(after: EventID(origin, first)),
      let other = proof.chain(after: first)
    else { return false }
    return ChainTag(own) < ChainTag(other)
  }

  /// What the zone's hubs have stamped of the origin beyond what is common.
  private func stamps() throws -> [Stamp] {
    var found: [Stamp] = []
    for (hub, last) in snapshot.vector.entries {
      guard try snapshot.isHub(hub) else { continue }
      try snapshot.forEachEvent(of: hub, in: 1...last) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope), envelope.kind == .stamps,
          !event.bodyIsHash,
          let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
        else { return }
        for case .stamp(let stamp) in body.operations
        where stamp.origin == origin && stamp.through > proof.common { found.append(stamp) }
      }
    }
    return found
  }
}

extension LogSnapshot {
  /// Whether an origin's first event says that it is a hub's.
  /// - Throws: what reading the log throws.
  func isHub(_ origin: ReplicaID) throws -> Bool {
    guard vector[origin] > 0 else { return false }
    var isHub = false
    try forEachEvent(of: origin, in: 1...1) { _, event in
      isHub = IdentityClaim.claimed(by: event)?.certifiesHub(origin) ?? false
    }
    return isHub
  }
}
