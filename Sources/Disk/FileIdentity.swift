#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The identity of a file or folder, independent of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Reads the identity of the file at a path; nil if there is none.
  package init?(path: String) throws(SystemError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let error = SystemError.latest
      guard error.isAbsence else { throw error }
      return nil
    }
    self.init(status)
  }

  /// Reads the identity of an open file.
  package init(descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .latest }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }
}
