import DaybookEventCore

/// Saving of entities whose shown values may depend on other entities: unique fields and trees.
extension EntityStore {
  /// Writes a record back, and all entities whose shown values change because of it. Cost: one
  /// write if the collection has neither unique fields nor trees.
  /// - Parameters:
  ///   - record: the changed entity.
  ///   - isReordered: whether its writes may rank differently than at the last save.
  func save(_ record: inout EntityRecord, isReordered: Bool = false) throws(ProjectionError) {
    let table = record.table
    guard table.hasRules else { return try write(&record, isParked: false) }
    let cut = try recut(record, isReordered: isReordered)
    let (isParked, others) = try reclaim(record)
    try write(&record, isParked: isParked)
    for number in Set(cut + others).sorted() where number != record.number {
      var other = try load(table, number: number)
      try write(&other, isParked: try self.isParked(number, in: table))
    }
  }

  /// Returns an entity of a table by its number.
  /// - Throws: ``ProjectionError/Code/damagedReadModel`` if there is no such entity.
  func load(_ table: CollectionTable, number: Int64) throws(ProjectionError) -> EntityRecord {
    let query = try sql("SELECT id, state FROM _daybook_entities WHERE number = ?")
    try query.bind(1, number)
    guard try query.step() else {
      query.reset()
      throw .damaged("a unique value of \(table.name) belongs to no entity")
    }
    let (id, state) = (query.isNull(0) ? nil : query.text(0), query.blob(1))
    query.reset()
    if let id { return try record(table, id, number: number, state: state, row: nil) }
    let row = try sql(table.statements.selectByNumber)
    try row.bind(1, number)
    defer { row.reset() }
    guard try row.step() else {
      throw .damaged("an entity of \(table.name) has a state but no row")
    }
    let cells = table.columns.indices.map { row.cell(Int32($0 + 1)) }
    return try record(table, row.text(0), number: number, state: state, row: cells)
  }
}
