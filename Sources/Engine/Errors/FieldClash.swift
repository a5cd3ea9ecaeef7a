public import DaybookEventCore

/// A field that a form has changed, and others have changed to something else since the form was
/// opened.
public struct FieldClash: Hashable, Sendable {
  /// The collection of the entity.
  public var collection: String
  /// The id of the entity.
  public var id: String
  /// The name of the field.
  public var field: String
  /// What the form was opened with.
  public var base: Value
  /// What the store has.
  public var stored: Value
  /// What the form has.
  public var edited: Value

  /// Makes a clash, for example for a preview or a test.
  public init(
    collection: String, id: String, field: String, base: Value, stored: Value, edited: Value
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.base = base
    self.stored = stored
    self.edited = edited
  }
}
