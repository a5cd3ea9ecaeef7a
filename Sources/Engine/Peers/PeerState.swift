public import DaybookEventCore
public import DaybookReplication

/// The state of the sync between a store and one of its peers.
public struct PeerState: Hashable, Sendable {
  /// What the sync with a peer is doing.
  public enum Phase: String, Hashable, Sendable, Codable {
    /// Both held the same events at the last exchange, and nothing is to be exchanged.
    case idle
    /// Events are being exchanged.
    case syncing
    /// The peer cannot be reached or is unavailable. The engine retries at increasing intervals.
    case offline
    /// An error needs a person's attention; see ``PeerState/cure``. The engine retries meanwhile.
    case error
    /// The sync is paused until ``SyncEngine/resume()``.
    case paused
  }

  /// The peer's address; see ``SyncPeer/address``.
  public var address: String
  /// What the sync is doing.
  public var phase: Phase = .idle
  /// The peer's replica id; nil until it has answered once.
  public var replica: ReplicaID?
  /// The number of the last of this store's own events that the peer is known to hold.
  public var acknowledged: UInt64 = 0
  /// The number of this store's own events that the peer is not known to hold.
  public var unacknowledged: UInt64 = 0
  /// The number of events sent to the peer since it was added to the engine.
  public var sent: UInt64 = 0
  /// The number of events received from the peer since it was added to the engine.
  public var received: UInt64 = 0
  /// The number of events that the peer lacks and is not sent, because it accepts none from this
  /// store.
  public var unsent: UInt64 = 0
  /// The number of events that the peer should hold and could not deliver; see
  /// ``SyncReport/eventsMissing``.
  public var missing: UInt64 = 0
  /// The time of the last successful sync, in milliseconds since 1970; nil if there was none.
  public var lastSuccess: Int64?
  /// A description of the problem if the phase is offline or error, or of the first refusal; else
  /// nil.
  public var problem: String?
  /// What a person can do about the problem; nil if nothing is known.
  public var cure: String?
  /// Whether the peer tells of its changes at the moment. If not, it is asked at each interval.
  public var isListening = false
  /// The reason why the peer, which can tell of its changes, does not; nil if it does, or if that
  /// has failed only once.
  public var listeningProblem: String?
  /// The number of attempts that have failed in a row.
  public var failures = 0
  /// Ranges that one side has refused from the other.
  public var refusals: [RangeRefusal] = []
  /// Problems at the peer that were ignored.
  public var findings: [SyncFinding] = []

  /// Makes the state of a peer with which nothing was exchanged.
  /// - Parameter address: the peer's address; see ``SyncPeer/address``.
  public init(address: String) { self.address = address }

  /// Records the refusals of a sync that has otherwise succeeded; the first one is the problem.
  package mutating func note(_ refusals: [RangeRefusal]) {
    self.refusals = refusals
    problem = refusals.first?.description
    cure = refusals.first?.cure
  }
}
