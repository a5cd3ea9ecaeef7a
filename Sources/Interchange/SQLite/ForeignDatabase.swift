import DaybookEventCore
import DaybookProjections
import Foundation
import GRDBSQLite

/// An error that prevents the import of an SQLite file. Its message says what is wrong, why, and
/// what to do.
package struct SQLiteImportError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The file is not a database, or is encrypted.
    case notADatabase
    /// Another program has locked the database.
    case locked
    /// SQLite found the database damaged.
    case damaged
    /// A row cannot be stored as an entity.
    case row
    /// Any other error from SQLite.
    case other
  }

  package let code: Code
  package let message: String
  /// The table and the number of the offending row, counted from 1; nil if the error is not about a
  /// row.
  package let table: String?
  package let row: Int?

  init(_ code: Code, _ message: String, table: String? = nil, row: Int? = nil) {
    self.code = code
    self.message = message
    self.table = table
    self.row = row
  }

  package var description: String { explanation }
}

extension SQLiteImportError: ExplainedError {}

/// A value in a foreign database.
enum ForeignValue {
  case null
  case integer(Int64)
  case real(Double)
  /// The bytes of a text, which may not be UTF-8.
  case text([UInt8])
  case blob([UInt8])

  var byteCount: Int {
    switch self {
    case .null: 1
    case .integer, .real: 10
    case .text(let bytes), .blob(let bytes): bytes.count + 9
    }
  }
}

/// A read-only connection to a foreign database. Only one thread may use it at a time.
final class ForeignDatabase: @unchecked Sendable {
  private var connection: OpaquePointer?

  /// Opens a database.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - isImmutable: whether no program writes to the file. Then SQLite takes no lock and creates
  ///     no file beside it.
  /// - Throws: ``SQLiteImportError`` if the file cannot be opened or read.
  init(path: String, isImmutable: Bool) throws(SQLiteImportError) {
    let uri = DatabaseURI.text(path, ["mode=ro"] + (isImmutable ? ["immutable=1"] : []))
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(uri, &connection, flags, nil) == SQLITE_OK else { throw failure() }
    // The schema is not trusted, so it may not call functions with side effects.
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA query_only = ON")
    // One transaction, so that the whole import sees one state.
    try run("BEGIN")
    _ = try rows("SELECT count(*) FROM sqlite_schema").next()
  }

  deinit { sqlite3_close_v2(connection) }

  private func run(_ sql: String) throws(SQLiteImportError) {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  func rows(_ sql: String) throws(SQLiteImportError) -> ForeignRows {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
      let statement
    else { throw failure() }
    return ForeignRows(self, statement)
  }

  /// Returns all rows of a query with a small result.
  func all(_ sql: String) throws(SQLiteImportError) -> [[ForeignValue]] {
    let rows = try rows(sql)
    var all: [[ForeignValue]] = []
    while let row = try rows.next() { all.append(row) }
    return all
  }

  func failure() -> SQLiteImportError {
    let words = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    switch sqlite3_errcode(connection) & 0xFF {
    case SQLITE_NOTADB:
      return SQLiteImportError(
        .notADatabase,
        "the file is no SQLite database, or it is encrypted; name another file, or decrypt it first"
      )
    case SQLITE_BUSY, SQLITE_LOCKED:
      return SQLiteImportError(
        .locked,
        "another program has the database locked; close that program, or import a copy that its "
          + "backup made")
    case SQLITE_CORRUPT:
      return SQLiteImportError(
        .damaged,
        "the database is damaged (SQLite says: \(words)); save what can be read with `sqlite3 FILE "
          + ".recover`, and import that")
    default:
      return SQLiteImportError(
        .other, "SQLite cannot read the database: \(words); check the file and its permissions")
    }
  }
}

/// The rows of a query, read one at a time.
final class ForeignRows: @unchecked Sendable {
  private let database: ForeignDatabase
  private let statement: OpaquePointer

  init(_ database: ForeignDatabase, _ statement: OpaquePointer) {
    self.database = database
    self.statement = statement
  }

  deinit { sqlite3_finalize(statement) }

  func next() throws(SQLiteImportError) -> [ForeignValue]? {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return (0..<sqlite3_column_count(statement)).map { value($0) }
    case SQLITE_DONE: return nil
    default: throw database.failure()
    }
  }

  private func value(_ column: Int32) -> ForeignValue {
    let columns = Columns(statement)
    // Texts are read as bytes, so that invalid UTF-8 can be detected.
    return switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(columns.integer(column))
    case SQLITE_FLOAT: .real(columns.real(column))
    case SQLITE_TEXT: .text(columns.blob(column))
    case SQLITE_BLOB: .blob(columns.blob(column))
    default: .null
    }
  }
}
