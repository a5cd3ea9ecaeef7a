import Foundation
import Replication

/// A shared folder in the file system.
struct FolderDisk: FolderStorage {
  let root: String
  /// Whether the system is asked to download placeholders.
  var downloadsPlaceholders = true

  func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  func requireFolder() throws(SyncError) {
    var status = stat()
    guard stat(root, &status) == 0 else {
      if errno != ENOENT && errno != ENOTDIR { throw error("be looked at") }
      throw SyncError(
        .unreachable, "there is no folder “\(root)”",
        hint: "Make the folder, or connect the drive that it is on")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SyncError(
        .unauthorized, "“\(root)” is a file, not a folder", hint: "Name the folder that is shared")
    }
  }

  func list(_ name: String) throws(SyncError) -> [String] {
    guard let stream = opendir(path(name)) else { throw error("be listed") }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw error("be listed") }
        return names.sorted()
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  func facts(_ name: String) throws(SyncError) -> FolderFacts? {
    var status = stat()
    guard lstat(path(name), &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw error("be looked at")
    }
    #if canImport(Darwin)
      let (time, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (time, changed) = (status.st_mtim, status.st_ctim)
    #endif
    return FolderFacts(
      isFolder: status.st_mode & S_IFMT == S_IFDIR, size: Int(status.st_size),
      modified: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000,
      change: Self.change(UInt64(status.st_ino), changed))
  }

  private static func change(_ inode: UInt64, _ time: timespec) -> UInt64 {
    let nanoseconds = UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
    // The odd factor spreads inode numbers, which are small, over all 64 bits.
    return inode &* 0x9E37_79B9_7F4A_7C15
      ^ (nanoseconds &+ UInt64(truncatingIfNeeded: time.tv_nsec))
  }

  func read(_ name: String, atMost limit: Int) -> Result<[UInt8], POSIXError> {
    func failure() -> Result<[UInt8], POSIXError> {
      .failure(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
    // Opening a pipe, or a link to a device, could block.
    let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return failure() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return failure() }
    guard status.st_mode & S_IFMT == S_IFREG else { return .failure(POSIXError(.EINVAL)) }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      var part = [UInt8](repeating: 0, count: min(1 << 20, limit + 1 - bytes.count))
      let count = Foundation.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return failure() }
      if count == 0 { break }
      bytes += part.prefix(count)
    }
    return .success(bytes)
  }

  func makeFolder(_ name: String) throws(SyncError) {
    if mkdir(path(name), 0o755) != 0 {
      if errno != EEXIST { throw error("be written to") }
      return
    }
    try sync((name as NSString).deletingLastPathComponent)
  }

  func write(_ bytes: [UInt8], _ name: String) throws(SyncError) {
    let folder = (name as NSString).deletingLastPathComponent
    let random = UInt64.random(in: .min ... .max)
    let temporary = path(folder + "/" + Self.temporaryPrefix + "\(random).tmp")
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw error("be written to") }
    var written = 0
    var isWhole = true
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress! + written, $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        isWhole = false
        break
      }
      written += count
    }
    isWhole = isWhole && fsync(descriptor) == 0
    let number = errno
    close(descriptor)
    errno = number
    guard isWhole, rename(temporary, path(name)) == 0 else {
      let error = error("be written to")
      unlink(temporary)
      throw error
    }
    try sync(folder)
  }

  /// A prefix for names of temporary files that sync programs ignore. Dropbox, OneDrive and iCloud
  /// skip temporary files by their tilde or their extension, and Syncthing skips its own prefix.
  static let temporaryPrefix = "~syncthing~daybook-"

  func remove(_ name: String) throws(SyncError) {
    guard unlink(path(name)) == 0 || errno == ENOENT else { throw error("be written to") }
  }

  private func sync(_ folder: String) throws(SyncError) {
    let descriptor = open(path(folder), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error("be made durable") }
    defer { close(descriptor) }
    // Some network drives cannot sync a folder and return EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw error("be made durable") }
  }

  func fetch(_ placeholder: String) {
    #if canImport(Darwin)
      guard downloadsPlaceholders else { return }
      let url = URL(fileURLWithPath: path(placeholder))
      try? FileManager.default.startDownloadingUbiquitousItem(at: url)
    #endif
  }

  func alone<T>(_ body: () throws -> T) throws -> T {
    let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error("be looked at") }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno == EINTR { continue }
      guard Self.knowsNoLocks.contains(errno) else { throw error("be locked") }
      break
    }
    return try body()
  }

  /// The error codes of drives that do not support locks.
  private static let knowsNoLocks: Set<Int32> = [
    EOPNOTSUPP, ENOTSUP, ENOSYS, ENOLCK, EINVAL, EBADF,
  ]

  /// Returns a sync error for the current `errno`.
  private func error(_ what: String) -> SyncError {
    let number = errno
    let cause = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT:
      return SyncError(
        .unavailable, "the disk of the shared folder “\(root)” is full",
        hint: "Free some space there and sync again; the store itself has everything")
    case EACCES, EPERM, EROFS:
      return SyncError(
        .unauthorized, "the shared folder “\(root)” cannot \(what)",
        hint: "Allow it, or name another folder; the store itself has everything", cause: cause)
    case ENOENT, ENOTDIR, ESTALE:
      return SyncError(
        .unreachable, "the shared folder “\(root)” has gone away",
        hint: "Connect the drive that it is on, or put the folder back")
    default:
      return SyncError(
        .unavailable, "the shared folder “\(root)” cannot \(what)",
        hint: "Check the drive that it is on and sync again; the store itself has everything",
        cause: cause)
    }
  }
}
