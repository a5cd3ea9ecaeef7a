extension Store {
  /// The result of ``Store/rebuild(collection:progress:)``.
  public struct CollectionRebuild: Hashable, Sendable {
    /// The name of the collection.
    public var collection: String
    /// The number of writes to the collection in the log.
    public var operations: Int
    /// Whether the rows of all collections now add up to the digest.
    ///
    /// If not, something else in the read model is wrong too, and the whole read model must be
    /// rebuilt.
    public var isConsistent: Bool
    /// The digest of the store's state, which a rebuild does not change.
    public var digest: Store.DigestReport
  }
}
