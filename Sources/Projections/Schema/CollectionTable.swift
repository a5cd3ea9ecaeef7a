import DaybookEventCore

/// The numbers of the collections that have fields whose numbers are not yet saved in the database.
final class UnsavedFields {
  var tables: Set<Int> = []
}

/// One collection as the read model holds it: its number, its fields' numbers and, if it is
/// declared, its table.
final class CollectionTable {
  struct Column {
    /// The field's number.
    let field: Int
    let schema: FieldSchema
  }

  /// A rule that no two live entities show the same values in some columns.
  struct UniqueRule {
    /// The number under which claims are kept: that of the field or, for several columns, of a
    /// field that has the names of all, between commas.
    let number: Int
    /// Indexes into the table's columns.
    let columns: [Int]
    let uniqueness: Uniqueness
    /// Of each of these columns, whether its texts are compared by their keys.
    let isFolded: [Bool]
  }

  let number: Int
  /// The collection's name in internal tables: see ``CollectionIdentity``.
  let identity: String
  /// The name by which users know the collection.
  let name: String
  let isLocal: Bool
  /// The table's name in the database.
  private(set) var tableName: String
  private(set) var schema: CollectionSchema?
  /// The table's columns after `id`.
  private(set) var columns: [Column] = []
  private(set) var fieldNames: [String] = []
  private var fieldNumbers: [String: Int] = [:]
  /// By field number, the index of the field's column; fields beyond the end have none.
  private var columnIndexes: [Int?] = []
  var columnNames: Set<String> = []
  /// Fields whose numbers are not yet saved in the database.
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

  /// Returns a copy with the same fields and their numbers, without a schema.
  func copy() -> CollectionTable {
    CollectionTable(
      number: number, identity: identity, fieldNames: fieldNames, UnsavedFields())
  }

  /// Returns the number of a field, from 0; assigns the next number to a new field.
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

