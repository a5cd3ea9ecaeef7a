import EventCore

/// The collections whose fields have numbers that are not in the database yet, by their own numbers.
final class UnsavedFields {
  var tables: Set<Int> = []
}

/// One collection as the read model holds it: its number, its fields' numbers and, where it is
/// declared, its table.
final class CollectionTable {
  struct Column {
    /// The field's number.
    let field: Int
    let schema: FieldSchema
  }

  let number: Int
  /// What it is called in internal tables: see ``CollectionIdentity``.
  let identity: String
  /// What users call it.
  let name: String
  let isLocal: Bool
  /// Under which name the table stands in the database.
  private(set) var tableName: String
  private(set) var schema: CollectionSchema?
  /// The table's columns after `id`.
  private(set) var columns: [Column] = []
  private(set) var fieldNames: [String] = []
  private var fieldNumbers: [String: Int] = [:]
  /// By field number, the index of its column; fields beyond it have none.
  private var columnIndexes: [Int?] = []
  private var columnNames: Set<String> = []
  /// Fields whose numbers are not in the database yet.
  private(set) var unsavedFields: [Int] = []
  private let unsaved: UnsavedFields

  init(number: Int, identity: String, fieldNames: [String], _ unsaved: UnsavedFields) {
    self.unsaved = unsaved
    self.number = number
    self.identity = identity
    name = CollectionIdentity.name(identity)
    isLocal = CollectionIdentity.isLocal(identity)
    tableName = name
    for field in fieldNames { add(field: field) }
    unsavedFields = []
  }

  var isDeclared: Bool { schema != nil }

  /// The same collection and fields, without a schema.
  func copy() -> CollectionTable {
    CollectionTable(
      number: number, identity: identity, fieldNames: fieldNames, UnsavedFields())
  }

  /// The number of a field, from 0; given out at first sight.
  func number(ofField name: String) -> Int {
    if let number = fieldNumbers[name] { return number }
    add(field: name)
    return fieldNames.count - 1
  }

  func knownNumber(ofField name: String) -> Int? { fieldNumbers[name] }

  private func add(field name: String) {
    let number = fieldNames.count
    fieldNames.append(name)
    fieldNumbers[name] = number
    unsavedFields.append(number)
    unsaved.tables.insert(self.number)
  }

  func markFieldsSaved() { unsavedFields = [] }

  /// - Parameter table: where the rows stand, when that is not under the collection's name; such a
  ///   table has no search index, and nothing in it is parked or cut.
  func setSchema(_ schema: CollectionSchema?, table: String? = nil) {
    self.schema = schema
    tableName = table ?? name
    columns = (schema?.fields ?? []).map {
      Column(field: number(ofField: $0.identity), schema: $0)
    }
    columnNames = Set(columns.map(\.schema.name))
    columnIndexes = Array(repeating: nil, count: fieldNames.count)
    for (index, column) in columns.enumerated() { columnIndexes[column.field] = index }
    searchColumns =
      table == nil ? columns.indices.filter { columns[$0].schema.searchWeight != nil } : []
    uniqueColumns = table == nil ? columns.indices.filter { columns[$0].schema.isUnique } : []
    treeColumns = table == nil ? columns.indices.filter { columns[$0].schema.isTree } : []
    makeSQL()
  }

  func column(ofField field: Int) -> Int? {
    columnIndexes.indices.contains(field) ? columnIndexes[field] : nil
  }

  /// Indexes into `columns`.
  private(set) var searchColumns: [Int] = []
  private(set) var uniqueColumns: [Int] = []
  private(set) var treeColumns: [Int] = []
  /// Whether an entity can be part of a tree and have no row to be found by.
  var canParkMembers: Bool { !uniqueColumns.isEmpty && !treeColumns.isEmpty }
  /// Whether others depend on what the column shows.
  private func hasRule(_ index: Int) -> Bool {
    let field = columns[index].schema
    if field.isUnique || field.isTree { return true }
    return schema?.isRelationship == true
      && (field.identity == "source" || field.identity == "target")
  }

  /// Whether what is shown of an entity can depend on others.
  var hasRules: Bool { !uniqueColumns.isEmpty || !treeColumns.isEmpty }

  // MARK: SQL

