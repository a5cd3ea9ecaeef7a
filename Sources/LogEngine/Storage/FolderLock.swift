import DaybookDisk
import DaybookEventCore
package import DaybookFrames
import DaybookLocks

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A lock on a folder, by ``SystemCalls/lock(_:isShared:waits:)``.
///
/// The lock belongs to this object's open file: two objects on one folder exclude each other,
/// within one process as between two. It is released with the object, and when the process dies.
///
/// The lock is on the folder and not on a file in it. Cleaners and programs that synchronize
/// folders remove and replace files, and a lock on a file that has lost its name excludes no
/// process. They leave folders that are not empty. A folder that is gone all the same is noticed: a
/// lock counts only if the path leads to the locked folder.
package final class FolderLock: Sendable {
  /// The modes of the lock: any number of objects may hold it `shared`, or one `exclusive`.
  package enum Mode: Sendable { case shared, exclusive }

  private struct State {
    var descriptor: Int32 = -1
    /// Whether the open folder has been locked before, so that callers may depend on it.
    var isBound = false
  }

  private let path: String
  private let name: String
  private let state = Mutex(State())

  /// Makes the lock without taking it.
  ///
  /// - Parameters:
  ///   - path: the folder's path.
  ///   - name: the lock's name in messages, such as "the store's commit lock".
  package init(_ path: String, name: String) {
    self.path = path
    self.name = name
  }

  deinit { state.withLock { if $0.descriptor >= 0 { SystemCalls.close($0.descriptor) } } }

  /// Takes the lock if no other object holds it in a conflicting mode; does not wait.
  ///
  /// If this object holds the lock already, the mode changes; if that fails, the lock is released.
  /// - Returns: whether the object holds the lock now.
  /// - Throws: ``LogError/Code/replaced`` if the path leads to another folder than the one locked
  ///   before, ``LogError/Code/notFound`` if there is no such folder, ``LogError/Code/ioFailed``.
  package func tryLock(_ mode: Mode) throws(LogError) -> Bool {
    for _ in 0..<Self.attempts {
      let descriptor = try opened()
      let isTaken = try LogError.surfacing("take \(name)") { () throws(SystemError) in
        try SystemCalls.lock(descriptor, isShared: mode == .shared, waits: false)
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

  /// The pauses between attempts, in microseconds.
  ///
  /// They are short, because a busy writer leaves the lock free for some microseconds only, and
  /// they grow, so that a long wait costs little.
  private static let pauses: ClosedRange<UInt32> = 50...500

  /// Takes the lock, and waits for it.
  ///
  /// `flock` has no timeout, so it is retried. Cost: one call if no other object holds the lock.
  /// - Parameter timeout: the longest time to wait; nil to wait without limit.
  /// - Throws: ``LogError/Code/locked`` if another object holds the lock all that time; what
  ///   ``tryLock(_:)`` throws.
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
      // By chance, so that the attempts do not fall into step with the writer's commits.
      usleep(.random(in: pause / 2...pause))
      pause = min(pause * 2, Self.pauses.upperBound)
    }
  }

  private func timedOut(_ timeout: Duration) -> LogError {
    let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    let shown = seconds == seconds.rounded() ? "\(Int(saturating: seconds))" : "\(seconds)"
    return LogError(
      .locked, "another process has held \(name) for \(shown) s",
      hint: "wait for it to finish, or end it, and try again")
  }

  package func unlock() {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { SystemCalls.unlock(descriptor) }
  }

  /// Checks that the held lock still excludes others; call it before work that relies on it.
  ///
  /// - Throws: ``LogError/Code/replaced`` if the path no longer leads to the locked folder.
  package func requireInPlace() throws(LogError) {
    let descriptor = state.withLock { $0.descriptor }
    guard descriptor >= 0, try leads(to: descriptor) else { throw replaced }
  }

  // MARK: - The locked folder

  private func opened() throws(LogError) -> Int32 {
    try state.withLock { state throws(LogError) -> Int32 in
      if state.descriptor < 0 {
        state.descriptor = try LogError.surfacing("take \(name)") { () throws(SystemError) in
          try SystemCalls.open(path, .folder)
        }
      }
      return state.descriptor
    }
  }

  /// Whether the path leads to the open folder.
  private func leads(to descriptor: Int32) throws(LogError) -> Bool {
    try LogError.surfacing("look at “\(path)”") { () throws(SystemError) in
      guard let there = try FileIdentity(path: path) else { return false }
      return try FileIdentity(descriptor: descriptor) == there
    }
  }

  /// Closes a folder that is no longer at the path.
  ///
  /// - Throws: ``LogError/Code/replaced`` if it has been locked before.
  private func openAnew() throws(LogError) {
    try state.withLock { state throws(LogError) in
      guard !state.isBound else { throw replaced }
      SystemCalls.close(state.descriptor)
      state.descriptor = -1
    }
  }

  private var replaced: LogError {
    LogError(
      .replaced, "“\(path)” was removed, moved or replaced by another program while it was in use",
      hint: "put it back if it is elsewhere, then close what uses it and open it again")
  }
}
