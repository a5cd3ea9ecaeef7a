#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Calls of the operating system about files, which retry after signals and throw ``SystemError``.
package enum SystemCalls {
  /// The ways to open a file or folder.
  package enum Opening: Sendable {
    case folder
    case read
    /// For reading what is itself at the path: a link is not followed, and a pipe not waited for.
    case readUnfollowed
    case readWrite
    /// For reading and writing; the file is made if there is none.
    case readWriteOrMake
    /// For reading and writing; the file is made, or emptied.
    case emptied
    /// For writing; the call fails if there is something at the path.
    case new

    fileprivate var flags: Int32 {
      switch self {
      case .folder: O_RDONLY | O_DIRECTORY
      case .read: O_RDONLY
      case .readUnfollowed: O_RDONLY | O_NONBLOCK | O_NOFOLLOW
      case .readWrite: O_RDWR
      case .readWriteOrMake: O_RDWR | O_CREAT
      case .emptied: O_RDWR | O_CREAT | O_TRUNC
      case .new: O_WRONLY | O_CREAT | O_EXCL
      }
    }
  }

  /// Opens a file or folder, which no child process inherits.
  ///
  /// - Parameter mode: the permissions of a file that the call makes.
  package static func open(
    _ path: String, _ opening: Opening, mode: UInt32 = 0o644
  ) throws(SystemError) -> Int32 {
    let flags = opening.flags | O_CLOEXEC
    return Int32(clamping: try check { Int(openCall(path, flags, mode_t(mode))) })
  }

  package static func close(_ descriptor: Int32) { closeCall(descriptor) }

  // MARK: - Contents

  /// Reads from an offset until `buffer` is full or the file ends.
  package static func read(
    _ descriptor: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count = try check {
        pread(descriptor, base + done, buffer.count - done, off_t(clamping: offset) + off_t(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads from where the file stands until `limit` bytes are read or the file ends.
  package static func read(_ descriptor: Int32, atMost limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var size = 1 << 16
    while bytes.count < limit {
      var piece = [UInt8](repeating: 0, count: min(size, limit - bytes.count))
      let count = try check { readCall(descriptor, &piece, piece.count) }
      if count == 0 { break }
      bytes += piece.prefix(count)
      size = min(size * 2, 1 << 20)
    }
    return bytes
  }

  /// Writes all bytes at an offset.
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = try check {
        pwrite(descriptor, base + done, bytes.count - done, off_t(clamping: offset) + off_t(done))
      }
      guard count > 0 else { throw SystemError(ENOSPC) }
      done += count
    }
  }

  /// Writes all bytes where the file stands.
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = try check { writeCall(descriptor, base + done, bytes.count - done) }
      guard count > 0 else { throw SystemError(ENOSPC) }
      done += count
    }
  }

  /// Makes the contents of a file durable.
  ///
  /// On Apple's systems only F_FULLFSYNC reaches the medium; if a file system lacks it, fsync is
  /// used.
  package static func sync(_ descriptor: Int32) throws(SystemError) {
    #if canImport(Darwin)
      if retrying({ Int(fcntl(descriptor, F_FULLFSYNC)) }) != -1 { return }
      guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { throw .latest }
      _ = try check { Int(fsync(descriptor)) }
    #else
      _ = try check { Int(fdatasync(descriptor)) }
    #endif
  }

  package static func truncate(_ descriptor: Int32, to size: UInt64) throws(SystemError) {
    _ = try check { Int(ftruncate(descriptor, off_t(clamping: size))) }
  }

  package static func size(_ descriptor: Int32) throws(SystemError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .latest }
    return UInt64(clamping: status.st_size)
  }

  /// Reserves space from offset `from` up to `size`, without changing the existing bytes.
  package static func allocate(
    _ descriptor: Int32, from: UInt64, to size: UInt64
  ) throws(SystemError) {
    #if canImport(Darwin)
      var store = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(clamping: size - from), fst_bytesalloc: 0)
      if fcntl(descriptor, F_PREALLOCATE, &store) == -1 {
        if errno == ENOSPC { throw .latest }
        return
      }
      try truncate(descriptor, to: size)
    #else
      var result = EINTR
      while result == EINTR {
        result = posix_fallocate(
          descriptor, off_t(clamping: from), off_t(clamping: size - from))
      }
      // Any other error means that the file system cannot reserve: the file grows as it is written.
      let error = SystemError(result)
      if error.isFull || result == EIO || result == EFBIG { throw error }
    #endif
  }

  // MARK: - Names

  /// Returns the names in a folder, in any order, without the folder's own.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    guard let stream = opendir(path) else { throw .latest }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw .latest }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Makes a folder.
  ///
  /// - Returns: false if there is something at the path already.
  @discardableResult
  package static func makeFolder(_ path: String, mode: UInt32 = 0o755) throws(SystemError) -> Bool {
    if mkdir(path, mode_t(mode)) == 0 { return true }
    guard errno == EEXIST else { throw .latest }
    return false
  }

  /// Renames a file and atomically replaces the one at the target.
  ///
  /// Durable after ``syncFolder(_:)`` of both folders.
  package static func rename(_ path: String, to target: String) throws(SystemError) {
    guard renameCall(path, target) == 0 else { throw .latest }
  }

  /// Removes a file; no error if there is none.
  ///
  /// Durable after ``syncFolder(_:)``.
  package static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .latest }
  }

  /// Removes an empty folder; no error if there is none.
  package static func removeFolder(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 || errno == ENOENT else { throw .latest }
  }

  /// Makes the names in a folder durable.
  package static func syncFolder(_ path: String) throws(SystemError) {
    let descriptor = try open(path, .folder)
    defer { close(descriptor) }
    _ = try check { Int(fsync(descriptor)) }
  }

  // MARK: - Locks

  /// Locks an open file or folder by `flock`; if it is locked already, changes the mode.
  ///
  /// The lock belongs to the open file: it is released with it, and when the process dies. If
  /// another mode cannot be had, the old lock is lost.
  /// - Parameters:
  ///   - isShared: whether other open files may hold the lock, too.
  ///   - waits: whether to wait while another open file has a conflicting lock.
  /// - Returns: whether the file is locked now.
  package static func lock(
    _ descriptor: Int32, isShared: Bool, waits: Bool
  ) throws(SystemError) -> Bool {
    let operation = (isShared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
    if retrying({ Int(flock(descriptor, operation)) }) == 0 { return true }
    guard !waits, errno == EWOULDBLOCK else { throw .latest }
    return false
  }

  package static func unlock(_ descriptor: Int32) {
    // This fails only for a descriptor that is not an open file.
    _ = retrying { Int(flock(descriptor, LOCK_UN)) }
  }

  // MARK: - Signals

  /// Repeats `call` while signals interrupt it.
  @inline(__always)
  private static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  /// Repeats `call` while signals interrupt it, and throws its error.
  @inline(__always)
  private static func check(_ call: () -> Int) throws(SystemError) -> Int {
    let result = retrying(call)
    guard result >= 0 else { throw .latest }
    return result
  }
}

// The functions of the system, by names that the ones above do not hide.

private func openCall(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func closeCall(_ descriptor: Int32) { _ = close(descriptor) }

private func readCall(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}

private func writeCall(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

private func renameCall(_ path: String, _ target: String) -> Int32 { rename(path, target) }
