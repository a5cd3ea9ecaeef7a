#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the system says of a file or folder.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable {
    case file
    case folder
    case link
    case other
  }

  /// A time since 1970.
  package struct Time: Hashable, Sendable {
    package var seconds: Int64
    package var nanoseconds: Int64

    fileprivate init(_ time: timespec) {
      seconds = Int64(clamping: time.tv_sec)
      nanoseconds = Int64(clamping: time.tv_nsec)
    }
  }

  package var kind: Kind
  /// The bytes of a file.
  package var size: UInt64
  /// The number of the file system.
  package var device: UInt64
  package var inode: UInt64
  /// When the contents were changed.
  package var modified: Time
  /// When the contents, the name or the permissions were changed.
  package var changed: Time

  /// Asks about what is at a path; nil if there is nothing.
  /// - Parameter followsLinks: whether to say of a link what it leads to.
  package init?(path: String, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
      let error = SystemError.latest
      guard error.isAbsence else { throw error }
      return nil
    }
    self.init(status)
  }

  /// Asks about an open file.
  package init(descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .latest }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    size = UInt64(clamping: status.st_size)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    #if canImport(Darwin)
      (modified, changed) = (Time(status.st_mtimespec), Time(status.st_ctimespec))
    #else
      (modified, changed) = (Time(status.st_mtim), Time(status.st_ctim))
    #endif
  }
}
