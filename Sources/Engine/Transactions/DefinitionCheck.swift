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

  let schema: StoreSchema
  let limits: ReadModelLimits
  let purpose: Purpose
  /// Returns what an attribute was given, by collection, field (empty for an attribute of the
  /// collection itself) and attribute; nil if nobody gave it anything.
  let known: (String, String, String) -> Known?

  package init(
    _ schema: StoreSchema, _ limits: ReadModelLimits, _ purpose: Purpose,
    known: @escaping (String, String, String) -> Known?
  ) {
    self.schema = schema
    self.limits = limits
    self.purpose = purpose
    self.known = known
  }

  var isOpening: Bool { if case .opening = purpose { true } else { false } }

  /// Whether an attribute is to be written.
  func isNews(_ value: Value, _ collection: String, _ field: String, _ attribute: String)
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
  func numbered(_ definition: Definition) -> Definition {
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
}
