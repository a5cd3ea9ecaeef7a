/// The progress of a rebuild: events are read, then partitions written, then indexes made.
public struct RebuildProgress: Hashable, Sendable {
  /// A phase of a rebuild.
  public enum Phase: String, Sendable {
    /// Events are read, rows are written, or indexes are made.
    case reading, writing, indexing
  }

  /// The phase that the rebuild is in.
  public var phase: Phase
  /// The part of ``total`` that is done: events while reading, otherwise steps.
  public var done: Int
  /// What there is to do in this phase.
  public var total: Int

  /// Makes a report of progress, for example for a preview or a test.
  public init(phase: Phase, done: Int, total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}
