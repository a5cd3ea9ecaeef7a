package import DaybookFrames

/// The commit lock of a store: one holder among all processes, and a few bytes that all share.
///
/// ``CommitLock`` is the real one. Taking the lock may block.
package protocol StoreLock: Sendable {
  /// Takes the lock, and waits for it at most `timeout`.
  ///
  /// - Throws: ``LogError/Code/locked`` if another process holds it all that time;
  ///   ``LogError/Code/replaced`` if the path no longer leads to the log locked before.
  func lock(timeout: Duration) throws(LogError)

  /// Releases the lock.
  ///
  /// It is also released when the process ends.
  func unlock()

  /// Returns the state in the lock file; the lock need not be held.
  ///
  /// - Throws: ``LogError/Code/damaged`` if the bytes are not a valid state.
  func readState() throws(LogError) -> LockState

  /// Writes the state; the lock must be held.
  ///
  /// It need not survive a power failure.
  ///
  /// - Returns: the state as ``readState()`` would return it now.
  @discardableResult
  func writeState(_ state: LockState) throws(LogError) -> LockState
}

extension StoreLock {
  /// Returns the state in the lock file; nil if the bytes are not a valid state.
  ///
  /// - Throws: ``LogError`` if the file cannot be read, which says nothing about its bytes.
  package func soundState() throws(LogError) -> LockState? {
    do { return try readState() } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }
}
