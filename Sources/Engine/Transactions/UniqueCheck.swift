import DaybookEventCore
import DaybookProjections

/// The rule for unique fields: no two entities have the same value, or the same values together.
///
/// It binds local writes only. A merge may bring the same values twice; the later entity is then
/// parked.
struct UniqueCheck {
  let transaction: WriteTransaction

  /// Checks that no other entity has the values that a write gives to unique fields.
  /// - Parameters:
  ///   - changed: the values that the write gives, by the fields' identities.
  ///   - schema: the entity's collection.
  ///   - handle: the entity.
  /// - Throws: ``StoreError`` `valueTaken`.
  func require(_ changed: [String: Value], _ schema: CollectionSchema, _ handle: EntityHandle)
    throws
  {
    guard schema.fields.contains(where: \.isUnique) || !schema.uniqueSets.isEmpty else { return }
    // An entity that comes, or comes back, claims all of its values.
    let after = handle.isLive ? handle.values.merging(changed) { $1 } : changed
    for rule in transaction.projector.uniqueRules(schema) {
      let values = rule.fields.map { after[$0.identity] ?? $0.defaultValue ?? .null }
      // An entity with NULL in one of the fields is like no other.
      guard !handle.isLive || rule.fields.contains(where: { changed[$0.identity] != nil }),
        !values.contains(.null),
        let owner = try transaction.projected().otherHolder(of: after, in: rule, than: handle)
      else { continue }
      let clash = StoreError.UniqueClash(
        collection: schema.name, fields: rule.fields.map(\.name), uniqueness: rule.uniqueness,
        values: values, owner: owner.id, ownersValues: owner.values)
      let types = transaction.writer.types
      let isForeign =
        rule.fields.count == 1
        && types.lacksRule(rule.uniqueness, rule.fields[0].identity, of: schema.name)
      throw refusal(
        clash,
        "\(clash.name) must be \(clash.rule), and “\(owner.id)” has "
          + "\(StoreError.UniqueClash.shown(owner.values)) already",
        hint: "Give another value, or change “\(owner.id)” first"
          + (isForeign
            ? ". Another version of the app has the rule; define(_:) of the type, in a migration, "
              + "takes it away" : ""))
    }
  }

  /// Checks that no two entities have the same values in fields that a definition makes unique.
  ///
  /// One of the two would disappear from the table.
  /// - Throws: ``StoreError`` `valueTaken`.
  func require(_ missing: Definition, _ schema: CollectionSchema) throws {
    var rules: [Projector.UniqueFields] = []
    for wanted in missing.fields {
      guard let rule = Uniqueness(wanted.attributes["unique"]),
        let field = schema[field: wanted.name], field.uniqueness != rule
      else { continue }
      rules.append(.init([field], rule))
    }
    for (attribute, value) in missing.attributes {
      guard attribute.hasPrefix(IndexSchema.uniqueAttribute), let rule = Uniqueness(value)
      else {
        continue
      }
      let names = IndexSchema.names(attribute, IndexSchema.uniqueAttribute)
      guard !schema.uniqueSets.contains(.init(fields: names, uniqueness: rule)) else { continue }
      // A field that the collection does not have yet shows the same everywhere: its default, or
      // NULL, and then no entity is like another.
      let new = names.filter { name in !schema.fields.contains { $0.identity == name } }
      let areDefaults = new.allSatisfy { name in
        missing.fields.first { $0.name == name }?.attributes["default"] ?? .null != .null
      }
      let fields = names.compactMap { name in schema.fields.first { $0.identity == name } }
      if areDefaults { rules.append(.init(fields, rule)) }
    }
    for rule in rules {
      guard
        let found = try transaction.projected().duplicate(in: schema, rule: rule)
      else { continue }
      let (ids, values) = (found.ids, found.values)
      let clash = StoreError.UniqueClash(
        collection: schema.name, fields: rule.fields.map(\.name), uniqueness: rule.uniqueness,
        values: values.1, owner: ids.0, ownersValues: values.0)
      let both =
        StoreError.UniqueClash.shown(values.0) == StoreError.UniqueClash.shown(values.1)
        ? "“\(ids.0)” and “\(ids.1)” both have \(StoreError.UniqueClash.shown(values.0))"
        : "“\(ids.0)” has \(StoreError.UniqueClash.shown(values.0)), and “\(ids.1)” has "
          + StoreError.UniqueClash.shown(values.1)
      throw refusal(
        clash,
        "\(clash.name) cannot become \(clash.rule), because that would hide \(found.count) "
          + "\(found.count == 1 ? "entity" : "entities"): \(both)",
        hint: "Change the others or delete them first, as a migration does")
    }
  }

  private func refusal(_ clash: StoreError.UniqueClash, _ message: String, hint: String)
    -> StoreError
  {
    var error = StoreError(.valueTaken, message, hint: hint)
    error.clash = clash
    return error
  }
}
