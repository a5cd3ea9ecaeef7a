import Foundation
import LogEngine

/// A lock on the store's folder that says which processes have the store's files open.
///
/// It is shared by all that have them open, and exclusive for one that makes, moves or replaces
/// files.
///
/// Lock order: the gate, then ``RebuildTurn``, then the commit lock.
package final class StoreGate: Sendable {
  private let lock: FolderLock

  package init(_ files: StoreFiles) {
    lock = FolderLock(files.path, name: "the store's folder")
  }

  /// Takes the gate shared, and waits while another process holds it exclusively.
  package func share() throws { try lock.lock(.shared, timeout: nil) }

  /// Releases the gate.
  ///
  /// The caller has none of the store's files open any longer.
  package func release() { lock.unlock() }

  /// Tries to take the gate exclusively.
  ///
  /// If that fails, the caller does not hold the gate any more: `flock` releases a shared lock
  /// before it finds that it cannot make it exclusive. Another process may replace files before
  /// ``share()`` returns, so anything that was read from them before is void.
  /// - Returns: whether the gate is held exclusively, so that no other process has the store's
  ///   files open.
  package func tryExclude() throws -> Bool { try lock.tryLock(.exclusive) }
}
