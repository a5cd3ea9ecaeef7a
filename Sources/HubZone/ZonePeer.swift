import DaybookEngine
package import DaybookPeers
package import DaybookReplication
import Foundation

/// A zone in this process as a peer.
package final class ZonePeer: SyncPeer {
  private let zone: Zone
  private let responder: SyncResponder

  /// Creates a peer for a zone.
  /// - Parameters:
  ///   - zone: the zone, open in this process.
  ///   - responder: the zone's responder. Share it among all peers of the zone, so that they share
  ///     its cache.
  package init(_ zone: Zone, responder: SyncResponder = SyncResponder()) {
    self.zone = zone
    self.responder = responder
  }

  package var address: String { zone.folder.path(percentEncoded: false) }

  package var isRemote: Bool { false }

  package func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    try await Blocking.run { [self] in try zone.respond(to: request, responder) }
  }
}
