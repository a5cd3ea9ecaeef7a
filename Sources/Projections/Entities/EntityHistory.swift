import DaybookEventCore

/// The writes to each entity. Its state has the latest; a table has the others, in chunks.
struct EntityHistory {
  let sql: StatementCache
  let index: EventIndex

  /// Moves the oldest writes of the state to chunks while there are too many.
  func spill(_ record: inout EntityRecord) throws(ProjectionError) {
    var start = 0
    let recent = record.state.recent
    while recent.count - start > EntityState.recentMax {
      var writer = ByteWriter(capacity: 512)
      for entry in recent[start..<start + EntityState.recentMax] { entry.encode(to: &writer) }
      try insert(writer.bytes, record.state.chunkCount, of: record.number)
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
  func insert(_ chunk: [UInt8], _ position: Int, of entity: Int64) throws(ProjectionError) {
    let insert = try sql("INSERT OR REPLACE INTO _daybook_history VALUES (?, ?, ?)")
    try insert.bind(1, entity)
    try insert.bind(2, position)
    try insert.bind(3, chunk)
    try insert.run()
  }

  /// Removes the chunks of an entity's history from a position on.
  func drop(of record: EntityRecord, from position: Int) throws(ProjectionError) {
    guard record.state.chunkCount > position else { return }
    let delete = try sql("DELETE FROM _daybook_history WHERE entity = ? AND chunk >= ?")
    try delete.bind(1, record.number)
    try delete.bind(2, position)
    try delete.run()
  }

  /// Returns ``EntityState/recentMax`` writes to an entity, in order of arrival.
  /// - Parameter position: the number of such chunks before them.
  func chunk(_ position: Int, of record: EntityRecord) throws(ProjectionError)
    -> [HistoryEntry]
  {
    let query = try sql("SELECT entries FROM _daybook_history WHERE entity = ? AND chunk = ?")
    try query.bind(1, record.number)
    try query.bind(2, position)
    defer { query.reset() }
    guard try query.step() else { throw .damaged("a part of an entity's history") }
    return try decoded(query.blob(0), of: record)
  }

  private func decoded(_ chunk: [UInt8], of record: EntityRecord) throws(ProjectionError)
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
  func entries(of record: EntityRecord) throws(ProjectionError) -> [HistoryEntry] {
    let state = record.state
    guard state.chunkCount > 0 else { return state.recent }
    var entries: [HistoryEntry] = []
    let query = try sql("SELECT entries FROM _daybook_history WHERE entity = ? ORDER BY chunk")
    try query.bind(1, record.number)
    defer { query.reset() }
    while try query.step() { entries += try decoded(query.blob(0), of: record) }
    return entries + state.recent
  }
}
