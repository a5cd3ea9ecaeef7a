import DaybookEventCore
import DaybookProjections

/// The check of a definition's indexes of several fields, and of its fields that are unique
/// together.
enum IndexCheck {
  /// Returns the definition with such attributes as they are written: with fields by their first
  /// names.
  /// - Parameter known: the collection as the store has it; nil if it is new.
  /// - Throws: ``StoreError`` `invalidName`, `unknownName` or `overLimit`.
  static func canonical(_ definition: Definition, _ known: CollectionSchema?)
    throws(StoreError)
    -> Definition
  {
    var canonical = definition
    for (attribute, value) in definition.attributes {
      for prefix in [IndexSchema.attribute, IndexSchema.uniqueAttribute]
      where attribute.hasPrefix(prefix) {
        let isUnique = prefix == IndexSchema.uniqueAttribute
        let names = IndexSchema.names(attribute, prefix)
        try requireCount(names, definition.collection)
        var identities: [String] = []
        for name in names {
          let isDescending = !isUnique && name.hasPrefix("-")
          let field = try identity(String(name.dropFirst(isDescending ? 1 : 0)), definition, known)
          if isUnique { try requireWritten(field, definition, known) }
          identities.append((isDescending ? "-" : "") + field)
        }
        // A renamed field may be named twice: by its first name and by its later one.
        try requireCount(identities, definition.collection)
        canonical.attributes[attribute] = nil
        let name = prefix + identities.joined(separator: ",")
        guard name.utf8.count <= 255 else {
          throw StoreError(
            .invalidName, "the names of an index of \(definition.collection) are too long",
            hint: "Together they have up to 240 characters")
        }
        canonical.attributes[name] = try self.value(value, isUnique, definition, known)
        if isUnique { try requireText(value, identities, definition, known) }
      }
    }
    try requireRoom(canonical, known)
    return canonical
  }

  private static func value(
    _ value: Value, _ isUnique: Bool, _ definition: Definition, _ known: CollectionSchema?
  ) throws(StoreError) -> Value {
    switch value {
    case .null, .boolean: return value
    case .text(let field) where !isUnique: return .text(try identity(field, definition, known))
    case .text where Uniqueness(value) != nil: return value
    case .text:
      throw StoreError(
        .invalidName,
        "a rule of \(definition.collection) about unique values is \(value.shown), which this "
          + "version does not know",
        hint: "Give true, false, or “folded-1” for texts that are compared without case by table 1")
    default:
      throw StoreError(
        .invalidName, "an index of \(definition.collection) is \(value.shown)",
        hint: "It is true, false or, for an index of some of the rows, the name of a field")
    }
  }

  private static func identity(
    _ name: String, _ definition: Definition, _ known: CollectionSchema?
  ) throws(StoreError) -> String {
    if let field = definition.fields.first(where: { $0.shownName == name }) { return field.name }
    if let field = known?[field: name] { return field.identity }
    let isRelationship =
      known?.isRelationship ?? (definition.attributes["relationship"] == .boolean(true))
    if isRelationship, name == "source" || name == "target" { return name }
    throw StoreError(
      .unknownName,
      "an index of \(definition.collection) names \(name.quotedForMessage), which is no field",
      hint: "Define the field, in the same definition or before")
  }

  /// Checks that one of the fields is a text, if texts are compared without case.
  private static func requireText(
    _ value: Value, _ fields: [String], _ definition: Definition, _ known: CollectionSchema?
  ) throws(StoreError) {
    guard Uniqueness(value) == .folded else { return }
    let hasText = fields.contains { field in
      if let present = known?[identity: field] { return present.type == .text }
      let type = definition.fields.first { $0.name == field }?.attributes["type"]
      return type ?? .text("text") == .text("text")
    }
    guard !hasText else { return }
    throw StoreError(
      .wrongType,
      "\(fields.joined(separator: ", ")) of \(definition.collection) cannot be unique without "
        + "case: none of them is a text",
      hint: "Make them unique without “folded”, or add a text")
  }

  /// Checks that authors write a field that is to be unique together with others.
  private static func requireWritten(
    _ field: String, _ definition: Definition, _ known: CollectionSchema?
  ) throws(StoreError) {
    let schema = known?.fields.first { $0.identity == field }
    let defined = definition.fields.first { $0.name == field }?.attributes ?? [:]
    let isKept = schema?.kept != nil || defined["kept"] ?? .null != .null
    guard isKept || schema?.isTree == true || defined["tree"] == .boolean(true) else { return }
    throw StoreError(
      .contradiction,
      "\(definition.collection).\(field) is a tree or kept by the store, so it is not unique",
      hint: "Name fields that authors write, and that refer to nothing above")
  }

  private static func requireCount(_ names: [String], _ collection: String) throws(StoreError) {
    let fields = names.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
    guard (1...IndexSchema.columnsMax).contains(fields.count), Set(fields).count == fields.count
    else {
      throw StoreError(
        .invalidName, "an index of \(collection) names \(fields.joined(separator: ", "))",
        hint: "It has one to \(IndexSchema.columnsMax) fields, each once")
    }
  }

  private static func requireRoom(_ definition: Definition, _ known: CollectionSchema?)
    throws(StoreError)
  {
    for prefix in [IndexSchema.attribute, IndexSchema.uniqueAttribute] {
      let new = definition.attributes.filter { $0.key.hasPrefix(prefix) && $0.value != .null }
      let old =
        prefix == IndexSchema.attribute ? known?.indexes.count : known?.uniqueSets.count
      guard new.count <= IndexSchema.countMax, (old ?? 0) <= IndexSchema.countMax else {
        throw StoreError(
          .overLimit,
          "\(definition.collection) has more than \(IndexSchema.countMax) indexes",
          hint: "Take an index back by defining it as false")
      }
    }
  }
}
