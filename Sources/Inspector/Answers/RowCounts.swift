import Daybook
import DaybookEngine
import DaybookJSON
import DaybookProjections
import GRDB

/// The number of entities of each collection.
enum RowCounts {
  static func all(_ store: Store) async throws -> JSONValue {
    try await store.read { db, schema in
      .array(
        try schema.sorted.map { collection in
          let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM \(SQLName.quoted(collection.name))")
          return .object([
            ("name", .text(collection.name)), ("entities", .integer(Int64(count ?? 0))),
            ("relationship", .boolean(collection.isRelationship)),
            ("local", .boolean(collection.isLocal)),
          ])
        })
    }
  }
}

/// Names in SQL.
enum SQLName {
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", by: "\"\"") + "\""
  }
}
