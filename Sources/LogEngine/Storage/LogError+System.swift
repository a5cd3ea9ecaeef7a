import DaybookDisk
import DaybookFrames

extension LogError {
  /// Makes the error of a call of the system.
  ///
  /// - Parameter doing: the action that failed, as a part of the message: "read log/mark".
  init(_ error: SystemError, doing: String) {
    let (code, hint): (Code, String?) =
      if error.isFull {
        (.noSpace, "free some disk space and try again")
      } else if error.isForbidden {
        (.ioFailed, "check the permissions of the store's folder")
      } else {
        (error.isMissing ? .notFound : .ioFailed, nil)
      }
    self.init(code, "could not \(doing)", hint: hint, cause: error.description)
  }

  /// Runs calls of the system, and throws their failure as an error of the log.
  ///
  /// - Parameter doing: the action, as a part of the message; evaluated only for an error.
  static func surfacing<T>(
    _ doing: @autoclosure () -> String, _ body: () throws(SystemError) -> T
  ) throws(LogError) -> T {
    do { return try body() } catch { throw LogError(error, doing: doing()) }
  }
}
