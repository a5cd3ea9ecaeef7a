import DaybookLogEngine
import Foundation

/// A lock on the store's folder that says which processes have the store's files open.
///
/// It is shared by all that have them open, and exclusive for one that makes, moves or replaces
/// files.
///
/// The lock reaches the processes that come to the folder as this one does. For others, whoever has
/// the gate is also known by a file; see ``StorePresence``.
///
/// Lock order: the gate, then ``RebuildTurn``, then the commit lock.
package final class StoreGate: Sendable {
  private let lock: FolderLock
  private let presence: StorePresence

  /// - Parameter timeout: the longest time to wait for processes that the lock does not reach.
  package convenience init(_ files: StoreFiles, timeout: Duration = .seconds(5)) {
    self.init(files, StorePresence(files, timeout: timeout))
  }

  init(_ files: StoreFiles, _ presence: StorePresence) {
    lock = FolderLock(files.path, name: "the store's folder")
    self.presence = presence
  }

  /// Takes the gate shared, and waits while another process holds it exclusively.
  /// - Throws: also ``StoreError`` `locked` if a process that the lock does not reach has the
  ///   store open.
  package func share() throws {
    try lock.lock(.shared, timeout: nil)
    try enter()
  }

  /// Releases the gate.
  ///
  /// The caller has none of the store's files open any longer.
  package func release() {
    presence.leave()
    lock.unlock()
  }

  private func enter() throws {
    do { try presence.enter() } catch {
      lock.unlock()
      throw error
    }
  }

  /// Tries to take the gate exclusively.
  ///
  /// If that fails, the caller does not hold the gate any more: `flock` releases a shared lock
  /// before it finds that it cannot make it exclusive. Another process may replace files before
  /// ``share()`` returns, so anything that was read from them before is void.
  /// - Returns: whether the gate is held exclusively, so that no other process has the store's
  ///   files open.
  /// - Throws: as ``share()``.
  package func tryExclude() throws -> Bool {
    guard try lock.tryLock(.exclusive) else { return false }
    try enter()
    return true
  }
}
