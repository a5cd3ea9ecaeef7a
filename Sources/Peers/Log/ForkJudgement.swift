import DaybookEngine
import DaybookEventCore
package import DaybookLogEngine
package import DaybookReplication

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
    if let isFirst = try isStampedFirst() { return isFirst }
    let first = proof.common + 1
    guard let own = try snapshot.chain(after: EventID(origin, first)),
      let other = proof.chain(after: first)
    else { return false }
    return ChainTag(own) < ChainTag(other)
  }

  /// Returns whether a hub has stamped the history in the log before the other; nil if no known
  /// stamp decides.
  ///
  /// The earliest stamp beyond the common events decides. It states the chain value after its
  /// events. Of two hubs' stamps with the same time, the one of the smaller hub counts.
  /// - Throws: what reading the log throws.
  package func isStampedFirst() throws -> Bool? {
    let stamps = try stamps().sorted { a, b in
      a.stamp.time != b.stamp.time ? a.stamp.time < b.stamp.time : a.hub < b.hub
    }
    for (_, stamp) in stamps {
      let own = try snapshot.chain(after: EventID(origin, stamp.through))
      let other = proof.chain(after: stamp.through)
      if own == stamp.chain { return true }
      if other == stamp.chain { return false }
      switch (own, other) {
      // One of the two is known to be another history than the stamped one.
      case (.some, nil): return false
      case (nil, .some): return true
      // A stamp of a third history, or of events that neither is known to have.
      case (.some, .some), (nil, nil): continue
      }
    }
    return nil
  }

  /// Returns the stamps that the zone's hubs have given to events after the common ones.
  private func stamps() throws -> [(hub: ReplicaID, stamp: Stamp)] {
    var found: [(hub: ReplicaID, stamp: Stamp)] = []
    for (hub, last) in snapshot.vector.entries {
      guard try snapshot.isHub(hub) else { continue }
      try snapshot.forEachEvent(of: hub, in: 1...last) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope), envelope.kind == .stamps,
          !event.bodyIsHash,
          let body = try? Body(decoding: event.body, codec: envelope.bodyCodec)
        else { return }
        for case .stamp(let stamp) in body.operations
        where stamp.origin == origin && stamp.through > proof.common && stamp.counts {
          found.append((hub, stamp))
        }
      }
    }
    return found
  }
}
