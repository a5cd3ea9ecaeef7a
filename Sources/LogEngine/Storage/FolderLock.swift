internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// `flock` on a folder.
///
/// The lock belongs to this object's open file: two objects on one folder exclude each other, in one
/// process as in two. It goes with the object, and with a process that dies.
///
/// On a folder and not on a file in it: cleaners and programs that synchronise folders remove files and
/// put others in their place, and a lock on what has lost its name excludes nobody. A folder that has
/// something in it they leave. One that is gone all the same is noticed: a lock counts only if the path
/// leads to what was locked.
package final class FolderLock: Sendable {
  /// Any number of objects may have it `shared`, or one may have it `exclusive`.
  package enum Mode: Sendable { case shared, exclusive }

  private struct State {
    var descriptor: Int32 = -1
    /// What is open has been locked before, so something may depend on it.
    var isBound = false
  }

  private let path: String
  private let name: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - name: what it is called in messages: "the store's commit lock".
  package init(_ path: String, name: String) {
    self.path = path
    self.name = name
  }

  deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

  /// Takes the lock if nobody has it in a way that excludes this. One that this object has already becomes
  /// one of the other mode; where it cannot, the object has none any more.
  /// - Returns: whether it has the lock now.
  /// - Throws: ``LogError/Code/replaced`` where another folder is at the path than was locked before,
  ///   ``LogError/Code/notFound`` where there is no such folder, ``LogError/Code/ioFailed``.
  package func tryLock(_ mode: Mode) throws(LogError) -> Bool {
    for _ in 0..<Self.attempts {
      let descriptor = try opened()
      let operation = (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
      let isTaken = SystemCalls.retrying { Int(flock(descriptor, operation)) } == 0
      guard isTaken || errno == EWOULDBLOCK else {
        throw SystemCalls.error(errno, doing: "take \(name)")
      }
      if try leads(to: descriptor) {
        if isTaken { state.withLock { $0.isBound = true } }
        return isTaken
      }
      try openAnew()
    }
    throw LogError(
      .ioFailed, "“\(path)” is replaced again and again, so \(name) cannot be taken",
      hint: "end the program that does so, and try again")
  }

  private static let attempts = 100

  /// The pauses between attempts, in microseconds: short enough for two busy writers to take
  /// turns, and growing, so that waiting long costs little.
  private static let pauses: ClosedRange<UInt32> = 50...5_000

  /// Takes the lock, waiting for it. `flock` knows no timeout, so it is asked again and again; one call
  /// where nobody else has it.
  /// - Parameter timeout: nil to wait for as long as it takes.
  /// - Throws: ``LogError/Code/locked`` where another has it all that time; as ``tryLock(_:)``.
  package func lock(_ mode: Mode, timeout: Duration?) throws(LogError) {
    var deadline: ContinuousClock.Instant?
    var pause = Self.pauses.lowerBound
    while try !tryLock(mode) {
      if let timeout {
        let now = ContinuousClock.now
        let end = deadline ?? now.advanced(by: timeout)
        if now >= end { throw timedOut(timeout) }
        deadline = end
      }
      usleep(pause)
      pause = min(pause * 2, Self.pauses.upperBound)
    }
  }

  private func timedOut(_ timeout: Duration) -> LogError {
    let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    let shown = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    return LogError(
      .locked, "another process has held \(name) for \(shown) s",
      hint: "wait for it to finish, or end it, and try again")
  }

  package func unlock() {
    let descriptor = state.withLock { $0.descriptor }
    // Fails only on a descriptor that is no file, and this one is.
    if descriptor >= 0 { _ = SystemCalls.retrying { Int(flock(descriptor, LOCK_UN)) } }
  }

  /// To be called by one who has the lock, before something that relies on it.
  /// - Throws: ``LogError/Code/replaced`` where it excludes nobody any more.
  package func requireInPlace() throws(LogError) {
    let descriptor = state.withLock { $0.descriptor }
    guard descriptor >= 0, try leads(to: descriptor) else { throw replaced }
  }

  // MARK: - What is locked

  private func opened() throws(LogError) -> Int32 {
    try state.withLock { state throws(LogError) -> Int32 in
      if state.descriptor < 0 {
        state.descriptor = try SystemCalls.open(
          path, O_RDONLY | O_DIRECTORY, doing: "take \(name)")
      }
      return state.descriptor
    }
  }

  /// Whether the path leads to what is open.
  private func leads(to descriptor: Int32) throws(LogError) -> Bool {
    guard let there = try FileIdentity(path: path) else { return false }
    return try FileIdentity(descriptor: descriptor) == there
  }

  /// Lets go of what is no longer at the path.
  private func openAnew() throws(LogError) {
    try state.withLock { state throws(LogError) in
      guard !state.isBound else { throw replaced }
      close(state.descriptor)
      state.descriptor = -1
    }
  }

  private var replaced: LogError {
    LogError(
      .replaced, "“\(path)” was removed, moved or replaced by another program while it was in use",
      hint: "put it back if it is elsewhere, then close what uses it and open it again")
  }
}

/// Which file or folder something is, whatever it is called.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let inode: UInt64

  /// Nil where there is nothing at the path.
  init?(path: String) throws(LogError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw SystemCalls.error(errno, doing: "look at “\(path)”")
      }
      return nil
    }
    self.init(status)
  }

  init(descriptor: Int32) throws(LogError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw SystemCalls.error(errno, doing: "look at an open file")
    }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }
}
