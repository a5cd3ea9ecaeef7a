import DaybookEventCore
import DaybookProjections
import GRDBSQLite

/// The settings of a connection to SQLite that a statement can change without writing anything.
///
/// SQLite carries out most pragmas while it compiles them, even those within `EXPLAIN`, and no
/// transaction takes them back. One of them, `query_only`, makes every later write fail.
struct ConnectionSettings {
  /// The pragmas that change a connection and can be read.
  ///
  /// Those that change the process are not among them: others may change the process meanwhile.
  private static let names = [
    "analysis_limit", "automatic_index", "busy_timeout", "cache_size", "cache_spill",
    "cell_size_check", "checkpoint_fullfsync", "count_changes", "defer_foreign_keys",
    "empty_result_callbacks", "full_column_names", "fullfsync",
    "ignore_check_constraints", "journal_size_limit", "legacy_alter_table", "locking_mode",
    "max_page_count", "mmap_size", "query_only", "read_uncommitted", "recursive_triggers",
    "reverse_unordered_selects", "secure_delete", "short_column_names", "threads", "trusted_schema",
    "wal_autocheckpoint", "writable_schema",
  ]

  private let connection: OpaquePointer
  private let values: [Cell]
  private let distinguishesCase: Bool

  /// Reads the settings of a connection.
  ///
  /// Cost: some 30 short statements.
  init(_ connection: OpaquePointer) {
    self.connection = connection
    values = Self.names.map { Self.value("PRAGMA \($0)", connection) }
    distinguishesCase = Self.distinguishesCase(connection)
  }

  /// Puts back what has changed since.
  /// - Returns: the names of the settings that had changed.
  func restore() -> [String] {
    let now = Self(connection)
    var changed: [String] = []
    for (name, (old, new)) in zip(Self.names, zip(values, now.values)) where old != new {
      changed.append(name)
      switch old {
      case .integer(let number): run("PRAGMA \(name) = \(number)")
      case .text(let text): run("PRAGMA \(name) = '\(text.replacing("'", by: "''"))'")
      default: break
      }
    }
    if distinguishesCase != now.distinguishesCase {
      changed.append("case_sensitive_like")
      run("PRAGMA case_sensitive_like = \(distinguishesCase ? 1 : 0)")
    }
    return changed
  }

  private func run(_ sql: String) { sqlite3_exec(connection, sql, nil, nil, nil) }

  private static func distinguishesCase(_ connection: OpaquePointer) -> Bool {
    value("SELECT 'a' LIKE 'A'", connection) != .integer(1)
  }

  /// Returns the first value of a statement; null if it has none.
  private static func value(_ sql: String, _ connection: OpaquePointer) -> Cell {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else {
      return .null
    }
    defer { sqlite3_finalize(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? Columns(statement).cell(0) : .null
  }
}
