import Foundation
public import Replication

/// A zone in this process as a peer.
public final class ZonePeer: SyncPeer {
  private let zone: Zone
  private let responder: SyncResponder

  /// - Parameter responder: the zone's, so that all who ask share what it remembers.
  public init(_ zone: Zone, responder: SyncResponder = SyncResponder()) {
    self.zone = zone
    self.responder = responder
  }

  public var address: String { zone.folder.path(percentEncoded: false) }

  public func exchange(_ request: SyncRequest) async throws -> SyncResponse {
    try await Blocking.run { [self] in try responder.respond(to: request, zone) }
  }
}
