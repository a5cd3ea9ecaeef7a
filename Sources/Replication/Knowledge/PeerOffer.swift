public import EventCore

/// What a peer that has just been talked to holds, beside what this replica holds: whether more of an origin is
/// to come from it.
public struct PeerOffer: Sendable {
  private let mine: Knowledge
  private let theirs: Knowledge
  private let mask: UInt64
  private let refused: Set<ReplicaID>

  /// - Parameters:
  ///   - mine: what this replica holds.
  ///   - theirs: what the peer holds, in the buckets of `mask`; in the others it holds the same.
  ///   - refused: origins of which this replica takes nothing from this peer.
  public init(
    mine: Knowledge, theirs: Knowledge, mask: UInt64 = .max, refused: Set<ReplicaID> = []
  ) {
    self.mine = mine
    self.theirs = theirs
    self.mask = mask
    self.refused = refused
  }

  /// Whether the peer holds an event, and on the branch that this replica holds.
  public func holds(_ event: EventID) -> Bool {
    !refused.contains(event.origin) && through(event.origin) >= event.sequence
  }

  /// Whether the peer holds events of an origin that this replica lacks, and takes.
  public func brings(_ origin: ReplicaID) -> Bool {
    !refused.contains(origin) && through(origin) > mine[origin]?.through ?? 0
  }

  private func through(_ origin: ReplicaID) -> UInt64 {
    let isTold = mask >> Knowledge.bucket(of: origin) & 1 == 1
    return (isTold ? theirs : mine)[origin]?.through ?? 0
  }
}
