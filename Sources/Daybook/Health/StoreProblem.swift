/// What is the matter with a store, and the cure.
public struct StoreProblem: Hashable, Sendable {
  public enum Kind: String, Sendable {
    /// What was durable is not what was written.
    case damagedLog
    /// A write or fsync failed, and the log refuses writes until it is opened again.
    case failedWrite
    /// There is no read model that can be used.
    case noReadModel
    /// The read model does not show everything yet.
    case behind
  }

  public var kind: Kind
  /// One sentence.
  public var message: String
  public var cure: String
}
