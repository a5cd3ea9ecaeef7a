import DaybookEventCore

/// The collections and fields that the read model shows, folded from their definitions.
public struct StoreSchema: Hashable, Sendable {
  /// The shown collections, by name.
  public internal(set) var collections: [String: CollectionSchema] = [:]
  /// The hidden collections, by identity.
  private var hiddenByIdentity: [String: HiddenCollection] = [:]
  /// The names of ``collections``, in byte order.
  private var names: [String] = []
  /// The names of ``collections`` by ``Names/folded(_:)``, since SQLite ignores ASCII case.
  private var nameByFolded: [String: String] = [:]

  /// Makes a schema without collections.
  public init() {}

  /// The shown collection of a name; nil if there is none.
  public subscript(name: String) -> CollectionSchema? { collections[name] }

  /// Returns the name of the collection whose name SQLite cannot tell from this one; nil if there
  /// is none.
  package func spelling(of name: String) -> String? { nameByFolded[Names.folded(name)] }

  /// Returns the schema for events of shared or of private origins. That of shared ones includes
  /// hidden collections.
  /// - Parameter isLocal: true for private origins.
  package func seen(byLocal isLocal: Bool) -> StoreSchema {
    var schema = StoreSchema()
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

  /// Declared collections that have no table, sorted by name. For fields without
  /// a column see `hiddenFields`.
  public var hidden: [HiddenCollection] {
    hiddenByIdentity.values.sorted {
      $0.schema.name != $1.schema.name
        ? utf8Less($0.schema.name, $1.schema.name) : !$0.schema.isLocal && $1.schema.isLocal
    }
  }

  /// The shown collections, sorted by name.
  public var sorted: [CollectionSchema] { names.compactMap { collections[$0] } }

  /// The shown collections of relationships, sorted by name.
  public var relationships: [CollectionSchema] { sorted.filter(\.isRelationship) }

  /// All declared collections and fields that are not shown, sorted by collection and field.
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

  /// Adds a collection, or replaces the one of its name. Cost: a binary search, and an insertion
  /// into the sorted names.
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
