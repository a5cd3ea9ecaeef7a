public import EventCore
public import Replication

/// The other side of an exchange, however it is reached: a store in this process, a hub over HTTP.
public protocol SyncPeer: Sendable {
  /// Where it is, for messages and the status.
  var address: String { get }

  /// Hands a request over and brings the answer.
  /// - Throws: ``SyncError``. The request may have been carried out even so: it is simply said again.
  func exchange(_ request: SyncRequest) async throws -> SyncResponse
}
