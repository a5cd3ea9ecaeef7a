import DaybookEventCore

/// Rebuilds one collection from the log, in the read model in use.
///
/// The numbers in states and histories (of origins, fields, entities) mean something in one read
/// model only, so nothing can be copied from a fresh one. But the event index, which says what
/// ranks above what, is complete. So each write to the collection can be applied again, in any
/// order, with the same result.
extension Projector {
  /// Rebuilds one collection: drops its table, search index, states, histories, misfits
  /// and conflicts, whatever they hold, and makes them again from every event that the
  /// read model has applied.
  ///
  /// Definitions and other collections stay as they are, and so does the digest, which is a sum
  /// over the log. Whether it is still the sum of all rows and states,
  /// ``ReadModelView/recomputedDigest()`` tells. If both a shared and a local collection have the
  /// name, both are rebuilt.
  ///
  /// Call it within a transaction, and ``reload()`` after a rollback. Cost: reads the whole log.
  /// - Parameters:
  ///   - name: the collection's name.
  ///   - progress: called with the number of events read.
  /// - Returns: the number of operations applied again.
  /// - Throws: ``ProjectionError`` `unknownName` if no event names the collection; what SQLite and
  ///   the log throw.
  package func rebuild(collection name: String, progress: (Int) -> Void = { _ in }) throws -> Int {
    let names = [false, true].map { CollectionIdentity.of(name, isLocal: $0) }
    // The collection with the table goes first: once its table is dropped, no other
    // step may read it.
    let tables = names.compactMap { knownTable($0) }.sorted { $0.isDeclared && !$1.isDeclared }
    guard !tables.isEmpty else {
      throw ProjectionError(.unknownName, "no event is about a collection “\(name)”")
    }
    try noteRebuild()
    return try tables.reduce(0) { try $0 + rebuild($1, progress) }
  }

  private func rebuild(_ table: CollectionTable, _ progress: (Int) -> Void) throws -> Int {
    let sum = digest
    let target = table.schema
    try clear(table)
    noteNames()
    // Without a table first: rows, indexes and search index are then made in bulk.
    table.setSchema(nil)
    let count = try replay(table, progress)
    try applyReceivedEdits()
    try writeCrowded()
    try mergeStaleTexts()
    if let target { try SchemaChange(projector: self, table: table, to: target).run() }
    setDigest(sum)
    try save()
    return count
  }

  private func clear(_ table: CollectionTable) throws(ProjectionError) {
    // The name of a collection without a table may differ only in case from one that has a table.
    if table.isDeclared {
      for drop in table.dropSearchSQL { try sql.execute(drop) }
      // A damaged read model may lack the table, and SQLite's modules have tables of their own that
      // cannot be dropped.
      let exists = try sql("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
      try exists.bind(1, table.name)
      let isThere = try exists.step()
      exists.reset()
      if isThere { try sql.execute("DROP TABLE \(Names.quoted(table.name))") }
    }
    // The state of an entity with a row does not name its collection. The row may be gone or
    // another's, so each state without a row in another collection counts as this one's.
    try sql.execute("CREATE TEMP TABLE _daybook_kept(number INTEGER PRIMARY KEY)")
    for other in schema.sorted where other.identity != table.identity {
      try sql.execute(
        "INSERT OR IGNORE INTO _daybook_kept SELECT _rowid_ FROM \(Names.quoted(other.name))")
    }
    let states = try sql(
      """
      DELETE FROM _daybook_entities WHERE collection = ?1
        OR collection IS NULL AND number NOT IN (SELECT number FROM _daybook_kept)
      """)
    try states.bind(1, table.number)
    try states.run()
    try sql.execute("DROP TABLE _daybook_kept")
    for place in ["history", "values"] {
      try sql.execute(
        "DELETE FROM _daybook_\(place) WHERE entity NOT IN (SELECT number FROM _daybook_entities)")
    }
    for statement in [
      "DELETE FROM _daybook_misfits WHERE collection = ?1",
      "DELETE FROM _daybook_unfit WHERE collection = ?1",
      "DELETE FROM _daybook_conflicts WHERE collection = ?1 AND id IS NOT NULL",
    ] {
      let delete = try sql(statement)
      try delete.bind(1, table.identity)
      try delete.run()
    }
    try entities.unique.removeAll(of: table)
    try entities.cycles.removeAll(of: table)
    try entities.search.backlog.forget(table)
  }

  private func replay(_ table: CollectionTable, _ progress: (Int) -> Void) throws -> Int {
    let applied = wholeVector
    var contexts: [ReplicaID: CausalContext] = [:]
    var (read, count) = (0, 0)
    try source.forEachFrame(after: VersionVector()) { frame in
      try frame.forEachEvent { id, event in
        guard id.sequence <= applied[id.origin] else { return }
        read += 1
        guard let envelope = try? Envelope(decoding: event.envelope) else { return }
        // An event whose context does not make sense was not applied the first time either.
        var context = contexts[id.origin] ?? CausalContext(author: id.origin)
        do throws(EventError) { try context.apply(envelope.context) } catch { return }
        contexts[id.origin] = context
        guard envelope.kind == .transaction, id.origin.isPrivate == table.isLocal,
          let body = Self.body(of: event, envelope)
        else { return }
        for (position, operation) in body.operations.enumerated()
        where operation.entity?.collection == table.name {
          let ref = WriteRef(
            origin: index.number(of: id.origin), sequence: id.sequence,
            operation: UInt32(truncatingIfNeeded: position))
          guard let (write, _, entity) = try entityWrite(operation, ref) else { continue }
          count += 1
          if write.edit != nil {
            try receive(write, of: table, entity)
            continue
          }
          try applyReceivedEdits(of: table, entity)
          try applyReceived(write, to: table, entity)
        }
        try finishEvent()
      }
      progress(read)
    }
    return count
  }
}
