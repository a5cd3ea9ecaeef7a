public import EventCore
public import Replication

/// How it stands between a store and one of its peers.
public struct PeerState: Hashable, Sendable {
  public enum Phase: String, Hashable, Sendable, Codable {
    /// Both held the same when they last spoke, and nothing is to be said.
    case idle
    case syncing
    /// The peer cannot be reached. It is tried again, later and later.
    case offline
    /// The peer answers, and somebody has to do something: see ``PeerState/cure``.
    case error
    /// Nothing is done until ``SyncEngine/resume()``.
    case paused
  }

  /// See ``SyncPeer/address``.
  public var address: String
  public var phase: Phase = .idle
  /// Nil until it has answered once.
  public var replica: ReplicaID?
  /// How far the peer is known to hold this store's own events.
  public var acknowledged: UInt64 = 0
  /// This store's own events that the peer does not hold, as far as is known.
  public var pending: UInt64 = 0
  /// Events that went to the peer, and came from it, since the engine was started.
  public var sent: UInt64 = 0
  public var received: UInt64 = 0
  /// Events that the peer lacks, and is not sent because it takes none from this store.
  public var unsent: UInt64 = 0
  /// When both last held the same, milliseconds since 1970; nil where never.
  public var lastSuccess: Int64?
  /// What is wrong, where the phase is offline or error.
  public var problem: String?
  public var cure: String?
  /// Attempts that failed in a row.
  public var failures = 0
  /// What one side has not taken of the other.
  public var refusals: [RangeRefusal] = []
  /// What is not as it should be at the peer, and was passed over.
  public var findings: [SyncFinding] = []

  public init(address: String) { self.address = address }
}
