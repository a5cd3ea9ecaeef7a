public import DaybookEventCore

/// The result of settling a fork, that is, an origin with two histories.
public struct ForkReport: Hashable, Sendable {
  /// What has become of a fork.
  public enum Outcome: Hashable, Sendable {
    /// This store's branch stands. The peer has to give up its own.
    case kept
    /// This store's branch stands, and the peer, a hub, holds no other any more.
    case agreed
    /// The peer's branch stands. This store's branch was removed from the log. The old log is in
    /// the folder `quarantine`, relative to the store's folder.
    case removed(quarantine: String)
  }

  /// The origin that had two histories.
  public var origin: ReplicaID
  /// The number of the last event that both histories share; 0 if there is none.
  public var common: UInt64
  /// The number of events in this store's branch.
  public var events: UInt64
  /// What has become of the fork.
  public var outcome: Outcome
  /// The new replica under which this store has reissued the events of its branch. It is nil if
  /// another replica is their author, because then that replica reissues them.
  public var renewed: ReplicaID?
  /// The number of events that were reissued under the new replica.
  public var reissued: UInt64
}
