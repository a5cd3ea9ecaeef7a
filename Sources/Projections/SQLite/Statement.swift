import DaybookEventCore
import GRDBSQLite

/// A prepared statement on SQLite's C interface, for the projector's hot loops and internal tables.
/// Users' queries go through GRDB.
package final class Statement {
  private let pointer: OpaquePointer
  private let connection: OpaquePointer
  package let sql: String

  /// Prepares a statement.
  /// - Throws: ``ProjectionError``; `damagedReadModel` if the SQL names a missing table or column,
  ///   since the read model records elsewhere that it exists.
  package init(_ connection: OpaquePointer, _ sql: String) throws(ProjectionError) {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else {
      let error = Statement.error(connection, sql)
      guard error.code == .sqlite, code & 0xFF == SQLITE_ERROR else { throw error }
      var damaged = ProjectionError(
        .damagedReadModel, error.message, sql: sql,
        hint: "Run `evtool rebuild` to make the read model again")
      damaged.resultCode = error.resultCode
      throw damaged
    }
    self.pointer = pointer
    self.connection = connection
    self.sql = sql
  }

  deinit { sqlite3_finalize(pointer) }

  static func error(_ connection: OpaquePointer, _ sql: String) -> ProjectionError {
    let code = sqlite3_extended_errcode(connection)
    let message = String(cString: sqlite3_errmsg(connection))
    let primary = code & 0xFF
    // A constraint failure on an internal table is damage: some pages of the file
    // are older than others.
    let isDamaged =
      isDamage(code) || primary == SQLITE_CONSTRAINT && sql.contains("INTO _daybook_")
    let hint: String? =
      switch primary {
      case SQLITE_FULL: "Free some space and try again"
      case _ where isDamaged: "Run `evtool rebuild` to make the read model again"
      case SQLITE_BUSY, SQLITE_LOCKED: "Another process holds the read model: try again"
      default: nil
      }
    let errorCode: ProjectionError.Code =
      primary == SQLITE_FULL ? .noSpace : isDamaged ? .damagedReadModel : .sqlite
    var error = ProjectionError(errorCode, "SQLite: \(message)", sql: sql, hint: hint)
    error.resultCode = code
    return error
  }

  /// Returns whether an extended result code of SQLite means that the file is damaged.
  package static func isDamage(_ code: Int32) -> Bool {
    let primary = code & 0xFF
    return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB
      || code == SQLITE_IOERR | 32 << 8  // SQLITE_IOERR_DATA, a macro that Swift does not see
  }

  private func check(_ code: Int32) throws(ProjectionError) {
    if code != SQLITE_OK { throw Statement.error(connection, sql) }
  }

  // MARK: - Binding (parameters count from 1)

  package func bind(_ index: Int32, _ value: Int64) throws(ProjectionError) {
    try check(sqlite3_bind_int64(pointer, index, value))
  }

  package func bind(_ index: Int32, _ value: Int) throws(ProjectionError) {
    try bind(index, Int64(value))
  }

  package func bind(_ index: Int32, _ value: Double) throws(ProjectionError) {
    try check(sqlite3_bind_double(pointer, index, value))
  }

  package func bindNull(_ index: Int32) throws(ProjectionError) {
    try check(sqlite3_bind_null(pointer, index))
  }

  package func bind(_ index: Int32, _ text: String) throws(ProjectionError) {
    var text = text
    try check(
      text.withUTF8 {
        sqlite3_bind_text64(
          pointer, index,
          (UnsafeRawPointer($0.baseAddress) ?? UnsafeRawPointer(Self.empty)).assumingMemoryBound(
            to: CChar.self), UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
      })
  }

  package func bind(_ index: Int32, _ blob: [UInt8]) throws(ProjectionError) {
    try check(
      blob.withUnsafeBytes {
        sqlite3_bind_blob64(
          pointer, index, $0.baseAddress ?? UnsafeRawPointer(Self.empty), UInt64($0.count),
          Self.copied)
      })
  }

  /// Binds a UTF-8 text that stays in place until the statement has been stepped.
  package func bindBorrowedText(_ index: Int32, _ utf8: UnsafeRawBufferPointer)
    throws(ProjectionError)
  {
    let base = utf8.baseAddress ?? UnsafeRawPointer(Self.empty)
    try check(
      sqlite3_bind_text64(
        pointer, index, base.assumingMemoryBound(to: CChar.self), UInt64(utf8.count), nil,
        UInt8(SQLITE_UTF8)))
  }

  package func bind(_ index: Int32, _ cell: Cell) throws(ProjectionError) {
    switch cell {
    case .null: try bindNull(index)
    case .integer(let value): try bind(index, value)
    case .real(let value): try bind(index, value)
    case .text(let value): try bind(index, value)
    case .blob(let value): try bind(index, value)
    }
  }

  // MARK: - Running

  /// Advances to the next row; returns false if there is none.
  package func step() throws(ProjectionError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = Statement.error(connection, sql)
      sqlite3_reset(pointer)
      throw error
    }
  }

  /// Runs a statement that returns no row, and resets it.
  package func run() throws(ProjectionError) {
    _ = try step()
    reset()
  }

  package func reset() { sqlite3_reset(pointer) }

  // MARK: - The current row (columns count from 0)

  /// Returns SQLite's value object, which stays valid until the next step.
  func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(pointer, column) }

  package var columns: Columns { Columns(pointer) }

  package func integer(_ column: Int32) -> Int64 { columns.integer(column) }
  package func real(_ column: Int32) -> Double { columns.real(column) }
  package func int(_ column: Int32) -> Int { Int(integer(column)) }
  package func isNull(_ column: Int32) -> Bool { columns.isNull(column) }
  package func text(_ column: Int32) -> String { columns.text(column) }
  package func blob(_ column: Int32) -> [UInt8] { columns.blob(column) }
  package func cell(_ column: Int32) -> Cell { columns.cell(column) }

  /// Calls `body` with the bytes of a text or blob, which are valid during the call.
  package func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    columns.withBytes(column, body)
  }

  /// SQLite's storage classes.
  enum Kind { case null, integer, real, text, blob }

  func kind(of column: Int32) -> Kind {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package var columnCount: Int32 { sqlite3_column_count(pointer) }

  static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  nonisolated(unsafe) static let empty = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}
