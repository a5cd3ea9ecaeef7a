import DaybookDisk
import DaybookFrames
import DaybookLocks
import DaybookLogEngine
import Foundation

/// The turn to build a read model in the store's folder, which one process at a time has.
///
/// It is a lock on the folder in which the read model is built. The folder is removed with the
/// turn. What a process that died has left in it is removed before the next rebuild begins.
final class RebuildTurn: Sendable {
  private let folder: String
  private let lock: FolderLock
  private let isTaken = Mutex(false)

  private init(_ files: StoreFiles) {
    folder = files.nextReadModel
    lock = FolderLock(folder, name: "the turn to make the read model")
  }

  deinit {
    // The folder is another process's if this one has no turn, or if the folder was replaced.
    guard isTaken.withLock(\.self), (try? requireHeld()) != nil else { return }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Waits until no other process rebuilds, and takes the turn.
  ///
  /// The caller must not hold the commit lock, which a running rebuild will need.
  static func wait(_ files: StoreFiles) throws -> RebuildTurn {
    let turn = RebuildTurn(files)
    _ = try turn.take {
      try turn.lock.lock(.exclusive, timeout: nil)
      return true
    }
    return turn
  }

  /// Takes the turn if it is free.
  /// - Returns: the turn; nil if another rebuild is running.
  static func tryTake(_ files: StoreFiles) throws -> RebuildTurn? {
    let turn = RebuildTurn(files)
    return try turn.take { try turn.lock.tryLock(.exclusive) } ? turn : nil
  }

  /// Tells other processes that the read model was rebuilt in place: a turn comes and goes, as in a
  /// rebuild that has one, and ``LogWatch`` hears of it.
  static func announce(_ files: StoreFiles) { _ = try? tryTake(files) }

  /// Checks that the locked folder is still in place.
  /// - Throws: `LogError` `replaced` if it was taken away: another process may be building a read
  ///   model.
  func requireHeld() throws { try lock.requireInPlace() }

  /// The path of the read model that is being built.
  var readModel: String { folder + "/read-model.sqlite" }

  /// Removes the contents of the folder.
  func clear() throws {
    for name in try DiskPath.list(folder) ?? [] {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  /// Makes the folder and locks it.
  ///
  /// Repeats this if the process that had the turn removes the folder meanwhile.
  private func take(_ lock: () throws -> Bool) throws -> Bool {
    while true {
      do { try SystemCalls.makeFolder(folder) } catch {
        guard error.isFull else {
          throw StoreError(
            .ioFailed, "“\(folder)” cannot be made: \(error)",
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
