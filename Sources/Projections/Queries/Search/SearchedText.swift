import DaybookEventCore
import GRDBSQLite

/// A text that a search index is made of, read in parts: it may have many megabytes.
final class SearchedText {
  private enum Source {
    /// A handle of SQLite, and its owner, which closes it.
    case stored(OpaquePointer, SearchedTexts)
    case whole([UInt8])
  }

  private let source: Source
  /// The length in bytes.
  let count: Int

  init(_ bytes: [UInt8]) {
    source = .whole(bytes)
    count = bytes.count
  }

  /// Makes a text that is valid until the owner gives out another one of the same column.
  init(_ handle: OpaquePointer, of owner: SearchedTexts) {
    source = .stored(handle, owner)
    count = Int(sqlite3_blob_bytes(handle))
  }

  /// Returns the bytes of a part, as far as the text goes.
  func bytes(_ range: Range<Int>) throws(ProjectionError) -> [UInt8] {
    let range = range.clamped(to: 0..<count)
    switch source {
    case .whole(let bytes): return Array(bytes[range])
    case .stored(let handle, _):
      var code = SQLITE_OK
      let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, size in
        guard let base = buffer.baseAddress, !range.isEmpty else { return }
        code = sqlite3_blob_read(
          handle, base, Int32(range.count), Int32(clamping: range.lowerBound))
        size = code == SQLITE_OK ? range.count : 0
      }
      guard code == SQLITE_OK else {
        var error = ProjectionError(
          Statement.isDamage(code) ? .damagedReadModel : .sqlite,
          "SQLite cannot read a searched text: \(String(cString: sqlite3_errstr(code)))",
          hint: Statement.isDamage(code)
            ? "Run `evtool rebuild` to make the read model again" : nil)
        error.resultCode = code
        throw error
      }
      return bytes
    }
  }
}

/// The searched texts of one collection, as its search index has them.
final class SearchedTexts {
  private let sql: StatementCache
  private let table: CollectionTable
  /// Whether the index has other texts of some rows than these show.
  private let hasBacklog: Bool
  /// The handle of each searched column, which goes from row to row.
  private var handles: [Int: OpaquePointer] = [:]

  init(_ sql: StatementCache, _ table: CollectionTable) throws(ProjectionError) {
    self.sql = sql
    self.table = table
    let query = try sql("SELECT 1 FROM _daybook_unindexed WHERE collection = ? LIMIT 1")
    defer { query.reset() }
    try query.bind(1, table.number)
    hasBacklog = try query.step()
  }

  deinit { for handle in handles.values { sqlite3_blob_close(handle) } }

  /// Returns a text.
  /// - Parameters:
  ///   - row: the row's number.
  ///   - place: the column's index among the searched ones.
  func text(_ row: Int64, _ place: Int) throws(ProjectionError) -> SearchedText {
    guard table.searchColumns.indices.contains(place) else { return SearchedText([]) }
    if hasBacklog, let old = try indexedText(row, place) { return SearchedText(old) }
    let column = table.columns[table.searchColumns[place]].schema.name
    if let handle = handles[place] {
      if sqlite3_blob_reopen(handle, row) == SQLITE_OK { return SearchedText(handle, of: self) }
      sqlite3_blob_close(handle)
      handles[place] = nil
    } else {
      var handle: OpaquePointer?
      if sqlite3_blob_open(sql.connection, "main", table.tableName, column, row, 0, &handle)
        == SQLITE_OK, let handle
      {
        handles[place] = handle
        return SearchedText(handle, of: self)
      }
      sqlite3_blob_close(handle)
    }
    // A default that the row does not hold is not there to be read in parts.
    let query = try sql(
      "SELECT \(Names.quoted(column)) FROM \(table.quotedName) WHERE _rowid_ = ?")
    defer { query.reset() }
    try query.bind(1, row)
    return SearchedText(try query.step() ? query.blob(0) : [])
  }

  /// Returns the text that the index has of a row that was changed since.
  private func indexedText(_ row: Int64, _ place: Int) throws(ProjectionError) -> [UInt8]? {
    let query = try sql(
      "SELECT value FROM _daybook_unindexed WHERE collection = ? AND entity = ? AND place = ?")
    defer { query.reset() }
    try query.bind(1, table.number)
    try query.bind(2, row)
    try query.bind(3, place)
    return try query.step() ? query.blob(0) : nil
  }
}
