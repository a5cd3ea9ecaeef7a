import DaybookEngine
import DaybookEventCore
import DaybookProjections
import GRDB

/// The columns that a type expects of its table, and what stands in for those that the table lacks.
struct TableShape: Sendable {
  struct Column: Sendable {
    /// The name by which the type knows the field.
    let name: String
    /// The name that the field had first.
    let identity: String
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
        name: name, identity: definition.name,
        preset: preset == .null
          ? SQLFragment("NULL") : SQLFragment(preset, of: type, SQLFragment(name)))
    }
  }

  /// Returns what stands for the table in `FROM`, with all columns of the type.
  ///
  /// A field that another version of the app calls otherwise is the same field. A collection that
  /// was dropped is empty, and a field that was dropped shows its default. So do those that were
  /// not defined yet at a moment of the past; otherwise they are missing here, too.
  /// - Returns: nil if nothing stands for the table.
  fileprivate func replacement(_ db: Database) throws -> SQLFragment? {
    let isPast = db.configuration.label == ReadModelFile.pastLabel
    func wasDefined(_ identity: String) throws -> Bool {
      try isPast || KnownDefinitions.contains(identity, of: collection, db)
    }
    var known: Set<String> = []
    try db.forEachRow("SELECT name FROM pragma_table_info(?)", arguments: [collection]) {
      known.insert($0.text(0))
    }
    guard !known.isEmpty else {
      guard try wasDefined("") else { return nil }
      return "(SELECT " + columns.reduce(SQLFragment("NULL AS \"id\"")) { $0 + Self.blank($1) }
        + " WHERE 0)"
    }
    let renamed = try KnownDefinitions.renamedFields(of: collection, db)
    var shown: [SQLFragment] = []
    for column in columns where !known.contains(column.name) {
      let name = renamed[column.identity] ?? column.identity
      if known.contains(name) {
        shown.append(SQLFragment(", \(Names.quoted(name)) AS \(Names.quoted(column.name))"))
      } else if try wasDefined(column.identity) {
        shown.append(", " + column.preset + " AS \(Names.quoted(column.name))")
      }
    }
    guard !shown.isEmpty else { return nil }
    return "(SELECT *" + shown.joined("") + " FROM \(Names.quoted(collection)))"
  }

  private static func blank(_ column: Column) -> SQLFragment {
    SQLFragment(", NULL AS \(Names.quoted(column.name))")
  }
}

extension SQLFragment {
  /// Returns what stands for those tables that lack something which their types declare.
  func replacements(_ db: Database) throws -> [String: SQLFragment] {
    try tables.compactMapValues { try $0.replacement(db) }
  }
}
