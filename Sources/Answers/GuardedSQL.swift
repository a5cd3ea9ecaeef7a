import DaybookEngine
package import GRDB
import GRDBSQLite

/// A connection for the SQL of an agent or of a page. SQLite itself lets the SQL only read.
///
/// Nothing depends on the text of the SQL. The connection is opened for reading only, its
/// authorizer refuses to compile anything but a query of the read model, and it ends with its
/// statement, so that no setting outlives one.
package enum GuardedSQL {
  /// The pragmas that only read. Full-text search runs the last one itself.
  private static let pragmas: Set<String> = [
    "collation_list", "compile_options", "foreign_key_list", "function_list", "index_info",
    "index_list", "index_xinfo", "pragma_list", "table_info", "table_list", "table_xinfo",
    "data_version",
  ]

  /// The longest text or blob that a statement may make, in bytes.
  private static let valueBytesMax: Int32 = 64 << 20

  /// Opens a connection to a read model. It takes about a millisecond.
  /// - Parameter path: the read model's file.
  /// - Throws: `StoreError`; what SQLite throws.
  package static func open(_ path: String) throws -> DatabaseQueue {
    let queue = try ReadModelFile.openForOthers(path)
    queue.unsafeRead { db in
      guard let connection = db.sqliteConnection else { return }
      sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, valueBytesMax)
      sqlite3_set_authorizer(
        connection,
        { _, action, first, second, _, _ in
          GuardedSQL.allows(action, first, second) ? SQLITE_OK : SQLITE_DENY
        }, nil)
    }
    return queue
  }

  /// Returns whether a part of a statement only reads.
  /// - Parameters:
  ///   - action: SQLite's code of the action.
  ///   - first: the first name that SQLite gives with it: of a pragma, its name.
  ///   - second: the second name: of a function, its name.
  private static func allows(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?
  ) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
    // SQLite says so when it looks at a virtual table for the first time. A statement that changes
    // the schema itself is refused without `writable_schema`, which is a pragma.
    case SQLITE_UPDATE: first.map { String(cString: $0) == "sqlite_master" } ?? false
    case SQLITE_FUNCTION: second.map { String(cString: $0) != "load_extension" } ?? false
    case SQLITE_PRAGMA: first.map { pragmas.contains(String(cString: $0).lowercased()) } ?? false
    default: false
    }
  }
}
