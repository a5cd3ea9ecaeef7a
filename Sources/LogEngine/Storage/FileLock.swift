#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// `flock` on a file of its own. The lock belongs to this object's open file: two objects on one
/// path exclude each other, in one process as in two.
package final class FileLock: StoreLock {
  private let descriptor: Int32

  /// - Parameters:
  ///   - path: made where it is absent.
  ///   - isReadOnly: only ``readState()`` will be called. A file that is not there reads as empty.
  package init(path: String, isReadOnly: Bool = false) throws(LogError) {
    do throws(LogError) {
      descriptor = try SystemCalls.open(
        path, isReadOnly ? O_RDONLY : O_RDWR | O_CREAT, doing: "open the lock file")
    } catch {
      guard isReadOnly, error.code == .notFound else { throw error }
      descriptor = -1
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The pauses between attempts, in microseconds: short enough for two busy writers to take
  /// turns, and growing, so that waiting long costs little.
  private static let pauses: ClosedRange<UInt32> = 50...5_000

  /// `flock` knows no timeout, so it is asked again and again. One call where nobody else has it.
  package func lock(timeout: Duration) throws(LogError) {
    var deadline: ContinuousClock.Instant?
    var pause = Self.pauses.lowerBound
    while SystemCalls.retrying({ Int(flock(descriptor, LOCK_EX | LOCK_NB)) }) != 0 {
      guard errno == EWOULDBLOCK else {
        throw SystemCalls.error(errno, doing: "take the commit lock")
      }
      let now = ContinuousClock.now
      let end = deadline ?? now.advanced(by: timeout)
      if now >= end { throw Self.timedOut(timeout) }
      deadline = end
      usleep(pause)
      pause = min(pause * 2, Self.pauses.upperBound)
    }
  }

  private static func timedOut(_ timeout: Duration) -> LogError {
    let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    let shown = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    return LogError(
      .locked, "another process has held the store's commit lock for \(shown) s",
      hint: "wait for it to finish, or end it, and try again")
  }

  package func unlock() {
    // Fails only on a descriptor that is no file, and this one is.
    _ = SystemCalls.retrying { Int(flock(descriptor, LOCK_UN)) }
  }

  package func readState() throws(LogError) -> LockState {
    if descriptor < 0 { return LockState() }
    var bytes = [UInt8](repeating: 0, count: LockState.size + 1)
    var count = 0
    var failure: LogError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(LogError) {
        count = try SystemCalls.read(descriptor, at: 0, into: buffer, doing: "read the lock file")
      } catch { failure = error }
    }
    if let failure { throw failure }
    return try LockState(decoding: Array(bytes[..<count]))
  }

  package func writeState(_ state: LockState) throws(LogError) {
    var failure: LogError?
    state.encoded().withUnsafeBytes { bytes in
      do throws(LogError) {
        try SystemCalls.write(descriptor, bytes, at: 0, doing: "write the lock file")
      } catch { failure = error }
    }
    if let failure { throw failure }
    guard SystemCalls.retrying({ Int(ftruncate(descriptor, off_t(LockState.size))) }) == 0 else {
      throw SystemCalls.error(errno, doing: "write the lock file")
    }
  }
}
