package import DaybookEventCore
package import DaybookProjections

/// Compares a definition with the store's and finds what has to be written.
///
/// What contradicts the store is an error that names both. See decision 0072 for what is written.
package struct DefinitionCheck {
  /// What a definition is for.
  package enum Purpose {
    /// An app that opens the store has it among its types. Only what nobody has said so far is
    /// written, so that no version of the app takes back what another one has said. `after` is the
    /// highest number of the app's migrations, all of which have run; nil if there are none.
    case opening(after: Int64?)
    /// A transaction makes the store be as the definition says. `migration` is the number of the
    /// migration that runs; nil if none does.
    case change(migration: Int64?)
  }

  /// The value that an attribute shows, and the number of the migration that gave it, or 0.
  package typealias Known = (value: Value, migration: Int64)

  private let schema: StoreSchema
  private let limits: ReadModelLimits
  private let purpose: Purpose
  /// Returns what an attribute was given, by collection, field (empty for an attribute of the
  /// collection itself) and attribute; nil if nobody gave it anything.
  private let known: (String, String, String) -> Known?

  package init(
    _ schema: StoreSchema, _ limits: ReadModelLimits, _ purpose: Purpose,
    known: @escaping (String, String, String) -> Known?
  ) {
    self.schema = schema
    self.limits = limits
    self.purpose = purpose
    self.known = known
  }

  private var isOpening: Bool { if case .opening = purpose { true } else { false } }

  /// Whether an attribute is to be written.
  private func isNews(_ value: Value, _ collection: String, _ field: String, _ attribute: String)
    -> Bool
  {
    guard let given = known(collection, field, attribute) else { return true }
    switch purpose {
    case .opening: return false
    case .change(let migration):
      // What a later migration has said counts before what an earlier one says.
      return given.value != value && given.migration <= migration ?? .max
    }
  }

  /// Returns the definition with the number of the migration that it needs to count.
  private func numbered(_ definition: Definition) -> Definition {
    var number: Int64 = 0
    switch purpose {
    case .change(let migration?): number = migration
    // A migration that another device runs late is one of an earlier version, and takes nothing
    // back.
    case .opening(let after): number = after.map { min($0, .max - 1) + 1 } ?? 0
    case .change(nil):
      let name = definition.collection
      for attribute in definition.attributes.keys {
        number = max(number, known(name, "", attribute)?.migration ?? 0)
      }
      for field in definition.fields {
        for attribute in field.attributes.keys {
          number = max(number, known(name, field.name, attribute)?.migration ?? 0)
        }
      }
    }
    var numbered = definition
    numbered.attributes[Definition.migrationAttribute] = number > 0 ? .integer(number) : nil
    return numbered
  }

  /// Checks a definition against the store.
  /// - Returns: the part of the definition that the store lacks; nil if it has everything.
  /// - Throws: ``StoreError`` `invalidName`, `unknownName`, `contradiction` or `overLimit`.
  package func missing(_ definition: Definition) throws(StoreError) -> Definition? {
    var definition = definition
    definition.attributes[Definition.migrationAttribute] = nil
    return try part(definition).map(numbered)
  }

  private func part(_ definition: Definition) throws(StoreError) -> Definition? {
    let name = definition.collection
    guard Names.isValid(name) else { throw Self.invalid(name) }
    try Self.requireNames(definition.attributes, of: name)
    try Self.requireDistinct(definition)
    try requireScope(definition)
    try KeyCheck.require(definition, schema[name])
    try Self.requireTokenizer(definition)
    let definition = try IndexCheck.canonical(definition, schema[name])
    guard let known = schema[name] else {
      try requireNoCaseClash(name, [schema.spelling(of: name)].compactMap(\.self), "collection")
      try requireRoom(definition, nil)
      return try complete(definition)
    }
    if let value = definition.attributes["relationship"],
      (value == .boolean(true)) != known.isRelationship
    {
      throw StoreError(
        .contradiction,
        "the store has \(name) as \(Self.kind(known.isRelationship)), and the definition makes it "
          + Self.kind(!known.isRelationship),
        hint: "Use another name")
    }
    var missing = definition
    missing.attributes["relationship"] = nil
    missing.attributes["key"] = nil
    missing.attributes["local"] = nil
    missing.attributes["directed"] = try RelationshipCheck.directed(definition, known)
    missing.attributes = missing.attributes.filter { isNews($0.value, name, "", $0.key) }
    missing.fields = []
    try Self.requireDistinct(definition, known)
    var position = Int64(known.fields.count)
    for field in definition.fields {
      if let left = try self.missing(field, known, &position) { missing.fields.append(left) }
    }
    if missing.fields.isEmpty, missing.attributes.isEmpty { return nil }
    try requireRoom(missing, known)
    return definition.isLocal ? missing.local() : missing
  }

  /// Checks that the collection stays local or shared, as it was first defined, and that no shared
  /// collection refers to a local one.
  ///
  /// Such a reference would lead nowhere on all other replicas.
  private func requireScope(_ definition: Definition) throws(StoreError) {
    let name = definition.collection
    switch definition.attributes["local"] {
    case nil, .boolean?: break
    default: throw Self.badAttribute(name, "local")
    }
    if let known = schema[name], known.isLocal != definition.isLocal {
      throw StoreError(
        .contradiction,
        known.isLocal
          ? "the store has \(name) as a local collection, and the definition makes it a shared one"
          : "the store has \(name) as a shared collection, and the definition makes it a local one",
        hint: known.isLocal
          ? "Say that it is local in the definition, too, or use another name" : "Use another name")
    }
    if definition.isLocal {
      let shared = schema.collections.values.lazy.filter { !$0.isLocal }
      for collection in Array(shared) + schema.hidden.map(\.schema) {
        guard let field = collection.fields.first(where: { $0.references == name }) else {
          continue
        }
        throw Self.dangling("\(collection.name).\(field.name)", name)
      }
    } else {
      for field in definition.fields {
        guard case .text(let target)? = field.attributes["references"],
          schema[target]?.isLocal == true
        else { continue }
        throw Self.dangling("\(name).\(field.shownName)", target)
      }
    }
  }

  /// Checks that the read model can show what the definition adds.
  ///
  /// The limits hold for local definitions. If a merge brings more, the first collections and
  /// fields are shown, and the others are listed.
  private func requireRoom(_ missing: Definition, _ known: CollectionSchema?)
    throws(StoreError)
  {
    func refuse(_ what: String, _ limit: Int) -> StoreError {
      StoreError(
        .overLimit, "a read model shows no more than \(limit) \(what)",
        hint: "Keep what belongs together in one collection, and lists of values in a JSON field")
    }
    if known == nil, schema.collections.count >= limits.collections {
      throw refuse("collections", limits.collections)
    }
    let new = missing.fields.filter { known?[field: $0.name] == nil }
    let fields = (known?.fields.count ?? 0) + new.count
    guard fields <= limits.fields else {
      throw refuse("fields of a collection (\(missing.collection))", limits.fields)
    }
    var searched = Set(known?.searchable.map(\.identity) ?? [])
    for field in missing.fields {
      guard let search = field.attributes["search"] else { continue }
      if Self.weight(search) == nil {
        searched.remove(field.name)
      } else {
        searched.insert(field.name)
      }
    }
    guard searched.count <= limits.searchedFields else {
      throw refuse("searched fields of a collection (\(missing.collection))", limits.searchedFields)
    }
  }

  /// Returns the errors that shared collections refer to local ones, neither of which need be
  /// defined yet.
  package static func danglingReferences(from shared: [Definition], to local: [Definition])
    -> [StoreError]
  {
    let names = Set(local.map(\.collection))
    return shared.flatMap { definition in
      definition.fields.compactMap { field in
        guard case .text(let target)? = field.attributes["references"], names.contains(target)
        else { return nil }
        return dangling("\(definition.collection).\(field.shownName)", target)
      }
    }
  }

  private static func dangling(_ field: String, _ target: String) -> StoreError {
    StoreError(
      .contradiction,
      "the shared field \(field) refers to \(target), which is local: no other replica has that",
      hint: "Make both local, or leave out what the field references")
  }

  private func missing(
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
  private func renaming(
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

  /// Checks that a type names a renamed field by its first name.
  ///
  /// By a later name, a store that does not know the field yet would define another one.
  private func requireIdentity(
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

  /// Checks that a unique field has no default.
  ///
  /// All entities that are older than the field would have the same value.
  private func requireNoSharedDefault(
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

  /// Checks that no other field has the name, neither its current one nor its first.
  private func requireFree(
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

  private static func names(_ known: CollectionSchema) -> [String] {
    known.fields.flatMap { $0.name == $0.identity ? [$0.name] : [$0.name, $0.identity] }
  }

  /// Returns the definition of a new collection, with the defaults for what it leaves out.
  private func complete(_ definition: Definition) throws(StoreError) -> Definition {
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
  private func requireSameKind(_ definition: Definition) throws(StoreError) {
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

  private func complete(
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

  private static func typeName(_ value: Value?) -> String {
    if case .text(let name)? = value { name } else { value?.shown ?? "" }
  }

  private func requireNoCaseClash(_ name: String, _ known: some Sequence<String>, _ what: String)
    throws(StoreError)
  {
    guard let other = known.first(where: { Names.folded($0) == Names.folded(name) }) else {
      return
    }
    throw StoreError(
      .invalidName, "there is a \(what) “\(other)”, which SQLite cannot tell from “\(name)”",
      hint: "Use the same spelling, or another name")
  }

  private static func requireDistinct(_ definition: Definition) throws(StoreError) {
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
  private static func requireDistinct(_ definition: Definition, _ known: CollectionSchema)
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
