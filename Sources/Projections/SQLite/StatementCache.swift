import DaybookEventCore
import GRDBSQLite

/// The prepared statements of one connection, kept for reuse.
package final class StatementCache {
  package let connection: OpaquePointer
  private var statements: [String: Statement] = [:]

  package init(_ connection: OpaquePointer) { self.connection = connection }

  package func callAsFunction(_ sql: String) throws(ProjectionError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try Statement(connection, sql)
    if statements.count >= 512 { statements.removeAll() }
    statements[sql] = statement
    return statement
  }

  package func execute(_ sql: String) throws(ProjectionError) {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
      throw Statement.error(connection, sql)
    }
  }

  /// Resets all statements that are being run.
  func resetAll() { for statement in statements.values { statement.reset() } }

  /// Finalizes all statements: needed before the connection closes, and before a table is dropped.
  package func removeAll() { statements.removeAll() }
}
