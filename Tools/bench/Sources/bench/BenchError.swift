import DaybookCBaseline

/// An error message for the person at the command line.
struct BenchError: Error {
  let message: String
  /// The exit code: 1 if the measured code breaks a promise, else 2.
  private(set) var exitCode: Int32 = 2

  init(_ message: String) {
    self.message = message
  }

  /// Returns an error for a broken promise of the measured code.
  static func found(_ message: String) -> BenchError {
    var error = BenchError(message)
    error.exitCode = 1
    return error
  }

  /// Returns the failure that the C baseline reported on this thread.
  static func baseline() -> BenchError {
    BenchError(String(cString: baseline_error()))
  }
}
