#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder that is open, and calls about the names in it.
///
/// A name that is a link is never followed, so whoever goes from folder to folder stays below the
/// first one, also if another program puts a link into the way meanwhile. A path has no length that
/// is too long, because the system only sees one name at a time.
package final class OpenFolder: Sendable {
  /// What stands at a name.
  package struct Facts: Hashable, Sendable {
    package enum Kind: Sendable {
      case file
      case folder
      case link
      case other
    }

    package var kind: Kind
    package var size: Int
    /// Nanoseconds since 1970, which wrap outside the years 1678 to 2262.
    package var modified: Int64
    /// When it was made; nil on systems that do not say.
    package var created: Int64?
    package var mode: UInt32
  }

  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { SystemCalls.close(descriptor) }

  /// Opens a folder. Its own path may lead over links.
  package init(_ path: String) throws(SystemError) {
    descriptor = try SystemCalls.open(path, .folder)
  }

  /// Opens a folder in this one.
  /// - Throws: also if the name is a link.
  package func folder(_ name: String) throws(SystemError) -> OpenFolder {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return OpenFolder(descriptor: try check { openat(descriptor, name, flags) })
  }

  /// Makes a folder in this one; no error if there is something of that name.
  package func makeFolder(_ name: String) throws(SystemError) {
    do { _ = try check { mkdirat(descriptor, name, 0o755) } } catch {
      guard error.number == EEXIST else { throw error }
    }
  }

  /// Returns what stands at a name; nil if there is nothing.
  package func facts(_ name: String) -> Facts? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return Facts(status)
  }

  /// Returns the names in this folder, in any order, without the folder's own. Each is a list of
  /// bytes, which need not be UTF-8.
  package func names() throws(SystemError) -> [[UInt8]] {
    // A stream has a place of its own only if its descriptor was opened for it.
    let copy = try check { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = fdopendir(copy) else {
      let error = SystemError.latest
      SystemCalls.close(copy)
      throw error
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    return names
  }

  /// Reads a file from its beginning until it ends, or `limit` bytes are read.
  package func read(_ name: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
    // To open a pipe could block.
    let file = try check {
      openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    }
    defer { SystemCalls.close(file) }
    return try SystemCalls.read(file, atMost: limit)
  }

  /// Writes a file that appears whole and durable, or not at all. If it fails, the old file is as
  /// it was, and the new one is removed.
  /// - Parameters:
  ///   - bytes: the contents.
  ///   - name: the name of the file.
  ///   - temporary: the name under which the new file is made. There must be nothing.
  ///   - modified: when the file was changed, in seconds since 1970 and nanoseconds.
  package func write(
    _ bytes: [UInt8], to name: String, beside temporary: String,
    modified: (seconds: Int, nanoseconds: Int)
  ) throws(SystemError) {
    let mode = facts(name)?.mode ?? 0o644
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try check { openat(descriptor, temporary, flags, mode_t(mode & 0o777)) }
    do throws(SystemError) {
      do throws(SystemError) {
        try bytes.withRawPointer { raw throws(SystemError) in try SystemCalls.write(file, raw) }
        let time = timespec(tv_sec: modified.seconds, tv_nsec: modified.nanoseconds)
        // A file system may not be able to show the time. The contents matter more.
        _ = futimens(file, [time, time])
        try SystemCalls.sync(file)
      } catch {
        SystemCalls.close(file)
        throw error
      }
      SystemCalls.close(file)
      _ = try check { renameat(descriptor, temporary, descriptor, name) }
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
  }

  /// Removes a file or link; no error if there is none.
  package func remove(_ name: String) throws(SystemError) {
    do { _ = try check { unlinkat(descriptor, name, 0) } } catch {
      guard error.isMissing else { throw error }
    }
  }

  /// Removes a folder if it is empty, and returns whether it was.
  package func removeFolder(_ name: String) -> Bool {
    unlinkat(descriptor, name, AT_REMOVEDIR) == 0
  }

  /// Repeats `call` while signals interrupt it, and throws its error.
  private func check(_ call: () -> Int32) throws(SystemError) -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      let error = SystemError.latest
      guard error.number == EINTR else { throw error }
    }
  }
}

extension OpenFolder.Facts {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (time, birth) = (status.st_mtimespec, Optional(status.st_birthtimespec))
    #else
      let (time, birth) = (status.st_mtim, timespec?.none)
    #endif
    func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    self.init(
      kind: kind, size: Int(clamping: status.st_size), modified: nanoseconds(time),
      created: birth.map(nanoseconds), mode: UInt32(clamping: status.st_mode) & 0o777)
  }
}
