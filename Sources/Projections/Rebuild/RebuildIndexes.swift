import DaybookEventCore

/// Makes primary keys and indexes of tables after their rows.
///
/// SQLite makes the index of a `TEXT PRIMARY KEY` with the table, and inserts each row into the
/// middle of it; made in one go it costs a third. `CREATE INDEX` sorts on one thread, which costs
/// two thirds of that again, while another thread is idle.
///
/// In the file, a primary key's index is like any other unique index, except for its entry in
/// `sqlite_schema`: its name, and no SQL of its own. The tree of an index is that of a `WITHOUT
/// ROWID` table whose key is the indexed columns and the row's number. (See “The SQLite Schema
/// Table” and “Representation of SQL Indices” in SQLite's description of its file format.)
///
/// So the table is made without a key, and the keys sorted on another thread are written into such
/// a `WITHOUT ROWID` table. At the end the schema is corrected. No other connection has the file
/// open until this one has closed it.
final class RebuildIndexes {
  private let sql: StatementCache
  /// Whether SQLite allows writes to its schema; a hardened build does not.
  let isPossible: Bool
  /// The corrections to make in the schema, for trees made under other names.
  private var declarations: [Declaration] = []

  private struct Declaration {
    /// The name under which it was made: a unique index's, or a table's.
    var scratch: String
    var name: String
    var table: String
    /// The index's SQL; nil for a primary key.
    var sql: String?
  }

  /// - Parameters:
  ///   - sql: the statements of the new file's connection.
  ///   - isWanted: false to make keys with their tables, and all indexes by `CREATE INDEX`.
  init(_ sql: StatementCache, isWanted: Bool) throws(ProjectionError) {
    self.sql = sql
    guard isWanted else {
      isPossible = false
      return
    }
    try sql.execute("PRAGMA writable_schema=ON")
    let query = try sql("PRAGMA writable_schema")
    isPossible = try query.step() && query.integer(0) == 1
    query.reset()
    try sql.execute("PRAGMA writable_schema=OFF")
  }

  /// Makes a collection's table; with its key only if late keys are impossible.
  func createTable(_ schema: CollectionSchema) throws(ProjectionError) {
    try sql.execute(
      CollectionTable.createTableSQL(schema, named: schema.name, hasKey: !isPossible))
  }

  /// Makes the indexes of a collection whose keys were not sorted on another thread.
  ///
  /// SQLite sorts these. For some of them the order of the log has already done most of the work.
  func createUnsorted(_ table: CollectionTable, _ schema: CollectionSchema, _ keys: RebuildKeys?)
    throws(ProjectionError)
  {
    if isPossible, keys?.ids(of: table.number) == nil {
      let scratch = Self.keyName(table)
      try sql.execute("CREATE UNIQUE INDEX \(scratch) ON \(Names.quoted(schema.name))(id)")
      declarations.append(keyDeclaration(schema, scratch))
    }
    for index in table.indexes(schema) where !isLeft(index, table, keys) {
      try sql.execute(index.sql)
    }
  }

  /// Returns whether an index is made later, from keys sorted on another thread.
  private func isLeft(
    _ index: CollectionTable.Index, _ table: CollectionTable, _ keys: RebuildKeys?
  )
    -> Bool
  {
    guard let keys, keys.sorts(table.number) else { return false }
    return index.name == table.incomingIndexName
  }

  /// Writes the indexes of a collection whose keys were sorted on another thread.
  func createSorted(
    _ table: CollectionTable, _ schema: CollectionSchema, _ keys: RebuildKeys, _ feed: RowFeed
  ) throws {
    guard keys.sorts(table.number) else { return }
    if let ids = keys.ids(of: table.number) {
      let scratch = Self.keyName(table)
      try sql.execute(
        "CREATE TABLE \(scratch)(id TEXT, number INTEGER, PRIMARY KEY (id, number)) WITHOUT ROWID")
      try feed.run(
        try sql("INSERT INTO \(scratch) SELECT c0, c2 FROM \(RowFeed.name)"), ids.rows())
      declarations.append(keyDeclaration(schema, scratch))
    }
    for index in table.indexes(schema) where isLeft(index, table, keys) {
      guard let sort = keys.incoming(of: table.number) else {
        try sql.execute(index.sql)
        continue
      }
      let scratch = "_daybook_sorted_\(table.number)"
      try sql.execute(
        "CREATE TABLE \(scratch)(a TEXT, b TEXT, number INTEGER, "
          + "PRIMARY KEY (a, b, number)) WITHOUT ROWID")
      try feed.run(
        try sql("INSERT INTO \(scratch) SELECT c0, c1, c2 FROM \(RowFeed.name)"), sort.rows())
      declarations.append(
        Declaration(scratch: scratch, name: index.name, table: schema.name, sql: index.sql))
    }
  }

  /// Corrects the schema. This must be the last change before the file is closed.
  func declare(_ tables: [CollectionTable]) throws(ProjectionError) {
    guard isPossible else { return }
    // Look up all places once: SQLite has no index on the names of its schema.
    var places: [String: Int64] = [:]
    let query = try sql("SELECT _rowid_, name FROM sqlite_schema")
    while try query.step() { places[query.text(1)] = query.integer(0) }
    query.reset()
    try sql.execute("PRAGMA writable_schema=ON")
    for schema in tables.compactMap(\.schema) {
      let table = try sql("UPDATE sqlite_schema SET sql = ? WHERE _rowid_ = ?")
      try table.bind(1, CollectionTable.createTableSQL(schema, named: schema.name))
      try table.bind(2, try place(schema.name, places))
      try table.run()
    }
    for declaration in declarations {
      let index = try sql(
        """
        UPDATE sqlite_schema SET type = 'index', name = ?, tbl_name = ?, sql = ? WHERE _rowid_ = ?
        """)
      try index.bind(1, declaration.name)
      try index.bind(2, declaration.table)
      if let text = declaration.sql { try index.bind(3, text) } else { try index.bindNull(3) }
      try index.bind(4, try place(declaration.scratch, places))
      try index.run()
    }
    try sql.execute("PRAGMA writable_schema=OFF")
  }

  private func place(_ name: String, _ places: [String: Int64]) throws(ProjectionError) -> Int64 {
    guard let place = places[name] else { throw .damaged("“\(name)” was not made") }
    return place
  }

  private func keyDeclaration(_ schema: CollectionSchema, _ scratch: String) -> Declaration {
    Declaration(
      scratch: scratch, name: "sqlite_autoindex_\(schema.name)_1", table: schema.name, sql: nil)
  }

  private static func keyName(_ table: CollectionTable) -> String { "_daybook_key_\(table.number)" }
}
