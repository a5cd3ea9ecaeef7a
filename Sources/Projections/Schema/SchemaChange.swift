import DaybookEventCore

/// Changes one collection's table from one schema to another.
///
/// A column that no write has named yet is added in place. Any other change makes a new table from
/// the existing rows and states. No change of schema loses a value, whether it is shown or not.
struct SchemaChange {
  let projector: Projector
  let table: CollectionTable
  let new: CollectionSchema?

  private static let scratchName = "_daybook_next"
  private static let batch = 500

  private var sql: StatementCache { projector.sql }

  init(projector: Projector, table: CollectionTable, to new: CollectionSchema?) {
    self.projector = projector
    self.table = table
    self.new = new
  }

  func run() throws {
    projector.willChangeTables()
    projector.touched.insert(table, nil)
    if let old = table.schema, let new, canAddInPlace(old, new) {
      try addInPlace(old, new)
    } else {
      try remake()
    }
    guard new != nil else { return }
    try table.requireUsable(sql)
    try projector.entities.statistics.noteChange(of: table)
  }

  private func canAddInPlace(_ old: CollectionSchema, _ new: CollectionSchema) -> Bool {
    guard old.isRelationship == new.isRelationship, old.searchable == new.searchable,
      old.tokenizer == new.tokenizer || new.searchable.isEmpty, old.uniqueSets == new.uniqueSets,
      new.fields.count >= old.fields.count
    else { return false }
    // Indexes may come and go. Columns may only be added, at the end, and unwritten.
    for (a, b) in zip(old.fields, new.fields)
    where a.identity != b.identity || a.name != b.name || a.type != b.type
      || a.uniqueness != b.uniqueness || a.isTree != b.isTree || a.defaultValue != b.defaultValue
      || a.kept != b.kept || a.isNullable != b.isNullable
    {
      return false
    }
    return new.fields[old.fields.count...].allSatisfy {
      table.knownNumber(ofField: $0.identity) == nil && $0.kept == nil && !$0.isUnique
        && $0.canReadDefault
    }
  }

  private func addInPlace(_ old: CollectionSchema, _ new: CollectionSchema) throws {
    for field in new.fields[old.fields.count...] {
      try sql.execute(
        "ALTER TABLE \(table.quotedName) ADD COLUMN \(field.columnSQL)")
    }
    let (before, after) = (table.indexes(old), table.indexes(new))
    for index in before where !after.contains(index) { try sql.execute("DROP INDEX \(index.name)") }
    for index in after where !before.contains(index) { try sql.execute(index.sql) }
    table.setSchema(new)
  }

  private func remake() throws {
    let old = table.schema
    let next = table.copy()
    // To rename a table, SQLite reads the definitions of all others; so only if the name is in use.
    let place = old == nil ? table.name : Self.scratchName
    if let new {
      try sql.execute(CollectionTable.createTableSQL(new, named: place))
      // The copy assigns numbers to new fields in the same order as the table will.
      next.setSchema(new, table: place)
    }
    let misfits = try sql("DELETE FROM _daybook_misfits WHERE collection = ?")
    try misfits.bind(1, table.identity)
    try misfits.run()
    if !table.uniqueRules.isEmpty { try projector.entities.unique.removeAll(of: table) }
    if !table.treeColumns.isEmpty { try projector.entities.cycles.removeAll(of: table) }
    if old != nil { try moveRows(to: next) }
    if new != nil { try writeMissingRows(in: next) }
    try projector.entities.search.backlog.forget(table)
    if let old {
      if !old.searchable.isEmpty { for drop in table.dropSearchSQL { try sql.execute(drop) } }
      try sql.execute("DROP TABLE \(table.quotedName)")
    }
    table.setSchema(new)
    guard let new else { return }
    if place != table.name {
      try sql.execute("ALTER TABLE \(place) RENAME TO \(table.quotedName)")
    }
    for index in table.indexes(new) { try sql.execute(index.sql) }
    let search = table.createSearchSQL(new)
    for create in search { try sql.execute(create) }
    if !search.isEmpty { try sql.execute(table.fillSearchSQL) }
    try CollectionFold(projector: projector, table: table).run()
  }

  /// Moves every entity that has a row to its place under the new schema.
  private func moveRows(to next: CollectionTable) throws {
    var after = Int64.min
    while true {
      let query = try sql("\(table.statements.scan) LIMIT \(Self.batch)")
      try query.bind(1, after)
      var rows: [(number: Int64, id: String, cells: [Cell])] = []
      while try query.step() {
        let cells = table.columns.indices.map { query.cell(Int32($0 + 2)) }
        rows.append((query.integer(0), query.text(1), cells))
      }
      query.reset()
      guard let last = rows.last else { return }
      after = last.number
      for row in rows {
        let record = try projector.entities.record(
          table, row.id, number: row.number, row: row.cells)
        try move(record, to: next)
      }
    }
  }

  /// Writes the rows of live entities that have none.
  private func writeMissingRows(in next: CollectionTable) throws {
    var after = Int64.min
    while true {
      let query = try sql(
        """
        SELECT number, id, state FROM _daybook_entities WHERE collection = ? AND number > ?
        ORDER BY number LIMIT \(Self.batch)
        """)
      try query.bind(1, table.number)
      try query.bind(2, after)
      var found: [(number: Int64, id: String, state: [UInt8])] = []
      while try query.step() { found.append((query.integer(0), query.text(1), query.blob(2))) }
      query.reset()
      guard let last = found.last else { return }
      after = last.number
      for entity in found {
        let record = try projector.entities.record(
          table, entity.id, number: entity.number, state: entity.state, row: nil)
        if record.state.isLive { try move(record, to: next) }
      }
    }
  }

  private func move(_ record: EntityRecord, to next: CollectionTable) throws {
    var moved = EntityRecord(
      table: next, id: record.id, number: record.number, state: record.state,
      values: record.values, row: nil, isStored: true)
    try projector.entities.save(&moved)
  }
}
