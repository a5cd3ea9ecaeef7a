/// The identity of a file or folder, independent of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Reads the identity of the file at a path; nil if there is none.
  package init?(path: String) throws(SystemError) {
    guard let status = try FileStatus(path: path) else { return nil }
    self.init(status)
  }

  /// Reads the identity of an open file.
  package init(descriptor: Int32) throws(SystemError) {
    self.init(try FileStatus(descriptor: descriptor))
  }

  private init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
  }
}
