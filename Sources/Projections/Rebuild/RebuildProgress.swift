/// How far a rebuild is: events read, then partitions written, then indexes made.
public struct RebuildProgress: Hashable, Sendable {
  public enum Phase: String, Sendable {
    case reading, writing, indexing
  }

  public var phase: Phase
  /// Of ``total``: events while reading, else steps.
  public var done: Int
  public var total: Int

  public init(phase: Phase, done: Int, total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}
