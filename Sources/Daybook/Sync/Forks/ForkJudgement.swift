internal import EventCore
package import LogEngine
package import Replication

/// Decides which of two histories of an origin stands. It is the history that a hub has stamped
/// first. If neither is stamped, it is the one with the smaller chain value after the last common
/// event. The decision depends only on the events, so every replica that knows them decides alike.
package struct ForkJudgement {
  private let snapshot: LogSnapshot
  private let origin: ReplicaID
  private let proof: ForkProof

  /// Creates a judgement about two histories.
  /// - Parameters:
  ///   - snapshot: a snapshot of a log that holds one history, and the known stamps.
  ///   - proof: the proof of the other history, which also says which events both have in common.
  package init(_ snapshot: LogSnapshot, _ proof: ForkProof) {
    self.snapshot = snapshot
    origin = proof.origin
    self.proof = proof
  }

  /// Returns whether the history in the log stands.
  /// - Throws: what reading the log throws.
  package func stands() throws -> Bool {
    // The earliest stamp beyond the common events decides. It states the chain value after its
    // events.
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

  /// Returns the stamps that the zone's hubs have given to events after the common ones.
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
  /// Returns whether an origin's first event certifies it as a hub.
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
