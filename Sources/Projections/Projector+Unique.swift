package import EventCore

/// What a local write asks about unique fields.
extension Projector {
  /// Another live entity, parked or not, that has a value in a unique field; nil where none has.
  /// Cost: one look-up.
  /// - Parameter field: of a declared collection.
  package func otherHolder(of value: Value, in field: FieldSchema, than handle: EntityHandle)
    throws -> String?
  {
    try requireProjected()
    let table = handle.table
    guard let cell = field.type.cell(for: value)?.cell, cell != .null,
      let number = table.columns.first(where: { $0.schema.identity == field.identity })?.field
    else { return nil }
    return try entities.unique.holder(of: cell, field: number, in: table, except: handle.number)
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
