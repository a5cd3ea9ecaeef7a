/// The progress of a rebuild: events are read, then partitions written, then indexes made.
public struct RebuildProgress: Hashable, Sendable {
  public enum Phase: String, Sendable {
    case reading, writing, indexing
  }

  public var phase: Phase
  /// The part of ``total`` that is done: events while reading, otherwise steps.
  public var done: Int
  public var total: Int

  public init(phase: Phase, done: Int, total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}
