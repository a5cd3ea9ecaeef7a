import Dispatch
import Foundation
import GRDBSQLite
import Projections
import Synchronization

/// Moves the write-ahead log into the read model's file, off the commit path.
final class WALCheckpointer: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "daybook.wal-checkpoint", qos: .utility)
  private let isScheduled = Mutex(false)

  /// Bytes of write-ahead log from which on it is worth the trouble.
  private static let threshold: UInt64 = 8 << 20

  init(path: String) { self.path = path }

  /// To be called after a commit: cheap when there is nothing to do.
  func noteCommit() {
    var status = stat()
    guard stat(path + "-wal", &status) == 0, UInt64(status.st_size) >= Self.threshold else {
      return
    }
    let isNew = isScheduled.withLock { scheduled in
      defer { scheduled = true }
      return !scheduled
    }
    if isNew { queue.async { self.run() } }
  }

  private func run() {
    defer { isScheduled.withLock { $0 = false } }
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI
    guard sqlite3_open_v2(CheckedFile.uri(path), &connection, flags, nil) == SQLITE_OK else {
      return
    }
    // The bulk beside the writers; then, with the writers waiting, what they have added meanwhile:
    // only a log that is wholly moved begins again from its start instead of growing. Readers are
    // not waited for long: what they still need stays for the next time.
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    sqlite3_busy_timeout(connection, 5)
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_RESTART, nil, nil)
  }

  /// Waits for a checkpoint under way.
  func finish() { queue.sync {} }
}
