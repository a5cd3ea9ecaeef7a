import Foundation
import LogEngine

/// A lock on the store's folder that says who has the store's files open: shared by all who do,
/// exclusive for one who makes, moves or replaces some of them.
///
/// Lock order: the gate, then ``RebuildTurn``, then the commit lock.
final class StoreGate: Sendable {
  private let lock: FolderLock

  init(_ files: StoreFiles) {
    lock = FolderLock(files.path, name: "the store's folder")
  }

  /// Waits for one who has it exclusively.
  func share() throws { try lock.lock(.shared, timeout: nil) }

  /// Says that this one has nothing open any longer.
  func release() { lock.unlock() }

  /// - Returns: whether nobody else has the store's files open. If not, this one has no part in the gate
  ///   any more: `flock` gives up a shared lock before it finds that it cannot make it exclusive. Another may
  ///   replace files before ``share()`` returns, so nothing counts that was read of them before.
  func tryExclude() throws -> Bool { try lock.tryLock(.exclusive) }
}
