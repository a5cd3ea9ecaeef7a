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
  }

  func syncFacts() throws -> SyncFacts {
    if !hasIdentity {
      try log.lock()
      defer { log.unlock() }
      _ = try currentIdentity()
    }
    return SyncFacts(
      identity: try currentIdentity(), zone: ZoneID(bytes: identityFile.zone),
      authority: identityFile.authority)
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
    // Whoever has written as this replica elsewhere: it must not write as that any more.
    let continuesThis = ranges.contains { $0.head.event.origin == replica }
    for range in ranges {
      // Another process may have stored some of it since it was looked at.
      let missing = range.frames.filter { frame in
        let held = log.ranges[frame.header.origin] ?? SequenceRanges()
        return held.missing(in: frame.header.sequences) == [frame.header.sequences]
      }
      for frame in missing { try log.append(frame) }
      if missing.count == range.frames.count { try log.append(range.head) }
      if let certificate = range.claim?.certificate { try pin(certificate.authority) }
    }
    try log.sync()
    if continuesThis { try renewIdentity() }
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
