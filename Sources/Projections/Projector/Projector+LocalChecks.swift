package import EventCore

/// Checks of a local write against other entities.
extension Projector {
  /// Returns whether an entity would be above itself if a tree field referred to this value. Cost:
  /// two look-ups for each entity above it, or one if nothing is below it.
  /// - Throws: ``DeferralEnded`` while deferring; ``ProjectionError``.
  package func wouldLoop(_ handle: EntityHandle, _ field: FieldSchema, _ value: Value) throws
    -> Bool
  {
    let table = handle.table
    guard case .text(let target) = value,
      let column = table.columns.first(where: { $0.schema.identity == field.identity })
    else { return false }
    try requireProjected()
    // The write has no number yet, and the check does not need one.
    let ref = WriteRef(origin: 0, sequence: 0, operation: 0)
    let edge = EntityStore.TreeEdge(
      number: handle.number, id: handle.id, target: target, ref: ref)
    guard try entities.mayBeAboveItself(edge, column, table) else { return false }
    return try !entities.cycle(from: edge, column, table).isEmpty
  }

  /// Returns the id of another live entity, parked or not, that has a value in a unique field; nil
  /// if there is none. Cost: one look-up.
  /// - Parameters:
  ///   - value: the value.
  ///   - field: a field of a declared collection.
  ///   - handle: the entity that may have the value.
  /// - Throws: ``DeferralEnded`` while deferring; ``ProjectionError``.
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

  /// Returns the id of an entity that is above itself by a field which is to become a tree; nil if
  /// there is none. Cost: reads the collection.
  package func circle(in collection: CollectionSchema, field: FieldSchema) throws -> String? {
    guard let table = knownTable(collection.identity),
      let column = table.columns.first(where: { $0.schema.identity == field.identity }),
      let number = try TreeFold(projector: self, table: table).cycles(column).first
    else { return nil }
    return try entities.load(table, number: number).id
  }

  /// Returns two entities with the same value in a field; nil if there are none.
  /// Cost: reads the collection.
  /// - Throws: ``DeferralEnded`` while deferring; ``ProjectionError``.
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
