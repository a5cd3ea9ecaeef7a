import Foundation
import LogEngine
import Synchronization

/// The turn to make a read model aside, which one store at a time has, of all processes: a lock on the folder
/// in which that is done. The folder is removed with the turn; what a process that died has left in it is
/// removed before the next one begins.
final class RebuildTurn: Sendable {
  private let folder: String
  private let lock: FolderLock
  private let isTaken = Mutex(false)

  private init(_ files: StoreFiles) {
    folder = files.nextReadModel
    lock = FolderLock(folder, name: "the turn to make the read model")
  }

  deinit {
    // It is another's where this one has no turn, or was taken away.
    guard isTaken.withLock(\.self), (try? requireHeld()) != nil else { return }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Waits for whoever rebuilds just now. Not to be called with the commit lock held, which that one
  /// will need.
  static func wait(_ files: StoreFiles) throws -> RebuildTurn {
    let turn = RebuildTurn(files)
    _ = try turn.take {
      try turn.lock.lock(.exclusive, timeout: nil)
      return true
    }
    return turn
  }

  /// - Returns: nil where somebody rebuilds just now.
  static func tryTake(_ files: StoreFiles) throws -> RebuildTurn? {
    let turn = RebuildTurn(files)
    return try turn.take { try turn.lock.tryLock(.exclusive) } ? turn : nil
  }

  /// - Throws: `LogError` `replaced` where the folder was taken away: another may be making a read model.
  func requireHeld() throws { try lock.requireInPlace() }

  /// Where the read model is made.
  var readModel: String { folder + "/read-model.sqlite" }

  /// Removes what is in the folder.
  func clear() throws {
    for name in try DiskPath.list(folder) ?? [] {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  /// Makes the folder, again and again: the process that had the turn removes it when it is done.
  private func take(_ lock: () throws -> Bool) throws -> Bool {
    while true {
      guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
        let number = errno
        guard number == ENOSPC || number == EDQUOT else {
          throw StoreError(
            .ioFailed, "“\(folder)” cannot be made: \(String(cString: strerror(number)))",
            hint: "Check the disk and the permissions of the store's folder")
        }
        throw StoreError(
          .noSpace, "the disk is full: the read model was not made",
          hint: "Free some space in “\(DiskPath.folder(of: folder))”, and try again")
      }
      do {
        let isLocked = try lock()
        isTaken.withLock { $0 = isLocked }
        return isLocked
      } catch let error as LogError where error.code == .notFound { continue }
    }
  }
}
