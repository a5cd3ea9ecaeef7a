/// The SQL that reads and writes the rows of a collection's table and of its search index.
struct TableStatements {
  /// Reads the row of an id.
  private(set) var select = ""
  /// Reads the row of a number.
  private(set) var selectByNumber = ""
  /// Reads the rows behind a number. It has the most result columns of all SQL about the table.
  private(set) var scan = ""
  private(set) var insert = ""
  /// Inserts rows from a ``RowFeed``.
  private(set) var feed = ""
  private(set) var delete = ""
  private(set) var searchInsert = ""
  private(set) var searchDelete = ""

  /// The statements of a collection that has no table yet.
  init() {}

  init(_ table: CollectionTable) {
    let name = table.quotedName
    let names = table.columns.map { Names.quoted($0.schema.name) }
    let list = names.map { ", \($0)" }.joined()
    select = "SELECT _rowid_\(list) FROM \(name) WHERE id = ?"
    scan = "SELECT _rowid_, id\(list) FROM \(name) WHERE _rowid_ > ? ORDER BY _rowid_"
    selectByNumber = "SELECT id\(list) FROM \(name) WHERE _rowid_ = ?"
    insert =
      "INSERT INTO \(name)(_rowid_, id\(list)) VALUES (?, ?"
      + String(repeating: ", ?", count: names.count) + ")"
    feed =
      "INSERT INTO \(name)(_rowid_, id\(list)) "
      + "SELECT \(RowFeed.columns(0..<names.count + 2)) FROM \(RowFeed.name)"
    delete = "DELETE FROM \(name) WHERE _rowid_ = ?"
    let count = table.searchColumns.count
    searchInsert = Self.searchInsert(table.searchName, columns: count)
    searchDelete = Self.searchDelete(table.searchName, columns: count)
  }

  /// Returns the statement that inserts into a search index. Its parameters: the row's number,
  /// then the searched columns.
  static func searchInsert(_ search: String, columns: Int) -> String {
    let marks = String(repeating: ", ?", count: columns)
    return "INSERT INTO \(search)(rowid\(searched(columns))) VALUES (?\(marks))"
  }

  /// Returns the statement that takes a row out of a search index. Its parameters: the row's
  /// number, then what the index has of the searched columns.
  static func searchDelete(_ search: String, columns: Int) -> String {
    let marks = String(repeating: ", ?", count: columns)
    return
      "INSERT INTO \(search)(\(search), rowid\(searched(columns))) VALUES ('delete', ?\(marks))"
  }

  /// Returns the names of the searched columns, each after a comma.
  static func searched(_ columns: Int) -> String {
    (0..<columns).map { ", \(CollectionTable.searchColumn($0))" }.joined()
  }
}

extension CollectionTable {
  /// Returns the statement that updates some columns of a row. Its parameters: their values, then
  /// the row's number.
  /// - Parameter changed: indexes into the table's columns.
  func updateStatement(_ changed: [Int]) -> String {
    let sets = changed.map { "\(Names.quoted(columns[$0].schema.name)) = ?" }
    return "UPDATE \(quotedName) SET \(sets.joined(separator: ", ")) WHERE _rowid_ = ?"
  }
}
