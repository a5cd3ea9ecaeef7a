import DaybookDisk
import DaybookEventCore
import Foundation
import GRDBSQLite

/// Rows on their way from the writer to the search indexes and the sorted keys.
struct RebuildRows: Sendable {
  /// A row of an entity with several writes, or with values that its operation
  /// does not hold exactly.
  struct Row: Sendable {
    var number: Int64
    /// The collection's number.
    var collection: Int
    var id: String
    var cells: [Cell]
  }

  /// The buffer that holds the operations.
  var buffer: RebuildBuffer
  /// Entities inserted once and never touched again, by ascending number, as in `rows`.
  var inserts: [RebuildBatch.Insert]
  var rows: [Row] = []

  /// The weight in a stage's queue: 1, and 1 more for each 512 cells in `rows`.
  var weight: Int { 1 + rows.reduce(0) { $0 + $1.cells.count } / 512 }
}

/// Makes the search indexes of a rebuild on a thread of its own, while other indexes are written.
///
/// FTS5 keeps all of an index of external content in tables of its own. They are filled in a
/// scratch file beside the read model, and copied after all rows are written: SQLite does all work
/// of one connection on one thread.
///
/// Indexing begins after all rows are written, because the processors are busy until
/// then. Meanwhile rows wait in memory. If that memory has to become free, their texts
/// wait in another file.
final class RebuildSearch: @unchecked Sendable {
  private let path: String
  private let connection: OpaquePointer
  private let sql: StatementCache
  /// By the collection's number; only searched collections.
  private let tables: [Int: Table]
  private var stage: RebuildStage<RebuildRows>?
  /// The texts that wait for indexing, if they must not wait in memory.
  private var waiting: RebuildScratchFile?
  /// The texts of one row.
  private let record = RebuildBuffer()
  /// The number of the collection whose words FTS5 is gathering.
  private var current: Int?

  private struct Table {
    let table: CollectionTable
    /// Indexes of the searched columns.
    let columns: [Int]
    let insert: Statement
  }

  /// How much FTS5 gathers before it writes a segment. With its default of one megabyte, most of
  /// the time would go into merging segments.
  private static let gatheredBytes = 8 << 20

  private init(
    path: String, connection: OpaquePointer, sql: StatementCache, tables: [Int: Table],
    waiting: RebuildScratchFile?
  ) {
    self.path = path
    self.connection = connection
    self.sql = sql
    self.tables = tables
    self.waiting = waiting
  }

  /// Makes the scratch file and starts the thread.
  ///
  /// A collection with unique fields or trees is left out: which rows it shows is not known before
  /// all of them are written.
  /// - Parameters:
  ///   - all: the declared collections' tables.
  ///   - isInMemory: whether all rows may wait in memory.
  ///   - path: the path of the scratch file.
  /// - Returns: nil if no collection is searched.
  /// - Throws: ``ProjectionError`` if the scratch file cannot be made.
  static func start(
    tables all: [CollectionTable], isInMemory: Bool, path: String
  ) throws(ProjectionError) -> RebuildSearch? {
    let searched = all.filter { table in
      guard let schema = table.schema else { return false }
      return !schema.searchable.isEmpty && !schema.hasRules
    }
    guard !searched.isEmpty else { return nil }
    try? SystemCalls.remove(path)
    let waiting: RebuildScratchFile? = isInMemory ? nil : try .create(path + ".texts")
    let connection = try create(path)
    let sql = StatementCache(connection)
    let tables: [Int: Table]
    do throws(ProjectionError) {
      let cacheKiB = isInMemory ? 32_768 : 8192
      for pragma in [
        "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE", "cache_size=-\(cacheKiB)",
        "secure_delete=OFF",
      ] {
        try sql.execute("PRAGMA \(pragma)")
      }
      try SearchTokenizer.register(connection)
      // Never committed: pages that the cache still holds at the end are never written.
      try sql.execute("BEGIN IMMEDIATE")
      tables = try create(searched, sql)
    } catch {
      sql.removeAll()
      sqlite3_close_v2(connection)
      try? SystemCalls.remove(path)
      throw error
    }
    let search = RebuildSearch(
      path: path, connection: connection, sql: sql, tables: tables, waiting: waiting)
    search.startStage(isHeld: isInMemory)
    return search
  }

