import EventCore
import LogEngine
import Replication

/// A store's side of the exchanges with one peer. Used by one task at a time; every method may wait for
/// the disk.
final class SyncRun: @unchecked Sendable {
  let replica: StoreReplica
  private var session = SyncSession()

  init(_ store: Store) throws { replica = try StoreReplica(store) }

  var progress: SyncSession.Progress { session.progress }
  var refusals: [RangeRefusal] { session.refusals.values.sorted { $0.event < $1.event } }
  var peer: ReplicaID? { session.peer }

  /// What the peer is known to hold.
  var held: VersionVector { session.held }

  /// Says a request to the peer. One that takes no events from this replica is asked again, without any.
  /// - Returns: nil if the peer takes no events, and the next request has to be made without them.
  /// - Throws: ``SyncError``.
  func exchange(_ request: SyncRequest, with peer: some SyncPeer) async throws -> SyncResponse? {
    do { return try await replica.exchange(request, with: peer) } catch let error as SyncError {
      guard error.code == .readOnly, !session.isPullOnly else { throw error }
      session.peerTakesNothing()
      return nil
    }
  }

  /// How many events of this replica's log the peer lacks and is not sent, as it takes none from it.
  var unsent: UInt64 {
    session.isPullOnly ? replica.log.vector.shared.lead(over: session.held) : 0
  }

  /// The peer may hold something new: it is asked.
  func peerHasChanged() { session.peerHasChanged() }

  /// Takes in what the peer has answered, if it has been asked, and says what to say to it next; nil where
  /// both hold the same.
  func next(after response: SyncResponse?, to peer: some SyncPeer) throws -> SyncRequest? {
    let before = replica.changes
    if let response { try session.receive(response, replica) }
    if replica.changes == before { try replica.refresh() }
    session.withheld = peer.selfPublishing.subtracting([replica.replica])
    guard case .send(let request) = try session.next(replica) else { return nil }
    return request
  }

  /// What the peer held when it was last heard of.
  var peerDigest: KnowledgeDigest? { session.peerDigest }

  /// Takes in what the peer has told without being asked.
  func hear(_ news: [SyncResponse]) throws {
    for news in news { try session.hear(news, replica) }
  }
}
