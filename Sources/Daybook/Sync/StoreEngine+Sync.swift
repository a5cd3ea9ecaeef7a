import EventCore
import GRDB
import LogEngine
import Projections
import Replication

extension StoreEngine {
  /// Who a store is to its peers.
  struct SyncFacts: Sendable {
    var identity: Identity
    var zone: ZoneID
    var authority: [UInt8]?
    /// Its read model lacks some of its log.
    var isBehind: Bool
  }

  func syncFacts() throws -> SyncFacts {
    if !hasIdentity {
      try log.lock()
      defer { log.unlock() }
      _ = try currentIdentity()
    }
    return SyncFacts(
      identity: try currentIdentity(), zone: ZoneID(bytes: identityFile.zone),
      authority: identityFile.authority, isBehind: isBehind)
  }

  /// Takes ranges from elsewhere: durable in the log when it returns, and projected where that does not
  /// take long; what is more is left for ``projectReceived()``.
  /// - Throws: `LogError` `privateOrigin` for events that nobody has any business to send. Nothing is
  ///   taken then.
  func ingest(_ ranges: [CheckedRange]) throws {
    let frames = ranges.flatMap(\.frames)
    if let frame = frames.first(where: { $0.header.origin.isPrivate }) {
      throw LogError(
        .privateOrigin,
        "events of the private origin \(frame.header.origin) came from elsewhere, and are not taken",
        hint: "Local collections never leave their replica: update the software that sent them")
    }
    try log.lock()
    defer { log.unlock() }
    isBehind = true
    try log.ingest(ranges, as: replica, renew: renewIdentity, pin: pin)
    if !log.isWorthRebuilding(from: projector.wholeVector) {
      try pool.writeWithoutTransaction { db in try catchUp(db) }
    }
    _ = try? log.rollIfNeeded()
  }

  /// Takes a new identity, by hand.
  /// - Returns: the replica that it was, and the one that it is.
  func renewByHand() throws -> (ReplicaID, ReplicaID) {
    try log.lock()
    defer { log.unlock() }
    let old = replica
    try renewIdentity()
    return (old, replica)
  }

  /// Adopts the zone of the first peer.
  func adopt(_ zone: ZoneID) throws {
    try log.lock()
    defer { log.unlock() }
    try changeIdentityFile { file in
      guard file.zone == ZoneID.none.bytes else { return }
      file.zone = zone.bytes
    }
  }

  /// Pins the authority of the first hub.
  private func pin(_ authority: [UInt8]) throws {
    try changeIdentityFile { file in file.authority = file.authority ?? authority }
  }

  /// Another process may have changed it too: the lock of whoever changes it is the commit lock.
  private func changeIdentityFile(_ change: (inout IdentityFile) -> Void) throws {
    var file = try IdentityFile.read(files)
    let before = file
    change(&file)
    if file != before { try file.write(files) }
    identityFile = file
  }
}