  /// Creates the scratch file and opens it as a database.
  private static func create(_ path: String) throws(ProjectionError) -> OpaquePointer {
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    // Create the file first: SQLite would not report that the disk is full.
    do { SystemCalls.close(try SystemCalls.open(path, .new)) } catch {
      throw ProjectionError(
        error.isFull ? .noSpace : .sqlite, "“\(path)” cannot be made: \(error)")
    }
    guard sqlite3_open_v2(path, &pointer, flags, nil) == SQLITE_OK, let pointer else {
      defer { sqlite3_close_v2(pointer) }
      throw ProjectionError(.sqlite, "“\(path)” cannot be opened")
    }
    return pointer
  }

  /// Creates the FTS5 tables in the scratch file.
  private static func create(
    _ searched: [CollectionTable], _ sql: StatementCache
  ) throws(ProjectionError) -> [Int: Table] {
    var tables: [Int: Table] = [:]
    for table in searched {
      guard let schema = table.schema else { continue }
      // Only the FTS5 table: the scratch file has no rows for a view to show.
      guard let create = table.createSearchSQL(schema).last else { continue }
      do { try sql.execute(create) } catch { throw error.about(table) }
      try gather(gatheredBytes, table, sql)
      let columns = table.columns.indices.filter { table.columns[$0].schema.searchWeight != nil }
      tables[table.number] = Table(
        table: table, columns: columns,
        insert: try sql(TableStatements.searchInsert(table.searchName, columns: columns.count)))
    }
    return tables
  }

  /// Starts the thread.
  private func startStage(isHeld: Bool) {
    stage = RebuildStage(isHeld: isHeld, weight: \.weight) { [unowned self] in
      try add($0)
    } end: { [unowned self] isWanted in
      try addWaiting(isWanted)
    }
  }

  private static func gather(_ bytes: Int, _ table: CollectionTable, _ sql: StatementCache)
    throws(ProjectionError)
  {
    let name = table.searchName
    try sql.execute("INSERT INTO \(name)(\(name), rank) VALUES ('hashsize', \(bytes))")
  }

  func isSearched(_ collection: Int) -> Bool { tables[collection] != nil }

  /// Hands over rows whose numbers are higher than all before.
  /// - Throws: the error that ended the indexing thread.
  func put(_ rows: RebuildRows) throws { try stage?.put(rows) }

  /// Starts indexing; all rows have been handed over.
  func begin() { stage?.close() }

  // MARK: - The stage's thread

  private func add(_ rows: RebuildRows) throws {
    var inserts = rows.inserts[...]
    for row in rows.rows {
      while let insert = inserts.first, insert.number < row.number {
        try add(insert, rows.buffer)
        inserts.removeFirst()
      }
      try add(row)
    }
    for insert in inserts { try add(insert, rows.buffer) }
  }

  private func add(_ row: RebuildRows.Row) throws {
    guard let table = tables[row.collection] else { return }
    SearchRecord.begin(record, collection: row.collection, number: row.number)
    for column in table.columns {
      guard case .text(var text) = row.cells[column] else {
        SearchRecord.append(nil, to: record)
        continue
      }
      text.withUTF8 { SearchRecord.append(UnsafeRawBufferPointer($0), to: record) }
    }
    try take()
  }

  private func add(_ insert: RebuildBatch.Insert, _ buffer: RebuildBuffer) throws {
    let operation = RebuildOperation(bytes: buffer.bytes, offset: insert.operation)
    guard let table = tables[operation.collection] else { return }
    var values = [ValueView](repeating: .null, count: table.columns.count)
    var reader = ByteReader(operation.fields)
    for _ in 0..<operation.fieldCount {
      let field = try reader.index()
      let value = try ValueView(checked: &reader)
      guard let column = table.table.column(ofField: field),
        let index = table.columns.firstIndex(of: column)
      else { continue }
      values[index] = value
    }
    SearchRecord.begin(record, collection: operation.collection, number: insert.number)
    for value in values {
      switch value {
      case .text(let utf8), .json(let utf8): SearchRecord.append(utf8, to: record)
      case .uuid(let packed):
        var text = packed.text
        text.withUTF8 { SearchRecord.append(UnsafeRawBufferPointer($0), to: record) }
      // Searched fields hold no other kinds.
      default: SearchRecord.append(nil, to: record)
      }
    }
    try take()
  }

  private func take() throws(ProjectionError) {
    SearchRecord.end(record)
    if let waiting {
      try waiting.append(record.bytes)
    } else {
      try index(SearchRecord(bytes: record.bytes))
    }
  }

