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
  ///   - isReadOnly: only ``readState()`` will be called; the file must be there.
  package init(path: String, isReadOnly: Bool = false) throws(LogError) {
    descriptor = try SystemCalls.open(
      path, isReadOnly ? O_RDONLY : O_RDWR | O_CREAT, doing: "open the lock file")
  }

  deinit { close(descriptor) }

  package func lock() throws(LogError) {
    guard SystemCalls.retrying({ Int(flock(descriptor, LOCK_EX)) }) == 0 else {
      throw SystemCalls.error(errno, doing: "take the commit lock")
    }
  }

  package func unlock() {
    // Fails only on a descriptor that is no file, and this one is.
    _ = SystemCalls.retrying { Int(flock(descriptor, LOCK_UN)) }
  }

  package func readState() throws(LogError) -> LockState {
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
