import DaybookEventCore

/// Loads and writes entities: row, search index, state, history and misfits.
final class EntityStore {
  let sql: StatementCache
  let index: EventIndex
  let history: EntityHistory
  let unique: UniqueIndex
  let cycles: CycleList
  let search: SearchWriter
  let statistics: TableStatistics
  let touched: ChangedRows
  private(set) var nextNumber: Int64 = 1
  /// The bytes of all states that were written. Tests count the work of a projection with it.
  private(set) var stateBytesWritten = 0
  private let limits: ReadModelLimits
  private let largeValues: LargeValues

  init(
    _ sql: StatementCache, _ index: EventIndex, _ limits: ReadModelLimits, _ touched: ChangedRows
  ) throws(ProjectionError) {
    self.touched = touched
    self.sql = sql
    self.index = index
    self.limits = limits
    unique = UniqueIndex(sql: sql)
    cycles = CycleList(sql: sql)
    history = EntityHistory(sql: sql, index: index)
    search = SearchWriter(sql: sql, backlog: try SearchBacklog(sql))
    largeValues = LargeValues(sql: sql)
    statistics = TableStatistics(sql)
    let query = try sql("SELECT coalesce(max(number), 0) + 1 FROM _daybook_entities")
    if try query.step() { nextNumber = query.integer(0) }
    query.reset()
    guard (1..<Int64.max / 2).contains(nextNumber) else { throw .damaged("an entity's number") }
  }

  /// Reserves numbers for `count` new entities, and returns the first.
  func reserve(_ count: Int) -> Int64 {
    defer { nextNumber += Int64(count) }
    return nextNumber
  }

  /// Returns an entity by its id; an entity that is not stored yet gets a number.
  func load(_ table: CollectionTable, _ id: String) throws(ProjectionError) -> EntityRecord {
    if let record = try find(table, id) { return record }
    let number = nextNumber
    nextNumber += 1
    return EntityRecord(
      table: table, id: id, number: number, state: EntityState(), values: [:], row: nil,
      isStored: false)
  }

  /// Returns an entity by its id; nil if it is not stored.
  func find(_ table: CollectionTable, _ id: String) throws(ProjectionError) -> EntityRecord? {
    if table.isDeclared {
      let query = try sql(table.statements.select)
      try query.bind(1, id)
      if try query.step() {
        let number = query.integer(0)
        let cells = table.columns.indices.map { query.cell(Int32($0 + 1)) }
        query.reset()
        return try record(table, id, number: number, row: cells)
      }
      query.reset()
    }
    let query = try sql(
      "SELECT number, state FROM _daybook_entities WHERE collection = ? AND id = ?")
    try query.bind(1, table.number)
    try query.bind(2, id)
    guard try query.step() else {
      query.reset()
      return nil
    }
    let (number, bytes) = (query.integer(0), query.blob(1))
    query.reset()
    return try record(table, id, number: number, state: bytes, row: nil)
  }

  /// Loads the state of an entity whose row was already read.
  func record(_ table: CollectionTable, _ id: String, number: Int64, row: [Cell]?)
    throws(ProjectionError) -> EntityRecord
  {
    let query = try sql("SELECT state FROM _daybook_entities WHERE number = ?")
    try query.bind(1, number)
    defer { query.reset() }
    guard try query.step() else {
      throw .damaged("“\(id)” of \(table.name) has a row but no state")
    }
    return try record(table, id, number: number, state: query.blob(0), row: row)
  }

  func record(
    _ table: CollectionTable, _ id: String, number: Int64, state bytes: [UInt8], row: [Cell]?
  ) throws(ProjectionError) -> EntityRecord {
    let state: EntityState
    var values: [Int: Value] = [:]
    do throws(EventError) {
      state = try bytes.withRawBytes { raw throws(EventError) in try EntityState(decoding: raw) }
      for inexact in state.inexactValues {
        guard let bytes = inexact.value else { continue }
        values[inexact.field] = try Self.value(bytes)
      }
    } catch {
      throw .damaged("the state of “\(id)” of \(table.name): \(error)")
    }
    if state.inexactValues.contains(where: { $0.value == nil }) {
      let large = try largeValues.values(of: number)
      for inexact in state.inexactValues where inexact.value == nil {
        guard let bytes = large[inexact.field], let value = try? Self.value(bytes) else {
          throw .damaged("a large value of “\(id)” of \(table.name)")
        }
        values[inexact.field] = value
      }
    }
    guard state.makesSense(index, fieldCount: table.fieldNames.count) else {
      throw .damaged("the state of “\(id)” of \(table.name) names what there is not")
    }
    if let row {
      let shown = state.fields.map(\.field) + state.unassignedTexts.map(\.field)
      for field in shown where values[field] == nil {
        guard let column = table.column(ofField: field),
          let value = table.columns[column].schema.type.value(of: row[column])
        else { throw .damaged("a value of “\(id)” of \(table.name)") }
        values[field] = value
      }
    }
    return EntityRecord(
      table: table, id: id, number: number, state: state, values: values, row: row,
      isStored: true)
  }

  private static func value(_ bytes: [UInt8]) throws(EventError) -> Value {
    try bytes.withRawBytes { raw throws(EventError) in try Value(canonicalBytes: raw) }
  }

  // MARK: - Writing

