/// The SQL that creates and drops a collection's table, its indexes and its search index.
extension CollectionTable {
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

  /// Has SQLite prepare the statements that read and write the table, so that too many columns are
  /// reported now rather than when the first entity comes.
  func requireUsable(_ sql: StatementCache) throws(ProjectionError) {
    for text in [statements.scan, statements.insert] { _ = try Statement(sql.connection, text) }
  }
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
