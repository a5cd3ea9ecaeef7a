import EventCore

/// What a bulk rebuild does through the projector.
extension Projector {
  /// All definitions at once, when all stamps are known; makes the tables, without indexes.
  func adoptBulkDefinitions(_ writes: [DefinitionRegisters.Write], _ indexes: LateIndexes) throws {
    try refoldDefinitions(appending: writes) { new in
      for collection in new.sorted {
        try indexes.createTable(collection)
        // A table of an explicit name has no search index yet, and parks nothing.
        try table(collection.identity).setSchema(collection, table: collection.name)
      }
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
    for collection in schema.sorted {
      try indexes.createUnsorted(collection, keys, try table(collection.identity).number)
    }
    if let keys {
      try keys.finish()
      for collection in schema.sorted {
        try indexes.createSorted(collection, keys, try table(collection.identity).number, feed)
      }
    }
    try search?.finish(into: sql, feed)
    for collection in schema.sorted {
      let table = try table(collection.identity)
      table.setSchema(collection)
      guard table.hasRules else { continue }
      // What is parked or cut is found out from the rows, so the search index waits until then.
      if let create = CollectionTable.createSearchSQL(collection) {
        try sql.execute(create)
        let name = table.quotedSearchName
        try sql.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
      }
      try CollectionFold(projector: self, table: table).run()
    }
    try save()
    try indexes.declare(schema.sorted)
  }
}
