#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// POSIX calls that retry after signals and throw ``LogError``.
enum SystemCalls {
  /// Returns the error for an `errno`.
  ///
  /// - Parameter doing: the action that failed, as a part of the message: "read log/mark".
  static func error(_ number: Int32, doing: String) -> LogError {
    let cause = String(cString: strerror(number))
    switch number {
    case ENOENT: return LogError(.notFound, "could not \(doing)", cause: cause)
    case ENOSPC, EDQUOT:
      return LogError(
        .noSpace, "could not \(doing)", hint: "free some disk space and try again", cause: cause)
    case EROFS, EACCES, EPERM:
      return LogError(
        .ioFailed, "could not \(doing)", hint: "check the permissions of the store's folder",
        cause: cause)
    default: return LogError(.ioFailed, "could not \(doing)", cause: cause)
    }
  }

  /// Repeats `call` while signals interrupt it.
  @inline(__always)
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }

  static func open(_ path: String, _ flags: Int32, doing: String) throws(LogError) -> Int32 {
    #if canImport(Darwin)
      let result = retrying { Int(Darwin.open(path, flags | O_CLOEXEC, 0o644)) }
    #elseif canImport(Glibc)
      let result = retrying { Int(Glibc.open(path, flags | O_CLOEXEC, 0o644)) }
    #else
      let result = retrying { Int(Musl.open(path, flags | O_CLOEXEC, 0o644)) }
    #endif
    guard result >= 0 else { throw error(errno, doing: doing) }
    return Int32(result)
  }

  /// Makes the contents of `descriptor` durable.
  ///
  /// On Apple's systems only F_FULLFSYNC reaches the medium; if a file system lacks it, fsync is
  /// used.
  static func sync(_ descriptor: Int32, doing: String) throws(LogError) {
    #if canImport(Darwin)
      if retrying({ Int(fcntl(descriptor, F_FULLFSYNC)) }) != -1 { return }
      guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else {
        throw error(errno, doing: doing)
      }
      guard retrying({ Int(fsync(descriptor)) }) == 0 else { throw error(errno, doing: doing) }
    #else
      guard retrying({ Int(fdatasync(descriptor)) }) == 0 else { throw error(errno, doing: doing) }
    #endif
  }

  /// Reads until `buffer` is full or the file ends.
  static func read(
    _ descriptor: Int32, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
    doing: @autoclosure () -> String
  ) throws(LogError) -> Int {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count = retrying {
        pread(descriptor, base + done, buffer.count - done, off_t(clamping: offset) + off_t(done))
      }
      guard count >= 0 else { throw error(errno, doing: doing()) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64,
    doing: @autoclosure () -> String
  ) throws(LogError) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = retrying {
        pwrite(descriptor, base + done, bytes.count - done, off_t(clamping: offset) + off_t(done))
      }
      guard count > 0 else { throw error(count == 0 ? ENOSPC : errno, doing: doing()) }
      done += count
    }
  }

  /// Reserves space from offset `from` up to `size`, without changing the existing bytes.
  static func allocate(_ descriptor: Int32, from: UInt64, to size: UInt64, doing: String)
    throws(LogError)
  {
    #if canImport(Darwin)
      var store = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(clamping: size - from), fst_bytesalloc: 0)
      if fcntl(descriptor, F_PREALLOCATE, &store) == -1 {
        if errno == ENOSPC { throw error(errno, doing: doing) }
        return
      }
      guard retrying({ Int(ftruncate(descriptor, off_t(clamping: size))) }) == 0 else {
        throw error(errno, doing: doing)
      }
    #else
      var result = EINTR
      while result == EINTR {
        result = posix_fallocate(
          descriptor, off_t(clamping: from), off_t(clamping: size - from))
      }
      // Any other error means that the file system cannot reserve: the file grows as it is written.
      if result == ENOSPC || result == EDQUOT || result == EIO || result == EFBIG {
        throw error(result, doing: doing)
      }
    #endif
  }
}
