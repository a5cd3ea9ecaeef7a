/// The definition of a collection: that it exists, and its attributes and fields.
///
///     Definition("notes", [
///       .text("title").searchable(weight: 2), .boolean("pinned").indexed().default(false),
///       .text("folder").references("folders"), .timestamp("modified").kept(.modified),
///     ])
///
/// What a definition does not mention stays as it is in the store.
public struct Definition: Hashable, Sendable {
  /// The collection's name.
  public var collection: String
  /// The collection's attributes and their values, as an event holds them.
  ///
  /// Known are `local`, `relationship`, `directed`, `key`, `tokenizer`, `index:…` and `unique:…`
  /// for indexes of several fields, and `migration`, the number of the migration that the
  /// definition is part of; later versions may know more.
  public package(set) var attributes: [String: Value]
  /// The fields, in the order of the table's columns.
  public var fields: [Field]

  /// Makes the definition of a collection.
  /// - Parameters:
  ///   - collection: the collection's name: a letter, then up to 62 letters, digits and
  ///     underscores.
  ///   - fields: the fields, in the order of the table's columns.
  public init(_ collection: String, _ fields: [Field] = []) {
    self.init(collection: collection, fields: fields)
  }

  package init(collection: String, attributes: [String: Value] = [:], fields: [Field] = []) {
    self.collection = collection
    self.attributes = attributes
    self.fields = fields
  }

  /// Returns the same definition with one more attribute of the collection.
  ///
  /// For attributes that a later version of Daybook knows. A store keeps, and sends to others, also
  /// what this version does not know.
  /// - Parameters:
  ///   - name: up to 255 printable ASCII characters without spaces.
  ///   - value: the attribute's value.
  public func attribute(_ name: String, _ value: Value) -> Definition {
    var copy = self
    copy.attributes[name] = value
    return copy
  }
}

extension Definition {
  /// The definition of one field: its name, its type and its other attributes.
  public struct Field: Hashable, Sendable {
    /// The field's first name, which is its identity; the name that is shown may differ.
    public package(set) var name: String
    /// The field's attributes and their values, as an event holds them.
    ///
    /// Known are `type`, `search`, `index`, `unique`, `references`, `onDelete`, `tree`, `merge`,
    /// `default`, `optional`, `kept`, `name` (see ``formerly(_:_:)``) and `position`; later
    /// versions may know more.
    public package(set) var attributes: [String: Value]

    /// The names that the field had between its first one and ``shownName``, oldest first.
    ///
    /// No event has them. They tell a store that is opened which of two names is the later one.
    package var namesBetween: [String] = []

    /// Makes the definition of a field that keeps the type that the store has for it.
    ///
    /// A field that the store does not have becomes a text.
    public init(_ name: String) { self.init(name, [:]) }

    package init(_ name: String, _ attributes: [String: Value]) {
      self.name = name
      self.attributes = attributes
    }

    private init(_ name: String, type: String) { self.init(name, ["type": .text(type)]) }

    /// A text.
    public static func text(_ name: String) -> Field { Field(name, type: "text") }
    /// A signed integer of 64 bits.
    public static func integer(_ name: String) -> Field { Field(name, type: "integer") }
    /// A finite number of 64 bits.
    public static func real(_ name: String) -> Field { Field(name, type: "real") }
    /// True or false.
    public static func boolean(_ name: String) -> Field { Field(name, type: "boolean") }
    /// Bytes.
    public static func blob(_ name: String) -> Field { Field(name, type: "blob") }
    /// A moment, in milliseconds; its column holds ISO 8601 text, which sorts by time.
    public static func timestamp(_ name: String) -> Field { Field(name, type: "timestamp") }
    /// Any JSON value, such as an array or an object.
    public static func json(_ name: String) -> Field { Field(name, type: "json") }

    /// Returns the same field with one more attribute.
    ///
    /// For attributes that a later version of Daybook knows. A store keeps, and sends to others,
    /// also what this version does not know.
    /// - Parameters:
    ///   - name: up to 255 printable ASCII characters without spaces.
    ///   - value: the attribute's value; NULL takes an attribute back.
    public func attribute(_ name: String, _ value: Value) -> Field {
      var copy = self
      copy.attributes[name] = value
      return copy
    }

    /// Returns the same field as part of the collection's search index.
    ///
    /// Texts and JSON can be searched.
    /// - Parameter weight: what a word in this field counts in the ranking; more than 0.
    public func searchable(weight: Double = 1) -> Field {
      attribute("search", weight == 1 ? .boolean(true) : .real(weight))
    }

