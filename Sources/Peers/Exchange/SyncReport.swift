public import DaybookEngine
public import DaybookEventCore
public import DaybookReplication

/// The result of a sync.
public struct SyncReport: Hashable, Sendable {
  /// The replica that answered.
  public var peer: ReplicaID?
  /// The zone of both stores.
  public var zone: ZoneID
  /// The number of events sent to the peer.
  public var eventsSent: UInt64
  /// The number of events received from the peer.
  public var eventsReceived: UInt64
  /// Events that the peer lacks and was not sent, because it accepts none from this store.
  public var eventsUnsent: UInt64 = 0
  /// Events that the peer should hold and could not deliver: their files have not arrived, or
  /// cannot be read. ``findings`` names them. Both sides hold the same only if there are none.
  public var eventsMissing: UInt64 = 0
  /// The number of requests that it took.
  public var exchanges: Int
  /// Events that the peer or this store refused, with the reasons.
  public var refusals: [RangeRefusal]
  /// The increase in the number of conflicts in the store during the sync.
  public var newConflicts: Int
  /// Problems at the peer that were ignored. See ``SyncPeer/findings``.
  public var findings: [SyncFinding] = []
}
