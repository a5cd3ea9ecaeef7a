public import EventCore

/// What the read model shows: the declared collections and their fields, as the definitions fold.
public struct Schema: Hashable, Sendable {
  /// By name.
  public internal(set) var collections: [String: CollectionSchema] = [:]
  /// By identity.
  private var hiddenByIdentity: [String: HiddenCollection] = [:]
  /// Names of ``collections``, in byte order.
  private var names: [String] = []
  /// By ``Names/folded(_:)``: SQLite cannot tell such names apart.
  private var nameByFolded: [String: String] = [:]

  public init() {}

  public subscript(name: String) -> CollectionSchema? { collections[name] }

  /// The name of the collection that SQLite cannot tell from one of this name; nil if there is none.
  package func spelling(of name: String) -> String? { nameByFolded[Names.folded(name)] }

  /// The schema by which events of one kind of origin go. A shared collection's may be hidden.
  package func seen(byLocal isLocal: Bool) -> Schema {
    var schema = Schema()
    for collection in collections.values where collection.isLocal == isLocal {
      schema.set(collection)
    }
    if !isLocal { for collection in hidden { schema.set(collection.schema) } }
    return schema
  }

  subscript(identity identity: String) -> CollectionSchema? {
    collections[CollectionIdentity.name(identity)].flatMap {
      $0.identity == identity ? $0 : nil
    }
  }

  /// Declared collections that have no table, in the order of their names. Fields without a column are
  /// with their collection: see ``CollectionSchema/hiddenFields``.
  public var hidden: [HiddenCollection] {
    hiddenByIdentity.values.sorted {
      $0.schema.name != $1.schema.name
        ? utf8Less($0.schema.name, $1.schema.name) : !$0.schema.isLocal && $1.schema.isLocal
    }
  }

  /// In the order of their names.
  public var sorted: [CollectionSchema] { names.compactMap { collections[$0] } }

  public var relationships: [CollectionSchema] { sorted.filter(\.isRelationship) }

  /// Everything that is declared and not shown, in the order of collection and field.
  public var hiddenDefinitions: [HiddenDefinition] {
    let fields = collections.values.flatMap { collection in
      collection.hiddenFields.map {
        HiddenDefinition(
          collection: collection.name, isLocal: collection.isLocal, field: $0.field,
          reason: $0.reason)
      }
    }
    let whole = hidden.map {
      HiddenDefinition(
        collection: $0.schema.name, isLocal: $0.schema.isLocal, field: nil, reason: $0.reason)
    }
    return (whole + fields).sorted {
      if $0.collection != $1.collection { return utf8Less($0.collection, $1.collection) }
      if $0.isLocal != $1.isLocal { return $1.isLocal }
      return utf8Less($0.field ?? "", $1.field ?? "")
    }
  }

  /// Adds a collection, or replaces the one of that name. Cost: a search in the list of names.
  mutating func set(_ collection: CollectionSchema) {
    if collections.updateValue(collection, forKey: collection.name) == nil {
      names.insert(collection.name, at: place(of: collection.name))
    }
    nameByFolded[Names.folded(collection.name)] = collection.name
  }

  mutating func remove(_ name: String) {
    guard collections.removeValue(forKey: name) != nil else { return }
    names.remove(at: place(of: name))
    let folded = Names.folded(name)
    if nameByFolded[folded] == name { nameByFolded[folded] = nil }
  }

  mutating func setHidden(_ identity: String, _ collection: HiddenCollection?) {
    hiddenByIdentity[identity] = collection
  }

  private func place(of name: String) -> Int {
    var range = names.startIndex..<names.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        utf8Less(names[middle], name)
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
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
  /// Declared fields that are not shown, or not as they are declared, in the order of their names.
  public var hiddenFields: [HiddenField] = []
  /// Which of its relationships lead one way only.
  public var directedness = Directedness.directed
  /// How its search index takes texts apart.
  public var tokenizer = SearchTokenizer.stemmed

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
    let names = list.parts(between: ",").map(String.init)
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
    return !folded(name).begins(with: "sqlite_")
  }

  /// The columns that every table has of itself.
  public static let reservedFields: Set<String> = ["id"]

  public static func isValidField(_ name: String) -> Bool {
    isValid(name) && !reservedFields.contains(folded(name))
  }

  /// ASCII lower case: SQLite holds names that differ in nothing else to be the same.
  public static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }

  static func quoted(_ name: String) -> String {
    // Hardly a name has one, and to look for it is faster.
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
    return "\"\(name.replacing("\"", by: "\"\""))\""
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
