/// Limits on how much of what is declared and written a read model shows.
///
/// SQLite bounds the number of tables, of columns, and of bytes in a row, and other
/// replicas' data may exceed that. So what exceeds a limit is hidden by a rule, the same on
/// every replica, and listed.
package struct ReadModelLimits: Hashable, Sendable {
  /// The maximum number of tables. SQLite reads each table's definition when a connection opens.
  package var collections = 10_000
  /// The maximum number of a table's columns beside `id`. SQLite takes 2,000 (SQLITE_MAX_COLUMN),
  /// also in a result, to which a rebuild adds three.
  package var fields = 1_900
  /// The maximum number of searched fields in a collection. SQLite takes 127 arguments of a
  /// function (SQLITE_MAX_FUNCTION_ARG), and bm25 has one for each weight.
  package var searchedFields = 100
  /// The maximum size of the values in a row, in bytes. SQLite takes a thousand million
  /// (SQLITE_MAX_LENGTH), and it holds a whole row in memory.
  package var rowBytes = 256 << 20

  package init() {}

  package static let standard = ReadModelLimits()
}