  private(set) var selectSQL = ""
  private(set) var selectByNumberSQL = ""
  /// Of all SQL about the table, it has the most columns.
  private(set) var scanSQL = ""
  private(set) var insertSQL = ""
  /// The same from a ``RowFeed``.
  private(set) var feedSQL = ""
  private(set) var deleteSQL = ""
  private(set) var searchInsertSQL = ""
  private(set) var searchDeleteSQL = ""

  var quotedName: String { Names.quoted(tableName) }
  /// The FTS5 table. Nothing internal is called by what users choose: FTS5 makes tables beside this one, by
  /// its name and a suffix, which might be another collection's.
  var searchName: String { Self.searchName(number) }
  static func searchName(_ collection: Int) -> String { "_daybook_search_\(collection)" }
  /// The view from which FTS5 reads texts. FTS5 has no columns of some names that fields may have.
  private var searchedName: String { "_daybook_searched_\(number)" }

  private func makeSQL() {
    let names = columns.map { Names.quoted($0.schema.name) }
    let list = names.map { ", \($0)" }.joined()
    selectSQL = "SELECT _rowid_\(list) FROM \(quotedName) WHERE id = ?"
    scanSQL = "SELECT _rowid_, id\(list) FROM \(quotedName) WHERE _rowid_ > ? ORDER BY _rowid_"
    selectByNumberSQL = "SELECT id\(list) FROM \(quotedName) WHERE _rowid_ = ?"
    insertSQL =
      "INSERT INTO \(quotedName)(_rowid_, id\(list)) VALUES (?, ?"
      + String(repeating: ", ?", count: names.count) + ")"
    feedSQL =
      "INSERT INTO \(quotedName)(_rowid_, id\(list)) "
      + "SELECT \(RowFeed.columns(0..<names.count + 2)) FROM \(RowFeed.name)"
    deleteSQL = "DELETE FROM \(quotedName) WHERE _rowid_ = ?"
    let searched = searchColumns.indices.map { ", \(Self.searchColumn($0))" }.joined()
    let marks = String(repeating: ", ?", count: searchColumns.count)
    searchInsertSQL = searchInsertSQL(columns: searchColumns.count)
    searchDeleteSQL =
      "INSERT INTO \(searchName)(\(searchName), rowid\(searched)) VALUES ('delete', ?\(marks))"
  }

  /// Parameters: the row's number, then the columns that are searched.
  func searchInsertSQL(columns: Int) -> String {
    let names = (0..<columns).map { ", \(Self.searchColumn($0))" }.joined()
    let marks = String(repeating: ", ?", count: columns)
    return "INSERT INTO \(searchName)(rowid\(names)) VALUES (?\(marks))"
  }

  /// Has SQLite prepare the statements that the table is read and written with: now rather than when the
  /// first entity comes, it says if they have too many columns.
  func requireUsable(_ sql: StatementCache) throws(ProjectionError) {
    for text in [scanSQL, insertSQL] { _ = try Statement(sql.connection, text) }
  }

  /// What FTS5 calls the searched column of that place.
  static func searchColumn(_ place: Int) -> String { "c\(place)" }

  func updateSQL(_ changed: [Int]) -> String {
    let sets = changed.map { "\(Names.quoted(columns[$0].schema.name)) = ?" }
    return "UPDATE \(quotedName) SET \(sets.joined(separator: ", ")) WHERE _rowid_ = ?"
  }

  /// - Parameters:
  ///   - table: the table's name, or another under which it is made first.
  ///   - hasKey: false for a table that gets its primary key when its rows are there; see
  ///     ``LateIndexes``.
  static func createTableSQL(_ schema: CollectionSchema, named table: String, hasKey: Bool = true)
    -> String
  {
    let columns = schema.fields.map { ", \(Names.quoted($0.name)) \($0.type.declaration)" }
    let key = hasKey ? "PRIMARY KEY " : ""
    return "CREATE TABLE \(Names.quoted(table))(id TEXT \(key)NOT NULL\(columns.joined()))"
  }

  /// An index that the schema asks for.
  struct Index: Equatable {
    var name: String
    /// Quoted.
    var columns: [String]
    var sql: String
  }

