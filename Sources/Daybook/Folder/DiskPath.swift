package import Foundation

/// Questions to the file system about a path, and changes to it.
///
/// An absent file is a value (nil, false). A failure to find out is an error. Data was lost when
/// one was taken for the other.
package enum DiskPath {
  package enum Kind: Sendable { case file, folder, other }

  /// Returns the kind of what is at the path; nil if there is nothing.
  package static func kind(_ path: String) throws(StoreError) -> Kind? {
    try status(path).map { status in
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    }
  }

  /// Returns whether there is something at the path.
  package static func exists(_ path: String) throws(StoreError) -> Bool { try kind(path) != nil }

  /// Returns the size of a file, in bytes; nil if there is nothing at the path.
  static func size(_ path: String) throws(StoreError) -> UInt64? {
    try status(path).map { UInt64(clamping: $0.st_size) }
  }

  private static func status(_ path: String) throws(StoreError) -> stat? {
    var status = stat()
    if stat(path, &status) == 0 { return status }
    if isAbsence(errno) { return nil }
    throw failure(path, "be looked at")
  }

  /// Returns the bytes of a file; nil if there is none.
  package static func read(_ path: String) throws(StoreError) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if isAbsence(errno) { return nil }
      throw failure(path, "be read", hint: "Check its permissions")
    }
    defer { close(descriptor) }
    var data = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, "be read", hint: "Check its permissions") }
      if count == 0 { return data }
      data.append(contentsOf: piece[..<count])
    }
  }

  /// Returns the names in a folder, in any order; nil if there is none.
  package static func list(_ path: String) throws(StoreError) -> [String]? {
    guard let stream = opendir(path) else {
      if isAbsence(errno) { return nil }
      throw failure(path, "be listed")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw failure(path, "be listed") }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Returns whether there is something at the path that this user may write to.
  static func isWritable(_ path: String) throws(StoreError) -> Bool { try allows(path, W_OK) }

  /// Returns whether there is something at the path that this user may read.
  static func isReadable(_ path: String) throws(StoreError) -> Bool { try allows(path, R_OK) }

  private static func allows(_ path: String, _ mode: Int32) throws(StoreError) -> Bool {
    if access(path, mode) == 0 { return true }
    if isAbsence(errno) || [EACCES, EPERM, EROFS].contains(errno) { return false }
    throw failure(path, "be looked at")
  }

  // MARK: - Changing

  /// Removes a file; no error if there is none.
  ///
  /// Durable after ``sync(folder:)``.
  package static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || isAbsence(errno) else { throw failure(path, "be removed") }
  }

  /// Renames a file, and replaces the one at the target.
  ///
  /// Durable after ``sync(folder:)`` of both folders.
  package static func move(_ path: String, to target: String) throws(StoreError) {
    guard rename(path, target) == 0 else { throw failure(path, "be moved to “\(target)”") }
  }

  /// Makes the names in a folder durable.
  package static func sync(folder path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "be made durable") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path, "be made durable") }
  }

  /// Makes a folder if there is none, and those above it, durably.
  ///
  /// If their names were not durable, a power failure could take away the folder, with acknowledged
  /// data in it.
  /// - Returns: whether this call made the folder.
  @discardableResult
  package static func makeFolder(_ path: String) throws(StoreError) -> Bool {
    let parent = folder(of: path)
    if try kind(path) == .folder {
      // Another process may have made the folder and died before its name was durable. This user
      // may not be allowed to read the folder above.
      if try isReadable(parent) { try sync(folder: parent) }
      return false
    }
    if try !exists(parent) { try makeFolder(parent) }
    let isMade = mkdir(path, 0o777) == 0
    if !isMade {
      if errno == ENOSPC || errno == EDQUOT { throw failure(path, "be made") }
      guard errno == EEXIST, try kind(path) == .folder else {
        throw StoreError(
          .ioFailed, "the folder “\(path)” cannot be made",
          hint: "Check the path and its permissions")
      }
    }
    try sync(folder: parent)
    return isMade
  }

  /// Returns the path of the folder that contains the path.
  package static func folder(of path: String) -> String {
    let parent = (path as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }

  // MARK: - Errors

  /// Returns whether an error means that there is nothing.
  ///
  /// With `ENOTDIR`, a file stands where a folder of the path would have to be.
  private static func isAbsence(_ number: Int32) -> Bool { number == ENOENT || number == ENOTDIR }

  /// Returns the error for the current `errno`.
  private static func failure(
    _ path: String, _ what: String, hint: String = "Check the disk and the permissions"
  ) -> StoreError {
    let number = errno
    let isFull = number == ENOSPC || number == EDQUOT
    return StoreError(
      isFull ? .noSpace : .ioFailed,
      "“\(path)” cannot \(what): \(String(cString: strerror(number)))",
      hint: isFull ? "Free some space, and try again" : hint)
  }
}
