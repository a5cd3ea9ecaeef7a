public import DaybookEventCore

/// A value of a live entity that its table does not show, and the reason.
public struct HiddenValue: Hashable, Sendable {
  /// Why a value is not shown.
  public enum Reason: Hashable, Sendable {
    /// The value is not of the field's type, and reads NULL.
    case misfit(declared: FieldType)
    /// The row has no room for the value, which reads NULL: an entity's row holds
    /// this number of bytes.
    case tooLarge(rowBytes: Int)
    /// The field is unique, and an entity that was inserted earlier has the same value, or one that
    /// the rule holds to be the same (``HiddenValue/ownersValue``). The whole entity is *parked*,
    /// out of its table. The owner may be parked itself, for another field.
    case parked(owner: String)
    /// The field is a tree, and this reference ranks highest of those that make a
    /// cycle: it reads NULL.
    case cycle
    /// An edit changes nothing: its author had not seen the text that it names as its base, or its
    /// script does not fit the text that the author saw. There is no value.
    case unfitEdit(event: EventID, operation: UInt32)
    /// The table shows the value, and the property of the app's type cannot have it, such as a case
    /// of an enumeration that a newer version of the app knows. The property shows its default.
    case unreadable(property: String)
  }

  /// The collection.
  public var collection: String
  /// The id of the entity.
  public var id: String
  /// The field's current name.
  public var field: String
  /// The value that is not shown.
  public var value: Value
  /// Why it is not shown.
  public var reason: Reason
  /// If the entity is parked: the value as its owner spells it; nil otherwise.
  ///
  /// It differs from ``value`` only where the field is unique without case.
  public var ownersValue: Value?

  /// Makes a hidden value, for example for a preview or a test.
  public init(
    collection: String, id: String, field: String, value: Value, reason: Reason,
    ownersValue: Value? = nil
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.value = value
    self.reason = reason
    self.ownersValue = ownersValue
  }
}
