import EventCore

/// Makes the primary key of a table whose rows are there already.
///
/// SQLite makes the index of a `TEXT PRIMARY KEY` with the table, and then each row goes into the
/// middle of it; sorted in one go it costs a third. In the file such an index is like any other
/// unique index, but for what `sqlite_schema` says about it: its name, and no SQL of its own (see
/// “The SQLite Schema Table” in SQLite's description of its file format). So the table is made
/// without a key, the index afterwards, and then the schema is put right, in a file that nobody has
/// open and that is closed before anybody does.
struct LatePrimaryKey {
  let sql: StatementCache
  /// Whether SQLite lets its schema be written: a hardened one does not.
  let isPossible: Bool

  /// - Parameter isWanted: false makes keys with their tables in any case.
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

  /// Makes the table; its key too where that has to be.
  func createTable(_ schema: CollectionSchema) throws(ProjectionError) {
    try sql.execute(
      CollectionTable.createTableSQL(schema, named: schema.name, hasKey: !isPossible))
  }

  /// Makes the index. The table has a key when ``declare(_:)`` has been called.
  func createIndex(_ schema: CollectionSchema) throws(ProjectionError) {
    guard isPossible else { return }
    try sql.execute(
      "CREATE UNIQUE INDEX \(Names.quoted(Self.scratchName(schema))) "
        + "ON \(Names.quoted(schema.name))(id)")
  }

  /// Puts the schema right: the last that is done before the file is closed.
  func declare(_ schemas: [CollectionSchema]) throws(ProjectionError) {
    guard isPossible else { return }
    try sql.execute("PRAGMA writable_schema=ON")
    for schema in schemas {
      let table = try sql("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?")
      try table.bind(1, CollectionTable.createTableSQL(schema, named: schema.name))
      try table.bind(2, schema.name)
      try table.run()
      let index = try sql(
        "UPDATE sqlite_schema SET name = ?, sql = NULL WHERE type = 'index' AND name = ?")
      try index.bind(1, "sqlite_autoindex_\(schema.name)_1")
      try index.bind(2, Self.scratchName(schema))
      try index.run()
    }
    try sql.execute("PRAGMA writable_schema=OFF")
  }

  private static func scratchName(_ schema: CollectionSchema) -> String {
    "_daybook_key_\(schema.name)"
  }
}
