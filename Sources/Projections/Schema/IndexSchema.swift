public import DaybookEventCore

/// An index of several fields, in an order of its own, or of some of a collection's rows.
public struct IndexSchema: Hashable, Sendable {
  /// A field of an index.
  public struct Column: Hashable, Sendable {
    /// The field's identity.
    public var field: String
    /// Whether the index sorts the field downwards.
    public var isDescending: Bool
  }

  /// The fields, the one that is compared first before the others.
  public var columns: [Column]
  /// The identity of the field that says which rows the index holds; nil for all rows.
  ///
  /// Of a boolean field, the index holds the rows in which it is true; of another field, those in
  /// which it is not NULL.
  public var condition: String?

  /// The largest number of fields in an index, and in a set of fields that are unique together.
  package static let columnsMax = 8
  /// The largest number of such indexes, and of such sets, in a collection.
  package static let countMax = 32

  /// The prefix of the attributes that declare indexes.
  package static let attribute = "index:"
  /// The prefix of the attributes that declare sets of fields that are unique together.
  package static let uniqueAttribute = "unique:"

  /// Reads the indexes that a collection's attributes declare, in byte order of the attributes.
  ///
  /// An index that names a field which has no column is left out.
  /// - Parameters:
  ///   - attributes: the values that the collection's registers show.
  ///   - fields: the columns.
  static func indexes(_ attributes: [String: Value], _ fields: [FieldSchema]) -> [IndexSchema] {
    let identities = Set(fields.map(\.identity))
    var indexes: [IndexSchema] = []
    for (names, value) in declared(attribute, attributes) {
      let columns = names.map { name in
        name.hasPrefix("-")
          ? Column(field: String(name.dropFirst()), isDescending: true)
          : Column(field: name, isDescending: false)
      }
      guard areColumns(columns.map(\.field), identities) else { continue }
      switch value {
      case .boolean(true): indexes.append(IndexSchema(columns: columns))
      case .text(let field) where identities.contains(field):
        indexes.append(IndexSchema(columns: columns, condition: field))
      default: continue
      }
    }
    return Array(indexes.prefix(countMax))
  }

  /// Reads the sets of fields that a collection's attributes declare to be unique together, in byte
  /// order of the attributes.
  static func uniqueSets(_ attributes: [String: Value], _ fields: [FieldSchema]) -> [UniqueSet] {
    let identities = Set(fields.filter { $0.kept == nil && !$0.isTree }.map(\.identity))
    let sets = declared(uniqueAttribute, attributes).compactMap { names, value in
      Uniqueness(value).flatMap {
        areColumns(names, identities) ? UniqueSet(fields: names, uniqueness: $0) : nil
      }
    }
    return Array(sets.prefix(countMax))
  }

  /// Returns what a collection's attributes declare about sets of fields and this version does not
  /// know, in byte order of the attributes.
  static func unknownSets(_ attributes: [String: Value]) -> [HiddenField] {
    declared(uniqueAttribute, attributes).compactMap { names, value in
      guard Uniqueness.isUnknown(value), case .text(let rule) = value else { return nil }
      return HiddenField(field: names.joined(separator: ","), reason: .unknownRule(rule))
    }
  }

  private static func declared(_ prefix: String, _ attributes: [String: Value])
    -> [(names: [String], value: Value)]
  {
    attributes.filter { $0.key.utf8.starts(with: prefix.utf8) }
      .sorted { utf8Less($0.key, $1.key) }
      .map { (names($0.key, prefix), $0.value) }
  }

  /// Returns the names in an attribute such as `index:folder,-modified`.
  package static func names(_ attribute: String, _ prefix: String) -> [String] {
    String(decoding: attribute.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
      .parts(between: ",").map(String.init)
  }

  private static func areColumns(_ names: [String], _ identities: Set<String>) -> Bool {
    (1...columnsMax).contains(names.count) && Set(names).count == names.count
      && names.allSatisfy(identities.contains)
  }
}

/// Fields in whose values together no two live entities are alike.
public struct UniqueSet: Hashable, Sendable {
  /// The identities of the fields.
  public var fields: [String]
  /// How values are compared.
  public var uniqueness: Uniqueness

  /// Makes a set of fields, for example for a preview or a test.
  public init(fields: [String], uniqueness: Uniqueness) {
    self.fields = fields
    self.uniqueness = uniqueness
  }
}
