public import EventCore
public import Replication

/// The other side of an exchange, however it is reached: a store in this process, a hub over HTTP.
public protocol SyncPeer: Sendable {
  /// Where it is, for messages and the status. Never a token.
  var address: String { get }

  /// Hands a request over and brings the answer.
  /// - Throws: ``SyncError``. The request may have been carried out even so: it is simply said again.
  func exchange(_ request: SyncRequest) async throws -> SyncResponse

  /// Origins that the peer hears from themselves, as far as it knows: it need not be sent their events.
  /// None, unless a peer says otherwise.
  var selfPublishing: Set<ReplicaID> { get }

  /// What the latest exchange has found at the peer that is not as it should be, and has passed over.
  var findings: [SyncFinding] { get }
}

extension SyncPeer {
  public var selfPublishing: Set<ReplicaID> { [] }
  public var findings: [SyncFinding] { [] }
}

/// A peer that tells when it holds something new.
public protocol LiveSyncPeer: SyncPeer {
  /// Yields once it listens, then each time that the peer has something new; several changes may be one.
  /// Ends, or throws ``SyncError``, when it cannot listen any longer; whoever wants to go on calls again.
  func changes() -> AsyncThrowingStream<PeerChange, any Error>
}

/// What a peer tells without being asked.
public enum PeerChange: Sendable {
  /// It may hold something new: what this says, where it says anything.
  case changed(KnowledgeDigest?)
  /// What is new: for who held what the peer held before, there is nothing to ask. See
  /// `SyncSession.hear`.
  case news(SyncResponse)
}
