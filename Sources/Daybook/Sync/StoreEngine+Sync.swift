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
    if try knownIdentity() == nil {
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
    try pool.writeWithoutTransaction { db in try ingestLocked(ranges, db) }
    moveWriteAheadLog()
    _ = try? log.rollIfNeeded()
  }

  private func ingestLocked(_ ranges: [CheckedRange], _ db: Database) throws {
    let wasBehind = isBehind
    isBehind = true
    var isApplied = false
    do {
      try log.ingest(ranges, as: replica, renew: renewIdentity, pin: pin) { frames in
        isApplied = !wasBehind && applyEarly(frames, db)
      }
    } catch {
      if isApplied {
        feed.forgetAppended()
        takeBack(db)
      }
      throw error
    }
    if isApplied {
      try commit(db)
      // Events may have closed a gap, beyond which the log holds others.
      isBehind = projector.wholeVector != log.wholeVector
    }
    if isBehind, !log.isWorthRebuilding(from: projector.wholeVector) { try catchUp(db) }
  }

  /// So many frames, of so many bytes in all, are applied while the disk writes them: an edit, and its
  /// stamp.
  private static let earlyFramesMax = 4
  private static let earlyBytesMax = 64 << 10

  /// Applies what was appended and is not durable yet, in a transaction of the read model that is left to
  /// be committed once it is.
  /// - Returns: false where nothing was done: the read model catches up when the events are durable.
  private func applyEarly(_ frames: [Frame], _ db: Database) -> Bool {
    let bytes = frames.reduce(0) { $0 + $1.header.rawLength }
    guard 1...Self.earlyFramesMax ~= frames.count, bytes <= Self.earlyBytesMax,
      followAll(frames, log.wholeVector)
    else { return false }
    do {
      try begin(db) {
        for frame in frames { try feed.hand(appended: frame) { try projector.apply($0) } }
        try projector.save()
        try writePages(db)
      }
      return true
    } catch {
      feed.forgetAppended()
      return false
    }
  }

  /// Whether no frame lies beyond a gap.
  private func followAll(_ frames: [Frame], _ vector: VersionVector) -> Bool {
    var vector = vector
    return frames.allSatisfy { frame in
      defer { vector[frame.header.origin] = frame.header.lastSequence }
      return vector[frame.header.origin] + 1 == frame.header.firstSequence
    }
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
