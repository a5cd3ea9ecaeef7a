extension Duration {
  /// The same, but at least a millisecond and at most a year: what a task can wait for, over and over.
  package var bounded: Duration { min(max(self, .milliseconds(1)), .seconds(365 * 86_400)) }
}
