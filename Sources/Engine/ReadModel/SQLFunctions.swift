import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB
import GRDBSQLite

/// The functions of SQL that queries use beside SQLite's own. Each connection has them, for SQL of
/// an app, too.
package enum SQLFunctions {
  /// The text without case, and in one form of Unicode; see ``CaseFolding``.
  package static let folded = "daybook_folded"

  /// The beginning of a unit of a calendar; see ``DateStart``.
  package static let start = "daybook_start"

  /// Registers the functions with a connection.
  static func register(_ db: Database) throws {
    guard let connection = db.sqliteConnection else { return }
    try register(folded, 1, connection) { context, _, arguments in
      SQLFunctions.fold(context, arguments?[0])
    }
    try register(start, 2, connection) { context, _, arguments in
      SQLFunctions.findStart(context, arguments?[0], arguments?[1])
    }
  }

  private static func register(
    _ name: String, _ count: Int32, _ connection: OpaquePointer,
    _ body:
      @escaping @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Void
  ) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    let code = sqlite3_create_function_v2(
      connection, name, count, flags, nil, body, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func fold(_ context: OpaquePointer?, _ argument: OpaquePointer?) {
    guard let bytes = Columns.text(of: argument), !bytes.isEmpty else {
      sqlite3_result_value(context, argument)
      return
    }
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      return result(CaseFolding.folded(String(decoding: bytes, as: UTF8.self)), context)
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { lower in
      for (index, byte) in bytes.enumerated() {
        lower.initializeElement(at: index, to: CaseFolding.folded(ascii: byte))
      }
      result(UnsafeBufferPointer(lower), context)
    }
  }

  private static func findStart(
    _ context: OpaquePointer?, _ time: OpaquePointer?, _ rule: OpaquePointer?
  ) {
    guard let start = dateStart(context, rule), let text = Columns.text(of: time),
      let milliseconds = Timestamp.milliseconds(stored: UnsafeRawBufferPointer(text)),
      let found = start.start(of: milliseconds)
    else { return sqlite3_result_null(context) }
    // The unit of the first moment may begin before it.
    result(Timestamp.text(found) ?? String(decoding: text, as: UTF8.self), context)
  }

  /// Returns what finds the beginnings in a statement, which SQLite keeps beside it.
  private static func dateStart(_ context: OpaquePointer?, _ rule: OpaquePointer?) -> DateStart? {
    if let kept = sqlite3_get_auxdata(context, 1) {
      return Unmanaged<DateStart>.fromOpaque(kept).takeUnretainedValue()
    }
    guard let start = DateStart(number: sqlite3_value_int64(rule)) else { return nil }
    let kept = Unmanaged.passRetained(start).toOpaque()
    sqlite3_set_auxdata(context, 1, kept) { kept in
      if let kept { Unmanaged<DateStart>.fromOpaque(kept).release() }
    }
    return start
  }

  private static func result(_ text: String, _ context: OpaquePointer?) {
    var text = text
    text.withUTF8 { result($0, context) }
  }

  private static func result(_ text: UnsafeBufferPointer<UInt8>, _ context: OpaquePointer?) {
    text.withMemoryRebound(to: CChar.self) {
      // A text that is too long for SQLite is an error of the statement.
      sqlite3_result_text64(
        context, $0.baseAddress, sqlite3_uint64($0.count), copied, UInt8(SQLITE_UTF8))
    }
  }

  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

/// Texts without case and in one form of Unicode.
///
/// Nothing that is stored depends on it, so that each system may have its own version of Unicode.
package enum CaseFolding {
  /// Returns the text in its composed form, with all that differs in case alone the same.
  ///
  /// The way through capitals makes ß the same as SS, and ς the same as σ.
  package static func folded(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return String(decoding: text.utf8.map(folded(ascii:)), as: UTF8.self)
    }
    return text.decomposedStringWithCanonicalMapping.uppercased().lowercased()
      .precomposedStringWithCanonicalMapping
  }

  static func folded(ascii byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }
}
