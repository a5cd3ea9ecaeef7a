package import Foundation
package import Replication

/// The calls that a shared folder needs of the file system, with errors that say what to do.
///
/// Names are relative to the folder; that of the folder itself is empty. ``FolderDisk`` is the real one;
/// `SimulatedFolder` is carried by a program that does what such programs do.
package protocol FolderStorage: Sendable {
  /// The shared folder, for messages.
  var root: String { get }

  /// - Throws: ``SyncError`` where the folder cannot be used at all.
  func requireFolder() throws(SyncError)

  /// Names in a folder, in order.
  func list(_ name: String) throws(SyncError) -> [String]

  /// Nil where there is nothing of that name.
  func facts(_ name: String) throws(SyncError) -> FolderFacts?

  /// The bytes of a file of that size at most; else why not.
  func read(_ name: String, atMost limit: Int) -> Result<[UInt8], POSIXError>

  /// Makes a folder where there is none.
  func makeFolder(_ name: String) throws(SyncError)

  /// A file appears under its name whole and durable, or not at all.
  func write(_ bytes: [UInt8], _ name: String) throws(SyncError)

  /// Removes a file; no error where there is none.
  func remove(_ name: String) throws(SyncError)

  /// Asks the program that synchronises the folder for the file that a placeholder stands for.
  func fetch(_ placeholder: String)

  /// Runs `body` while no other process on this machine does so with this folder. Where the drive knows
  /// no locks, without.
  func alone<T>(_ body: () throws -> T) throws -> T
}

/// What a folder says of a name in it.
package struct FolderFacts: Sendable {
  package var isFolder: Bool
  package var size: Int
  /// Milliseconds since 1970.
  package var modified: Int64
  /// Another value where another file has taken its place, or its bytes were written, whatever the times
  /// say: programs that carry files set those.
  package var change: UInt64

  package init(isFolder: Bool, size: Int, modified: Int64, change: UInt64) {
    self.isFolder = isFolder
    self.size = size
    self.modified = modified
    self.change = change
  }
}
