import DaybookEventCore
package import GRDB

/// The rows whose search index still has what they showed before, with what it has.
///
/// To index a long text takes much longer than to change it, and a text that is being typed changes
/// with each keystroke. So the index follows later: before the next search, about a second after
/// the change, or when much has changed. FTS5 needs the old texts to take a row out of an index
/// whose texts are elsewhere (sqlite.org/fts5.html, section 4.4.3).
package final class SearchBacklog {
  /// The bytes of searched text from which a changed row is indexed later.
  static let rowBytesMin = 2048
  /// The bytes of old texts from which each checkpoint indexes some of the rows.
  static let bytesMax = 8 << 20
  /// The bytes of old texts after which a transaction that indexes rows ends.
  package static let stepBytes = 1 << 20

  private struct Row: Hashable {
    /// The number of the collection.
    var table: Int
    var number: Int64
  }

  private let sql: StatementCache
  /// The bytes of old text of each row.
  private var rows: [Row: Int] = [:]
  private var bytes = 0

  init(_ sql: StatementCache) throws(ProjectionError) {
    self.sql = sql
    let query = try sql(
      """
      SELECT collection, entity, sum(length(CAST(value AS BLOB))) FROM _daybook_unindexed
      GROUP BY collection, entity
      """)
    defer { query.reset() }
    while try query.step() {
      note(Row(table: query.int(0), number: query.integer(1)), bytes: query.int(2))
    }
  }

  /// Indexes all rows that have changed since they were indexed.
  package static func indexAll(_ db: Database) throws(ProjectionError) {
    guard let connection = db.sqliteConnection else { return }
    let sql = StatementCache(connection)
    defer { sql.removeAll() }
    let backlog = try SearchBacklog(sql)
    guard !backlog.isEmpty else { return }
    // Pages that do not fit the cache would need a lock that readers of the same file do not grant.
    try sql.execute("PRAGMA cache_spill = 0")
    try backlog.index(limit: .max)
  }

  package var isEmpty: Bool { rows.isEmpty }
  var isLarge: Bool { bytes >= Self.bytesMax }

  func contains(_ number: Int64, of table: CollectionTable) -> Bool {
    !rows.isEmpty && rows[Row(table: table.number, number: number)] != nil
  }

  /// Notes that the index has `cells` of a row, which is about to show others.
  /// - Parameter cells: the searched columns.
  func add(_ number: Int64, of table: CollectionTable, indexed cells: [Cell])
    throws(ProjectionError)
  {
    for (place, cell) in cells.enumerated() {
      let insert = try sql("INSERT OR REPLACE INTO _daybook_unindexed VALUES (?, ?, ?, ?)")
      try insert.bind(1, table.number)
      try insert.bind(2, number)
      try insert.bind(3, place)
      try insert.bind(4, cell)
      try insert.run()
    }
    note(
      Row(table: table.number, number: number), bytes: cells.reduce(0) { $0 + $1.byteCount })
  }

  /// Takes a row out of the search index and out of the backlog.
  func unindex(_ number: Int64, of table: CollectionTable) throws(ProjectionError) {
    try unindex(Row(table: table.number, number: number))
  }

  /// Forgets the rows of a collection, whose search index is made again.
  func forget(_ table: CollectionTable) throws(ProjectionError) {
    guard rows.keys.contains(where: { $0.table == table.number }) else { return }
    let delete = try sql("DELETE FROM _daybook_unindexed WHERE collection = ?")
    try delete.bind(1, table.number)
    try delete.run()
    for row in rows.keys where row.table == table.number { remove(row) }
  }

  /// Indexes rows as they are now, until about `limit` bytes are done.
  func index(limit: Int) throws(ProjectionError) {
    var done = 0
    for (row, size) in rows.sorted(by: {
      ($0.key.table, $0.key.number) < ($1.key.table, $1.key.number)
    }) {
      guard done < limit else { return }
      done += max(size, 1)
      let columns = try unindex(row)
      let names = TableStatements.searched(columns)
      let insert = try sql(
        """
        INSERT INTO \(CollectionTable.searchName(row.table))(rowid\(names)) \
        SELECT number\(names) FROM \(CollectionTable.searchedName(row.table)) WHERE number = ?
        """)
      try insert.bind(1, row.number)
      try insert.run()
    }
  }

  /// Takes a row out of the search index and out of the backlog.
  /// - Returns: the number of searched columns.
  @discardableResult
  private func unindex(_ row: Row) throws(ProjectionError) -> Int {
    let query = try sql(
      "SELECT value FROM _daybook_unindexed WHERE collection = ? AND entity = ? ORDER BY place")
    try query.bind(1, row.table)
    try query.bind(2, row.number)
    var cells: [Cell] = []
    while try query.step() { cells.append(query.cell(0)) }
    query.reset()
    let search = CollectionTable.searchName(row.table)
    let delete = try sql(TableStatements.searchDelete(search, columns: cells.count))
    try delete.bind(1, row.number)
    for (index, cell) in cells.enumerated() { try delete.bind(Int32(index + 2), cell) }
    try delete.run()
    let forget = try sql("DELETE FROM _daybook_unindexed WHERE collection = ? AND entity = ?")
    try forget.bind(1, row.table)
    try forget.bind(2, row.number)
    try forget.run()
    remove(row)
    return cells.count
  }

  private func note(_ row: Row, bytes: Int) {
    remove(row)
    rows[row] = bytes
    self.bytes += bytes
  }

  private func remove(_ row: Row) { bytes -= rows.removeValue(forKey: row) ?? 0 }
}

extension Projector {
  /// Whether there are rows that search does not find yet by what they show.
  package var hasSearchBacklog: Bool { !entities.search.backlog.isEmpty }

  /// Indexes rows that have changed since they were indexed, within the caller's transaction.
  /// - Parameter limit: the bytes of text after which to stop; the rest is left for another call.
  package func indexChangedRows(limit: Int = .max) throws(ProjectionError) {
    try entities.search.backlog.index(limit: limit)
  }
}
