import EventCore
import Foundation
import GRDBSQLite
import Projections

/// Why an SQLite file cannot be imported: what, why and what to do.
public struct SQLiteImportError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    /// No database, or an encrypted one.
    case notADatabase
    /// Another program has it locked.
    case locked
    /// What SQLite finds is not what it wrote.
    case damaged
    /// A row that no entity can hold.
    case row
    /// Anything else that SQLite said.
    case other
  }

  public let code: Code
  public let message: String
  /// Where a row is meant: its table, and its number there, from 1.
  public let table: String?
  public let row: Int?

  init(_ code: Code, _ message: String, table: String? = nil, row: Int? = nil) {
    self.code = code
    self.message = message
    self.table = table
    self.row = row
  }

  public var description: String { message }
}

/// A value as a database of somebody else's holds it.
enum ForeignValue {
  case null
  case integer(Int64)
  case real(Double)
  /// Not necessarily UTF-8.
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

/// A connection to a database of somebody else's, for reading and nothing else. One thread at a
/// time uses it.
final class ForeignDatabase: @unchecked Sendable {
  private var connection: OpaquePointer?

  /// - Parameter isImmutable: whether nobody writes to the file. Then no lock is taken, and SQLite
  ///   makes no file beside it.
  init(path: String, isImmutable: Bool) throws(SQLiteImportError) {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    let absolute = escaped.begins(with: "/") ? "file://\(escaped)" : "file:\(escaped)"
    let uri = "\(absolute)?mode=ro" + (isImmutable ? "&immutable=1" : "")
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(uri, &connection, flags, nil) == SQLITE_OK else { throw failure() }
    // What stands in the schema is not ours: it calls no function that has an effect.
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA query_only = ON")
    // One state, however long the import takes.
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

  /// All rows of a query that gives few.
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

/// The rows of one query, one by one.
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
    // Text that is not UTF-8 is to be seen as such.
    return switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(columns.integer(column))
    case SQLITE_FLOAT: .real(columns.real(column))
    case SQLITE_TEXT: .text(columns.blob(column))
    case SQLITE_BLOB: .blob(columns.blob(column))
    default: .null
    }
  }
}
