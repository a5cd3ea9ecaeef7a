/// The statistics by which SQLite chooses among the indexes of collections' tables, which it keeps
/// in `sqlite_stat1`.
///
/// SQLite measures a table when it is told to: here, when the table has got its first row, and each
/// time that it has grown by about half since. The only state is `sqlite_stat1` itself, so
/// processes that write one row each keep statistics, too.
final class TableStatistics {
  /// The entries of each index that SQLite looks at.
  private static let sample = 1000
  /// The number of tables that are measured before one checkpoint; the others wait.
  private static let tablesAtOnce = 64
  /// The number of tables that a rebuild measures. To replace the statistics of a table, SQLite
  /// reads those of all.
  private static let tablesOfRebuild = 1000
  /// The number of inserts, on average, below which no table is measured again.
  private static let intervalMin: Int64 = 64
  /// The number of rows that SQLite is told that a table has, unless it has more.
  ///
  /// What matters is how many rows an index finds. By the number of all rows, SQLite decides to
  /// read a small table without its index, although the next transaction may add any number of
  /// rows. It also makes a Bloom filter of a whole index if what is joined with the table seems to
  /// be larger, and a subquery seems to have a million rows.
  private static let rowsTold: Int64 = 1 << 24

  private let sql: StatementCache
  /// The number of rows that a table had when it was last measured, by the collection's number.
  private var rows: [Int: Int64] = [:]
  /// The numbers of the collections whose tables are measured before the next checkpoint.
  private var due: Set<Int> = []

  init(_ sql: StatementCache) { self.sql = sql }

  /// Notes that a table has got a row.
  ///
  /// Rows are sampled by their numbers. They are mixed, because tables that are written in turn get
  /// numbers at regular distances.
  func noteInsert(_ number: Int64, into table: CollectionTable) throws(ProjectionError) {
    guard !due.contains(table.number) else { return }
    let known = try rows(of: table)
    let mixed = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
    let interval = UInt64(max(known / 2, Self.intervalMin))
    if known == 0 || (mixed ^ mixed >> 32) % interval == 0 { due.insert(table.number) }
  }

  /// Notes that a table or its indexes have been made anew.
  func noteChange(of table: CollectionTable) throws(ProjectionError) {
    rows[table.number] = nil
    if try hasRows(table) { due.insert(table.number) }
  }

  /// Returns the numbers of some of the collections whose tables are to be measured.
  func takeDue() -> [Int] {
    let taken = Array(due.sorted().prefix(Self.tablesAtOnce))
    due.subtract(taken)
    return taken
  }

  /// Forgets which tables are to be measured: a rebuild measures all of them.
  func forgetDue() { due = [] }

  /// Measures a table.
  ///
  /// Cost: reads up to ``sample`` entries of each index, however many there are.
  /// - Returns: whether the number of rows has passed a power of two since the last time.
  func measure(_ table: CollectionTable) throws(ProjectionError) -> Bool {
    let before = try rows(of: table)
    try sql.execute("PRAGMA analysis_limit = \(Self.sample)")
    // With the database's name: `ANALYZE "main"` would measure everything.
    try sql.execute("ANALYZE main.\(table.quotedName)")
    let update = try sql(
      """
      UPDATE sqlite_stat1 SET stat = max(CAST(stat AS INTEGER), ?2)
        || substr(stat, instr(stat || ' ', ' ')) || ' rows=' || CAST(stat AS INTEGER)
      WHERE tbl = ?1
      """)
    try update.bind(1, table.tableName)
    try update.bind(2, Self.rowsTold)
    try update.run()
    // Makes this connection read the statistics again; nothing is measured.
    try sql.execute("ANALYZE main.sqlite_schema")
    rows[table.number] = nil
    let after = try rows(of: table)
    return after.leadingZeroBitCount < before.leadingZeroBitCount
  }

  /// Measures the tables of a read model that was just made.
  func measure(all tables: [CollectionTable]) throws(ProjectionError) {
    var measured = 0
    for table in tables where measured < Self.tablesOfRebuild {
      guard try hasRows(table) else { continue }
      _ = try measure(table)
      measured += 1
    }
  }

  /// Makes other connections read the statistics at their next statement.
  ///
  /// A connection reads them together with the schema, and reads that again if SQLite's schema
  /// version has changed. A view changes it without a page of its own, and without making this
  /// connection read anything again.
  func publish() throws(ProjectionError) {
    try sql.execute("CREATE VIEW _daybook_measured AS SELECT 1")
    try sql.execute("DROP VIEW _daybook_measured")
  }

  /// Returns the number of rows that a table had when it was last measured; 0 if it never was.
  private func rows(of table: CollectionTable) throws(ProjectionError) -> Int64 {
    if let known = rows[table.number] { return known }
    // Each index has a line. SQLite passes over what it does not know at the end of one.
    let query = try sql(
      """
      SELECT max(CAST(substr(stat, instr(stat, 'rows=') + 5) AS INTEGER)) FROM sqlite_stat1
      WHERE tbl = ?
      """)
    defer { query.reset() }
    try query.bind(1, table.tableName)
    let found = try query.step() ? query.integer(0) : 0
    rows[table.number] = found
    return found
  }

  private func hasRows(_ table: CollectionTable) throws(ProjectionError) -> Bool {
    let query = try Statement(sql.connection, "SELECT 1 FROM \(table.quotedName) LIMIT 1")
    return try query.step()
  }
}

extension Projector {
  /// Measures the tables that have grown, in the caller's transaction.
  func keepStatistics() throws(ProjectionError) {
    let due = entities.statistics.takeDue()
    guard !due.isEmpty else { return }
    willChangeTables()
    var hasGrown = false
    for table in due.compactMap({ table(number: $0) }) where table.isDeclared {
      if try entities.statistics.measure(table) { hasGrown = true }
    }
    if hasGrown { try entities.statistics.publish() }
  }

  /// Measures the tables of a rebuilt read model, in a transaction of its own.
  func measureRebuilt() throws(ProjectionError) {
    // The schema was corrected in the file: see ``RebuildIndexes``.
    try sql.execute("PRAGMA writable_schema=RESET")
    try sql.execute("BEGIN IMMEDIATE")
    try entities.statistics.measure(all: declaredTables)
    try sql.execute("COMMIT")
  }
}
