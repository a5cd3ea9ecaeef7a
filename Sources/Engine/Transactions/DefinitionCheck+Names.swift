import DaybookEventCore
import DaybookProjections

/// Checks that names are free, and differ by more than their case.
extension DefinitionCheck {
  /// Checks that a type names a renamed field by its first name.
  ///
  /// By a later name, a store that does not know the field yet would define another one.
  func requireIdentity(
    _ field: Definition.Field, _ present: FieldSchema, _ collection: String
  ) throws(StoreError) {
    guard field.name != present.identity else { return }
    throw StoreError(
      .contradiction,
      "“\(field.name)” is the later name of \(collection).\(present.identity), and the type does "
        + "not say so",
      hint: "Name the first one, then the others: formerly: \"\(present.identity)\", "
        + (field.shownName == field.name ? "…" : "\"\(field.name)\""))
  }

  /// Checks that no other field has the name, neither its current one nor its first.
  func requireFree(
    _ name: String, _ known: CollectionSchema, except field: FieldSchema?
  )
    throws(StoreError)
  {
    guard Names.isValidField(name) else { throw Self.invalid(name) }
    let ends = known.isRelationship ? ["source", "target"] : []
    let others = known.fields.filter { $0.identity != field?.identity }
    guard
      (ends + others.flatMap { [$0.name, $0.identity] }).contains(where: {
        Names.folded($0) == Names.folded(name)
      })
    else { return }
    throw StoreError(
      .contradiction, "\(known.name) has a field “\(name)” already, now or under its first name",
      hint: "Use another name")
  }

  static func names(_ known: CollectionSchema) -> [String] {
    known.fields.flatMap { $0.name == $0.identity ? [$0.name] : [$0.name, $0.identity] }
  }

  func requireNoCaseClash(_ name: String, _ known: some Sequence<String>, _ what: String)
    throws(StoreError)
  {
    guard let other = known.first(where: { Names.folded($0) == Names.folded(name) }) else {
      return
    }
    throw StoreError(
      .invalidName, "there is a \(what) “\(other)”, which SQLite cannot tell from “\(name)”",
      hint: "Use the same spelling, or another name")
  }

  static func requireDistinct(_ definition: Definition) throws(StoreError) {
    var seen: Set<String> = []
    for field in definition.fields {
      for name in Set([Names.folded(field.name), Names.folded(field.shownName)])
      where !seen.insert(name).inserted {
        throw StoreError(
          .invalidName, "the definition of \(definition.collection) names “\(name)” twice")
      }
    }
  }

  /// Checks that no two fields are one field of the store, under its first name and its later one.
  /// An event that names a field twice could not be read again.
  static func requireDistinct(_ definition: Definition, _ known: CollectionSchema)
    throws(StoreError)
  {
    var seen: [String: String] = [:]
    for field in definition.fields {
      guard let identity = known[field: field.name]?.identity else { continue }
      guard let other = seen.updateValue(field.name, forKey: identity) else { continue }
      throw StoreError(
        .contradiction,
        "the definition of \(known.name) has the fields \(other) and \(field.name), which are one "
          + "field of the store: it was renamed",
        hint: "A field keeps its first name; use a name that no field has had")
    }
  }
}
