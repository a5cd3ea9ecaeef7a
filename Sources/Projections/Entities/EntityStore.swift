import DaybookEventCore

/// Loads and writes entities: row, search index, state, history and misfits.
final class EntityStore {
  let sql: StatementCache
  let index: EventIndex
  let unique: UniqueIndex
  let cycles: CycleList
  let backlog: SearchBacklog
  let statistics: TableStatistics
  let touched: ChangedRows
  private(set) var nextNumber: Int64 = 1
  /// The bytes of all states that were written. Tests count the work of a projection with it.
  private(set) var stateBytesWritten = 0
  private let limits: ReadModelLimits

  init(
    _ sql: StatementCache, _ index: EventIndex, _ limits: ReadModelLimits, _ touched: ChangedRows
  ) throws(ProjectionError) {
    self.touched = touched
    self.sql = sql
    self.index = index
    self.limits = limits
    unique = UniqueIndex(sql: sql)
    cycles = CycleList(sql: sql)
    backlog = try SearchBacklog(sql)
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
      let query = try sql(table.selectSQL)
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
      let large = try largeValues(of: number)
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

  // MARK: - Large values

  /// Returns the values that neither the entity's row nor its state holds, as
  /// canonical bytes by field.
  private func largeValues(of entity: Int64) throws(ProjectionError) -> [Int: [UInt8]] {
    let query = try sql("SELECT field, value FROM _daybook_values WHERE entity = ?")
    try query.bind(1, entity)
    defer { query.reset() }
    var values: [Int: [UInt8]] = [:]
    while try query.step() { values[query.int(0)] = query.blob(1) }
    return values
  }

  /// Stores an entity's large inexact values in rows of their own.
  /// - Parameters:
  ///   - inexactValues: all inexact values, with their bytes.
  ///   - entity: the entity's number.
  ///   - hadLarge: whether such rows exist for the entity.
  /// - Returns: the inexact values as the state holds them.
  private func keepLarge(
    _ inexactValues: [EntityState.InexactValue], of entity: Int64, hadLarge: Bool
  )
    throws(ProjectionError) -> [EntityState.InexactValue]
  {
    if hadLarge {
      let delete = try sql("DELETE FROM _daybook_values WHERE entity = ?")
      try delete.bind(1, entity)
      try delete.run()
    }
    var kept = inexactValues
    for (index, inexact) in inexactValues.enumerated() {
      guard let value = inexact.value, value.count >= EntityState.largeValueBytes else { continue }
      let insert = try sql("INSERT OR REPLACE INTO _daybook_values VALUES (?, ?, ?)")
      try insert.bind(1, entity)
      try insert.bind(2, inexact.field)
      try insert.bind(3, value)
      try insert.run()
      kept[index].value = nil
    }
    return kept
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
    record.state.inexactValues = try keepLarge(
      inexactValues.map { .init(field: $0, value: (record.values[$0] ?? .null).canonicalBytes) },
      of: record.number, hadLarge: hadLarge)
    if hadInexactValues || !misfits.isEmpty { try saveMisfits(misfits, of: record) }
    try spillHistory(&record)
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
      entries = try history(of: record)[...]
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
      try insertSearch(new, record)
    case (let old?, nil):
      try deleteSearch(old, record)
      let delete = try sql(table.deleteSQL)
      try delete.bind(1, record.number)
      try delete.run()
    case (let old?, let new?):
      let changed = new.indices.filter { old[$0] != new[$0] }
      guard !changed.isEmpty else { return }
      let reindexes = try reindexesNow(old, new, record)
      if reindexes { try deleteSearch(old, record) }
      let update = try sql(table.updateSQL(changed))
      for (parameter, column) in changed.enumerated() {
        try update.bind(Int32(parameter + 1), new[column])
      }
      try update.bind(Int32(changed.count + 1), record.number)
      try update.run()
      if reindexes { try insertSearch(new, record) }
    }
    touched.insert(table, record.id)
  }

  private func insertRow(_ row: [Cell], _ record: EntityRecord) throws(ProjectionError) {
    let insert = try sql(record.table.insertSQL)
    try insert.bind(1, record.number)
    try insert.bind(2, record.id)
    for (index, cell) in row.enumerated() { try insert.bind(Int32(index + 3), cell) }
    try insert.run()
    try statistics.noteInsert(record.number, into: record.table)
  }

  /// Returns whether a changed row is indexed at once; false if it is indexed later, or if no
  /// searched column has changed.
  private func reindexesNow(_ old: [Cell], _ new: [Cell], _ record: EntityRecord)
    throws(ProjectionError) -> Bool
  {
    let table = record.table
    guard table.searchColumns.contains(where: { old[$0] != new[$0] }),
      !backlog.contains(record.number, of: table)
    else { return false }
    let indexed = table.searchColumns.map { old[$0] }
    guard
      record.isEdited
        || indexed.reduce(0, { $0 + $1.byteCount }) >= SearchBacklog.rowBytesMin
    else { return true }
    try backlog.add(record.number, of: table, indexed: indexed)
    return false
  }

