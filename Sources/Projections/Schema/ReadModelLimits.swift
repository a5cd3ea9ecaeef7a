/// How much of what is declared and written a read model shows. SQLite cannot hold any number of tables,
/// columns and bytes in a row, and others' data choose how many there are: so what is beyond is hidden by a
/// rule, the same on every replica, and listed.
package struct ReadModelLimits: Hashable, Sendable {
  /// Tables. SQLite reads the definition of each when a connection opens.
  package var collections = 10_000
  /// Columns of a table beside `id`. SQLite takes 2,000 (SQLITE_MAX_COLUMN), also in a result, to which a
  /// rebuild adds three.
  package var fields = 1_900
  /// Searched fields of a collection. SQLite takes 127 arguments of a function (SQLITE_MAX_FUNCTION_ARG),
  /// and bm25 has one for each weight.
  package var searchedFields = 100
  /// Bytes of the values in a row. SQLite takes a thousand million (SQLITE_MAX_LENGTH), and a row is in
  /// memory as a whole.
  package var rowBytes = 256 << 20

  package init() {}

  package static let standard = ReadModelLimits()
}
