package import DaybookFrames
import DaybookLocks
package import DaybookLogEngine

/// The commit lock of a store on a ``SimulatedDisk``.
///
/// It never waits: there is one thread, so a lock that another process holds is an error.
package final class SimulatedLock: StoreLock {
  private static let name = "lock"

  private let disk: SimulatedDisk
  private let number: Int

  package init(_ disk: SimulatedDisk) {
    self.disk = disk
    number = disk.state.withLock { state in
      state.nextLock += 1
      return state.nextLock
    }
  }

  package func lock(timeout: Duration) throws(LogError) {
    let isMine = disk.state.withLock { state in
      if state.lockHolder == nil { state.lockHolder = number }
      return state.lockHolder == number
    }
    guard isMine else { throw LogError(.locked, "another process holds the commit lock") }
  }

  package func unlock() {
    disk.state.withLock { state in
      if state.lockHolder == number { state.lockHolder = nil }
    }
  }

  package func readState() throws(LogError) -> LockState {
    let (file, bytes) = try disk.call(.lockState, "read") { state throws(LogError) in
      let file = state.names[Self.name]
      return (file ?? 0, file.flatMap { state.files[$0]?.current } ?? [])
    }
    var lockState = try LockState(decoding: bytes)
    lockState.file = UInt64(file)
    return lockState
  }

  @discardableResult
  package func writeState(_ lockState: LockState) throws(LogError) -> LockState {
    let bytes = lockState.encoded()
    let file = try disk.call(
      .lockState, "write \(lockState.generation)\(lockState.isPoisoned ? ", poisoned" : "")"
    ) {
      state throws(LogError) in
      let file = state.names[Self.name] ?? state.makeFile(DiskState.File())
      state.changeDurably(.set(Self.name, file))
      bytes.withUnsafeBytes { state.files[file]?.write($0, at: 0) }
      state.files[file]?.resize(bytes.count)
      return file
    }
    var lockState = lockState
    lockState.file = UInt64(file)
    return lockState
  }
}
