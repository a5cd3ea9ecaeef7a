package import GRDB

/// The number of times that a read model was rebuilt in place.
///
/// A rebuild may show other rows for the same events. Connections of other processes notice it by
/// this number, which is SQLite's user version. SQLite's schema version would not do: GRDB makes
/// and drops a table whenever it opens a pool.
package enum RebuildCount {
  static let query = "PRAGMA user_version"

  static func statement(setting count: Int64) -> String { "PRAGMA user_version = \(count)" }

  /// Returns the number of a read model.
  package static func read(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: query) ?? 0
  }

  /// Gives a read model that takes the place of another one the next number. A number that cannot
  /// be read counts as 0.
  package static func continuing(_ live: Database, in next: Database) throws {
    let count = (try? Int32.fetchOne(live, sql: query)) ?? 0
    try next.execute(sql: statement(setting: Int64(count &+ 1)))
  }
}

extension Projector {
  /// The number of times that the read model was rebuilt in place; see ``RebuildCount``.
  package func rebuilds() throws(ProjectionError) -> Int64 { try integer(RebuildCount.query) }

  /// Counts one more rebuild, in the caller's transaction.
  func noteRebuild() throws(ProjectionError) {
    try sql.execute(RebuildCount.statement(setting: try rebuilds() &+ 1))
  }
}
