package import DaybookEventCore
package import DaybookProjections

/// What the types say with which an app has opened a store, whatever other versions of the app say.
package struct AppTypes: Sendable {
  private struct Reference: Sendable {
    var target: String
    var rule: ReferenceRule
  }

  /// By collection, then by the field's first name.
  private var references: [String: [String: Reference]] = [:]
  /// Have the layouts know where the store may show other defaults than they do.
  private var comparisons: [String: @Sendable (CollectionSchema) -> Void] = [:]
  /// The rules about unique values of each collection, by the first names of the fields.
  private var uniques: [String: [String: Uniqueness]] = [:]

  init() {}

  /// - Parameter types: the definition that each type declares, and how its layout gets to know
  ///   where a store shows other defaults than it does.
  package init(
    _ types: [(definition: Definition, compare: @Sendable (CollectionSchema) -> Void)]
  ) {
    for (definition, compare) in types {
      comparisons[definition.collection] = compare
      var found: [String: Reference] = [:]
      for field in definition.fields {
        guard case .text(let target)? = field.attributes["references"] else { continue }
        var rule = ReferenceRule.keep
        if case .text(let name)? = field.attributes["onDelete"] {
          rule = ReferenceRule(rawValue: name) ?? .keep
        }
        found[field.name] = Reference(target: target, rule: rule)
      }
      references[definition.collection] = found
      var rules: [String: Uniqueness] = [:]
      for field in definition.fields { rules[field.name] = Uniqueness(field.attributes["unique"]) }
      uniques[definition.collection] = rules
    }
  }

  /// Has the types know where a store shows other defaults than they do.
  package func compare(with schema: StoreSchema) {
    for (name, compare) in comparisons {
      if let collection = schema[name] { compare(collection) }
    }
  }

  /// Whether a type declares the collection, and not that a field of it is unique in this way.
  func lacksRule(_ rule: Uniqueness, _ identity: String, of collection: String) -> Bool {
    uniques[collection].map { $0[identity] != rule } ?? false
  }

  /// Whether a type declares the collection.
  package func declares(_ collection: String) -> Bool { references[collection] != nil }

  /// Returns a field of the store with the reference and the rule of the type that declares its
  /// collection. Without such a type, those of the store count.
  func ruled(_ field: FieldSchema, of collection: CollectionSchema) -> FieldSchema {
    guard let declared = references[collection.name] else { return field }
    var ruled = field
    let reference = declared[field.identity]
    ruled.references = reference?.target
    ruled.onDelete = reference?.rule ?? .keep
    let isEnd = collection.isRelationship && ["source", "target"].contains(field.identity)
    // An end of a relationship cannot become NULL, so the relationship is deleted instead.
    if isEnd, ruled.onDelete == .nullify { ruled.onDelete = .cascade }
    return ruled
  }
}
