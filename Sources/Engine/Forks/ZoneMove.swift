package import DaybookEventCore
import DaybookLogEngine
package import DaybookReplication
import Foundation

/// The rules for a store that leaves its zone for another one.
///
/// A signature names a zone. A store signs its own events again when it sends them, but what
/// others have signed for the old zone cannot be handed on in the new one. Their authors have to
/// move, too.
package enum ZoneMove {
  /// Returns whether nothing binds a store to its zone: it holds only its own events, and knows no
  /// hub.
  package static func isFree(_ vector: VersionVector, _ replica: ReplicaID, _ authority: [UInt8]?)
    -> Bool
  {
    authority == nil && vector.shared.entries.allSatisfy { $0.origin == replica }
  }

  /// Returns the error of a store that something binds to its zone.
  static func bound(to zone: ZoneID) -> SyncError {
    SyncError(
      .wrongZone, "the store holds events that others have signed for zone \(zone)",
      hint: "Let it join the other zone with “evtool zones join”")
  }

  /// Checks that a store may leave its zone at its owner's request.
  /// - Throws: ``SyncError`` `wrongZone` if events would be lost to others.
  package static func requirePossible(_ vector: VersionVector, _ file: IdentityFile)
    throws(SyncError)
  {
    guard file.authority == nil else {
      throw SyncError(
        .wrongZone, "the store's zone has a hub, which has stamped its events",
        hint: "Let the other stores join the zone of the hub, \(ZoneID(bytes: file.zone))")
    }
    guard !file.former.contains(where: { vector[$0.replica] > 0 }) else {
      throw SyncError(
        .wrongZone,
        "the store has written events under an earlier identity, whose key is gone: nobody could "
          + "sign them for another zone",
        hint: "Let the other stores join this one's zone, \(ZoneID(bytes: file.zone))")
    }
  }
}
