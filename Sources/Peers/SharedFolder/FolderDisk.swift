import DaybookDisk
import DaybookReplication
import Foundation

/// A shared folder in the file system.
struct FolderDisk: FolderStorage {
  let root: String
  /// Whether the system is asked to download placeholders.
  var downloadsPlaceholders = true

  func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

  func requireFolder() throws(SyncError) {
    guard let status = try self.status(root, followsLinks: true) else {
      throw SyncError(
        .unreachable, "there is no folder “\(root)”",
        hint: "Make the folder, or connect the drive that it is on")
    }
    guard status.kind == .folder else {
      throw SyncError(
        .unauthorized, "“\(root)” is a file, not a folder", hint: "Name the folder that is shared")
    }
  }

  func list(_ name: String) throws(SyncError) -> [String] {
    do { return try SystemCalls.list(path(name)).sorted() } catch {
      throw syncError(error, "be listed")
    }
  }

  func facts(_ name: String) throws(SyncError) -> FolderFacts? {
    guard let status = try self.status(path(name), followsLinks: false) else { return nil }
    return FolderFacts(
      isFolder: status.kind == .folder, size: Int(clamping: status.size),
      modified: Self.milliseconds(status.modified),
      change: Self.change(status.inode, status.changed),
      changed: Self.milliseconds(status.changed))
  }

  private func status(_ path: String, followsLinks: Bool) throws(SyncError) -> FileStatus? {
    do { return try FileStatus(path: path, followsLinks: followsLinks) } catch {
      throw syncError(error, "be looked at")
    }
  }

  private static func milliseconds(_ time: FileStatus.Time) -> Int64 {
    time.seconds &* 1000 &+ time.nanoseconds / 1_000_000
  }

  private static func change(_ inode: UInt64, _ time: FileStatus.Time) -> UInt64 {
    let nanoseconds = UInt64(truncatingIfNeeded: time.seconds) &* 1_000_000_000
    // The odd factor spreads inode numbers, which are small, over all 64 bits.
    return inode &* 0x9E37_79B9_7F4A_7C15
      ^ (nanoseconds &+ UInt64(truncatingIfNeeded: time.nanoseconds))
  }

  func read(_ name: String, atMost limit: Int) -> Result<[UInt8], SystemError> {
    Result { () throws(SystemError) -> [UInt8] in
      // Opening a pipe, or a link to a device, could block.
      let descriptor = try SystemCalls.open(path(name), .readUnfollowed)
      defer { SystemCalls.close(descriptor) }
      guard try FileStatus(descriptor: descriptor).kind == .file else { throw SystemError(EINVAL) }
      return try SystemCalls.read(descriptor, atMost: limit + 1)
    }
  }

  func makeFolder(_ name: String) throws(SyncError) {
    let isMade: Bool
    do { isMade = try SystemCalls.makeFolder(path(name)) } catch {
      throw syncError(error, "be written to")
    }
    if isMade { try sync((name as NSString).deletingLastPathComponent) }
  }

  func write(_ bytes: [UInt8], _ name: String) throws(SyncError) {
    let folder = (name as NSString).deletingLastPathComponent
    let random = UInt64.random(in: .min ... .max)
    let temporary = path(folder + "/" + Self.temporaryPrefix + "\(random).tmp")
    do { try WholeFile.write(bytes, to: path(name), beside: temporary) } catch {
      throw syncError(error.error, "be written to")
    }
    try sync(folder)
  }

  /// A prefix for names of temporary files that sync programs ignore. Dropbox, OneDrive and iCloud
  /// skip temporary files by their tilde or their extension, and Syncthing skips its own prefix.
  static let temporaryPrefix = "~syncthing~daybook-"

  func remove(_ name: String) throws(SyncError) {
    do { try SystemCalls.remove(path(name)) } catch { throw syncError(error, "be written to") }
  }

  /// Gives a folder a name that says that it is not used any more, and returns that name.
  func setAside(_ name: String) throws(SyncError) -> String {
    for number in 1...1000 {
      let new = "removed-\(name)" + (number == 1 ? "" : "-\(number)")
      guard try facts(new) == nil else { continue }
      do { try SystemCalls.rename(path(name), to: path(new)) } catch {
        throw syncError(error, "be written to")
      }
      try sync("")
      return new
    }
    throw syncError(SystemError(EEXIST), "be written to")
  }

  private func sync(_ folder: String) throws(SyncError) {
    do { try SystemCalls.syncFolder(path(folder)) } catch {
      // Some network drives cannot sync a folder and return EINVAL.
      if error.number != EINVAL { throw syncError(error, "be made durable") }
    }
  }

  func fetch(_ placeholder: String) {
    #if canImport(Darwin)
      guard downloadsPlaceholders else { return }
      let url = URL(fileURLWithPath: path(placeholder))
      try? FileManager.default.startDownloadingUbiquitousItem(at: url)
    #endif
  }

  func alone<T>(_ body: () throws -> T) throws -> T {
    let descriptor: Int32
    do { descriptor = try SystemCalls.open(root, .folder) } catch {
      throw syncError(error, "be looked at")
    }
    defer { SystemCalls.close(descriptor) }
    do { _ = try SystemCalls.lock(descriptor, isShared: false, waits: true) } catch {
      guard Self.knowsNoLocks.contains(error.number) else { throw syncError(error, "be locked") }
    }
    return try body()
  }

  /// The error codes of drives that do not support locks.
  private static let knowsNoLocks: Set<Int32> = [
    EOPNOTSUPP, ENOTSUP, ENOSYS, ENOLCK, EINVAL, EBADF,
  ]

  private func syncError(_ error: SystemError, _ what: String) -> SyncError {
    if error.isFull {
      return SyncError(
        .unavailable, "the disk of the shared folder “\(root)” is full",
        hint: "Free some space there and sync again; the store itself has everything")
    }
    if error.isForbidden {
      return SyncError(
        .unauthorized, "the shared folder “\(root)” cannot \(what)",
        hint: "Allow it, or name another folder; the store itself has everything",
        cause: error.description)
    }
    if error.isAbsence || error.number == ESTALE {
      return SyncError(
        .unreachable, "the shared folder “\(root)” has gone away",
        hint: "Connect the drive that it is on, or put the folder back")
    }
    return SyncError(
      .unavailable, "the shared folder “\(root)” cannot \(what)",
      hint: "Check the drive that it is on and sync again; the store itself has everything",
      cause: error.description)
  }
}
