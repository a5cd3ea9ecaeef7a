import DaybookEventCore
import DaybookProjections

/// Finds what the store does not have yet, and what contradicts it.
extension DefinitionCheck {
  func missing(
    _ field: Definition.Field, _ known: CollectionSchema, _ position: inout Int64
  ) throws(StoreError) -> Definition.Field? {
    let identity = field.name
    guard let present = known[field: identity] else {
      try requireNoCaseClash(identity, Self.names(known), "field")
      if field.shownName != identity { try requireFree(field.shownName, known, except: nil) }
      let complete = try complete(field, of: known.name, position, isEnd: false)
      position += 1
      return complete
    }
    if let type = field.attributes["type"], type != .text(present.type.rawValue) {
      guard case .text(let wanted) = type else {
        throw Self.badAttribute("\(known.name).\(field.name)", "type")
      }
      throw StoreError(
        .contradiction,
        "the store has \(known.name).\(field.name) as \(present.type.rawValue), and the definition "
          + "makes it \(wanted)",
        hint: "A field keeps its type; add a field of another name")
    }
    try Self.requireSense(field, of: known.name)
    if isOpening { try requireIdentity(field, present, known.name) }
    try requireNoSharedDefault(field, present, known.name)
    var left = try DefaultCheck.canonical(field, present.type, known.name)
    left.name = present.identity
    left.attributes["type"] = nil
    // Other versions of the app read what entities show that are older than the field.
    if isOpening { left.attributes["default"] = nil }
    let preset = left.attributes["default"] ?? present.defaultValue
    if preset ?? .null == .null { left.attributes["optional"] = nil }
    left.attributes = left.attributes.filter {
      isNews($0.value, known.name, present.identity, $0.key)
    }
    if let name = try renaming(field, present, known) {
      left.attributes["name"] = .text(name)
    } else {
      left.attributes["name"] = nil
    }
    if (field.attributes["index"] == .boolean(true)) == present.isIndexed {
      left.attributes["index"] = nil
    }
    try Self.requireText(
      field.attributes["unique"], type: present.type, "\(known.name).\(present.name)")
    if let unique = field.attributes["unique"], Uniqueness(unique) == present.uniqueness,
      !Uniqueness.isUnknown(self.known(known.name, present.identity, "unique")?.value)
    {
      left.attributes["unique"] = nil
    }
    if let tree = field.attributes["tree"], (tree == .boolean(true)) == present.isTree {
      left.attributes["tree"] = nil
    }
    try Self.requireTree(
      field.attributes["tree"], type: present.type,
      references: field.attributes["references"] ?? present.references.map { .text($0) },
      "\(known.name).\(present.name)", known.name)
    if let search = field.attributes["search"], Self.weight(search) == present.searchWeight {
      left.attributes["search"] = nil
    }
    if let references = field.attributes["references"],
      references == present.references.map({ .text($0) }) ?? .null
    {
      left.attributes["references"] = nil
    }
    return left.attributes.isEmpty ? nil : left
  }

  /// Returns the name that a field is to get; nil if it has got that name already, or the
  /// definition gives none.
  func renaming(
    _ field: Definition.Field, _ present: FieldSchema, _ known: CollectionSchema
  ) throws(StoreError) -> String? {
    guard let value = field.attributes["name"] else { return nil }
    let isEnd = known.isRelationship && ["source", "target"].contains(present.identity)
    guard case .text(let name) = value, Names.isValidField(name), !isEnd else {
      throw Self.badAttribute("\(known.name).\(field.name)", "name")
    }
    // A merge may show the name for another field, although this field has been given it already.
    guard name != present.name, self.known(known.name, present.identity, "name")?.value != value
    else { return nil }
    // A name that the type does not know as an earlier one is that of a later version.
    let isLater = ([present.identity] + field.namesBetween).contains(present.name)
    if isOpening, !isLater { return nil }
    try requireFree(name, known, except: present)
    return name
  }

  /// Checks that a unique field has no default.
  ///
  /// All entities that are older than the field would have the same value.
  func requireNoSharedDefault(
    _ field: Definition.Field, _ present: FieldSchema?, _ collection: String
  ) throws(StoreError) {
    // What another version of the app has said counts only if the definition changes something.
    let present = isOpening ? nil : present
    let isUnique = field.attributes["unique"].map { Uniqueness($0) != nil } ?? present?.isUnique
    let preset = field.attributes["default"] ?? present?.defaultValue
    guard isUnique == true, let preset, preset != .null else { return }
    throw StoreError(
      .contradiction,
      "\(collection).\(field.shownName) is unique, and has the default \(preset.shown) for all "
        + "entities that are older than the field",
      hint: "Make the property optional, or leave out the default or the rule")
  }

