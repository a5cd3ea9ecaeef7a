package import Foundation

/// The paths of a store's files.
package struct StoreFiles: Sendable {
  let folder: URL

  package init(folder: URL) { self.folder = folder }

  /// Format, replica and zone; see ``IdentityFile``.
  var identity: String { path("identity") }
  /// The private key.
  ///
  /// Left out of backups.
  var key: String { path("identity.key") }
  package var readModel: String { path("read-model.sqlite") }
  /// The folder in which the next read model is made; see ``RebuildTurn``.
  var nextReadModel: String { path("read-model.next") }
  /// The log's segments.
  var log: String { path("log") }
  /// How far the log is durable; changed after each fsync.
  var mark: String { path("log/mark") }
  var quarantine: String { path("quarantine") }
  /// The log without a branch, which is about to replace the one with it; see ``BranchRemoval``.
  var removal: String { path("branch-removal") }
  /// The folder in which the log without a branch is made; see ``BranchRemoval``.
  var nextLog: String { path("branch-removal.next") }
  /// The latest incidents; see ``IncidentFile``.
  var incidents: String { path("incidents") }
  /// The state of each peer; see ``PeerFile``.
  package var peers: String { path("peers") }
  /// The folder with a file for each process that has the store open; see ``StorePresence``.
  var sides: String { path("sides") }
  /// The note of the last backup; see ``BackupNoteFile``.
  var lastBackup: String { path("last-backup") }

  /// The folder's path.
  package var path: String { folder.path(percentEncoded: false) }

  /// Whether there is a store in the folder.
  /// - Throws: ``StoreError`` `ioFailed` if that cannot be found out.
  package var exists: Bool {
    get throws(StoreError) { try DiskPath.exists(identity) }
  }

  /// Whether the folder is missing or has nothing in it that somebody may want to keep.
  package var isEmpty: Bool {
    get throws(StoreError) {
      let sides = (sides as NSString).lastPathComponent
      return try DiskPath.contents(path)?.allSatisfy { $0 == sides } ?? true
    }
  }

  private func path(_ name: String) -> String {
    folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// Returns the paths of the files that a read model may consist of.
  static func readModelFiles(_ path: String) -> [String] {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Removes a store that has never been used.
  ///
  /// The identity goes first, so that no process opens the store any more. The caller has the store
  /// alone.
  func discard(withFolder: Bool) {
    let manager = FileManager.default
    for file in [identity, key, log, path("lock"), nextReadModel, incidents, peers, sides] {
      try? manager.removeItem(atPath: file)
    }
    try? Self.removeReadModel(readModel)
    // Removes the folder only if nothing else is in it.
    if withFolder { rmdir(path) }
  }

  package static func removeReadModel(_ path: String) throws {
    for file in readModelFiles(path) { try DiskPath.remove(file) }
  }

  /// Removes a read model, durably, before another takes its place.
  ///
  /// A power failure may keep any of the names that are not durable yet. A write-ahead log beside
  /// another database than its own is a mixture of both that no checksum detects. So is a database
  /// without the log that was being moved into it.
  static func removeReadModelDurably(_ path: String) throws {
    try DiskPath.remove(path)
    try DiskPath.sync(folder: DiskPath.folder(of: path))
    try removeReadModel(path)
    try DiskPath.sync(folder: DiskPath.folder(of: path))
  }
}
