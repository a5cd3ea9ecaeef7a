/// A problem of a store, with its cure.
public struct StoreProblem: Hashable, Sendable {
  /// The kind of a problem.
  public enum Kind: String, Sendable {
    /// The log does not hold what was durable.
    case damagedLog
    /// A write or fsync failed, and the log refuses writes until it is opened again.
    case failedWrite
    /// There is no usable read model.
    case noReadModel
    /// The read model does not show everything yet.
    case behind
    /// A peer and this store have refused events from each other.
    case refused
  }

  /// The kind of the problem.
  public var kind: Kind
  /// One sentence that says what the problem is.
  public var message: String
  /// One sentence that says what to do.
  public var cure: String
}
