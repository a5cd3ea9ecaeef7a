import EventCore

/// What a bulk rebuild does through the projector.
extension Projector {
  /// Leaves out the tables of some collections, which SQLite has refused to make.
  /// - Parameter collections: SQLite's words, by identity.
  func leaveOut(_ collections: [String: String]) throws {
    for (identity, reason) in collections.sorted(by: { utf8Less($0.key, $1.key) }) {
      _ = try setRefused(identity, reason)
    }
  }

  /// All definitions at once, when all stamps are known; makes the tables, without indexes.
  func adoptBulkDefinitions(_ writes: [DefinitionRegisters.Write], _ indexes: LateIndexes) throws {
    for step in try note(writes, refused: .kept) {
      guard let collection = step.new else { continue }
      let table = try table(step.identity)
      // A table of an explicit name has no search index yet, and parks nothing.
      table.setSchema(collection, table: collection.name)
      do {
        try indexes.createTable(collection)
        try table.requireUsable(sql)
      } catch { throw error.about(table) }
    }
  }

  /// Identity and stamp operations, whose effect on what was written before is not wanted: nothing
  /// is.
  func applyControl(_ operation: Operation, _ kind: Envelope.Kind, _ ref: WriteRef) throws {
    try apply(operation, kind: kind, ref)
    forgetSunk()
  }

  /// Writes an entity with a history that was folded.
  /// - Returns: its row; nil where it has none.
  func writeBulkEntity(_ folded: EntityRecord, _ chunks: [[UInt8]]) throws -> [Cell]? {
    var record = folded
    if record.state.lastWrites != nil { try updateConflicts(record) }
    replaceInDigest(nil, record.contribution(index))
    for (number, chunk) in chunks.enumerated() {
      try entities.insertChunk(chunk, number, of: record.number)
    }
    try entities.save(&record)
    return record.row
  }

  /// The collections that have a table.
  var declaredTables: [CollectionTable] { schema.sorted.compactMap { knownTable($0.identity) } }

  /// Indexes in bulk, those that have been sorted beside after the others, then the search indexes that
  /// have been made beside; then the checkpoint.
  func finishBulk(
    _ indexes: LateIndexes, _ keys: BulkKeys?, _ search: BulkSearch?, _ feed: RowFeed
  ) throws {
    try sql.execute(ReadModelFormat.absentIndex)
    let tables = declaredTables
    try forEach(tables) { try indexes.createUnsorted($0, $1, keys) }
    if let keys {
      try keys.finish()
      try forEach(tables) { try indexes.createSorted($0, $1, keys, feed) }
    }
    try search?.finish(into: sql, feed)
    try forEach(tables) { table, collection in
      table.setSchema(collection)
      guard table.hasRules else { return }
      // What is parked or cut is found out from the rows, so the search index waits until then.
      let search = table.createSearchSQL(collection)
      for create in search { try sql.execute(create) }
      if !search.isEmpty { try sql.execute(table.fillSearchSQL) }
      try CollectionFold(projector: self, table: table).run()
    }
    // Everything was folded when all events were known.
    _ = try index.takeFarMoved()
    try save()
    try indexes.declare(tables)
  }

  /// - Throws: an error of SQLite's says which collection it is about.
  private func forEach(
    _ tables: [CollectionTable], _ body: (CollectionTable, CollectionSchema) throws -> Void
  ) throws {
    for table in tables {
      guard let schema = table.schema else { continue }
      do { try body(table, schema) } catch let error as ProjectionError { throw error.about(table) }
    }
  }
}