  private func addWaiting(_ isWanted: () -> Bool) throws(ProjectionError) {
    guard let file = waiting else { return }
    // Release the scratch file even on failure, so that later writes may have its room.
    defer { waiting = nil }
    try file.flush()
    let reader = file.reader(0..<file.count)
    while isWanted(), let header = try reader.peek(SearchRecord.headerSize) {
      let size = SearchRecord(bytes: header).size
      guard let bytes = try reader.peek(size) else { return }
      try index(SearchRecord(bytes: bytes))
      reader.skip(size)
    }
  }

  private func index(_ record: SearchRecord) throws(ProjectionError) {
    guard let table = try begin(record.collection) else { return }
    try table.insert.bind(1, record.number)
    var texts = record.texts
    for index in table.columns.indices {
      if let text = texts.next() {
        try table.insert.bindBorrowedText(Int32(index + 2), text)
      } else {
        try table.insert.bindNull(Int32(index + 2))
      }
    }
    try table.insert.run()
  }

  /// Returns the table of a collection, or nil if the collection is not searched. Flushes what FTS5
  /// has gathered for another collection first: there is memory for one only.
  private func begin(_ collection: Int) throws(ProjectionError) -> Table? {
    guard let table = tables[collection] else { return nil }
    if current != collection {
      if current != nil { try flush() }
      current = collection
    }
    return table
  }

  /// Flushes what FTS5 has gathered, which it does whenever a savepoint begins.
  private func flush() throws(ProjectionError) {
    try sql.execute("SAVEPOINT gathered; RELEASE gathered")
  }

  // MARK: - Results

  /// Waits until all rows are indexed, and creates the search indexes in the read model. The read
  /// model's connection must be closed before anything is searched.
  func finish(into target: StatementCache, _ feed: RowFeed) throws {
    try stage?.finish()
    stage = nil
    try flush()
    for table in tables.values.sorted(by: { $0.table.number < $1.table.number }) {
      guard let schema = table.table.schema else { continue }
      do {
        for create in table.table.createSearchSQL(schema) { try target.execute(create) }
      } catch { throw error.about(table.table) }
      for (part, columns) in [("data", 2), ("idx", 3), ("docsize", 2)] {
        let name = "\(table.table.searchName)_\(part)"
        try target.execute("DELETE FROM \(name)")
        let list = RowFeed.columns(0..<columns)
        try feed.run(
          try target("INSERT INTO \(name) SELECT \(list) FROM \(RowFeed.name)"),
          StoredRows(try sql("SELECT * FROM \(name)")))
      }
    }
  }

  /// Rows that a query on another connection selects.
  private final class StoredRows: RowSource {
    private let query: Statement

    init(_ query: Statement) { self.query = query }

    override func next() throws -> Bool { try query.step() }

    override func column(_ index: Int, _ result: RowResult) {
      result.set(valueOf: query, Int32(index))
    }
  }

  /// Ends the thread and removes the scratch file.
  func remove() {
    stage?.cancel()
    stage = nil
    sql.removeAll()
    sqlite3_close_v2(connection)
    try? SystemCalls.remove(path)
  }
}

/// The searched texts of a row: `u32 size · u32 collection · i64 number`, and for each searched
/// column `i32 size · text`, with a size of −1 and no text for NULL.
private struct SearchRecord {
  static let headerSize = 16

  let bytes: UnsafeRawBufferPointer

  var size: Int { Int(bytes.loadUnaligned(as: UInt32.self)) }
  var collection: Int { Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) }
  var number: Int64 { bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self) }
  var texts: Texts { Texts(rest: UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])) }

  struct Texts {
    fileprivate var rest: UnsafeRawBufferPointer

    /// Returns the next column's text; nil if it is NULL.
    mutating func next() -> UnsafeRawBufferPointer? {
      let size = Int(rest.loadUnaligned(as: Int32.self))
      rest = UnsafeRawBufferPointer(rebasing: rest[4...])
      guard size >= 0 else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[size...]) }
      return UnsafeRawBufferPointer(rebasing: rest[..<size])
    }
  }

  static func begin(_ record: RebuildBuffer, collection: Int, number: Int64) {
    record.truncate(to: 0)
    let header = record.append(headerSize)
    header.storeBytes(of: UInt32(collection), toByteOffset: 4, as: UInt32.self)
    header.storeBytes(of: number, toByteOffset: 8, as: Int64.self)
  }

  static func append(_ text: UnsafeRawBufferPointer?, to record: RebuildBuffer) {
    record.append(4).storeBytes(of: Int32(clamping: text?.count ?? -1), as: Int32.self)
    if let text { record.append(text) }
  }

  static func end(_ record: RebuildBuffer) {
    record.patch(UInt32(record.count), at: 0)
  }
}
