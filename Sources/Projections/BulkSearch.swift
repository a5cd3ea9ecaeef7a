import EventCore
import Foundation
import GRDBSQLite

/// Rows on their way from the writer to the search indexes.
struct BulkRows: Sendable {
  /// A row that was not taken from its operation as it stands.
  struct Row: Sendable {
    var number: Int64
    /// The collection's number.
    var collection: Int
    var id: String
    var cells: [Cell]
  }

  /// Holds the operations.
  var buffer: BulkBuffer
  /// Numbers ascending, as in `rows`.
  var inserts: [BulkBatch.Insert]
  var rows: [Row] = []
}

/// Makes the search indexes of a rebuild on a thread of its own, while rows and indexes are written.
///
/// FTS5 keeps all of an index of external content in tables of its own. They are filled in a scratch
/// file beside the read model and copied when the rows are there: what SQLite does on one connection,
/// it does on one thread.
final class BulkSearch: @unchecked Sendable {
  private let path: String
  private let connection: OpaquePointer
  private let sql: StatementCache
  /// By the collection's number; only those that are searched.
  private let tables: [Int: Table]
  private var stage: BulkStage<BulkRows>?
  /// The collection whose words FTS5 is gathering.
  private var current: Int?

  private struct Table {
    let table: CollectionTable
    /// Indexes of the columns that are searched.
    let columns: [Int]
    let insert: Statement
  }

  /// How much FTS5 gathers before it writes a segment: with its own megabyte, most of the time would
  /// go into merging segments.
  private static let gatheredBytes = 8 << 20

  /// A collection with unique fields or trees is left out: what is shown of it is not known before all
  /// rows are there.
  /// - Returns: nil where no collection is searched.
  /// - Throws: ``ProjectionError`` where the scratch file cannot be made.
  init?(tables all: [CollectionTable], path: String) throws(ProjectionError) {
    let searched = all.filter { table in
      guard let schema = table.schema else { return false }
      return !schema.searchable.isEmpty && !schema.fields.contains { $0.isUnique || $0.isTree }
    }
    guard !searched.isEmpty else { return nil }
    self.path = path
    unlink(path)
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    // Made first: SQLite would not say that the disk is full.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o644)
    let number = errno
    if descriptor >= 0 { close(descriptor) }
    guard descriptor >= 0, sqlite3_open_v2(path, &pointer, flags, nil) == SQLITE_OK, let pointer
    else {
      defer { sqlite3_close_v2(pointer) }
      let isFull = descriptor < 0 && (number == ENOSPC || number == EDQUOT)
      throw ProjectionError(isFull ? .noSpace : .sqlite, "“\(path)” cannot be made")
    }
    connection = pointer
    sql = StatementCache(pointer)
    var tables: [Int: Table] = [:]
    do throws(ProjectionError) {
      for pragma in [
        "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE", "cache_size=-32768",
        "secure_delete=OFF",
      ] {
        try sql.execute("PRAGMA \(pragma)")
      }
      // Never committed: what the cache holds until the end is never written.
      try sql.execute("BEGIN IMMEDIATE")
      for table in searched {
        guard let schema = table.schema, let create = CollectionTable.createSearchSQL(schema) else {
          continue
        }
        try sql.execute(create)
        try Self.gather(Self.gatheredBytes, table, sql)
        let columns = table.columns.indices.filter { table.columns[$0].schema.searchWeight != nil }
        tables[table.number] = Table(
          table: table, columns: columns,
          insert: try sql(CollectionTable.searchInsertSQL(schema)))
      }
    } catch {
      sql.removeAll()
      sqlite3_close_v2(pointer)
      unlink(path)
      throw error
    }
    self.tables = tables
    stage = BulkStage(isHeld: true) { [unowned self] in try add($0) }
  }

  private static func gather(_ bytes: Int, _ table: CollectionTable, _ sql: StatementCache)
    throws(ProjectionError)
  {
    let name = table.quotedSearchName
    try sql.execute("INSERT INTO \(name)(\(name), rank) VALUES ('hashsize', \(bytes))")
  }

  func isSearched(_ collection: Int) -> Bool { tables[collection] != nil }

  /// Hands over rows of higher numbers than all before.
  /// - Throws: what indexing failed with.
  func put(_ rows: BulkRows) throws { try stage?.put(rows) }

  /// Begins to index: the fold and the writer need the processor more as long as they are at work.
  func begin() { stage?.release() }

  // MARK: On the stage's thread

  private func add(_ rows: BulkRows) throws {
    var inserts = rows.inserts[...]
    for row in rows.rows {
      while let insert = inserts.first, insert.number < row.number {
        try add(insert, rows.buffer)
        inserts.removeFirst()
      }
      guard let table = try begin(row.collection) else { continue }
      try table.insert.bind(1, row.number)
      for (index, column) in table.columns.enumerated() {
        try table.insert.bind(Int32(index + 2), row.cells[column])
      }
      try table.insert.run()
    }
    for insert in inserts { try add(insert, rows.buffer) }
  }

  private func add(_ insert: BulkBatch.Insert, _ buffer: BulkBuffer) throws {
    let operation = BulkOperation(bytes: buffer.bytes, offset: insert.operation)
    guard let table = try begin(operation.collection) else { return }
    table.insert.clearBindings()
    try table.insert.bind(1, insert.number)
    var reader = ByteReader(operation.fields)
    for _ in 0..<operation.fieldCount {
      let field = try reader.index()
      let value = try ValueView(checked: &reader)
      guard let column = table.table.column(ofField: field),
        let index = table.columns.firstIndex(of: column)
      else { continue }
      try table.insert.bind(Int32(index + 2), value)
    }
    try table.insert.run()
  }

  /// The table of a collection, and nil where that is not searched. What FTS5 has gathered of another
  /// is written first: memory is for one.
  private func begin(_ collection: Int) throws(ProjectionError) -> Table? {
    guard let table = tables[collection] else { return nil }
    if current != collection {
      if current != nil { try flush() }
      current = collection
    }
    return table
  }

  /// FTS5 writes what it has gathered when a savepoint begins.
  private func flush() throws(ProjectionError) {
    try sql.execute("SAVEPOINT gathered; RELEASE gathered")
  }

  // MARK: The end

  /// Waits until all is indexed, and makes the search indexes in the read model. Its connection must
  /// be closed before anything is searched.
  func finish(into target: StatementCache) throws {
    try stage?.finish()
    stage = nil
    try flush()
    for table in tables.values.sorted(by: { $0.table.number < $1.table.number }) {
      guard let schema = table.table.schema,
        let create = CollectionTable.createSearchSQL(schema)
      else { continue }
      try target.execute(create)
      for (part, columns) in [("data", 2), ("idx", 3), ("docsize", 2)] {
        let name = Names.quoted("\(CollectionTable.searchName(schema.name))_\(part)")
        try target.execute("DELETE FROM \(name)")
        try copy(name, columns, into: target)
      }
    }
  }

  private func copy(_ name: String, _ columns: Int, into target: StatementCache) throws {
    let read = try sql("SELECT * FROM \(name)")
    let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
    let write = try target("INSERT INTO \(name) VALUES (\(marks))")
    while try read.step() {
      for column in 0..<Int32(columns) { try write.bind(column + 1, valueOf: read, column) }
      try write.run()
    }
  }

  /// Ends the thread and takes the scratch file away.
  func remove() {
    stage?.cancel()
    stage = nil
    sql.removeAll()
    sqlite3_close_v2(connection)
    unlink(path)
  }
}
