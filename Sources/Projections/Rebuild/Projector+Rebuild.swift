import DaybookEventCore

/// The projector's part of a bulk rebuild.
extension Projector {
  /// Leaves out the tables of some collections, because SQLite has refused to make them.
  /// - Parameter collections: SQLite's messages, by the collections' identities.
  func leaveOut(_ collections: [String: String]) throws {
    for (identity, reason) in collections.sorted(by: { utf8Less($0.key, $1.key) }) {
      _ = try setRefused(identity, reason)
    }
  }

  /// Adopts all definitions at once, after all stamps are known, and makes
  /// the tables without indexes.
  func adoptRebuiltDefinitions(_ writes: [DefinitionRegisters.Write], _ indexes: RebuildIndexes)
    throws
  {
    for step in try note(writes, refused: .kept) {
      try noteRenamed(step)
      guard let collection = step.new else { continue }
      let table = try table(step.identity)
      // A table with an explicit name has no search index yet, and parks nothing.
      table.setSchema(collection, table: collection.name)
      do {
        try indexes.createTable(collection)
        try table.requireUsable(sql)
      } catch { throw error.about(table) }
    }
  }

  /// Applies an identity or stamp operation without folding entities again: none
  /// has been folded yet.
  func applyControl(_ operation: Operation, _ kind: Envelope.Kind, _ ref: WriteRef) throws {
    try apply(operation, kind: kind, ref)
    forgetLowered()
  }

  /// Writes an entity that was folded from its history.
  /// - Parameters:
  ///   - folded: the entity.
  ///   - chunk: returns a full chunk of its history.
  /// - Returns: its row; nil if it has none.
  func writeRebuiltEntity(
    _ folded: RebuildEntityFold.Folded, chunk: (_ number: Int) throws -> [UInt8]
  ) throws -> [Cell]? {
    var record = folded.record
    if record.state.lastWrites != nil { try updateConflicts(record) }
    replaceInDigest(nil, record.contribution(index))
    for (field, ref) in folded.unfit { try noteUnfit(ref, field, record) }
    for number in 0..<record.state.chunkCount {
      try entities.history.insert(chunk(number), number, of: record.number)
    }
    try entities.save(&record)
    return record.row
  }

  /// The tables of all collections that have one.
  var declaredTables: [CollectionTable] { schema.sorted.compactMap { knownTable($0.identity) } }

  /// Makes the indexes and adopts the search indexes, then saves the checkpoint. Indexes whose keys
  /// are sorted on another thread come after the others.
  func finishBulk(
    _ indexes: RebuildIndexes, _ keys: RebuildKeys?, _ search: RebuildSearch?, _ feed: RowFeed
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
      // Which rows are parked or cut follows from the rows, so the search index waits until then.
      let search = table.createSearchSQL(collection)
      for create in search { try sql.execute(create) }
      if !search.isEmpty { try sql.execute(table.fillSearchSQL) }
      try CollectionFold(projector: self, table: table).run()
    }
    // Everything was folded with all events known.
    _ = try index.takeFarMoved()
    // Some indexes still have other names.
    entities.statistics.forgetDue()
    try save()
    try indexes.declare(tables)
  }

  /// Calls `body` with each table and its schema.
  /// - Throws: what `body` throws; an error of SQLite names the collection.
  private func forEach(
    _ tables: [CollectionTable], _ body: (CollectionTable, CollectionSchema) throws -> Void
  ) throws {
    for table in tables {
      guard let schema = table.schema else { continue }
      do { try body(table, schema) } catch let error as ProjectionError { throw error.about(table) }
    }
  }
}
