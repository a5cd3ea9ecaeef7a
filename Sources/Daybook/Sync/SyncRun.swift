import EventCore
import LogEngine
import Replication

/// A store's side of a series of exchanges with one peer. Only one task may use it at a time; every
/// method may wait for the disk.
final class SyncRun: @unchecked Sendable {
  let replica: StoreReplica
  private var session = SyncSession()

  init(_ store: Store) throws { replica = try StoreReplica(store) }

  var progress: SyncProgress { session.progress }
  var refusals: [RangeRefusal] { session.refusals.values.sorted { $0.event < $1.event } }
  var peer: ReplicaID? { session.peer }

  /// The events that the peer is known to hold.
  var held: VersionVector { session.held }

  /// Sends a request to the peer.
  /// - Returns: the response; nil if the peer refuses events from this replica. The next request
  ///   then carries no events.
  /// - Throws: ``SyncError``.
  func exchange(_ request: SyncRequest, with peer: some SyncPeer) async throws -> SyncResponse? {
    let refused = session.lastingRefusals
    do { return try await replica.exchange(request, with: peer, refused: refused) } catch let error
      as SyncError
    {
      guard error.code == .readOnly, !session.isPullOnly else { throw error }
      session.peerTakesNothing()
      return nil
    }
  }

  /// The number of events that the peer lacks and is not sent, because it accepts none from this
  /// replica.
  var unsent: UInt64 {
    session.isPullOnly ? replica.log.vector.shared.lead(over: session.held) : 0
  }

  /// Marks that the peer may hold new events, so that the next request asks for them.
  func peerHasChanged() { session.peerHasChanged() }

  /// Takes in the peer's response, if there is one, and returns the next request to send; nil if
  /// both hold the same events.
  func next(after response: SyncResponse?, to peer: some SyncPeer) throws -> SyncRequest? {
    let before = replica.changes
    if let response { try session.receive(response, replica) }
    if replica.changes == before { try replica.refresh() }
    session.withheld = peer.selfPublishing.subtracting([replica.replica])
    guard case .send(let request) = try session.next(replica) else { return nil }
    return request
  }

  /// What the peer held when it last reported; nil if it never did.
  var peerDigest: KnowledgeDigest? { session.peerDigest }

  /// Takes in events that the peer has announced without being asked.
  func hear(_ news: [SyncResponse]) throws {
    for news in news { try session.hear(news, replica) }
  }
}
