public import DaybookEngine
public import DaybookEventCore
public import DaybookReplication

/// The other side of an exchange: another store in this process, a hub over HTTP, or a shared
/// folder.
public protocol SyncPeer: Sendable {
  /// The peer's address, for messages and the status. It never contains a token.
  var address: String { get }

  /// Sends a request and returns the peer's response.
  /// - Throws: ``SyncError``. The peer may have carried out the request nevertheless; sending it
  ///   again is safe.
  func exchange(_ request: SyncRequest) async throws -> SyncResponse

  /// Origins that publish their own events to the peer, as far as the peer knows. Their events need
  /// not be sent to it. The default is none.
  var selfPublishing: Set<ReplicaID> { get }

  /// Problems that the latest exchange found at the peer and ignored. The default is none.
  var findings: [SyncFinding] { get }

  /// Whether messages may be slow, or get lost on their way. Then they are small at first, and grow
  /// while they arrive. The default is true.
  var isRemote: Bool { get }
}

extension SyncPeer {
  public var selfPublishing: Set<ReplicaID> { [] }
  public var findings: [SyncFinding] { [] }
  public var isRemote: Bool { true }
}

/// A peer that announces when it holds new events.
public protocol LiveSyncPeer: SyncPeer {
  /// Returns a stream of the peer's announcements. It yields once when the peer starts to listen,
  /// then after each change; several changes may be merged into one. It ends, or throws
  /// ``SyncError``, when the peer can no longer listen. To go on listening, call it again.
  func changes() -> AsyncThrowingStream<PeerChange, any Error>
}

/// A message that a peer sends without being asked.
public enum PeerChange: Sendable {
  /// The peer may hold new events. The value is a digest of what it holds, if it says so.
  case changed(KnowledgeDigest?)
  /// New events. A replica that already held what the peer held before need not send a request. See
  /// `SyncSession.hear`.
  case news(SyncResponse)
}
