import DaybookEventCore
package import DaybookProjections
package import GRDB

extension ProjectedState {
  /// Reads the state from a read model's tables.
  /// - Throws: what SQLite throws, also if a search index does not match its table.
  package init(shownBy db: Database, _ projector: Projector) throws {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    let sql = StatementCache(connection)
    defer { sql.removeAll() }
    self.init(
      tables: [:], misfits: try Self.misfits(db), unfit: try Self.unfit(db),
      conflicts: try Self.conflicts(db),
      parked: try Self.parked(db), cycles: try Self.cycles(db), digest: projector.digest,
      isComplete: projector.opaqueCount == 0, isLocalComplete: projector.localOpaqueCount == 0)
    try projector.indexChangedRows()
    for collection in projector.schema.sorted {
      tables[collection.name] = try Self.table(db, sql, collection.name)
      if !collection.searchable.isEmpty {
        let search = try Search.index(of: collection, db)
        try db.execute(sql: "INSERT INTO \(search)(\(search), rank) VALUES ('integrity-check', 1)")
      }
    }
  }

  private static func table(_ db: Database, _ sql: StatementCache, _ name: String) throws
    -> ReferenceTable
  {
    // Not `db.columns`: GRDB caches schemas, and does not see the projector's changes. Nor the
    // function `pragma_table_info`, which a collection may hide.
    var columns: [String] = []
    try db.forEachRow("PRAGMA table_info(\"\(name)\")") { columns.append($0.text(1)) }
    let query = try sql("SELECT * FROM \"\(name)\" ORDER BY id")
    var rows: [[ReferenceCell]] = []
    while try query.step() { rows.append(query.columns.cells.map(cell)) }
    query.reset()
    return ReferenceTable(columns: columns, rows: rows)
  }

  private static func misfits(_ db: Database) throws -> [ReferenceMisfit] {
    var misfits: [ReferenceMisfit] = []
    try db.forEachRow("SELECT collection, id, field FROM _daybook_misfits") {
      misfits.append(
        ReferenceMisfit(collection: name($0, 0), id: name($0, 1), field: name($0, 2)))
    }
    return misfits.sorted()
  }

  private static func unfit(_ db: Database) throws -> [ReferenceUnfitEdit] {
    var unfit: [ReferenceUnfitEdit] = []
    try db.forEachRow(
      """
      SELECT u.collection, u.id, u.field, o.origin, u.sequence, u.operation
      FROM _daybook_unfit u JOIN _daybook_origins o ON o.number = u.origin
      """
    ) { row in
      let origin = row.withBytes(3) { ReplicaID(bytes: $0) }
      unfit.append(
        ReferenceUnfitEdit(
          collection: name(row, 0), id: name(row, 1), field: name(row, 2),
          edit: OperationReference(
            event: EventID(origin, UInt64(row.integer(4))), operation: UInt32(row.integer(5)))))
    }
    return unfit.sorted()
  }

  private static func parked(_ db: Database) throws -> [ReferenceParked] {
    var parked: [ReferenceParked] = []
    try db.forEachRow("SELECT collection, id, field, owner FROM _daybook_parked") {
      parked.append(
        ReferenceParked(
          collection: name($0, 0), id: name($0, 1), field: name($0, 2), owner: name($0, 3)))
    }
    return parked.sorted()
  }

  private static func cycles(_ db: Database) throws -> [ReferenceCycle] {
    var cycles: [ReferenceCycle] = []
    try db.forEachRow("SELECT collection, id, field, target FROM _daybook_cycles") {
      cycles.append(
        ReferenceCycle(
          collection: name($0, 0), id: name($0, 1), field: name($0, 2), target: name($0, 3)))
    }
    return cycles.sorted()
  }

  private static func conflicts(_ db: Database) throws -> [ReferenceConflict] {
    var origins: [Int: ReplicaID] = [:]
    try db.forEachRow("SELECT number, origin FROM _daybook_origins") { row in
      origins[Int(row.integer(0))] = row.withBytes(1) { ReplicaID(bytes: $0) }
    }
    var conflicts: [ReferenceConflict] = []
    let sql = "SELECT collection, id, field, attribute, writes FROM _daybook_conflicts"
    try db.forEachRow(sql) { row in
      let refs = try row.blob(4).withUnsafeBytes { raw in
        var reader = ByteReader(raw)
        var refs: [OperationReference] = []
        while !reader.isAtEnd {
          let ref = try WriteRef(from: &reader)
          guard let origin = origins[ref.origin] else { throw ProjectionError.unknownOrigin }
          refs.append(
            OperationReference(
              event: EventID(origin, ref.sequence), operation: ref.operation))
        }
        return refs.sorted()
      }
      conflicts.append(
        ReferenceConflict(
          collection: name(row, 0), id: row.isNull(1) ? nil : name(row, 1), field: name(row, 2),
          attribute: name(row, 3), frontier: refs))
    }
    return conflicts.sorted()
  }

  private static func name(_ row: Columns, _ column: Int32) -> ReferenceName {
    ReferenceName(row.text(column))
  }

  private static func cell(_ cell: Cell) -> ReferenceCell {
    switch cell {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(ReferenceName(value))
    case .blob(let bytes): .blob(bytes)
    }
  }
}

extension ProjectionError {
  fileprivate static var unknownOrigin: ProjectionError {
    ProjectionError(
      .damagedReadModel, "a conflict names an origin that the read model does not list")
  }
}
