public import EventCore
public import Replication

/// What a sync has done.
public struct SyncReport: Hashable, Sendable {
  /// Who answered.
  public var peer: ReplicaID?
  public var zone: ZoneID
  public var eventsSent: UInt64
  public var eventsReceived: UInt64
  /// Events that the peer lacks, and that it was not sent because it takes none from this store.
  public var eventsUnsent: UInt64 = 0
  public var exchanges: Int
  /// Events that the peer or this store has not taken, and why.
  public var refusals: [RangeRefusal]
  /// Conflicts that are there now and were not before.
  public var newConflicts: Int
  /// What is not as it should be at the peer, and was passed over. See ``SyncPeer/findings``.
  public var findings: [SyncFinding] = []
}
