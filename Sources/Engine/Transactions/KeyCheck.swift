package import DaybookEventCore
package import DaybookProjections

/// The checks of local writes to collections whose ids are derived from a key.
package enum KeyCheck {
  /// Returns the derived id of an entity that is inserted without one.
  /// - Throws: ``StoreError`` `invalidID` if the collection has no key or a field of it has no
  ///   value; `unknownName`, `wrongType`.
  package static func derivedID(_ fields: [String: Value], _ schema: CollectionSchema)
    throws(StoreError)
    -> String
  {
    let canonical = try FieldCheck.canonical(fields, schema)
    try requireWhole(canonical, schema)
    guard let id = schema.derivedID(canonical) else {
      throw StoreError(
        .invalidID, "an entity of \(schema.name) needs an id",
        hint: "Give one, or define a collection whose ids follow from a key")
    }
    return id
  }

  /// Checks that a given id is the one that follows from the key, if the collection has one.
  /// - Parameter fields: the fields as they will be written.
  /// - Throws: ``StoreError`` `invalidID`.
  static func require(_ id: String, _ fields: [String: Value], _ schema: CollectionSchema)
    throws(StoreError)
  {
    guard let derived = schema.derivedID(fields), !derived.utf8.elementsEqual(id.utf8) else {
      return
    }
    try requireWhole(fields, schema)
    throw StoreError(
      .invalidID,
      "the id of this entity of \(schema.name) follows from \(list(schema)): it is “\(derived)”, "
        + "not “\(id)”", hint: "Leave the id out, or give that one")
  }

  /// Checks that every field of the key has a value: all entities without one would otherwise be
  /// the same entity.
  private static func requireWhole(_ fields: [String: Value], _ schema: CollectionSchema)
    throws(StoreError)
  {
    guard let missing = schema.key.first(where: { fields[$0] ?? .null == .null }) else { return }
    let name = schema[field: missing]?.name ?? missing
    throw StoreError(
      .invalidID,
      "an entity of \(schema.name) needs a value in \(name): its id follows from \(list(schema))",
      hint: "Give \(name) a value")
  }

  /// Checks that an update changes no field of the key.
  /// - Parameter changed: the fields that the update changes, by identity.
  /// - Throws: ``StoreError`` `fixedKey`.
  static func requireUnchanged(_ changed: [String: Value], _ schema: CollectionSchema)
    throws(StoreError)
  {
    guard let field = schema.key.first(where: { changed[$0] != nil }) else { return }
    let name = schema[field: field]?.name ?? field
    throw StoreError(
      .fixedKey, "\(schema.name).\(name) cannot change: ids follow from \(list(schema))",
      hint: "Delete the entity, and insert another")
  }

  /// Checks that the key of a definition is valid, and is the one that the collection has.
  static func require(_ definition: Definition, _ known: CollectionSchema?) throws(StoreError) {
    guard let value = definition.attributes["key"] else { return }
    let name = definition.collection
    let key = CollectionSchema.key(value)
    guard value == .null || !key.isEmpty else {
      throw StoreError(
        .invalidName, "the key of \(name) is not a list of fields",
        hint: "Name different fields, separated by commas: source,target,kind")
    }
    if let known {
      guard key.map({ known[field: $0]?.identity ?? $0 }) != known.key else { return }
      throw StoreError(
        .contradiction,
        "the store has \(name) with \(description(known.key)), and the definition gives it "
          + description(key), hint: "A key stays as it was first defined; use another name")
    }
    let isRelationship = definition.attributes["relationship"] == .boolean(true)
    let fields =
      definition.fields.flatMap { [$0.name, $0.shownName] }
      + (isRelationship ? ["source", "target"] : [])
    if let missing = key.first(where: { !fields.contains($0) }) {
      throw StoreError(
        .unknownName, "the key of \(name) names “\(missing)”, which is none of its fields",
        hint: "Define the field in the same definition")
    }
  }

  /// Returns the key of a definition by the first names of its fields; nil if it has none.
  static func identities(_ definition: Definition) -> String? {
    guard let value = definition.attributes["key"], value != .null else { return nil }
    return CollectionSchema.key(value).map { name in
      definition.fields.first { $0.shownName == name }?.name ?? name
    }.joined(separator: ",")
  }

  /// Checks that a field that is to be dropped is not part of the key.
  /// - Throws: ``StoreError`` `fixedKey`.
  static func requireNoPart(_ field: FieldSchema, of schema: CollectionSchema)
    throws(StoreError)
  {
    guard schema.key.contains(field.identity) else { return }
    throw StoreError(
      .fixedKey, "\(schema.name).\(field.name) cannot go: ids follow from \(list(schema))",
      hint: "Drop the collection instead")
  }

  private static func list(_ schema: CollectionSchema) -> String {
    schema.key.map { schema[field: $0]?.name ?? $0 }.joined(separator: ", ")
  }

  private static func description(_ key: [String]) -> String {
    key.isEmpty ? "no key" : "the key \(key.joined(separator: ", "))"
  }
}
