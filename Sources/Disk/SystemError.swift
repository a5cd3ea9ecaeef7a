#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The failure of a call of the operating system.
///
/// It says nothing about what the caller was doing: each module makes an error of its own from it.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the error, such as `ENOENT`.
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// The error of this thread's latest call; read it before any other call.
  package static var latest: SystemError { SystemError(errno) }

  /// Whether there was no room: the disk is full, or the user's share of it.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT }

  /// Whether there is no such file or folder.
  package var isMissing: Bool { number == ENOENT }

  /// Whether there is nothing at the path.
  ///
  /// With `ENOTDIR`, a file stands where a folder of the path would have to be.
  package var isAbsence: Bool { number == ENOENT || number == ENOTDIR }

  /// Whether the user may not do it, or no user may.
  package var isForbidden: Bool { number == EACCES || number == EPERM || number == EROFS }

  /// The system's words for the error.
  package var description: String { String(cString: strerror(number)) }
}
