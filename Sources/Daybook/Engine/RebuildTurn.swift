import Foundation

/// A lock on the store's folder for whoever makes a read model aside: all of them use one file, so one
/// at a time, in all processes. It goes with its owner, and with a process that dies.
final class RebuildTurn: @unchecked Sendable {
  private let descriptor: Int32

  private init(_ files: StoreFiles) throws(StoreError) {
    let path = files.folder.path(percentEncoded: false)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(
        .ioFailed, "“\(path)” cannot be opened: \(String(cString: strerror(errno)))",
        hint: "Check the permissions of the store's folder")
    }
  }

  deinit { close(descriptor) }

  /// Waits for whoever rebuilds just now. Not to be called with the commit lock held, which that one
  /// will need.
  static func wait(_ files: StoreFiles) throws(StoreError) -> RebuildTurn {
    let turn = try RebuildTurn(files)
    while flock(turn.descriptor, LOCK_EX) != 0, errno == EINTR {}
    return turn
  }

  /// - Returns: nil where somebody rebuilds just now.
  static func tryTake(_ files: StoreFiles) throws(StoreError) -> RebuildTurn? {
    let turn = try RebuildTurn(files)
    return flock(turn.descriptor, LOCK_EX | LOCK_NB) == 0 ? turn : nil
  }
}
