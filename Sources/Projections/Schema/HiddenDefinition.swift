/// Why something that is declared is not shown. All of it is kept, folded and in the digest.
public enum HiddenReason: Hashable, Sendable {
  /// A collection, or a field under its first name, whose name SQLite cannot tell from that of another,
  /// which is shown.
  case spelledLike(String)
  /// A shared collection whose name a local one has.
  case localHasName
  /// No table or column can have the name; the software that wrote it did not check that.
  case invalidName
  /// The read model shows no more than so many: collections, or fields of one collection.
  case overLimit(Int)
  /// The field is shown, and not searched: no more than so many fields of one collection are.
  case notSearched(Int)
  /// SQLite on this machine refuses to make the collection's table, with these words.
  case refused(String)
}

/// A declared collection that has no table, and why.
public struct HiddenCollection: Hashable, Sendable {
  public var schema: CollectionSchema
  public var reason: HiddenReason

  public init(schema: CollectionSchema, reason: HiddenReason) {
    self.schema = schema
    self.reason = reason
  }
}

/// A declared field that has no column, or is not searched, and why.
public struct HiddenField: Hashable, Sendable {
  /// Its first name.
  public var field: String
  public var reason: HiddenReason

  public init(field: String, reason: HiddenReason) {
    self.field = field
    self.reason = reason
  }
}

/// A collection or field that is declared and not shown, as ``Schema/hiddenDefinitions`` lists them.
public struct HiddenDefinition: Hashable, Sendable {
  public var collection: String
  public var isLocal: Bool
  /// The field's first name; nil for the whole collection.
  public var field: String?
  public var reason: HiddenReason

  public init(collection: String, isLocal: Bool, field: String?, reason: HiddenReason) {
    self.collection = collection
    self.isLocal = isLocal
    self.field = field
    self.reason = reason
  }
}
