import Foundation

/// Where things are in a store's folder.
struct StoreFiles: Sendable {
  let folder: URL

  /// Format, replica and zone; see ``IdentityFile``.
  var identity: String { path("identity") }
  /// The private key. Left out of backups.
  var key: String { path("identity.key") }
  /// The commit lock.
  var lock: String { path("lock") }
  var readModel: String { path("read-model.sqlite") }
  /// Where a rebuild makes the next one.
  var nextReadModel: String { path("read-model.next.sqlite") }
  /// Held shared by everybody who has the read model open.
  var readModelLock: String { path("read-model.lock") }
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

  var exists: Bool { FileManager.default.fileExists(atPath: identity) }

  private func path(_ name: String) -> String {
    folder.appending(path: name, directoryHint: .notDirectory).path(percentEncoded: false)
  }

  /// The read model's files, whichever are there.
  static func readModelFiles(_ path: String) -> [String] {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }
  }

  /// Removes a store that has never been used: the identity first, so that nobody opens it any more.
  func discard(withFolder: Bool) {
    let manager = FileManager.default
    for file in [identity, key, lock, readModelLock, log, incidents, peers] {
      try? manager.removeItem(atPath: file)
    }
    try? Self.removeReadModel(readModel)
    try? Self.removeReadModel(nextReadModel)
    // Only where nothing else is in it.
    if withFolder { rmdir(folder.path(percentEncoded: false)) }
  }

  static func removeReadModel(_ path: String) throws {
    for file in readModelFiles(path) where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.removeItem(atPath: file)
    }
  }
}