  private func insertSearch(_ row: [Cell], _ record: EntityRecord) throws(ProjectionError) {
    guard !record.table.searchColumns.isEmpty else { return }
    try writeSearch(record.table.searchInsertSQL, row, record)
  }

  private func deleteSearch(_ row: [Cell], _ record: EntityRecord) throws(ProjectionError) {
    guard !record.table.searchColumns.isEmpty else { return }
    guard !backlog.contains(record.number, of: record.table) else {
      return try backlog.unindex(record.number, of: record.table)
    }
    try writeSearch(record.table.searchDeleteSQL, row, record)
  }

  private func writeSearch(_ text: String, _ row: [Cell], _ record: EntityRecord)
    throws(ProjectionError)
  {
    let statement = try sql(text)
    try statement.bind(1, record.number)
    for (index, column) in record.table.searchColumns.enumerated() {
      try statement.bind(Int32(index + 2), row[column])
    }
    try statement.run()
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

  // MARK: - History

  /// Moves the oldest writes of the state to chunks while there are too many.
  private func spillHistory(_ record: inout EntityRecord) throws(ProjectionError) {
    var start = 0
    let recent = record.state.recent
    while recent.count - start > EntityState.recentMax {
      var writer = ByteWriter(capacity: 512)
      for entry in recent[start..<start + EntityState.recentMax] { entry.encode(to: &writer) }
      try insertChunk(writer.bytes, record.state.chunkCount, of: record.number)
      record.state.chunkCount += 1
      start += EntityState.recentMax
    }
    if start > 0 { record.state.recent = Array(recent[start...]) }
  }

  /// Stores a chunk of an entity's history.
  /// - Parameters:
  ///   - chunk: ``EntityState/recentMax`` packed writes.
  ///   - position: the number of chunks before it.
  ///   - entity: the entity's number.
  func insertChunk(_ chunk: [UInt8], _ position: Int, of entity: Int64) throws(ProjectionError) {
    let insert = try sql("INSERT OR REPLACE INTO _daybook_history VALUES (?, ?, ?)")
    try insert.bind(1, entity)
    try insert.bind(2, position)
    try insert.bind(3, chunk)
    try insert.run()
  }

  /// Removes the chunks of an entity's history from a position on.
  func dropHistory(of record: EntityRecord, from position: Int) throws(ProjectionError) {
    guard record.state.chunkCount > position else { return }
    let delete = try sql("DELETE FROM _daybook_history WHERE entity = ? AND chunk >= ?")
    try delete.bind(1, record.number)
    try delete.bind(2, position)
    try delete.run()
  }

  /// Removes an entity that nothing was written to, and that was saved so.
  func forget(_ record: EntityRecord) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_entities WHERE number = ?")
    try delete.bind(1, record.number)
    try delete.run()
  }

  /// Returns ``EntityState/recentMax`` writes to an entity, in order of arrival.
  /// - Parameter position: the number of such chunks before them.
  func historyChunk(_ position: Int, of record: EntityRecord) throws(ProjectionError)
    -> [HistoryEntry]
  {
    let query = try sql("SELECT entries FROM _daybook_history WHERE entity = ? AND chunk = ?")
    try query.bind(1, record.number)
    try query.bind(2, position)
    defer { query.reset() }
    guard try query.step() else { throw .damaged("a part of an entity's history") }
    return try entries(of: record, query.blob(0))
  }

  private func entries(of record: EntityRecord, _ chunk: [UInt8]) throws(ProjectionError)
    -> [HistoryEntry]
  {
    let entries: [HistoryEntry]
    do throws(EventError) {
      entries = try chunk.withRawBytes { raw throws(EventError) in
        try HistoryEntry.decode(chunk: raw)
      }
    } catch { throw .damaged("an entity's history: \(error)") }
    let fieldCount = record.table.fieldNames.count
    guard entries.allSatisfy({ $0.makesSense(index, fieldCount: fieldCount) }) else {
      throw .damaged("the history of “\(record.id)” names what there is not")
    }
    return entries
  }

  /// Returns all writes to an entity, in order of arrival. Cost: proportional to their number.
  func history(of record: EntityRecord) throws(ProjectionError) -> [HistoryEntry] {
    let state = record.state
    guard state.chunkCount > 0 else { return state.recent }
    var entries: [HistoryEntry] = []
    let query = try sql("SELECT entries FROM _daybook_history WHERE entity = ? ORDER BY chunk")
    try query.bind(1, record.number)
    defer { query.reset() }
    while try query.step() { entries += try self.entries(of: record, query.blob(0)) }
    return entries + state.recent
  }
}
