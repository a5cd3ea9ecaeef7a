extension TextAnchor {
  /// The side to which a place in a text belongs: what is inserted just there comes behind it or
  /// before it.
  public enum Bias: String, Sendable, Codable, CaseIterable {
    /// The place belongs to the character before it, and what is inserted there comes behind it.
    ///
    /// A caret does not move if another author types at it.
    case before
    /// The place belongs to the character behind it, and what is inserted there comes before it.
    case after
  }
}
