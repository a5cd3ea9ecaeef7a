import Foundation

/// Where things are in a store's folder.
struct StoreFiles: Sendable {
  let folder: URL

  /// Format, replica and zone; see ``IdentityFile``.
  var identity: String { path("identity") }
  /// The private key. Left out of backups.
  var key: String { path("identity.key") }
  var readModel: String { path("read-model.sqlite") }
  /// The folder in which the next one is made; see ``RebuildTurn``.
  var nextReadModel: String { path("read-model.next") }
  /// The log's segments.
  var log: String { path("log") }
  var quarantine: String { path("quarantine") }
  /// A log without a branch is on its way to the place of the one with it; see ``BranchRemoval``.
  var removal: String { path("branch-removal") }
  /// Where that log is made.
  var nextLog: String { path("branch-removal.next") }
  /// What went wrong lately; see ``IncidentFile``.
  var incidents: String { path("incidents") }
  /// How it stands with each peer; see ``PeerFile``.
  var peers: String { path("peers") }
  /// See ``BackupNoteFile``.
  var lastBackup: String { path("last-backup") }

  /// The folder's path.
  var path: String { folder.path(percentEncoded: false) }

  /// - Throws: ``StoreError`` `ioFailed` where that cannot be found out.
  var exists: Bool {
    get throws(StoreError) { try DiskPath.exists(identity) }
  }

  private func path(_ name: String) -> String {
    folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// The read model's files, whichever are there.
  static func readModelFiles(_ path: String) -> [String] {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Removes a store that has never been used: the identity first, so that nobody opens it any more. To be
  /// called by one who has it alone.
  func discard(withFolder: Bool) {
    let manager = FileManager.default
    for file in [identity, key, log, path("lock"), nextReadModel, incidents, peers] {
      try? manager.removeItem(atPath: file)
    }
    try? Self.removeReadModel(readModel)
    // Only where nothing else is in it.
    if withFolder { rmdir(path) }
  }

  static func removeReadModel(_ path: String) throws {
    for file in readModelFiles(path) { try DiskPath.remove(file) }
  }

  /// Removes a read model before another takes its place. A power failure may keep any of the names that
  /// are not durable yet; and a write-ahead log beside another database than its own, or a database without
  /// the log that was being moved into it, is a mixture of both that no checksum tells.
  static func removeReadModelDurably(_ path: String) throws {
    try DiskPath.remove(path)
    try DiskPath.sync(folder: DiskPath.folder(of: path))
    try removeReadModel(path)
    try DiskPath.sync(folder: DiskPath.folder(of: path))
  }
}
