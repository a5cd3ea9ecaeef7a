/// The commit lock of a store: one holder among all processes, with a few bytes that all share.
///
/// ``CommitLock`` is the real one. Taking it may block.
package protocol StoreLock: Sendable {
  /// Waits for the lock, so long and no longer.
  /// - Throws: ``LogError/Code/locked`` where another process has held it all that time;
  ///   ``LogError/Code/replaced`` where the log is no longer where it was when the lock was first taken.
  func lock(timeout: Duration) throws(LogError)

  /// Gives it up. It is also given up when the process ends.
  func unlock()

  /// What the lock file says; may be asked for without the lock.
  /// - Throws: ``LogError/Code/damaged`` where its bytes do not add up.
  func readState() throws(LogError) -> LockState

  /// To be called with the lock held. Need not survive a power failure.
  /// - Returns: what ``readState()`` would say now.
  @discardableResult
  func writeState(_ state: LockState) throws(LogError) -> LockState
}

extension StoreLock {
  /// What the lock file says; nil where its bytes do not add up.
  /// - Throws: where it cannot be read, which says nothing about its bytes.
  package func soundState() throws(LogError) -> LockState? {
    do { return try readState() } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}
