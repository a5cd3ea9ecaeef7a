/// Writes the search index of a table with its rows: at once, or later from the backlog.
struct SearchWriter {
  let sql: StatementCache
  let backlog: SearchBacklog

  /// Returns whether a changed row is indexed at once; false if it is indexed later, or if no
  /// searched column has changed.
  func indexesNow(_ old: [Cell], _ new: [Cell], of record: EntityRecord)
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

  func insert(_ row: [Cell], of record: EntityRecord) throws(ProjectionError) {
    guard !record.table.searchColumns.isEmpty else { return }
    try write(record.table.statements.searchInsert, row, record)
  }

  func delete(_ row: [Cell], of record: EntityRecord) throws(ProjectionError) {
    guard !record.table.searchColumns.isEmpty else { return }
    guard !backlog.contains(record.number, of: record.table) else {
      return try backlog.unindex(record.number, of: record.table)
    }
    try write(record.table.statements.searchDelete, row, record)
  }

  private func write(_ text: String, _ row: [Cell], _ record: EntityRecord)
    throws(ProjectionError)
  {
    let statement = try sql(text)
    try statement.bind(1, record.number)
    for (index, column) in record.table.searchColumns.enumerated() {
      try statement.bind(Int32(index + 2), row[column])
    }
    try statement.run()
  }
}
