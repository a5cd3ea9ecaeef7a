import DaybookEventCore
import DaybookProjections

/// A table of a foreign database, as its schema describes it.
struct ForeignTable {
  struct Column {
    var name: String
    var declaration: String
    /// The position in the primary key, counted from 1; 0 if the column is not part of it.
    var key: Int
  }

  struct Reference {
    /// The index of the referring column.
    var column: Int
    var table: String
    /// The column of the primary key to which it refers.
    var key: String
  }

  var name: String
  var columns: [Column]
  /// The indexes of the primary key's columns, in key order; empty if there is no primary key.
  var key: [Int]
  /// The name of the row number; nil if the table has no row numbers, or if columns use all its
  /// names.
  var rowID: String?
  /// Single-column foreign keys that refer to the whole primary key of another table.
  var references: [Reference] = []
  /// Other foreign keys, in words.
  var otherReferences: [String] = []
  /// Pairs of columns with a unique index.
  var uniquePairs: [Set<Int>] = []
}

/// The schema of a foreign database.
struct ForeignSchema {
  private(set) var tables: [ForeignTable] = []
  private(set) var leftOut: [SQLiteImport.LeftOut] = []

  /// Reads the schema.
  /// - Parameters:
  ///   - database: the database.
  ///   - includes: returns whether the table with the given name is to be imported.
  /// - Throws: ``SQLiteImportError`` if the schema cannot be read.
  init(_ database: ForeignDatabase, includes: (String) -> Bool) throws(SQLiteImportError) {
    for row in try Self.list(database) {
      guard let name = row[1].key, let kind = row[2].key else { continue }
      guard !Names.folded(name).begins(with: "sqlite_") else { continue }
      switch kind {
      case "view": leftOut.append(.init(table: name, reason: .view))
      case "shadow": leftOut.append(.init(table: name, reason: .shadow))
      case "virtual":
        leftOut.append(.init(table: name, reason: .virtual, rows: Self.rows(name, database)))
      case _ where !includes(name):
        leftOut.append(.init(table: name, reason: .unasked, rows: Self.rows(name, database)))
      default:
        let hasRowID = row[4].key == "0"
        tables.append(try Self.table(name, hasRowID, database))
      }
    }
    for index in tables.indices { try addReferences(index, database) }
  }

  /// Returns a row for each table: schema, name, kind, number of columns, whether it lacks row
  /// numbers.
  ///
  /// Like all descriptions here, it comes from a pragma that is a statement. A table of the
  /// database could hide one that is read as a table.
  private static func list(_ database: ForeignDatabase) throws(SQLiteImportError)
    -> [[ForeignValue]]
  {
    try database.all("PRAGMA main.table_list").filter { $0[0].key == "main" }
      .sorted { utf8Less($0[1].key ?? "", $1[1].key ?? "") }
  }

  /// Returns the number of rows of a table; nil if SQLite cannot count them.
  private static func rows(_ name: String, _ database: ForeignDatabase) -> Int? {
    guard let rows = try? database.all("SELECT count(*) FROM \(quotedName(name))") else {
      return nil
    }
    return rows.first?.first?.key.flatMap { Int($0) }
  }

  private static func table(_ name: String, _ hasRowID: Bool, _ database: ForeignDatabase)
    throws(SQLiteImportError) -> ForeignTable
  {
    // The rows are: number, name, type, not null, default, place in the key, hidden.
    let rows = try database.all("PRAGMA main.table_xinfo(\(quotedName(name)))")
    let columns = rows.filter { $0[6].key != "1" }.map { row in
      ForeignTable.Column(
        name: row[1].key ?? "", declaration: row[2].key ?? "",
        key: row[5].key.flatMap { Int($0) } ?? 0)
    }
    let key = columns.indices.filter { columns[$0].key > 0 }.sorted {
      columns[$0].key < columns[$1].key
    }
    let names = Set(columns.map { Names.folded($0.name) })
    let rowID = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    var table = ForeignTable(
      name: name, columns: columns, key: key, rowID: hasRowID ? rowID : nil)
    // The rows are: number, name, unique, origin, partial.
    for index in try database.all("PRAGMA main.index_list(\(quotedName(name)))")
    where index[2].key == "1" && index[4].key == "0" {
      // The rows are: number, number of the column, name of the column.
      let indexed = try database.all(
        "PRAGMA main.index_info(\(quotedName(index[1].key ?? "")))")
      let ids = indexed.compactMap { $0[1].key.flatMap { Int($0) } }
      // The column numbers also count hidden columns, which are rare and usually come last.
      if indexed.count == 2, ids.allSatisfy({ columns.indices.contains($0) }) {
        table.uniquePairs.append(Set(ids))
      }
    }
    return table
  }

  private mutating func addReferences(_ index: Int, _ database: ForeignDatabase)
    throws(SQLiteImportError)
  {
    let table = tables[index]
    // The rows are: number, place in the key, table, from, to, and what follows.
    let rows = try database.all("PRAGMA main.foreign_key_list(\(quotedName(table.name)))")
      .map { [$0[0], $0[2], $0[3], $0[4]] }
    let groups = Dictionary(grouping: rows) { $0[0].key ?? "" }
    for id in groups.keys.sorted(by: utf8Less) {
      guard let parts = groups[id], let name = parts[0][1].key, let from = parts[0][2].key else {
        continue
      }
      let target = tables.first { Names.folded($0.name) == Names.folded(name) }
      let column = table.columns.firstIndex { Names.folded($0.name) == Names.folded(from) }
      guard let target, let column, parts.count == 1, target.key.count == 1,
        parts[0][3].key.map({
          Names.folded($0) == Names.folded(target.columns[target.key[0]].name)
        }) ?? true
      else {
        let columns = parts.compactMap { $0[2].key }.joined(separator: ", ")
        if leftOut.contains(where: { Names.folded($0.table) == Names.folded(name) }) {
          tables[index].otherReferences.append(
            "\(table.name): the foreign key (\(columns)) leads to \(name), which is left out, so "
              + "its "
              + "columns become ordinary fields")
          continue
        }
        tables[index].otherReferences.append(
          "\(table.name): the foreign key (\(columns)) does not lead to the one-column primary key "
            + "of a table, so its columns become ordinary fields")
        continue
      }
      guard !tables[index].references.contains(where: { $0.column == column }) else { continue }
      tables[index].references.append(
        .init(
          column: column, table: target.name, key: target.columns[target.key[0]].name))
    }
    tables[index].references.sort { $0.column < $1.column }
  }
}

/// Returns a name as a quoted SQL identifier.
func quotedName(_ name: String) -> String { "\"\(name.replacing("\"", by: "\"\""))\"" }
