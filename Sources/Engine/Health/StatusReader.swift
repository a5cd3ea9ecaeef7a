import DaybookEventCore
import DaybookLogEngine
import DaybookProjections
import DaybookReplication
import Foundation
import GRDB

/// Reads the status of a store without changing, locking or waiting for anything.
package struct StatusReader {
  let files: StoreFiles

  /// Returns the status of a store that is not open here.
  package func run() throws -> StoreStatus {
    let identity = try IdentityFile.read(files)
    // Memory that SQLite shares with processes elsewhere is not seen here.
    try StorePresence.requireNoOther(files)
    // What this replica's read model shows was durable; the log has lost what it lacks of it. A
    // read model that cannot be read is no evidence; its fault is reported below.
    let peek = Result { try ReadModelFile.peekReading(files.readModel, source: NoEvents()) }
    if case .failure(let error) = peek, StoreError.isNoSpace(error) { throw error }
    let found = try? peek.get()
    let applied = found?.replica == identity.replica ? found?.vector : nil
    // Read the log before the read model, which would otherwise seem behind while others write.
    let log = try EventLog.reading(files, applied: applied)
    defer { try? log.close() }
    var status = try status(log, identity, recovery: RecoveryReport())
    do {
      _ = try peek.get()
      guard try DiskPath.exists(files.readModel) else {
        throw StoreError(.damaged, "the read model is not there")
      }
      let reader = try ReadModelFile.openReader(files.readModel)
      defer { try? reader.close() }
      try reader.read { db in
        let format = try Checkpoint.format(db)
        guard format == ReadModelFormat.version else {
          throw StoreError(.damaged, "the read model is of another format")
        }
        let view = try ReadModelView(db, source: NoEvents())
        defer { view.close() }
        try Self.count(view, db, &status)
      }
    } catch let error as StoreError where error.code == .damaged {
      status.readModelFault = error.message
    } catch {
      // A full disk is no fault of the read model.
      if StoreError.isNoSpace(error) { throw error }
      let words = StoreError.words(error)
      status.readModelFault =
        error is StoreError ? words : "the read model cannot be read: \(words)"
    }
    return status
  }

  /// Returns the status without the part that the read model tells.
  func status(_ log: EventLog, _ identity: IdentityFile, recovery: RecoveryReport) throws
    -> StoreStatus
  {
    let segments = try log.segments
    let readModel = StoreFiles.readModelFiles(files.readModel)
    var status = StoreStatus(
      replica: identity.replica, segments: segments, events: segments.reduce(0) { $0 + $1.events },
      logBytes: segments.reduce(0) { $0 + $1.bytes },
      readModelBytes: try readModel.reduce(0) { try $0 + (DiskPath.size($1) ?? 0) },
      walBytes: try DiskPath.size(files.readModel + "-wal") ?? 0, durableEnd: log.durableEnd,
      logVector: log.vector, readModelVector: VersionVector(),
      logLocalVector: log.wholeVector.local, recovery: recovery,
      damage: log.damage, isPoisoned: try isPoisoned, quarantine: try quarantine(),
      incidents: try IncidentFile.read(files.incidents), backup: try BackupNoteFile.read(files))
    // If the first event cannot be read, the damage to the log is reported anyway.
    status.isHub = (try? log.snapshot().isHub(identity.replica)) ?? false
    let zone = ZoneID(bytes: identity.zone)
    status.zone = zone == .none ? nil : zone.description
    status.authority = identity.authority.map { Hex.encode($0) }
    status.unstamped = identity.authority == nil ? nil : 0
    let own = log.vector[identity.replica]
    status.peers = try PeerFile(path: files.peers).read().map { peer in
      var peer = peer
      peer.unacknowledged = own - min(own, peer.acknowledged)
      return peer
    }
    return status
  }

  /// Fills in the part of the status that the read model tells.
  ///
  /// Cost: counts the rows of every table.
  static func count(_ view: ReadModelView, _ db: Database, _ status: inout StoreStatus) throws {
    func count(_ table: String) throws -> Int {
      try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0
    }
    status.readModelVector = view.vector
    status.readModelLocalVector = view.wholeVector.local
    status.farFuture = view.farOrigins
    status.farStamps = view.farStampers
    let limit = HybridClock.limit(wallMilliseconds: Date.now.milliseconds)
    status.clocksAhead = view.origins(from: limit).map { .init(replica: $0.origin, time: $0.time) }
    status.hidden = view.schema.hidden.map(\.schema.name)
    status.collections = try view.schema.sorted.map {
      .init(
        name: $0.name, isRelationship: $0.isRelationship, isLocal: $0.isLocal,
        entities: try count($0.name))
    }
    let kept = try InternalCounts(db)
    (status.conflicts, status.misfits) = (kept.conflicts, kept.misfits)
    (status.parked, status.cycles) = (kept.parked, kept.cycles)
    status.opaque = view.opaqueCount + view.localOpaqueCount
    guard status.unstamped != nil else { return }
    status.unstamped = try view.unstamped(of: status.replica)
    status.unstampedCause = try view.unstampedCause(of: status.replica)
  }

  private var isPoisoned: Bool {
    get throws {
      try CommitLock(folder: files.path, isReadOnly: true).soundState()?.isPoisoned ?? false
    }
  }

  private func quarantine() throws -> [StoreStatus.QuarantinedFile] {
    guard try DiskPath.exists(files.quarantine) else { return [] }
    let names = try FileManager.default.subpathsOfDirectory(atPath: files.quarantine)
    return try names.sorted().compactMap { name in
      let path = files.quarantine + "/" + name
      guard try DiskPath.kind(path) != .folder, let bytes = try DiskPath.size(path) else {
        return nil
      }
      return .init(name: name, bytes: bytes)
    }
  }
}
