/// The reason why a declared collection or field is not shown. Its data is kept, folded
/// and in the digest.
public enum HiddenReason: Hashable, Sendable {
  /// SQLite cannot tell the name of the collection, or the first name of the field, from that of
  /// another one, which is shown.
  case spelledLike(String)
  /// A local collection has the name of this shared one.
  case localHasName
  /// No table or column can have the name, which the author's software did not check.
  case invalidName
  /// The read model shows no more than this number of collections, or of fields in one collection.
  case overLimit(Int)
  /// The field is shown but not searched: no more than this number of a
  /// collection's fields are searched.
  case notSearched(Int)
  /// The field is shown, and a rule about its values is not in force here, because only a later
  /// version of Daybook knows it: entities may be shown that others hide.
  case unknownRule(String)
  /// SQLite on this machine refuses to make the collection's table, with this message.
  case refused(String)
}

/// A declared collection that has no table, and the reason.
public struct HiddenCollection: Hashable, Sendable {
  /// The collection as it is declared.
  public var schema: CollectionSchema
  /// Why it has no table.
  public var reason: HiddenReason

  /// Makes a hidden collection, for example for a preview or a test.
  public init(schema: CollectionSchema, reason: HiddenReason) {
    self.schema = schema
    self.reason = reason
  }
}

/// A declared field that has no column, or is not searched, or a rule about fields that is not in
/// force, and the reason.
public struct HiddenField: Hashable, Sendable {
  /// The field's first name; of a rule about several fields their names, between commas.
  public var field: String
  /// Why it has no column, is not searched, or is without the rule.
  public var reason: HiddenReason

  /// Makes a hidden field, for example for a preview or a test.
  public init(field: String, reason: HiddenReason) {
    self.field = field
    self.reason = reason
  }
}

/// A declared collection or field that is not shown, as ``StoreSchema/hiddenDefinitions`` lists it.
public struct HiddenDefinition: Hashable, Sendable {
  /// The collection.
  public var collection: String
  /// Whether the collection never leaves this replica.
  public var isLocal: Bool
  /// The field's first name; nil for the whole collection.
  public var field: String?
  /// Why it is not shown.
  public var reason: HiddenReason

  /// Makes a hidden definition, for example for a preview or a test.
  public init(collection: String, isLocal: Bool, field: String?, reason: HiddenReason) {
    self.collection = collection
    self.isLocal = isLocal
    self.field = field
    self.reason = reason
  }
}