    /// Returns the same field with an index.
    public func indexed() -> Field { attribute("index", .boolean(true)) }

    /// Returns the same field with the rule that no two live entities have the same value in it.
    ///
    /// A local write that breaks the rule is refused. After a merge, the entity that was written
    /// first is shown, and the others are listed by `Store.hidden`.
    /// - Parameter rule: how values are compared; `.folded` is for texts.
    public func unique(_ rule: Uniqueness = .exact) -> Field {
      attribute("unique", rule.attribute)
    }

    /// Returns the same field with ids of entities of a collection as its values.
    public func references(_ collection: String) -> Field {
      attribute("references", .text(collection))
    }

    /// Returns the same field, which refers to entities, with a rule for their deletion.
    ///
    /// The replica that deletes an entity carries the rule out, in the same event.
    public func onDelete(_ rule: ReferenceRule) -> Field {
      attribute("onDelete", .text(rule.rawValue))
    }

    /// Returns the same field, which refers to entities of its own collection, with the rule that
    /// no entity is above itself.
    ///
    /// A local write that breaks the rule is refused. After a merge, one reference of each circle
    /// reads NULL, and is listed by `Store.hidden`.
    public func tree() -> Field { attribute("tree", .boolean(true)) }

    /// Returns the same text field, whose changes merge.
    ///
    /// Two authors may change the text while they are apart, and the text has what both typed; see
    /// `WriteTransaction.edit`. An update of such a field is compared with the text that the entity
    /// has, and what differs is written.
    public func merging() -> Field { attribute("merge", .boolean(true)) }

    /// Returns the same field with the value that an entity shows if it has none.
    ///
    /// Rows, indexes, searches and queries all have it, also for entities that are older than the
    /// field. An entity that is set to NULL shows it too, unless the field is ``optional()``.
    /// - Parameter value: a value of the field's type; NULL takes a default back.
    public func `default`(_ value: Value) -> Field { attribute("default", value) }

    /// Returns the same field in which NULL is a value: an entity that is set to NULL shows NULL,
    /// and not the field's default.
    ///
    /// A store writes this for a field with a default only, because another one shows NULL anyway.
    public func optional() -> Field { attribute("optional", .boolean(true)) }

    /// Returns the same field as one that the store keeps and authors cannot write.
    ///
    /// Its value follows from the events alone, so it is the same on every replica.
    public func kept(_ fact: KeptFact) -> Field { attribute("kept", .text(fact.rawValue)) }

    /// Returns the same field under a later name: `.text("headline").formerly("title")`.
    ///
    /// A field's identity is its first name, and events keep using it. The attribute `name` holds
    /// the name that is shown.
    /// - Parameters:
    ///   - first: the first name that the field ever had.
    ///   - others: the names that it had after that and before this one, oldest first.
    public func formerly(_ first: String, _ others: String...) -> Field {
      formerly(first, others)
    }

    package func formerly(_ first: String, _ others: [String]) -> Field {
      var renamed = attribute("name", .text(name))
      renamed.name = first
      renamed.namesBetween = others
      return renamed
    }

    /// The name to show for the field, according to this definition alone.
    public var shownName: String {
      if case .text(let name)? = attributes["name"] { name } else { name }
    }
  }
}

extension Definition {
  /// The attribute that holds the number of the migration which a definition is part of.
  package static let migrationAttribute = "migration"

  /// The number of the migration that the definition is part of; 0 if it is part of none.
  ///
  /// Of two values for one attribute, that of the later migration counts.
  package var migration: Int64 {
    guard case .integer(let number)? = attributes[Self.migrationAttribute] else { return 0 }
    return max(0, number)
  }

  /// Whether the collection is local: durable and searchable as any other, but never synced.
  ///
  /// The first definition of a collection decides this.
  public var isLocal: Bool { attributes["local"] == .boolean(true) }

  /// Returns the same definition as a local collection, which is never synced.
  ///
  /// The settings of a device are an example. A local collection may refer to shared collections,
  /// but not the other way round. One transaction cannot write to both kinds.
  public func local() -> Definition { attribute("local", .boolean(true)) }

  /// Returns the definition with ids that follow from these fields.
  ///
  /// Two replicas that insert the same source, target and kind, for example, then make the same
  /// entity. The key is set when the collection is first defined, and stays.
  /// - Parameter fields: the names of the fields, all of which the definition must have.
  public func keyed(by fields: String...) -> Definition {
    attribute("key", .text(fields.joined(separator: ",")))
  }

