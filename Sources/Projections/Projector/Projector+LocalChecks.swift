package import DaybookEventCore

/// Checks of a local write against other entities.
extension Projector {
  /// Returns whether an entity would be above itself if a tree field referred to this id. Cost:
  /// two look-ups for each entity above it, or one if nothing is below it.
  /// - Throws: ``ProjectionError``.
  package func wouldLoop(_ handle: EntityHandle, _ field: FieldSchema, _ target: String) throws
    -> Bool
  {
    let table = handle.table
    guard let column = table.columns.first(where: { $0.schema.identity == field.identity })
    else { return false }
    // The write has no number yet, and the check does not need one.
    let ref = WriteRef(origin: 0, sequence: 0, operation: 0)
    let edge = EntityStore.TreeEdge(
      number: handle.number, id: handle.id, target: target, ref: ref)
    guard try entities.mayBeAboveItself(edge, column, table) else { return false }
    return try !entities.cycle(from: edge, column, table).isEmpty
  }

  /// Returns the ids of the shown entities that refer to an entity by a field, in the order of
  /// their bytes.
  /// - Parameters:
  ///   - collection: the collection that the entities are in.
  ///   - field: the field, which references a collection.
  ///   - id: the id that it holds.
  /// - Throws: ``ProjectionError``.
  package func referrers(_ collection: CollectionSchema, by field: FieldSchema, to id: String)
    throws -> [String]
  {
    let query = try sql(
      "SELECT id FROM \(Names.quoted(collection.name)) WHERE \(Names.quoted(field.name)) = ? "
        + "ORDER BY id")
    try query.bind(1, id)
    defer { query.reset() }
    var ids: [String] = []
    while try query.step() { ids.append(query.text(0)) }
    return ids
  }

  /// Fields whose values, single or together, no other live entity shows.
  package struct UniqueFields {
    package let fields: [FieldSchema]
    package let uniqueness: Uniqueness

    package init(_ fields: [FieldSchema], _ uniqueness: Uniqueness) {
      (self.fields, self.uniqueness) = (fields, uniqueness)
    }
  }

  /// Returns the rules of a declared collection about unique values.
  package func uniqueRules(_ collection: CollectionSchema) -> [UniqueFields] {
    guard let table = knownTable(collection.identity) else { return [] }
    return table.uniqueRules.map { rule in
      UniqueFields(rule.columns.map { table.columns[$0].schema }, rule.uniqueness)
    }
  }

  /// Returns another live entity, parked or not, that has the same values in fields that are
  /// unique; nil if there is none, or if one of the values is NULL. Cost: one look-up, and one more
  /// for an entity that is found.
  /// - Parameters:
  ///   - values: by the fields' identities.
  ///   - rule: one of ``uniqueRules(_:)``.
  ///   - handle: the entity that may have the values.
  /// - Returns: the entity's id, and its own values of the fields.
  /// - Throws: ``ProjectionError``.
  package func otherHolder(
    of values: [String: Value], in rule: UniqueFields, than handle: EntityHandle
  ) throws -> (id: String, values: [Value])? {
    let table = handle.table
    let identities = rule.fields.map(\.identity)
    guard
      let rule = table.uniqueRules.first(where: { rule in
        rule.columns.map { table.columns[$0].schema.identity } == identities
      })
    else { return nil }
    var numbered: [Int: Value] = [:]
    for index in rule.columns {
      numbered[table.columns[index].field] = values[table.columns[index].schema.identity]
    }
    let cells = rule.columns.map { table.shownCell($0, numbered) }
    guard let value = UniqueIndex.value(of: cells, by: rule),
      let number = try entities.unique.holder(
        of: value, field: rule.number, in: table, except: handle.number)
    else { return nil }
    let holder = try entities.load(table, number: number)
    let shown = zip(rule.columns, holder.cells(of: rule)).map { column, cell in
      table.columns[column].schema.type.value(of: cell) ?? .null
    }
    return (holder.id, shown)
  }

  /// Returns the id of an entity that is above itself by a field which is to become a tree; nil if
  /// there is none. Cost: reads the collection.
  /// - Throws: ``ProjectionError``.
  package func circle(in collection: CollectionSchema, field: FieldSchema) throws -> String? {
    guard let table = knownTable(collection.identity),
      let column = table.columns.first(where: { $0.schema.identity == field.identity }),
      let number = try TreeFold(projector: self, table: table).cycles(column).first
    else { return nil }
    return try entities.load(table, number: number).id
  }

  /// Two entities that have the same values in fields, and how many entities would be hidden if
  /// only one of those with the same values were shown.
  package struct Duplicate {
    package var ids: (String, String)
    /// The values of both, which may be spelled otherwise.
    package var values: ([Value], [Value])
    package var count: Int
  }

  /// Returns entities that have the same values in fields; nil if there are none.
  ///
  /// An entity with NULL in one of the fields is like no other. Without fields, all are alike.
  /// Cost: reads the collection.
  /// - Throws: ``ProjectionError``.
  package func duplicate(in collection: CollectionSchema, rule: UniqueFields) throws -> Duplicate? {
    let names = rule.fields.map { Names.quoted($0.name) }
    let isThere = (names.map { "\($0) IS NOT NULL" } + ["1"]).joined(separator: " AND ")
    let keys = zip(names, rule.fields).map { name, field in
      rule.uniqueness == .folded && field.type == .text ? EqualityKey.sql(name) : name
    }
    let groups = keys.isEmpty ? "" : "GROUP BY \(keys.joined(separator: ", "))"
    let query = try sql(
      """
      SELECT min(id), max(id), sum(count(*) - 1) OVER ()
      FROM \(Names.quoted(collection.name)) WHERE \(isThere) \(groups)
      HAVING count(*) > 1 ORDER BY 1 LIMIT 1
      """)
    defer { query.reset() }
    guard try query.step() else { return nil }
    let ids = (query.text(0), query.text(1))
    return Duplicate(
      ids: ids,
      values: (
        try values(ids.0, names, rule, collection),
        try values(ids.1, names, rule, collection)
      ),
      count: query.int(2))
  }

  /// Returns what an entity shows in the fields of a rule.
  private func values(
    _ id: String, _ names: [String], _ rule: UniqueFields, _ collection: CollectionSchema
  ) throws -> [Value] {
    let query = try sql(
      "SELECT \((names + ["1"]).joined(separator: ", ")) FROM \(Names.quoted(collection.name)) "
        + "WHERE id = ?")
    try query.bind(1, id)
    defer { query.reset() }
    guard try query.step() else { return [] }
    return rule.fields.indices.map {
      rule.fields[$0].type.value(of: query.cell(Int32($0))) ?? .null
    }
  }
}
