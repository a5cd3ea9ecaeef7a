/// The definition of a collection: that it exists, and its attributes and fields.
///
/// Attributes and fields that it does not mention stay as they are.
public struct Definition: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// The field's first name, which is its identity; the name that is shown may differ.
    public var name: String
    /// The field's attributes and their values.
    ///
    /// Known are `type`, `search`, `index`, `unique`, `references`, `tree`, `name` (see
    /// ``formerly(_:)``) and `position`; later versions may know more.
    public var attributes: [String: Value]

    public init(_ name: String, _ attributes: [String: Value] = [:]) {
      self.name = name
      self.attributes = attributes
    }
  }

  public var collection: String
  /// The collection's attributes and their values.
  ///
  /// Known are `local` (the collection is never synced), `relationship`, and `key` (the fields from
  /// which ids are derived, separated by commas); later versions may know more.
  public var attributes: [String: Value]
  public var fields: [Field]

  public init(collection: String, attributes: [String: Value] = [:], fields: [Field] = []) {
    self.collection = collection
    self.attributes = attributes
    self.fields = fields
  }
}
