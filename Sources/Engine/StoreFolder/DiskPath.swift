import DaybookDisk
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
      switch status.kind {
      case .file: .file
      case .folder: .folder
      case .link, .other: .other
      }
    }
  }

  /// Returns whether there is something at the path.
  package static func exists(_ path: String) throws(StoreError) -> Bool { try kind(path) != nil }

  /// Returns the size of a file, in bytes; nil if there is nothing at the path.
  static func size(_ path: String) throws(StoreError) -> UInt64? {
    try status(path)?.size
  }

  private static func status(_ path: String) throws(StoreError) -> FileStatus? {
    do { return try FileStatus(path: path) } catch { throw failure(error, path, "be looked at") }
  }

  /// Returns the bytes of a file; nil if there is none.
  package static func read(_ path: String) throws(StoreError) -> Data? {
    do throws(SystemError) {
      let descriptor = try SystemCalls.open(path, .read)
      defer { SystemCalls.close(descriptor) }
      return Data(try SystemCalls.read(descriptor, atMost: .max))
    } catch {
      if error.isAbsence { return nil }
      throw failure(error, path, "be read", hint: "Check its permissions")
    }
  }

  /// Returns the names in a folder, in any order; nil if there is none.
  package static func list(_ path: String) throws(StoreError) -> [String]? {
    do { return try SystemCalls.list(path) } catch {
      if error.isAbsence { return nil }
      throw failure(error, path, "be listed")
    }
  }

  /// Returns the names in a folder, in any order, without what file managers leave in each folder
  /// that somebody has looked at; nil if there is none.
  ///
  /// A folder with nothing else in it is empty, as far as its owner can see.
  package static func contents(_ path: String) throws(StoreError) -> [String]? {
    try list(path)?.filter { name in
      !litter.contains(name.lowercased()) && !name.hasPrefix("._")
    }
  }

  /// What Finder, Explorer and KDE's Dolphin leave, in lower case. Finder also leaves files `._…`
  /// on file systems that lack its attributes.
  private static let litter: Set<String> = [
    ".ds_store", ".localized", "icon\r", "thumbs.db", "ehthumbs.db", "desktop.ini", ".directory",
  ]

  /// Returns whether there is something at the path that this user may write to.
  package static func isWritable(_ path: String) throws(StoreError) -> Bool {
    try allows(path, W_OK)
  }

  /// Returns whether there is something at the path that this user may read.
  static func isReadable(_ path: String) throws(StoreError) -> Bool { try allows(path, R_OK) }

  private static func allows(_ path: String, _ mode: Int32) throws(StoreError) -> Bool {
    if access(path, mode) == 0 { return true }
    let error = SystemError.latest
    if error.isAbsence || error.isForbidden { return false }
    throw failure(error, path, "be looked at")
  }

  // MARK: - Changing

  /// Removes a file; no error if there is none.
  ///
  /// Durable after ``sync(folder:)``.
  package static func remove(_ path: String) throws(StoreError) {
    do { try SystemCalls.remove(path) } catch {
      if !error.isAbsence { throw failure(error, path, "be removed") }
    }
  }

  /// Renames a file, and replaces the one at the target.
  ///
  /// Durable after ``sync(folder:)`` of both folders.
  package static func move(_ path: String, to target: String) throws(StoreError) {
    do { try SystemCalls.rename(path, to: target) } catch {
      throw failure(error, path, "be moved to “\(target)”")
    }
  }

  /// Makes the names in a folder durable.
  package static func sync(folder path: String) throws(StoreError) {
    do { try SystemCalls.syncFolder(path) } catch {
      throw failure(error, path, "be made durable")
    }
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
    let isMade: Bool
    do { isMade = try SystemCalls.makeFolder(path, mode: 0o777) } catch {
      throw error.isFull ? failure(error, path, "be made") : cannotBeMade(path)
    }
    if !isMade, try kind(path) != .folder { throw cannotBeMade(path) }
    try sync(folder: parent)
    return isMade
  }

  /// Returns the path of the folder that contains the path.
  package static func folder(of path: String) -> String {
    let parent = (path as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }

  // MARK: - Errors

  private static func cannotBeMade(_ path: String) -> StoreError {
    StoreError(
      .ioFailed, "the folder “\(path)” cannot be made", hint: "Check the path and its permissions")
  }

  private static func failure(
    _ error: SystemError, _ path: String, _ what: String,
    hint: String = "Check the disk and the permissions"
  ) -> StoreError {
    StoreError(
      error.isFull ? .noSpace : .ioFailed, "“\(path)” cannot \(what): \(error)",
      hint: error.isFull ? "Free some space, and try again" : hint)
  }
}
