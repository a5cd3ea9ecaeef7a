package import EventCore

/// What a local write asks about other entities.
extension Projector {
  /// Whether an entity would be above itself with such a reference in a tree. Cost: two look-ups for
  /// each entity above, and one where it has none below it.
  package func wouldLoop(_ handle: EntityHandle, _ field: FieldSchema, _ value: Value) throws
    -> Bool
  {
    let table = handle.table
    guard case .text(let target) = value,
      let column = table.columns.first(where: { $0.schema.identity == field.identity })
    else { return false }
    try requireProjected()
    // The write has no number yet, and needs none.
    let ref = WriteRef(origin: 0, sequence: 0, operation: 0)
    let edge = EntityStore.TreeEdge(
      number: handle.number, id: handle.id, target: target, ref: ref)
    guard try entities.mayBeAboveItself(edge, column, table) else { return false }
    return try !entities.cycle(from: edge, column, table).isEmpty
  }

  /// Another live entity, parked or not, that has a value in a unique field; nil where none has.
  /// Cost: one look-up.
  /// - Parameter field: of a declared collection.
  package func otherHolder(of value: Value, in field: FieldSchema, than handle: EntityHandle)
    throws -> String?
  {
    let table = handle.table
    guard let cell = field.type.cell(for: value)?.cell, cell != .null,
      let number = table.columns.first(where: { $0.schema.identity == field.identity })?.field
    else { return nil }
    try requireProjected()
    return try entities.unique.holder(of: cell, field: number, in: table, except: handle.number)
  }

  /// An entity that is above itself by a field which is to become a tree; nil where there is none.
  /// Cost: reads the collection.
  package func circle(in collection: CollectionSchema, field: FieldSchema) throws -> String? {
    guard let table = knownTable(collection.identity),
      let column = table.columns.first(where: { $0.schema.identity == field.identity }),
      let number = try TreeFold(projector: self, table: table).cycles(column).first
    else { return nil }
    return try entities.load(table, number: number).id
  }

  /// Two entities with one value in a field; nil where there are none. Cost: reads the collection.
  package func duplicate(in collection: CollectionSchema, field: FieldSchema) throws
    -> (value: Value, ids: (String, String))?
  {
    try requireProjected()
    let name = Names.quoted(field.name)
    let query = try sql(
      """
      SELECT \(name), min(id), max(id) FROM \(Names.quoted(collection.name))
      WHERE \(name) IS NOT NULL GROUP BY \(name) HAVING count(*) > 1 LIMIT 1
      """)
    defer { query.reset() }
    guard try query.step(), let value = field.type.value(of: query.cell(0)) else { return nil }
    return (value, (query.text(1), query.text(2)))
  }
}
