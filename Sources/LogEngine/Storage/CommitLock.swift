import DaybookDisk
import DaybookEventCore
package import DaybookFrames
import DaybookLocks

/// The commit lock of a store in the file system: `flock` on the folder `log`, and the file `lock`
/// with the state that all processes share.
///
/// The file excludes no process. A cleaner, or a program that synchronizes folders, may remove or
/// replace it at any time. A process that finds another file there must load the log again.
package final class CommitLock: StoreLock {
  private struct StateFile {
    var descriptor: Int32 = -1
    /// A number that changes if another file, or none, is at the path; see ``LockState/file``.
    var count: UInt64 = 0
  }

  private let folder: String
  private let path: String
  private let isReadOnly: Bool
  private let exclusion: FolderLock
  private let file = Mutex(StateFile())

  /// Makes the lock without taking it.
  ///
  /// - Parameters:
  ///   - folder: the store's folder.
  ///   - isReadOnly: whether only ``readState()`` will be called.
  package init(folder: String, isReadOnly: Bool = false) {
    self.folder = folder + "/" + SegmentName.folder
    path = folder + "/lock"
    self.isReadOnly = isReadOnly
    exclusion = FolderLock(self.folder, name: "the store's commit lock")
  }

  deinit { file.withLock { if $0.descriptor >= 0 { SystemCalls.close($0.descriptor) } } }

  package func lock(timeout: Duration) throws(LogError) {
    do { try exclusion.lock(.exclusive, timeout: timeout) } catch {
      guard error.code == .notFound else { throw error }
      // The store is being created. Recovery of its log makes the folder's name durable.
      try LogError.surfacing("make the folder \(SegmentName.folder)") { () throws(SystemError) in
        _ = try SystemCalls.makeFolder(folder)
      }
      try exclusion.lock(.exclusive, timeout: timeout)
    }
  }

  package func unlock() { exclusion.unlock() }

  // MARK: - State

  package func readState() throws(LogError) -> LockState {
    try file.withLock { file throws(LogError) -> LockState in
      try follow(&file, isMaking: false)
      var state = LockState()
      if file.descriptor >= 0 {
        state = try LockState(decoding: try Self.contents(of: file.descriptor))
      }
      state.file = file.count
      return state
    }
  }

  /// Returns the bytes of the file, up to one more than it may have, so that a longer file shows.
  private static func contents(of descriptor: Int32) throws(LogError) -> [UInt8] {
    var failure: LogError?
    let bytes = [UInt8](unsafeUninitializedCapacity: LockState.size + 1) { buffer, count in
      do throws(LogError) {
        count = try LogError.surfacing("read the lock file") { () throws(SystemError) in
          try SystemCalls.read(descriptor, at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  @discardableResult
  package func writeState(_ state: LockState) throws(LogError) -> LockState {
    try file.withLock { file throws(LogError) -> LockState in
      try follow(&file, isMaking: true)
      let descriptor = file.descriptor
      try LogError.surfacing("write the lock file") { () throws(SystemError) in
        try state.encoded().withRawBytes { bytes throws(SystemError) in
          try SystemCalls.write(descriptor, bytes, at: 0)
        }
        try SystemCalls.truncate(descriptor, to: UInt64(LockState.size))
      }
      var state = state
      state.file = file.count
      return state
    }
  }

  /// Opens the file at the path, unless that very file is open already.
  private func follow(_ file: inout StateFile, isMaking: Bool) throws(LogError) {
    let there = try LogError.surfacing("look at “\(path)”") { () throws(SystemError) in
      try FileIdentity(path: path)
    }
    if file.descriptor >= 0 {
      let known = try LogError.surfacing("look at an open file") { () throws(SystemError) in
        try FileIdentity(descriptor: file.descriptor)
      }
      if known == there { return }
      SystemCalls.close(file.descriptor)
      file.descriptor = -1
      file.count += 1
    }
    guard there != nil || isMaking else { return }
    do {
      let opening: SystemCalls.Opening =
        isReadOnly ? .read : isMaking ? .readWriteOrMake : .readWrite
      file.descriptor = try LogError.surfacing("open the lock file") { () throws(SystemError) in
        try SystemCalls.open(path, opening)
      }
      file.count += 1
    } catch {
      // The file was removed a moment ago.
      guard error.code == .notFound, !isMaking else { throw error }
    }
  }
}
