package import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
package import DaybookReplication
import Foundation
import GRDB
import GRDBSQLite

/// The identity that signs the store's events, and its clock.
extension StoreEngine {
  /// Names this replica in the read model, which is then evidence of what its log has held.
  func sign(_ db: Database) throws {
    guard signature != replica else { return }
    try Checkpoint.sign(db, as: replica)
    signature = replica
  }

  /// Refuses to write if this is a hub's zone, whose own events are stamps.
  /// - Throws: ``StoreError`` `readOnly`.
  func requireOwn() throws(StoreError) {
    guard projector.isHub(replica) else { return }
    throw StoreError(
      .readOnly, "this is a hub's zone, whose own events are stamps",
      hint: "Write to a store that syncs with the hub")
  }

  /// Returns the next authored time.
  package func tick() -> HybridTime {
    clock.author(
      wallMilliseconds: environment.wallMilliseconds(), seen: projector.latestTimes)
  }

  /// Gives the store a new identity, at the user's request.
  /// - Returns: the old and the new replica id.
  package func renewByHand() throws -> (ReplicaID, ReplicaID) {
    try log.lock()
    defer { log.unlock() }
    let old = replica
    try identity.renew()
    return (old, replica)
  }

  /// Adopts a peer's zone, unless the store has a zone already.
  package func adopt(_ zone: ZoneID) throws {
    try log.lock()
    defer { log.unlock() }
    try identity.adopt(zone.bytes)
  }

  /// Leaves the zone, to which nothing binds the store, for another one.
  /// - Throws: ``SyncError`` `wrongZone` if something binds it.
  package func move(to zone: ZoneID) throws {
    try log.lock()
    defer { log.unlock() }
    guard ZoneMove.isFree(log.vector, replica, identity.file.authority) else {
      throw ZoneMove.bound(to: ZoneID(bytes: identity.file.zone))
    }
    try identity.move(to: zone.bytes)
  }
}
