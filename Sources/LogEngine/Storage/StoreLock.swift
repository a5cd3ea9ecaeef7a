/// The commit lock of a store: one holder among all processes, with a few bytes that all share.
///
/// `FileLock` is the real one. Taking it may block.
package protocol StoreLock: Sendable {
  /// Waits for the lock, so long and no longer.
  /// - Throws: ``LogError/Code/locked`` where someone else has held it all that time.
  func lock(timeout: Duration) throws(LogError)

  /// Gives it up. It is also given up when the process ends.
  func unlock()

  /// What the lock file says; may be asked for without the lock.
  /// - Throws: ``LogError/Code/damaged`` where its bytes do not add up.
  func readState() throws(LogError) -> LockState

  /// To be called with the lock held. Need not survive a power failure.
  func writeState(_ state: LockState) throws(LogError)
}
