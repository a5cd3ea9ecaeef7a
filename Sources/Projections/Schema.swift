public import EventCore

/// What the read model shows: the declared collections and their fields, as the definitions fold.
public struct Schema: Hashable, Sendable {
  /// By name.
  public internal(set) var collections: [String: CollectionSchema] = [:]
  /// Shared collections without a table, because a local one has their name, in the order of their
  /// names.
  public internal(set) var hidden: [CollectionSchema] = []

  public init() {}

  public subscript(name: String) -> CollectionSchema? { collections[name] }

  /// The schema by which events of one kind of origin go. A shared collection's may be hidden.
  package func seen(byLocal isLocal: Bool) -> Schema {
    var schema = Schema()
    schema.collections = collections.filter { $0.value.isLocal == isLocal }
    if !isLocal { for collection in hidden { schema.collections[collection.name] = collection } }
    return schema
  }

  subscript(identity identity: String) -> CollectionSchema? {
    collections[CollectionIdentity.name(identity)].flatMap {
      $0.identity == identity ? $0 : nil
    }
  }

  /// In the order of their names.
  public var sorted: [CollectionSchema] {
    collections.values.sorted { utf8Less($0.name, $1.name) }
  }

  public var relationships: [CollectionSchema] { sorted.filter(\.isRelationship) }
}

/// A declared collection: one table.
public struct CollectionSchema: Hashable, Sendable {
  public var name: String
  /// Whether it never leaves this replica.
  public var isLocal = false
  public var isRelationship: Bool
  /// In the order of the table's columns, after `id`.
  public var fields: [FieldSchema]
  /// The identities of the fields from which ids are derived; empty where authors choose the ids.
  public var key: [String] = []

  /// The field that is shown under that name, or whose first name it is.
  public subscript(field name: String) -> FieldSchema? {
    fields.first { $0.name == name } ?? fields.first { $0.identity == name }
  }

  /// What it is called inside the read model.
  var identity: String { CollectionIdentity.of(name, isLocal: isLocal) }

  public var searchable: [FieldSchema] { fields.filter { $0.searchWeight != nil } }
}

extension CollectionSchema {
  /// The id of an entity with these fields; nil where ids are not derived.
  /// - Parameter fields: by identity, of the declared types.
  public func derivedID(_ fields: [String: Value]) -> String? {
    guard !key.isEmpty else { return nil }
    return DerivedID.id(collection: name, key: key.map { fields[$0] ?? .null })
  }

  /// The names in a `key` attribute, `source,target,kind`; empty where it is none.
  public static func key(_ value: Value?) -> [String] {
    guard case .text(let list)? = value else { return [] }
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy(Names.isValidField), Set(names).count == names.count else { return [] }
    return names
  }
}

/// A declared field: one column.
public struct FieldSchema: Hashable, Sendable {
  /// The field's first name: what events, histories and internal tables call it.
  public var identity: String
  /// The column's name.
  public var name: String
  public var type: FieldType
  public var isIndexed: Bool
  /// Whether one live entity at most shows a value; others that have it are parked.
  public var isUnique: Bool
  /// Whether its references to its own collection form a tree: those that would close a cycle read
  /// NULL.
  public var isTree: Bool
  /// The column's weight in bm25 ranking; nil where it is not searched.
  public var searchWeight: Double?
  /// The collection whose ids it holds.
  public var references: String?
}

/// Which names may become tables and columns.
public enum Names {
  /// A letter, then up to 62 letters, digits or underscores (ASCII), and not `sqlite_…`.
  public static func isValid(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, isLetter(first), bytes.count <= 63 else { return false }
    guard bytes.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }) else {
      return false
    }
    return !folded(name).hasPrefix("sqlite_")
  }

  /// Columns that SQLite, FTS5 or Daybook give a meaning of their own.
  public static let reservedFields: Set<String> = ["id", "rowid", "oid", "rank"]

  public static func isValidField(_ name: String) -> Bool {
    isValid(name) && !reservedFields.contains(folded(name))
  }

  /// ASCII lower case: SQLite holds names that differ in nothing else to be the same.
  public static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  static func quoted(_ name: String) -> String {
    // Hardly a name has one, and to look for it by the byte is a hundred times as fast.
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
    return "\"\(name.replacing("\"", with: "\"\""))\""
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
