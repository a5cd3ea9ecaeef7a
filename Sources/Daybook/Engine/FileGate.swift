import Foundation

/// A lock on a file that says who has the read model open: shared by all who do, exclusive for one
/// who wants to put another file in its place.
final class FileGate: @unchecked Sendable {
  private let descriptor: Int32

  init(path: String, isReadOnly: Bool) throws(StoreError) {
    descriptor = open(path, isReadOnly ? O_RDONLY : O_RDWR | O_CREAT, 0o644)
    // Where it is not there, nobody who writes has the read model open either.
    guard descriptor >= 0 || (isReadOnly && errno == ENOENT) else {
      throw StoreError(
        errno == ENOSPC || errno == EDQUOT ? .noSpace : .ioFailed,
        "“\(path)” cannot be opened: \(String(cString: strerror(errno)))",
        hint: "Check the permissions of the store's folder")
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Waits for whoever is replacing the file.
  func share() { while flock(descriptor, LOCK_SH) != 0, errno == EINTR {} }

  /// Says that this one has it open no longer.
  func release() { _ = flock(descriptor, LOCK_UN) }

  /// - Returns: whether nobody else has it open.
  func tryExclude() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
