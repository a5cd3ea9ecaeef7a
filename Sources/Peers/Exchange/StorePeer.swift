package import DaybookEngine
public import DaybookReplication
import Foundation

/// Another store in this process as a peer. It stores the events it is sent, and answers with its
/// own.
public final class StorePeer: SyncPeer {
  private let store: OpenStore
  private let responder = SyncResponder()

  /// Makes a peer of a store, which must stay open while it is synced with.
  package init(_ store: OpenStore) { self.store = store }

  public var address: String { store.url.path(percentEncoded: false) }

  public var isRemote: Bool { false }

  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    let response = try await Blocking.run { [self] in
      let replica = try StoreReplica(store)
      try replica.requireZone(proposed: request.zone)
      return try responder.respond(to: request, replica)
    }
    try await store.projectReceived()
    return response
  }
}
