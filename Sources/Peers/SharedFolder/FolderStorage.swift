package import DaybookDisk
package import DaybookReplication

/// The file system calls that a shared folder needs. Their errors say what to do.
///
/// Names are relative to the shared folder, whose own name is empty. ``FolderDisk`` implements it
/// with real files; `SimulatedFolder` simulates a folder that a sync program carries.
package protocol FolderStorage: Sendable {
  /// The path of the shared folder, for messages.
  var root: String { get }

  /// Checks that the shared folder can be used.
  /// - Throws: ``SyncError`` if it cannot.
  func requireFolder() throws(SyncError)

  /// Returns the names in a folder, in ascending order.
  func list(_ name: String) throws(SyncError) -> [String]

  /// Returns what the file system knows about a name; nil if nothing has that name.
  func facts(_ name: String) throws(SyncError) -> FolderFacts?

  /// Returns the bytes of a file, or the error that prevented reading it. Reads at most one byte
  /// more than `limit`.
  func read(_ name: String, atMost limit: Int) -> Result<[UInt8], SystemError>

  /// Creates a folder unless it exists.
  func makeFolder(_ name: String) throws(SyncError)

  /// Writes a file so that it appears under its name whole and durable, or not at all.
  func write(_ bytes: [UInt8], _ name: String) throws(SyncError)

  /// Removes a file; does nothing if there is none.
  func remove(_ name: String) throws(SyncError)

  /// Asks the sync program to download the file that a placeholder stands for.
  func fetch(_ placeholder: String)

  /// Runs `body` while no other process on this machine runs it for this folder. If the drive does
  /// not support locks, runs it without a lock.
  func alone<T>(_ body: () throws -> T) throws -> T
}

/// What the file system knows about a name in a folder.
package struct FolderFacts: Sendable {
  package var isFolder: Bool
  package var size: Int
  /// The modification time, in milliseconds since 1970.
  package var modified: Int64
  /// A value that changes if the file is replaced or its bytes are written. It does not depend on
  /// the modification time alone, which sync programs set.
  package var change: UInt64
  /// The time of the last change by the file system's clock, in milliseconds since 1970. Programs
  /// cannot set it.
  package var changed: Int64

  package init(isFolder: Bool, size: Int, modified: Int64, change: UInt64, changed: Int64) {
    self.isFolder = isFolder
    self.size = size
    self.modified = modified
    self.change = change
    self.changed = changed
  }
}