  /// Returns the same definition with an index of several fields.
  ///
  ///     .indexed(by: "folder", .descending("modified"), where: "pinned")
  ///
  /// - Parameters:
  ///   - fields: up to eight fields, the one that is compared first before the others.
  ///   - condition: a field that says which rows the index holds. Of a boolean field, those in
  ///     which it is true; of another field, those in which it is not NULL. All rows if nil.
  public func indexed(by fields: IndexedField..., where condition: String? = nil) -> Definition {
    let names = fields.map { ($0.isDescending ? "-" : "") + $0.name }.joined(separator: ",")
    return attribute("index:" + names, condition.map { .text($0) } ?? .boolean(true))
  }

  /// Returns the same definition with the rule that no two live entities have the same values in
  /// these fields together.
  ///
  /// An entity with NULL in one of the fields is like no other. A local write that breaks the rule
  /// is refused. After a merge, the entity that was written first is shown, and the others are
  /// listed by `Store.hidden`.
  /// - Parameter fields: two to eight fields.
  public func unique(_ fields: String...) -> Definition { unique(.exact, fields) }

  /// Returns the same definition with the rule that no two live entities have the same values in
  /// these fields together.
  /// - Parameters:
  ///   - rule: how values are compared. With `.folded`, texts are compared without case.
  ///   - fields: two to eight fields, of which at least one is a text if the rule is `.folded`.
  public func unique(_ rule: Uniqueness, _ fields: String...) -> Definition {
    unique(rule, fields)
  }

  private func unique(_ rule: Uniqueness, _ fields: [String]) -> Definition {
    attribute("unique:" + fields.joined(separator: ","), rule.attribute)
  }

  /// Returns the same definition as a relationship collection, whose entities have a `source` and a
  /// `target` in any collection.
  public func relationship() -> Definition { attribute("relationship", .boolean(true)) }

  /// Returns the definition as a relationship collection that leads from entities of one collection
  /// to those of another, or of the same one.
  ///
  /// The graph looks for the ends in these collections only.
  public func connecting(_ source: String, to target: String) -> Definition {
    var connecting = relationship()
    for (end, collection) in [("source", source), ("target", target)] {
      if let index = connecting.fields.firstIndex(where: { $0.name == end }) {
        connecting.fields[index] = connecting.fields[index].references(collection)
      } else {
        connecting.fields.append(.text(end).references(collection))
      }
    }
    return connecting
  }

  /// Returns the definition of a relationship collection with all relationships followed both ways.
  public func undirected() -> Definition { attribute("directed", .boolean(false)) }

  /// Returns the definition of a relationship collection with a boolean field that says which
  /// relationships are directed.
  ///
  /// A relationship with false in that field is followed both ways.
  public func directed(by field: String) -> Definition { attribute("directed", .text(field)) }

  /// Returns the same definition with a search index that takes words as they stand, without
  /// reducing them to their English stem: for names, codes, and other languages.
  public func unstemmed() -> Definition { attribute("tokenizer", .text("words")) }
}

/// What becomes of an entity when the entity that it refers to is deleted.
public enum ReferenceRule: String, CaseIterable, Sendable {
  /// It is deleted as well.
  case cascade
  /// Its reference becomes NULL.
  case nullify
  /// It stays as it is, and refers to a deleted entity.
  case keep
}

/// A fact about an entity that a store keeps in a field, from the events that wrote to the entity.
public enum KeptFact: String, CaseIterable, Sendable {
  /// When the entity was first inserted, by its author's clock; of type timestamp.
  case created
  /// When the entity was last written to, by the latest of its authors' clocks; of type timestamp.
  case modified
  /// The number of writes to the entity; of type integer.
  case version
}

extension Definition {
  /// A field of an index: its name, and which way the index sorts it.
  public struct IndexedField: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the field.
    public var name: String
    /// Whether the index sorts the field downwards.
    public var isDescending: Bool

    public init(stringLiteral name: String) { self.init(name, isDescending: false) }

    private init(_ name: String, isDescending: Bool) {
      self.name = name
      self.isDescending = isDescending
    }

    /// A field that the index sorts upwards, as a text in quotes does.
    public static func ascending(_ name: String) -> IndexedField {
      IndexedField(name, isDescending: false)
    }

    /// A field that the index sorts downwards.
    public static func descending(_ name: String) -> IndexedField {
      IndexedField(name, isDescending: true)
    }
  }
}
