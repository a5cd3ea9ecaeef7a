/// The pause before an attempt is repeated: doubled with each failure in a row, up to a largest
/// one, and then varied by a half, so that many clients do not come at once.
package struct Backoff: Sendable {
  /// The mean pause after the first failure.
  package var first: Duration
  /// The largest mean pause.
  package var last: Duration

  package init(first: Duration, last: Duration) {
    self.first = first
    self.last = last
  }

  /// Returns the pause after a number of failures in a row, at least 1.
  package func pause(
    after failures: Int, using random: inout some RandomNumberGenerator
  ) -> Duration {
    mean(after: failures) * Double.random(in: 0.5...1.5, using: &random)
  }

  /// Returns the pause after a number of failures in a row, at least 1.
  package func pause(after failures: Int) -> Duration {
    var random = SystemRandomNumberGenerator()
    return pause(after: failures, using: &random)
  }

  /// Returns the mean pause after a number of failures in a row, at least 1.
  package func mean(after failures: Int) -> Duration {
    min(first * Double(1 << min(max(failures - 1, 0), 20)), last)
  }
}
