import GRDB
import GRDBSQLite

/// A watch on the read model's connection while a transaction's closure may read from it but not
/// write to it.
///
/// A change that goes past the transaction would be durable in the read model, and no event would
/// record it.
///
/// SQLite has no connection that reads the uncommitted writes of another, so the closure gets the
/// one that writes. `PRAGMA query_only` would have to be switched around each write, and SQLite
/// would prepare all statements again each time. Therefore every statement is checked when it
/// begins to run (`sqlite3_trace_v2`), and a commit from within the closure is refused.
///
/// Most pragmas act when they are compiled, which no watch sees. Therefore the settings of the
/// connection are compared and put back at the end.
final class DatabaseGuardian: TransactionObserver {
  private let database: Database
  private let connection: OpaquePointer
  private let settings: ConnectionSettings
  private var isAllowed = false
  /// The first statement that the closure should not have run.
  private(set) var violation: StoreError?

  /// Begins the watch, which lasts until ``end()``.
  /// - Parameter database: a connection in a transaction.
  init?(_ database: Database) {
    guard let connection = database.sqliteConnection else { return nil }
    self.database = database
    self.connection = connection
    settings = ConnectionSettings(connection)
    sqlite3_trace_v2(
      connection, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let statement else { return 0 }
        Unmanaged<DatabaseGuardian>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.check(OpaquePointer(statement))
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    database.add(transactionObserver: self)
  }

  /// Ends the watch, and puts back the settings of the connection.
  ///
  /// The transaction continues.
  /// - Returns: the error that settings have changed, which may be the cause of others; else nil.
  func end() -> StoreError? {
    sqlite3_trace_v2(connection, 0, nil, nil)
    database.remove(transactionObserver: self)
    let changed = settings.restore()
    guard !changed.isEmpty else { return nil }
    return violation ?? Self.refusal("changed the settings \(changed.joined(separator: ", ")) of")
  }

  /// Runs `body`, which may write.
  func allowing<T>(_ body: () throws -> T) rethrows -> T {
    isAllowed = true
    defer { isAllowed = false }
    return try body()
  }

  private func check(_ statement: OpaquePointer) {
    guard !isAllowed, violation == nil, let text = sqlite3_sql(statement) else { return }
    let sql = String(cString: text)
    guard sqlite3_stmt_readonly(statement) == 0 || !ReadingSQL.isQuery(sql) else { return }
    violation = Self.refusal("ran “\(sql.prefix(200))” on")
  }

  private static func refusal(_ what: String) -> StoreError {
    StoreError(
      .readOnly, "a transaction \(what) its database, which is for reading only",
      hint: "Write with insert, update, delete and define; nothing of the transaction was written")
  }

  // MARK: - TransactionObserver

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseWillCommit() throws {
    throw violation
      ?? StoreError(.readOnly, "a transaction tried to commit its database, which the store does")
  }

  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}