  /// One index for each field that is indexed, and for a relationship one that covers each direction. A
  /// tree has one, too: whether anything is below an entity.
  func indexes(_ schema: CollectionSchema) -> [Index] {
    let table = Names.quoted(schema.name)
    var indexes: [Index] = []
    func add(_ kind: String, _ columns: [String]) {
      let name = "_daybook_index_\(number)_\(kind)"
      let list = columns.joined(separator: ", ")
      indexes.append(
        Index(name: name, columns: columns, sql: "CREATE INDEX \(name) ON \(table)(\(list))"))
    }
    if schema.isRelationship {
      add("outgoing", ["source", "target"])
      add("incoming", ["target", "source"])
    }
    for field in schema.fields where field.isIndexed || field.isTree {
      // The covering indexes begin with these two already.
      if schema.isRelationship, field.identity == "source" || field.identity == "target" {
        continue
      }
      add("\(number(ofField: field.identity))", [Names.quoted(field.name)])
    }
    return indexes
  }

  /// The index of a relationship by targets.
  var incomingIndexName: String { "_daybook_index_\(number)_incoming" }

  /// The view from which FTS5 reads, and the FTS5 table; nothing if no field is searched.
  func createSearchSQL(_ schema: CollectionSchema) -> [String] {
    let fields = schema.searchable
    guard !fields.isEmpty else { return [] }
    let columns = fields.indices.map(Self.searchColumn).joined(separator: ", ")
    let names = fields.map { Names.quoted($0.name) }.joined(separator: ", ")
    return [
      """
      CREATE VIEW \(searchedName)(number, \(columns)) AS \
      SELECT _rowid_, \(names) FROM \(Names.quoted(schema.name))
      """,
      """
      CREATE VIRTUAL TABLE \(searchName) USING fts5(\(columns), content=\(searchedName), \
      content_rowid='number', tokenize='\(schema.tokenizer.sql)')
      """,
    ]
  }

  /// The reverse.
  var dropSearchSQL: [String] {
    ["DROP TABLE IF EXISTS \(searchName)", "DROP VIEW IF EXISTS \(searchedName)"]
  }

  /// Has FTS5 read all texts again.
  var fillSearchSQL: String { "INSERT INTO \(searchName)(\(searchName)) VALUES ('rebuild')" }

  // MARK: Rows

  /// The values that are not NULL, by the names under which they are shown. A name of
  /// a column means that column, also where it has no value.
  func shown(_ values: [Int: Value]) -> [String: Value] {
    var shown: [String: Value] = [:]
    for (field, value) in values where value != .null && column(ofField: field) == nil {
      let name = fieldNames[field]
      if !columnNames.contains(name) { shown[name] = value }
    }
    for (field, value) in values where value != .null {
      if let column = column(ofField: field) { shown[columns[column].schema.name] = value }
    }
    return shown
  }

  /// The cells of an entity's row, and what they cannot say.
  /// - Parameters:
  ///   - values: by field number.
  ///   - rowBytesMax: of values in a row. Of values that others depend on (in unique fields, trees and
  ///     ends) all are shown, of the others the first columns that fit.
  func place(_ values: [Int: Value], rowBytesMax: Int) -> (
    cells: [Cell], inexact: Set<Int>, misfits: [Int]
  ) {
    var inexact: Set<Int> = []
    var misfits: [Int] = []
    var cells = [Cell](repeating: .null, count: columns.count)
    var bytes = 0
    for (field, value) in values {
      guard let index = column(ofField: field) else {
        inexact.insert(field)
        continue
      }
      guard let placed = columns[index].schema.type.cell(for: value) else {
        inexact.insert(field)
        misfits.append(field)
        continue
      }
      cells[index] = placed.cell
      bytes += placed.cell.byteCount
      if !placed.isExact { inexact.insert(field) }
    }
    if bytes > rowBytesMax {
      var room = rowBytesMax
      for index in cells.indices where hasRule(index) { room -= cells[index].byteCount }
      for index in cells.indices where cells[index] != .null && !hasRule(index) {
        guard cells[index].byteCount > room else {
          room -= cells[index].byteCount
          continue
        }
        cells[index] = .null
        inexact.insert(columns[index].field)
        misfits.append(columns[index].field)
      }
    }
    return (cells, inexact, misfits.sorted())
  }
}
