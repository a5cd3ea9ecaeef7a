internal import CBaseline

/// What went wrong, for the person at the command line.
struct BenchError: Error {
  let message: String
  /// 1 where what was measured does not keep a promise, else 2.
  private(set) var exitCode: Int32 = 2

  init(_ message: String) {
    self.message = message
  }

  /// What was measured does not keep a promise.
  static func found(_ message: String) -> BenchError {
    var error = BenchError(message)
    error.exitCode = 1
    return error
  }

  /// The failure that the C baseline reported on this thread.
  static func baseline() -> BenchError {
    BenchError(String(cString: baseline_error()))
  }
}