  /// Sets the schema, and derives columns and SQL from it.
  /// - Parameters:
  ///   - schema: nil if the collection is not declared.
  ///   - table: the table's name if it is not the collection's. Such a table has no search index,
  ///     and nothing in it is parked or cut.
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
    presets = columns.map(\.schema.defaultCell)
    canFeedInserts = !columns.contains {
      $0.schema.searchWeight != nil && $0.schema.defaultValue != nil
    }
    keptColumns = columns.indices.filter { columns[$0].schema.kept != nil }
    uniqueRules = table == nil ? rules(schema) : []
    treeColumns = table == nil ? columns.indices.filter { columns[$0].schema.isTree } : []
    makeSQL()
  }

  func column(ofField field: Int) -> Int? {
    columnIndexes.indices.contains(field) ? columnIndexes[field] : nil
  }

  /// Indexes into `columns` of the searched fields.
  private(set) var searchColumns: [Int] = []
  /// Whether a column with a value shows its default.
  func showsPreset(_ value: Value?, _ column: Column) -> Bool {
    value == nil || value == .null && !column.schema.isNullable
  }

  /// What each column holds if the entity has no value for it.
  private(set) var presets: [Cell] = []
  /// Whether a rebuild can write an entity that was inserted and never touched again without
  /// folding it. If the search index would have a default, it cannot, because that index reads the
  /// operations.
  private(set) var canFeedInserts = true
  /// Whether every column shows what authors have written to it, and nothing else.
  var isPlain: Bool { keptColumns.isEmpty && presets.allSatisfy { $0 == .null } }
  /// Indexes into `columns` of the fields that the store keeps.
  private(set) var keptColumns: [Int] = []
  private(set) var uniqueRules: [UniqueRule] = []
  private(set) var treeColumns: [Int] = []
  /// Whether an entity can be part of a tree without a row to be found by.
  var canParkMembers: Bool { !uniqueRules.isEmpty && !treeColumns.isEmpty }
  /// Returns whether other entities depend on what the column shows.
  func hasRule(_ index: Int) -> Bool {
    let field = columns[index].schema
    if field.isUnique || field.isTree { return true }
    let sets = schema?.uniqueSets ?? []
    if sets.contains(where: { $0.fields.contains(field.identity) }) { return true }
    return schema?.isRelationship == true
      && (field.identity == "source" || field.identity == "target")
  }

  private func rules(_ schema: CollectionSchema?) -> [UniqueRule] {
    var rules = columns.indices.compactMap { index in
      columns[index].schema.uniqueness.map { rule(columns[index].field, [index], $0) }
    }
    for set in schema?.uniqueSets ?? [] {
      let indexes = set.fields.compactMap { identity in
        columns.firstIndex { $0.schema.identity == identity }
      }
      let number = number(ofField: set.fields.joined(separator: ","))
      // A field that is unique by itself and as a set of one has one rule. The rule without case
      // includes the other one.
      let same = rules.firstIndex { $0.number == number }
      let made = rule(number, indexes, set.uniqueness)
      if let same {
        if set.uniqueness == .folded { rules[same] = made }
      } else {
        rules.append(made)
      }
    }
    return rules
  }

  private func rule(_ number: Int, _ columns: [Int], _ uniqueness: Uniqueness) -> UniqueRule {
    UniqueRule(
      number: number, columns: columns, uniqueness: uniqueness,
      isFolded: columns.map {
        uniqueness == .folded && self.columns[$0].schema.type == .text
      })
  }

  /// Returns what a column shows of these values, if no other entity has a part in it.
  /// - Parameter values: by field number.
  func shownCell(_ index: Int, _ values: [Int: Value]) -> Cell {
    let column = columns[index]
    let value = values[column.field]
    guard !showsPreset(value, column), let value,
      let cell = column.schema.type.cell(for: value)?.cell
    else { return presets[index] }
    return cell
  }

  /// Whether what an entity shows can depend on other entities.
  var hasRules: Bool { !uniqueRules.isEmpty || !treeColumns.isEmpty }

  // MARK: - SQL

  private(set) var selectSQL = ""
  private(set) var selectByNumberSQL = ""
  /// The statement with the most result columns of all SQL about the table.
  private(set) var scanSQL = ""
  private(set) var insertSQL = ""
  /// The statement that inserts rows from a ``RowFeed``.
  private(set) var feedSQL = ""
  private(set) var deleteSQL = ""
  private(set) var searchInsertSQL = ""
  private(set) var searchDeleteSQL = ""

  var quotedName: String { Names.quoted(tableName) }
  /// The name of the FTS5 table. It does not contain a name that users choose: FTS5 makes tables
  /// named after this one with a suffix, which might be another collection's.
  var searchName: String { Self.searchName(number) }
  static func searchName(_ collection: Int) -> String { "_daybook_search_\(collection)" }
  /// The view from which FTS5 reads texts; FTS5 refuses some column names that fields may have.
  private var searchedName: String { Self.searchedName(number) }
  static func searchedName(_ collection: Int) -> String { "_daybook_searched_\(collection)" }

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

  /// Returns the statement that inserts into the search index. Its parameters: the row's number,
  /// then the searched columns.
  func searchInsertSQL(columns: Int) -> String {
    let names = (0..<columns).map { ", \(Self.searchColumn($0))" }.joined()
    let marks = String(repeating: ", ?", count: columns)
    return "INSERT INTO \(searchName)(rowid\(names)) VALUES (?\(marks))"
  }

  /// Has SQLite prepare the statements that read and write the table, so that too many columns are
  /// reported now rather than when the first entity comes.
  func requireUsable(_ sql: StatementCache) throws(ProjectionError) {
    for text in [scanSQL, insertSQL] { _ = try Statement(sql.connection, text) }
  }

  /// Returns FTS5's name of a searched column.
  /// - Parameter place: the column's index among the searched ones.
  static func searchColumn(_ place: Int) -> String { "c\(place)" }

  func updateSQL(_ changed: [Int]) -> String {
    let sets = changed.map { "\(Names.quoted(columns[$0].schema.name)) = ?" }
    return "UPDATE \(quotedName) SET \(sets.joined(separator: ", ")) WHERE _rowid_ = ?"
  }

  /// Returns the statement that creates a collection's table.
  /// - Parameters:
  ///   - schema: the collection's schema.
  ///   - table: the table's name, which may be a temporary one.
  ///   - hasKey: false if the primary key is created after the rows; see ``RebuildIndexes``.
  static func createTableSQL(_ schema: CollectionSchema, named table: String, hasKey: Bool = true)
    -> String
  {
    let columns = schema.fields.map { ", \($0.columnSQL)" }
    let key = hasKey ? "PRIMARY KEY " : ""
    return "CREATE TABLE \(Names.quoted(table))(id TEXT \(key)NOT NULL\(columns.joined()))"
  }

  /// An index that the schema asks for.
  struct Index: Equatable {
    var name: String
    /// The columns' quoted names.
    var columns: [String]
    var sql: String
  }

  /// Returns one index for each field that is indexed or refers to a collection, one for each tree
  /// and for each index of several fields, and for a relationship one covering index for each
  /// direction. A tree's index tells whether anything is below an entity.
  func indexes(_ schema: CollectionSchema) -> [Index] {
    let table = Names.quoted(schema.name)
    var indexes: [Index] = []
    func add(_ kind: String, _ columns: [String], where condition: String? = nil) {
      let name = "_daybook_index_\(number)_\(kind)"
      let list = columns.joined(separator: ", ")
      let condition = condition.map { " WHERE \($0)" } ?? ""
      indexes.append(
        Index(
          name: name, columns: columns,
          sql: "CREATE INDEX \(name) ON \(table)(\(list))\(condition)"))
    }
    if schema.isRelationship {
      add("outgoing", ["source", "target"])
      add("incoming", ["target", "source"])
    }
    for field in schema.fields where field.isIndexed || field.isTree || field.references != nil {
      // The covering indexes already begin with the ends.
      if schema.isRelationship, field.identity == "source" || field.identity == "target" {
        continue
      }
      add("\(number(ofField: field.identity))", [Names.quoted(field.name)])
    }
    for index in schema.indexes {
      let columns = index.columns.compactMap { column in
        schema.fields.first { $0.identity == column.field }.map {
          Names.quoted($0.name) + (column.isDescending ? " DESC" : "")
        }
      }
      let condition = schema.fields.first { $0.identity == index.condition }
      let place = index.columns.map { ($0.isDescending ? "-" : "") + $0.field }
      add(
        "of_\(number(ofField: place.joined(separator: ",")))", columns,
        where: condition.map {
          Names.quoted($0.name) + ($0.type == .boolean ? "" : " IS NOT NULL")
        })
    }
    return indexes
  }

  /// The name of the index of a relationship by target.
  var incomingIndexName: String { "_daybook_index_\(number)_incoming" }

  /// Returns the statements that create the view from which FTS5 reads, and the FTS5 table; none if
  /// no field is searched.
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
      content_rowid='number', tokenize='\(schema.tokenizer.sql)', prefix='1')
      """,
    ]
  }

  /// The statements that drop the FTS5 table and the view from which it reads.
  var dropSearchSQL: [String] {
    ["DROP TABLE IF EXISTS \(searchName)", "DROP VIEW IF EXISTS \(searchedName)"]
  }

  /// The statement that makes FTS5 read all texts again.
  var fillSearchSQL: String { "INSERT INTO \(searchName)(\(searchName)) VALUES ('rebuild')" }
}

extension FieldSchema {
  /// The column's definition in SQL. Rows that are older than the column read its default.
  var columnSQL: String {
    let declared = "\(Names.quoted(name)) \(type.declaration)"
    guard canReadDefault, defaultValue != nil else { return declared }
    return "\(declared) DEFAULT \(defaultCell.literal)"
  }

  /// Whether rows that are older than the column can read its default. They cannot if it is a real,
  /// since SQLite may read another number from the same digits.
  var canReadDefault: Bool {
    if case .real = defaultCell { false } else { true }
  }

  /// What the column holds if an entity has no value for it.
  var defaultCell: Cell { defaultValue.flatMap { type.cell(for: $0)?.cell } ?? .null }
}
