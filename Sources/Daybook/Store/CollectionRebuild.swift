/// What ``Store/rebuild(collection:progress:)`` has done.
public struct CollectionRebuild: Hashable, Sendable {
  public var collection: String
  /// Writes to the collection that the log holds.
  public var operations: Int
  /// Whether the rows of all collections now add up to the digest. If not, something else in the read
  /// model is wrong too, and all of it has to be made again.
  public var isConsistent: Bool
  /// The store's, which a rebuild does not change.
  public var digest: DigestReport
}
