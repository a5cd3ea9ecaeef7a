extension Duration {
  /// This duration limited to between one millisecond and one year, so that a task can sleep for it
  /// repeatedly.
  package var bounded: Duration { min(max(self, .milliseconds(1)), .seconds(365 * 86_400)) }
}
