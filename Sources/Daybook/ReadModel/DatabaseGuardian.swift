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
final class DatabaseGuardian: TransactionObserver {
  private let database: Database
  private let connection: OpaquePointer
  private var isAllowed = false
  /// The first statement that the closure should not have run.
  private(set) var violation: StoreError?

  /// Begins the watch, which lasts until ``end()``.
  /// - Parameter database: a connection in a transaction.
  init?(_ database: Database) {
    guard let connection = database.sqliteConnection else { return nil }
    self.database = database
    self.connection = connection
    sqlite3_trace_v2(
      connection, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let statement else { return 0 }
        Unmanaged<DatabaseGuardian>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.look(at: OpaquePointer(statement))
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    database.add(transactionObserver: self)
  }

  /// Ends the watch.
  ///
  /// The transaction continues.
  func end() {
    sqlite3_trace_v2(connection, 0, nil, nil)
    database.remove(transactionObserver: self)
  }

  /// Runs `body`, which may write.
  func allowing(_ body: () throws -> Void) rethrows {
    isAllowed = true
    defer { isAllowed = false }
    try body()
  }

  private func look(at statement: OpaquePointer) {
    guard !isAllowed, violation == nil, let text = sqlite3_sql(statement) else { return }
    let sql = String(cString: text)
    guard sqlite3_stmt_readonly(statement) == 0 || !Self.isQuery(sql) else { return }
    violation = StoreError(
      .readOnly,
      "a transaction ran “\(sql.prefix(200))” on its database, which is for reading only",
      hint: "Write with insert, update, delete and define; nothing of the transaction was written")
  }

  /// Returns whether an SQL statement that writes nothing is a query.
  ///
  /// `BEGIN`, `COMMIT`, `SAVEPOINT` and the like write nothing either, but could undo what the
  /// transaction has written.
  private static func isQuery(_ sql: String) -> Bool {
    var rest = sql.utf8[...]
    while let first = rest.first {
      if first == UInt8(ascii: "-"), rest.dropFirst().first == first {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if first == UInt8(ascii: "/") {
        rest = rest.dropFirst(2)
        while let byte = rest.popFirst() {
          guard byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") else { continue }
          rest.removeFirst()
          break
        }
      } else if first <= UInt8(ascii: " ") || first == UInt8(ascii: "(") {
        rest.removeFirst()
      } else {
        break
      }
    }
    let word = rest.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 & 0xDF }
    return ["SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"].contains(
      String(word)?.uppercased() ?? "")
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
