import EventCore
import Foundation
import GRDB
import GRDBSQLite
import LogEngine
import Projections

/// The identity that signs the store's events, and its clock.
extension StoreEngine {
  /// Names this replica in the read model, which is then evidence of what its log has held.
  func sign(_ db: Database) throws {
    guard signature != replica else { return }
    try db.execute(
      sql: "UPDATE _daybook_checkpoint SET replica = ?1 WHERE replica IS NOT ?1",
      arguments: [Data(replica.bytes)])
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

  func tick() -> HybridTime {
    clock.observe(projector.latestTime)
    return clock.tick(wallMilliseconds: environment.wallMilliseconds())
  }

  /// Returns the identity with its key; nil if the store must take another one first.
  /// - Throws: ``StoreError`` `ioFailed` if the key cannot be read, which is no reason to take
  ///   another.
  func knownIdentity() throws -> Identity? {
    if identity == nil, !mustRenewIdentity { identity = try identityFile.identity(files) }
    return identity
  }

  /// Returns the identity to write with, and takes a new one if necessary.
  ///
  /// Needs the commit lock unless the identity is known.
  func currentIdentity() throws -> Identity {
    if let known = try knownIdentity() { return known }
    try takeIdentity()
    guard let identity else { throw StoreError(.damaged, "the store has no identity") }
    return identity
  }

  /// Takes the identity that another process has taken meanwhile; if there is none, a new one.
  ///
  /// Needs the commit lock.
  func takeIdentity() throws {
    let file = try IdentityFile.read(files)
    guard file.replica != identityFile.replica, let other = try file.identity(files) else {
      return try renewIdentity()
    }
    identityFile = file
    identity = other
    mustRenewIdentity = false
    signature = nil
  }

  /// Takes a new key, and so becomes a new replica.
  ///
  /// This is necessary if the key is gone or may have been used elsewhere. Needs the commit lock.
  func renewIdentity() throws {
    try closeOwnEvents()
    let seed = environment.randomBytes(32)
    let renewed = try Identity(seed: seed)
    let isOwn = try identityFile.identity(files) != nil
    let file = identityFile.renewed(as: renewed, through: isOwn ? log.vector[replica] : 0)
    try file.write(files, key: renewed)
    telemetry.renewed(identityFile.replica, to: file.replica)
    identityFile = file
    identity = renewed
    mustRenewIdentity = false
    signature = nil
    try log.identityRenewed()
  }

  /// Appends a head signed with the old key, without which no peer could take its events from this
  /// store.
  func closeOwnEvents() throws {
    let event = EventID(replica, log.vector[replica])
    guard event.sequence > 0, let key = try identityFile.identity(files),
      let chain = try log.chain(after: event)
    else { return }
    try log.append(
      try Head(zone: identityFile.zone, sequence: event.sequence, chain: chain, by: key))
    try log.sync()
  }
}