  /// Writes a record back: row, search index, state, history, misfits and large values.
  /// - Parameters:
  ///   - record: the entity.
  ///   - isParked: whether another entity owns one of its unique values.
  func write(_ record: inout EntityRecord, isParked: Bool) throws(ProjectionError) {
    let table = record.table
    let hadInexactValues = !record.state.inexactValues.isEmpty
    let hadLarge = record.state.inexactValues.contains { $0.value == nil }
    try cycles.note(record.number, isParked: isParked, of: table)
    var row: [Cell]?
    var misfits: [Int] = []
    var inexactValues: [Int] = []
    if table.isDeclared, record.state.isLive, !isParked {
      if record.facts == nil { record.facts = try facts(of: record) }
      var placed = table.place(record.values, record.facts, rowBytesMax: limits.rowBytes)
      for index in table.treeColumns where placed.cells[index] != .null {
        guard try cycles.isCut(record.id, table.columns[index], of: table) else { continue }
        placed.cells[index] = .null
        placed.inexact.insert(table.columns[index].field)
      }
      row = placed.cells
      misfits = placed.misfits
      inexactValues = placed.inexact.sorted()
    } else {
      inexactValues = record.values.keys.sorted()
    }
    record.state.inexactValues = try largeValues.keep(
      inexactValues.map { .init(field: $0, value: (record.values[$0] ?? .null).canonicalBytes) },
      of: record.number, hadLarge: hadLarge)
    if hadInexactValues || !misfits.isEmpty { try saveMisfits(misfits, of: record) }
    try history.spill(&record)
    do { try saveRow(row, of: record) } catch { throw error.about(table) }
    try saveState(of: record, hasRow: row != nil)
    record.row = row
    record.isStored = true
    record.newWrites = 0
    record.facts = nil
  }

  /// Returns what the store keeps of an entity; nil if no column shows it.
  ///
  /// Cost: a look-up if the entity has a row, else its history.
  func facts(of record: EntityRecord) throws(ProjectionError) -> EntityFacts? {
    let table = record.table
    guard !table.keptColumns.isEmpty else { return nil }
    let state = record.state
    let version = Int64(state.chunkCount * EntityState.recentMax + state.recent.count)
    let created = try state.firstInsertion.map { first throws(ProjectionError) in
      EntityFacts.time(try index.authored(first.origin, first.sequence))
    }
    let column = table.keptColumns.first { table.columns[$0].schema.kept == .modified }
    var modified = Int64.min
    var entries = state.recent[...]
    if let column, case .text(let text)? = record.row?[column],
      let known = Timestamp.milliseconds(text)
    {
      // The row has the time of all writes but those that are being applied.
      modified = known
      entries = entries.suffix(record.newWrites)
    } else if column != nil {
      entries = try history.entries(of: record)[...]
    }
    for entry in entries {
      let authored = try index.authored(entry.ref.origin, entry.ref.sequence)
      modified = max(modified, EntityFacts.time(authored))
    }
    return EntityFacts(created: created, modified: modified, version: version)
  }

  private func saveState(of record: EntityRecord, hasRow: Bool) throws(ProjectionError) {
    let statement = try sql(
      record.isStored
        ? "UPDATE _daybook_entities SET collection = ?2, id = ?3, state = ?4 WHERE number = ?1"
        : "INSERT INTO _daybook_entities VALUES (?1, ?2, ?3, ?4)")
    try statement.bind(1, record.number)
    if hasRow {
      try statement.bindNull(2)
      try statement.bindNull(3)
    } else {
      try statement.bind(2, record.table.number)
      try statement.bind(3, record.id)
    }
    let state = record.state.encoded()
    stateBytesWritten += state.count
    try statement.bind(4, state)
    try statement.run()
  }

  private func saveRow(_ row: [Cell]?, of record: EntityRecord) throws(ProjectionError) {
    let table = record.table
    switch (record.row, row) {
    case (nil, nil): return
    case (nil, let new?):
      try insertRow(new, record)
      try search.insert(new, of: record)
    case (let old?, nil):
      try search.delete(old, of: record)
      let delete = try sql(table.statements.delete)
      try delete.bind(1, record.number)
      try delete.run()
    case (let old?, let new?):
      let changed = new.indices.filter { old[$0] != new[$0] }
      guard !changed.isEmpty else { return }
      let reindexes = try search.indexesNow(old, new, of: record)
      if reindexes { try search.delete(old, of: record) }
      let update = try sql(table.updateStatement(changed))
      for (parameter, column) in changed.enumerated() {
        try update.bind(Int32(parameter + 1), new[column])
      }
      try update.bind(Int32(changed.count + 1), record.number)
      try update.run()
      if reindexes { try search.insert(new, of: record) }
    }
    touched.insert(table, record.id)
  }

  private func insertRow(_ row: [Cell], _ record: EntityRecord) throws(ProjectionError) {
    let insert = try sql(record.table.statements.insert)
    try insert.bind(1, record.number)
    try insert.bind(2, record.id)
    for (index, cell) in row.enumerated() { try insert.bind(Int32(index + 3), cell) }
    try insert.run()
    try statistics.noteInsert(record.number, into: record.table)
  }

  private func saveMisfits(_ misfits: [Int], of record: EntityRecord) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_misfits WHERE collection = ? AND id = ?")
    try delete.bind(1, record.table.identity)
    try delete.bind(2, record.id)
    try delete.run()
    for field in misfits {
      let insert = try sql("INSERT INTO _daybook_misfits VALUES (?, ?, ?, ?)")
      try insert.bind(1, record.table.identity)
      try insert.bind(2, record.id)
      try insert.bind(3, record.table.fieldNames[field])
      try insert.bind(4, (record.values[field] ?? .null).canonicalBytes)
      try insert.run()
    }
  }

  /// Removes an entity that nothing was written to, and that was saved so.
  func forget(_ record: EntityRecord) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_entities WHERE number = ?")
    try delete.bind(1, record.number)
    try delete.run()
  }
}
