import Foundation
package import GRDB
import GRDBSQLite

/// The columns of a statement's current row, counted from 0.
///
/// This is the one place that converts SQLite's values to Swift's, and it does so by their length.
/// A text may hold NUL; decoding it as a C string, as GRDB does, would silently end it there.
package struct Columns {
  private let statement: OpaquePointer

  /// - Parameter statement: a statement of SQLite's C interface, which must outlive the columns.
  package init(_ statement: OpaquePointer) { self.statement = statement }

  /// Makes the columns of the row on which a cursor of this statement stands.
  package init(_ statement: GRDB.Statement) { self.init(statement.sqliteStatement) }

  package var count: Int32 { sqlite3_column_count(statement) }

  /// The type of a value, as one of SQLite's codes.
  package func type(_ column: Int32) -> Int32 { sqlite3_column_type(statement, column) }

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// Whether columns are declared with the types of fields, so that they hold these or NULL.
  /// - Parameters:
  ///   - types: the types of the fields.
  ///   - first: the column of the first field.
  package func areDeclared(as types: [FieldType], from first: Int32) -> Bool {
    types.enumerated().allSatisfy { index, type in
      guard let declared = sqlite3_column_decltype(statement, first + Int32(index)) else {
        return false
      }
      return strcmp(declared, type.declaration) == 0
    }
  }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  package func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  package func text(_ column: Int32) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns what a column holds as a text, with as few calls as possible; nil for NULL.
  package func textIfAny(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Returns the bytes of a text that a function of SQL is given; nil if it is none. They are valid
  /// while the function runs.
  package static func text(of argument: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
    guard sqlite3_value_type(argument) == SQLITE_TEXT, let text = sqlite3_value_text(argument)
    else { return nil }
    return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(argument)))
  }

  /// Returns whether a column holds the bytes of a text.
  package func isText(_ column: Int32, _ text: String) -> Bool {
    withBytes(column) { $0.elementsEqual(text.utf8) }
  }

  package func blob(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

  /// Calls `body` with the bytes of a text, in UTF-8, or a blob; they are valid during the call.
  package func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let base =
      sqlite3_column_type(statement, column) == SQLITE_TEXT
      ? UnsafeRawPointer(sqlite3_column_text(statement, column))
      : sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
  }

  package func cell(_ column: Int32) -> Cell {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  package var cells: [Cell] { (0..<count).map { cell($0) } }
}

extension Database {
  /// Calls `body` with the columns of each row.
  /// - Throws: what SQLite and `body` throw.
  package func forEachRow(
    _ sql: String, arguments: StatementArguments = [], _ body: (Columns) throws -> Void
  ) throws {
    try forEachRow(of: try cachedStatement(sql: sql), arguments: arguments, body)
  }

  /// - Parameter exact: the texts among the arguments that hold NUL, by the number of their
  ///   parameter, from 1. GRDB binds a text only up to a NUL.
  package func forEachRow(
    of statement: GRDB.Statement, arguments: StatementArguments = [], exact: [Int32: String] = [:],
    _ body: (Columns) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    for (number, text) in exact { try statement.bind(text, at: number) }
    let columns = Columns(statement)
    while try rows.next() != nil { try body(columns) }
  }

  /// Returns the texts of a query's first column.
  package func texts(_ sql: String, arguments: StatementArguments = []) throws -> [String] {
    var texts: [String] = []
    try forEachRow(sql, arguments: arguments) { texts.append($0.text(0)) }
    return texts
  }
}

extension GRDB.Statement {
  /// Whether a loop is on one of its rows.
  package var isBusy: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

  /// Calls `body` with the columns of each row, until it returns false.
  ///
  /// It takes a third of the time of a cursor, for statements that run for each row of another one.
  /// - Parameter texts: the values of the parameters, all of them.
  /// - Returns: false if `body` has returned false.
  /// - Throws: `DatabaseError`; what `body` throws.
  package func forEachRow(texts: [String], _ body: (Columns) throws -> Bool) throws -> Bool {
    defer { sqlite3_reset(sqliteStatement) }
    for (index, text) in texts.enumerated() { try bind(text, at: Int32(clamping: index + 1)) }
    let columns = Columns(self)
    while true {
      switch sqlite3_step(sqliteStatement) {
      case SQLITE_ROW: guard try body(columns) else { return false }
      case SQLITE_DONE: return true
      case let code: throw failure(code)
      }
    }
  }

  /// Binds a whole text to a parameter.
  /// - Parameter number: the number of the parameter, from 1.
  fileprivate func bind(_ text: String, at number: Int32) throws {
    var text = text
    let code = text.withUTF8 { utf8 in
      sqlite3_bind_text64(
        sqliteStatement, number,
        UnsafeRawPointer(utf8.baseAddress ?? UnsafePointer(Statement.empty))
          .assumingMemoryBound(to: CChar.self), UInt64(utf8.count), Statement.copied,
        UInt8(SQLITE_UTF8))
    }
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Returns the number of a parameter, from 1; 0 if there is none of the name.
  /// - Parameter name: the name without `:`, `@` or `$`.
  package func parameterNumber(_ name: String) -> Int32 {
    for sign in [":", "@", "$"] {
      let number = sqlite3_bind_parameter_index(sqliteStatement, sign + name)
      if number > 0 { return number }
    }
    return 0
  }

  private func failure(_ code: Int32) -> DatabaseError {
    let message = sqlite3_db_handle(sqliteStatement).flatMap { sqlite3_errmsg($0) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: code), message: message.map { String(cString: $0) },
      sql: sql)
  }
}
