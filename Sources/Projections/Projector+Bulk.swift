import EventCore

/// What a bulk rebuild does through the projector.
extension Projector {
  /// All definitions at once, when all stamps are known; makes the tables, without indexes.
  func adoptBulkDefinitions(_ writes: [DefinitionRegisters.Write]) throws {
    try refoldDefinitions(appending: writes) { new in
      for collection in new.sorted {
        try sql.execute(CollectionTable.createTableSQL(collection, named: collection.name))
        // A table of an explicit name has no search index yet, and parks nothing.
        try table(collection.name).setSchema(collection, table: collection.name)
      }
    }
  }

  /// Identity and stamp operations, whose effect on what was written before is not wanted: nothing
  /// is.
  func applyControl(_ operation: Operation, _ kind: Envelope.Kind, _ ref: WriteRef) throws {
    try apply(operation, kind: kind, ref)
    forgetSunk()
  }

  /// Folds one entity from all its writes, and writes it.
  func writeBulkEntity(_ writes: [EntityWrite], _ table: CollectionTable, id: String, number: Int64)
    throws
  {
    var record = EntityRecord(
      table: table, id: id, number: number, state: EntityState(), values: [:], row: nil,
      isStored: false)
    record.state.recent = writes.map(\.historyEntry)
    for write in writes { currentWrites[write.ref] = write }
    try refold(&record)
    currentWrites = [:]
    if record.state.lastWrites != nil { try updateConflicts(record) }
    replaceInDigest(nil, record.contribution(index))
    try entities.save(&record)
  }

  /// Indexes and search indexes, each in bulk; then the checkpoint.
  func finishBulk() throws {
    try sql.execute(ReadModelFormat.absentIndex)
    for collection in schema.sorted {
      let table = try table(collection.name)
      table.setSchema(collection)
      for index in CollectionTable.indexSQL(collection) { try sql.execute(index.sql) }
      if let search = CollectionTable.createSearchSQL(collection) {
        try sql.execute(search)
        let name = table.quotedSearchName
        try sql.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
      }
      try CollectionFold(projector: self, table: table).run()
    }
    try save()
  }
}