  /// Returns the definition of a new collection, with the defaults for what it leaves out.
  func complete(_ definition: Definition) throws(StoreError) -> Definition {
    var complete = definition
    try requireSameKind(definition)
    // A collection without the attribute `local` is shared.
    if !definition.isLocal { complete.attributes["local"] = nil }
    let isRelationship = definition.attributes["relationship"] == .boolean(true)
    complete.attributes["directed"] = try RelationshipCheck.directed(definition, nil)
    complete.fields = []
    if let key = KeyCheck.identities(definition) { complete.attributes["key"] = .text(key) }
    for field in definition.fields {
      let isEnd = isRelationship && (field.name == "source" || field.name == "target")
      complete.fields.append(
        try self.complete(
          field, of: complete.collection, Int64(complete.fields.count), isEnd: isEnd))
    }
    let name = definition.collection
    complete.attributes = complete.attributes.filter { isNews($0.value, name, "", $0.key) }
    return complete
  }

  /// Checks that a collection that was dropped comes back as what it was.
  func requireSameKind(_ definition: Definition) throws(StoreError) {
    let name = definition.collection
    guard known(name, "", DefinitionRegisters.existence) != nil else { return }
    let was = known(name, "", "relationship")?.value == .boolean(true)
    guard was == (definition.attributes["relationship"] == .boolean(true)) else {
      throw StoreError(
        .contradiction,
        "\(name) was \(Self.kind(was)) before it was dropped, and the definition makes it "
          + Self.kind(!was),
        hint: "Use another name")
    }
    let key = KeyCheck.identities(definition).map { Value.text($0) }
    guard key ?? .null == known(name, "", "key")?.value ?? .null else {
      throw StoreError(
        .contradiction, "\(name) had another key before it was dropped",
        hint: "Define it with the same key, or use another name")
    }
  }

  func complete(
    _ field: Definition.Field, of collection: String, _ position: Int64, isEnd: Bool
  ) throws(StoreError) -> Definition.Field {
    for name in [field.name, field.shownName] {
      guard Names.isValidField(name) else { throw Self.invalid(name) }
    }
    var complete = field
    // A field that was dropped has its type for ever, because its values have it.
    let first = known(collection, field.name, "type")?.value
    if field.attributes["type"] == nil { complete.attributes["type"] = first ?? .text("text") }
    if let first, first != complete.attributes["type"] {
      throw StoreError(
        .contradiction,
        "the store has \(collection).\(field.name) as \(Self.typeName(first)), though dropped or "
          + "hidden, and the definition makes it \(Self.typeName(complete.attributes["type"]))",
        hint: "A field keeps its type; add a field of another name")
    }
    guard case .text(let type)? = complete.attributes["type"], FieldType(rawValue: type) != nil,
      !isEnd || type == "text"
    else { throw Self.badAttribute("\(collection).\(field.name)", "type") }
    try Self.requireSense(field, of: collection)
    try Self.requireTree(
      field.attributes["tree"], type: FieldType(rawValue: type) ?? .text,
      references: field.attributes["references"], "\(collection).\(field.name)", collection)
    try Self.requireText(
      field.attributes["unique"], type: FieldType(rawValue: type) ?? .text,
      "\(collection).\(field.name)")
    try requireNoSharedDefault(field, nil, collection)
    complete = try DefaultCheck.canonical(complete, FieldType(rawValue: type) ?? .text, collection)
    if complete.attributes["position"] == nil {
      complete.attributes["position"] = .integer(position)
    }
    for attribute in ["default", "kept"] where isEnd && field.attributes[attribute] != nil {
      throw Self.badAttribute("\(collection).\(field.name)", attribute)
    }
    guard !isEnd || field.attributes["name"] == nil else {
      throw Self.badAttribute("\(collection).\(field.name)", "name")
    }
    // A dropped field comes back under its first name, unless the definition gives another.
    if field.attributes["name"] == nil, !isOpening,
      case .text(let name)? = known(collection, field.name, "name")?.value,
      name != field.name
    {
      complete.attributes["name"] = .text(field.name)
    }
    if isOpening, first != nil { complete.attributes["default"] = nil }
    if complete.attributes["default"] ?? .null == .null { complete.attributes["optional"] = nil }
    complete.attributes = complete.attributes.filter {
      isNews($0.value, collection, field.name, $0.key)
    }
    return complete
  }

  static func typeName(_ value: Value?) -> String {
    if case .text(let name)? = value { name } else { value?.shown ?? "" }
  }
}
