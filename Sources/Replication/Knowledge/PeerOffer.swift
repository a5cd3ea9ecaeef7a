package import DaybookEventCore

/// What a peer holds beside what this replica holds, as of the latest exchange. It says whether the
/// peer can bring more events of an origin.
package struct PeerOffer: Sendable {
  private let mine: Knowledge
  private let theirs: Knowledge
  private let mask: UInt64
  private let refused: Set<ReplicaID>

  /// Creates an offer from what both sides hold.
  /// - Parameters:
  ///   - mine: What this replica holds.
  ///   - theirs: What the peer holds in the buckets of `mask`. In other buckets it holds what this
  ///     replica holds.
  ///   - mask: The buckets that `theirs` describes, one bit for each.
  ///   - refused: Origins whose events this replica refuses from this peer.
  package init(
    mine: Knowledge, theirs: Knowledge, mask: UInt64 = .max, refused: Set<ReplicaID> = []
  ) {
    self.mine = mine
    self.theirs = theirs
    self.mask = mask
    self.refused = refused
  }

  /// Returns whether the peer holds an event, on the branch that this replica holds.
  package func holds(_ event: EventID) -> Bool {
    !refused.contains(event.origin) && through(event.origin) >= event.sequence
  }

  /// Returns whether the peer holds events of an origin that this replica lacks and would accept.
  package func brings(_ origin: ReplicaID) -> Bool {
    !refused.contains(origin) && through(origin) > mine[origin]?.through ?? 0
  }

  private func through(_ origin: ReplicaID) -> UInt64 {
    let isTold = mask >> Knowledge.bucket(of: origin) & 1 == 1
    return (isTold ? theirs : mine)[origin]?.through ?? 0
  }
}
