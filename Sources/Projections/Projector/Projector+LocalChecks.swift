package import EventCore

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

  /// Returns the fields whose values, single or together, no other live entity shows.
  /// - Returns: the fields of each rule of a declared collection.
  package func uniqueRules(_ collection: CollectionSchema) -> [[FieldSchema]] {
    guard let table = knownTable(collection.identity) else { return [] }
    return table.uniqueRules.map { rule in rule.columns.map { table.columns[$0].schema } }
  }

  /// Returns the id of another live entity, parked or not, that has the same values in fields that
  /// are unique; nil if there is none, or if one of the values is NULL. Cost: one look-up.
  /// - Parameters:
  ///   - values: by the fields' identities.
  ///   - rule: one of ``uniqueRules(_:)``.
  ///   - handle: the entity that may have the values.
  /// - Throws: ``ProjectionError``.
  package func otherHolder(
    of values: [String: Value], in rule: [FieldSchema], than handle: EntityHandle
  ) throws -> String? {
    let table = handle.table
    let identities = rule.map(\.identity)
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
    guard let value = UniqueIndex.value(of: cells) else { return nil }
    return try entities.unique.holder(
      of: value, field: rule.number, in: table, except: handle.number)
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

  /// Returns two entities with the same values in fields, and how many entities would be hidden if
  /// only one of those with the same values were shown; nil if there are none.
  ///
  /// An entity with NULL in one of the fields is like no other. Without fields, all are alike.
  /// Cost: reads the collection.
  /// - Throws: ``ProjectionError``.
  package func duplicate(in collection: CollectionSchema, fields: [FieldSchema]) throws
    -> (values: [Value], ids: (String, String), count: Int)?
  {
    let names = fields.map { Names.quoted($0.name) }
    let isThere = (names.map { "\($0) IS NOT NULL" } + ["1"]).joined(separator: " AND ")
    let groups = names.isEmpty ? "" : "GROUP BY \(names.joined(separator: ", "))"
    let list = names.map { ", \($0)" }.joined()
    let query = try sql(
      """
      SELECT min(id), max(id), sum(count(*) - 1) OVER ()\(list)
      FROM \(Names.quoted(collection.name)) WHERE \(isThere) \(groups)
      HAVING count(*) > 1 ORDER BY 1 LIMIT 1
      """)
    defer { query.reset() }
    guard try query.step() else { return nil }
    let values = fields.indices.map {
      fields[$0].type.value(of: query.cell(Int32($0 + 3))) ?? .null
    }
    return (values, (query.text(0), query.text(1)), query.int(2))
  }
}
