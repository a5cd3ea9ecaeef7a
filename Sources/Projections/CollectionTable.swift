import EventCore

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
  /// Field numbers in the order of their names: the order of a digest's summand.
  private(set) var fieldsByName: [Int] = []
  /// By field number, the index of its column; fields beyond it have none.
  private var columnIndexes: [Int?] = []
  private var columnNames: Set<String> = []
  /// Fields whose numbers are not in the database yet.
  private(set) var unsavedFields: [Int] = []

  init(number: Int, identity: String, fieldNames: [String] = []) {
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
    CollectionTable(number: number, identity: identity, fieldNames: fieldNames)
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
    let place = fieldsByName.firstIndex { utf8Less(name, fieldNames[$0]) } ?? fieldsByName.count
    fieldsByName.insert(number, at: place)
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
  /// Whether what is shown of an entity can depend on others.
  var hasRules: Bool { !uniqueColumns.isEmpty || !treeColumns.isEmpty }

  // MARK: SQL

  private(set) var selectSQL = ""
  private(set) var selectByNumberSQL = ""
  private(set) var insertSQL = ""
  /// The same from a ``RowFeed``.
  private(set) var feedSQL = ""
  private(set) var deleteSQL = ""
  private(set) var searchInsertSQL = ""
  private(set) var searchDeleteSQL = ""

  var quotedName: String { Names.quoted(tableName) }
  var quotedSearchName: String { Names.quoted(Self.searchName(name)) }
  static func searchName(_ collection: String) -> String { "_daybook_search_\(collection)" }

  private func makeSQL() {
    let names = columns.map { Names.quoted($0.schema.name) }
    let list = names.map { ", \($0)" }.joined()
    selectSQL = "SELECT rowid\(list) FROM \(quotedName) WHERE id = ?"
    selectByNumberSQL = "SELECT id\(list) FROM \(quotedName) WHERE rowid = ?"
    insertSQL =
      "INSERT INTO \(quotedName)(rowid, id\(list)) VALUES (?, ?"
      + String(repeating: ", ?", count: names.count) + ")"
    feedSQL =
      "INSERT INTO \(quotedName)(rowid, id\(list)) "
      + "SELECT \(RowFeed.columns(0..<names.count + 2)) FROM daybook_rows"
    deleteSQL = "DELETE FROM \(quotedName) WHERE rowid = ?"
    let searched = searchColumns.map { ", \(names[$0])" }.joined()
    let marks = String(repeating: ", ?", count: searchColumns.count)
    searchInsertSQL = schema.map(Self.searchInsertSQL) ?? ""
    searchDeleteSQL =
      "INSERT INTO \(quotedSearchName)(\(quotedSearchName), rowid\(searched)) "
      + "VALUES ('delete', ?\(marks))"
  }

  /// Parameters: the row's number, then the columns that are searched.
  static func searchInsertSQL(_ schema: CollectionSchema) -> String {
    let names = schema.searchable.map { ", \(Names.quoted($0.name))" }.joined()
    let marks = String(repeating: ", ?", count: schema.searchable.count)
    return "INSERT INTO \(Names.quoted(searchName(schema.name)))(rowid\(names)) VALUES (?\(marks))"
  }

  func updateSQL(_ changed: [Int]) -> String {
    let sets = changed.map { "\(Names.quoted(columns[$0].schema.name)) = ?" }
    return "UPDATE \(quotedName) SET \(sets.joined(separator: ", ")) WHERE rowid = ?"
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

  /// The indexes that the schema asks for: one a field that is indexed, and for a relationship one
  /// that covers each direction. A tree has one, too: whether anything is below an entity.
  static func indexSQL(_ schema: CollectionSchema) -> [(name: String, sql: String)] {
    let table = Names.quoted(schema.name)
    var indexes: [(String, String)] = []
    func add(_ name: String, _ columns: String) {
      let full = indexName(schema, name)
      indexes.append((full, "CREATE INDEX \(Names.quoted(full)) ON \(table)(\(columns))"))
    }
    if schema.isRelationship {
      add("outgoing", "source, target")
      add("incoming", "target, source")
    }
    for field in schema.fields where field.isIndexed || field.isTree {
      // The covering indexes begin with these two already.
      if schema.isRelationship, field.name == "source" || field.name == "target" { continue }
      add("field_\(field.name)", Names.quoted(field.name))
    }
    return indexes
  }

  private static func indexName(_ schema: CollectionSchema, _ name: String) -> String {
    "_daybook_index_\(schema.name)_\(name)"
  }

  /// The index of a relationship by targets.
  static func incomingIndexName(_ schema: CollectionSchema) -> String {
    indexName(schema, "incoming")
  }

  static func createSearchSQL(_ schema: CollectionSchema) -> String? {
    let columns = schema.searchable
    guard !columns.isEmpty else { return nil }
    let names = columns.map { Names.quoted($0.name) }.joined(separator: ", ")
    return """
      CREATE VIRTUAL TABLE \(Names.quoted(searchName(schema.name))) USING fts5(\(names), \
      content=\(Names.quoted(schema.name)), content_rowid='rowid', \
      tokenize='porter unicode61 remove_diacritics 2')
      """
  }

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
  /// - Parameter values: by field number.
  func place(_ values: [Int: Value]) -> (cells: [Cell], inexact: Set<Int>, misfits: [Int]) {
    var inexact: Set<Int> = []
    var misfits: [Int] = []
    var cells = [Cell](repeating: .null, count: columns.count)
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
      if !placed.isExact { inexact.insert(field) }
    }
    return (cells, inexact, misfits.sorted())
  }
}
