public import DaybookEventCore

/// A declared collection, which is one table.
public struct CollectionSchema: Hashable, Sendable {
  /// The name of the collection, and of its table.
  public var name: String
  /// Whether the collection never leaves this replica.
  public var isLocal = false
  /// Whether the entities are relationships between others.
  public var isRelationship: Bool
  /// The fields in the order of the table's columns, after `id`.
  public var fields: [FieldSchema]
  /// The identities of the fields from which ids are derived; empty if authors choose the ids.
  public var key: [String] = []
  /// Declared fields that are not shown, or not as declared, sorted by first name.
  public var hiddenFields: [HiddenField] = []
  /// Which of the collection's relationships lead one way only.
  public var directedness = Directedness.directed
  /// The indexes of several fields, or of some of the rows.
  public var indexes: [IndexSchema] = []
  /// The sets of fields in whose values together no two entities are alike.
  public var uniqueSets: [UniqueSet] = []
  /// How the collection's search index takes texts apart.
  package var tokenizer = SearchTokenizer.stemmed

  /// The field that is shown under this name; if there is none, the one with this first name.
  public subscript(field name: String) -> FieldSchema? {
    fields.first { $0.name == name } ?? fields.first { $0.identity == name }
  }

  /// The field with this first name.
  package subscript(identity identity: String) -> FieldSchema? {
    fields.first { $0.identity == identity }
  }

  /// Whether what an entity shows can depend on other entities of the collection.
  package var hasRules: Bool { !uniqueSets.isEmpty || fields.contains { $0.isUnique || $0.isTree } }

  /// The collection's name inside the read model.
  var identity: String { CollectionIdentity.of(name, isLocal: isLocal) }

  /// The fields that are searched.
  public var searchable: [FieldSchema] { fields.filter { $0.searchWeight != nil } }
}

extension CollectionSchema {
  /// Returns the id of an entity with these fields; nil if the collection does not derive ids.
  /// - Parameter fields: the values by the fields' identities, of the declared types.
  public func derivedID(_ fields: [String: Value]) -> String? {
    guard !key.isEmpty else { return nil }
    return DerivedID.id(collection: name, key: key.map { fields[$0] ?? .null })
  }

  /// Returns the names in a `key` attribute, such as `source,target,kind`; empty if
  /// it is not valid.
  public static func key(_ value: Value?) -> [String] {
    guard case .text(let list)? = value else { return [] }
    let names = list.parts(between: ",").map(String.init)
    guard names.allSatisfy(Names.isValidField), Set(names).count == names.count else { return [] }
    return names
  }
}

/// A declared field, which is one column.
public struct FieldSchema: Hashable, Sendable {
  /// The field's first name, which events, histories and internal tables use.
  public var identity: String
  /// The column's name.
  public var name: String
  /// The type of the field's values.
  public var type: FieldType
  /// Whether the field has an index of its own.
  public var isIndexed: Bool
  /// How values are compared of which at most one live entity shows each; others that have it are
  /// parked. nil if entities may share values.
  public var uniqueness: Uniqueness?
  /// Whether references to its own collection form a tree; references that would close
  /// a cycle read NULL.
  public var isTree: Bool
  /// The column's weight in bm25 ranking; nil if the field is not searched.
  public var searchWeight: Double?
  /// The collection whose ids the field holds; nil if none was declared.
  public var references: String?
  /// What becomes of an entity when the one that the field refers to is deleted.
  public var onDelete = ReferenceRule.keep
  /// The value that an entity shows if it has none; nil if it then shows NULL.
  public var defaultValue: Value?
  /// Whether a field with a default that is set to NULL shows NULL, and not the default.
  public var isNullable = false
  /// The fact that the store keeps in the field; nil for a field that authors write.
  public var kept: KeptFact?
  /// Whether changes of the text merge: authors write what they change, not the whole text.
  public var merges = false

  /// Whether at most one live entity shows a given value.
  public var isUnique: Bool { uniqueness != nil }
}
