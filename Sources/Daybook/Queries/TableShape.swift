import EventCore
import GRDB
import Projections

/// The columns that a type expects of its table, and what stands in for those that a past lacks.
struct TableShape: Sendable {
  struct Column: Sendable {
    /// The name of the field.
    let name: String
    /// The name that the field had first.
    let firstName: String
    /// What rows show that are older than the field.
    let preset: SQLFragment
  }

  let collection: String
  let columns: [Column]

  init(_ collection: String, _ fields: [(Definition.Field, FieldType)]) {
    self.collection = collection
    columns = fields.map { definition, type in
      let name = definition.shownName
      let preset = definition.attributes["default"] ?? .null
      return Column(
        name: name, firstName: definition.name,
        preset: preset == .null
          ? SQLFragment("NULL") : SQLFragment(preset, of: type, SQLFragment(name)))
    }
  }

  /// Returns what stands for the table in `FROM`, with all columns of the type.
  ///
  /// A collection that is not defined yet is empty, a field that was named otherwise is the same,
  /// and rows that are older than a field show its default. Nil if the table has all columns.
  fileprivate func replacement(_ db: Database) throws -> SQLFragment? {
    guard try db.tableExists(collection) else {
      return "(SELECT " + columns.reduce(SQLFragment("NULL AS \"id\"")) { $0 + Self.blank($1) }
        + " WHERE 0)"
    }
    let known = Set(try db.columns(in: collection).map(\.name))
    let missing = columns.filter { !known.contains($0.name) }
    guard !missing.isEmpty else { return nil }
    let shown = missing.map { column -> SQLFragment in
      let value =
        known.contains(column.firstName)
        ? SQLFragment(Names.quoted(column.firstName)) : column.preset
      return ", " + value + " AS \(Names.quoted(column.name))"
    }
    return "(SELECT *" + shown.joined("") + " FROM \(Names.quoted(collection)))"
  }

  private static func blank(_ column: Column) -> SQLFragment {
    SQLFragment(", NULL AS \(Names.quoted(column.name))")
  }
}

extension SQLFragment {
  /// Returns what stands for those tables that lack something in a read model of the past.
  func replacements(_ db: Database) throws -> [Int: SQLFragment] {
    try tables.compactMapValues { try $0.replacement(db) }
  }
}
