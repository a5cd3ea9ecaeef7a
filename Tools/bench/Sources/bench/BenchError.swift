internal import CBaseline

/// What went wrong, for the person at the command line.
struct BenchError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  /// The failure that the C baseline reported on this thread.
  static func baseline() -> BenchError {
    BenchError(String(cString: baseline_error()))
  }
}
