public import EventCore
public import Projections

/// An SQLite database of somebody else's, seen as collections: tables are collections, rows
/// entities, foreign keys references, and tables that only connect others relationships.
///
/// All of it is read once when this is made, to learn what its columns really hold. The file is
/// opened for reading only, and everything is read from one state of it. One thread at a time uses
/// this and its ``Rows``.
public final class SQLiteImport: @unchecked Sendable {
  public struct Field: Hashable, Sendable {
    /// As the table calls it.
    public var column: String
    public var name: String
    public var type: FieldType
    /// The collection whose ids it holds.
    public var references: String?
    /// Why it has this type, where that is not plain.
    public var remark: String?
    /// Whether it becomes searchable.
    public var isSearched = false
    let index: Int
  }

  public struct Table: Sendable {
    /// As the database calls it.
    public var name: String
    public var collection: String
    /// Whether each row connects two entities; then the fields `source` and `target` are the ends.
    public var isRelationship: Bool
    public var fields: [Field]
    public var rowCount: Int
    /// The columns whose values are the ids; empty where the row's number is.
    public var idColumns: [String]
    let key: [Int]
    let sql: String

    /// What the store has to know before the rows.
    public var definition: Definition {
      var definition = Definition(collection: collection)
      if isRelationship { definition.attributes["relationship"] = .boolean(true) }
      for field in fields {
        var attributes: [String: Value] = ["type": .text(field.type.rawValue)]
        if let references = field.references { attributes["references"] = .text(references) }
        if field.isSearched { attributes["search"] = .boolean(true) }
        definition.fields.append(.init(field.name, attributes))
      }
      return definition
    }
  }

  /// A table, or what looks like one, of which no row is imported.
  public struct LeftOut: Hashable, Sendable {
    public enum Reason: String, Sendable {
      /// What it shows comes from tables.
      case view
      case virtual
      /// It belongs to a virtual table.
      case shadow
      /// It has neither a primary key nor row numbers with a name.
      case noKey
      /// It was not asked for.
      case unasked
    }

    public var table: String
    public var reason: Reason
    /// How many rows it has; nil where that was not counted.
    public var rows: Int?
  }

  /// In the order of their names.
  public private(set) var tables: [Table] = []
  public private(set) var leftOut: [LeftOut] = []
  /// What is changed on the way, each in one sentence.
  public private(set) var notes: [String] = []
  private let database: ForeignDatabase
  private let search: SearchableFields

  /// - Parameters:
  ///   - isImmutable: whether nobody writes to the file meanwhile. Then no lock is taken, and
  ///     SQLite makes no file beside it, which it does for one in WAL mode.
  ///   - search: which fields become searchable.
  ///   - includes: of a table's name, whether it is asked for.
  ///   - progress: hears how many rows have been looked at; what it throws ends the reading.
  /// - Throws: ``SQLiteImportError``, and what `progress` throws.
  public init(
    path: String, isImmutable: Bool = false, search: SearchableFields = .automatic,
    includes: (String) -> Bool = { _ in true }, progress: (Int) throws -> Void = { _ in }
  ) throws {
    self.search = search
    database = try ForeignDatabase(path: path, isImmutable: isImmutable)
    let schema = try ForeignSchema(database, includes: includes)
    leftOut = schema.leftOut
    let names = NameMapping.collections(schema.tables.map(\.name))
    let collections = Dictionary(
      zip(schema.tables.map { Names.folded($0.name) }, names), uniquingKeysWith: { a, _ in a })
    var seen = 0
    for (table, collection) in zip(schema.tables, names) {
      guard !table.key.isEmpty || table.rowID != nil else {
        leftOut.append(LeftOut(table: table.name, reason: .noKey))
        continue
      }
      notes += table.otherReferences
      let contents = try read(table, &seen, progress)
      let isReferenced = schema.tables.contains { other in
        other.references.contains { Names.folded($0.table) == Names.folded(table.name) }
      }
      tables.append(
        make(table, collection, contents, collections, isReferenced: isReferenced))
    }
  }

  /// Whether a database can be read where it is, without writing anything: not where a crash has
  /// left something in a `-journal` that has to be rolled back.
  /// - Throws: ``SQLiteImportError`` `locked` while another program writes.
  public static func isReadable(path: String) throws(SQLiteImportError) -> Bool {
    do throws(SQLiteImportError) {
      _ = try ForeignDatabase(path: path, isImmutable: false)
      return true
    } catch {
      guard error.code == .locked else { return false }
      throw error
    }
  }

  /// The values of one row.
  public struct Row: Sendable {
    public var id: String
    /// Those that are not NULL.
    public var fields: [String: Value]
    /// About what it takes in an event.
    public var byteCount: Int
  }

  /// The rows of a table, in the order of the row's numbers or of the primary key.
  /// - Parameter skipped: how many to pass over; less than 0 counts as 0.
  public func rows(of table: Table, from skipped: Int = 0) throws(SQLiteImportError) -> Rows {
    let skipped = max(0, skipped)
    return Rows(table, try database.rows("\(table.sql) LIMIT -1 OFFSET \(skipped)"), skipped)
  }

  // MARK: - What a table becomes

  private struct Contents {
    var columns: [ForeignColumnContents]
    var rowCount = 0
  }

  private static func sql(_ table: ForeignTable) -> String {
    let rowID = table.rowID.map { "\"\($0)\"" }
    let columns = [rowID ?? "NULL"] + table.columns.map { quotedName($0.name) }
    let order =
      rowID ?? table.key.map { quotedName(table.columns[$0].name) }.joined(separator: ", ")
    return "SELECT \(columns.joined(separator: ", ")) FROM \(quotedName(table.name)) "
      + "ORDER BY \(order)"
  }

  private func read(_ table: ForeignTable, _ seen: inout Int, _ progress: (Int) throws -> Void)
    throws -> Contents
  {
    var contents = Contents(
      columns: table.columns.map { ForeignColumnContents(declaration: $0.declaration) })
    let rows = try database.rows(Self.sql(table))
    while let row = try rows.next() {
      for index in contents.columns.indices { contents.columns[index].observe(row[index + 1]) }
      contents.rowCount += 1
      seen += 1
      if seen.isMultiple(of: 1024) { try progress(seen) }
    }
    return contents
  }

  private func make(
    _ table: ForeignTable, _ collection: String, _ contents: Contents,
    _ collections: [String: String], isReferenced: Bool
  ) -> Table {
    let ends = isReferenced ? nil : Self.ends(table)
    var isRelationship = ends != nil
    if let ends, ends.contains(where: { contents.columns[$0].nulls > 0 }) {
      isRelationship = false
      notes.append(
        "\(table.name) connects two tables, but some rows lack an end, so it becomes an ordinary "
          + "collection")
    }
    let idColumn = table.key.count == 1 ? table.key[0] : nil
    let headings = table.columns.indices.map { index -> String in
      guard isRelationship, let ends else { return table.columns[index].name }
      return index == ends[0] ? "source" : index == ends[1] ? "target" : table.columns[index].name
    }
    // An id that is a reference too is kept as a field, or nothing would say that it refers.
    let isIDOnly = idColumn.map { id in !table.references.contains { $0.column == id } } ?? false
    let names = NameMapping.fields(headings, id: isIDOnly ? idColumn : nil)
    var fields = table.columns.indices.compactMap { index -> Field? in
      guard !isIDOnly || index != idColumn else { return nil }
      let reference = table.references.first { $0.column == index }
      let content = contents.columns[index]
      return Field(
        column: table.columns[index].name, name: names[index],
        type: reference == nil ? content.type : .text,
        references: reference.flatMap { collections[Names.folded($0.table)] },
        remark: reference == nil ? content.remark : nil, index: index)
    }
    for index in searched(fields, table.name, collection, contents) {
      fields[index].isSearched = true
    }
    return Table(
      name: table.name, collection: collection, isRelationship: isRelationship, fields: fields,
      rowCount: contents.rowCount, idColumns: table.key.map { table.columns[$0].name },
      key: table.key, sql: Self.sql(table))
  }

  /// Which of a table's fields become searchable.
  private func searched(
    _ fields: [Field], _ table: String, _ collection: String, _ contents: Contents
  ) -> [Int] {
    switch search {
    case .none: return []
    case .named(let names):
      return fields.indices.filter { index in
        let called = [fields[index].column, fields[index].name]
        let paths = [table, collection].flatMap { table in called.map { "\(table).\($0)" } }
        return names.contains { called.contains($0) || paths.contains($0) }
      }
    case .automatic:
      let texts = fields.indices.filter { index in
        let content = contents.columns[fields[index].index]
        return fields[index].type == .text && fields[index].references == nil && content.hasText
      }
      let worded = texts.filter { contents.columns[fields[$0].index].hasWords }
      return worded.isEmpty ? Array(texts.prefix(1)) : worded
    }
  }

  /// The columns that refer to what a table connects, where connecting is all it does: two foreign
  /// keys that are the primary key, or that no two rows share, or beside which there is no key.
  private static func ends(_ table: ForeignTable) -> [Int]? {
    let columns = table.references.map(\.column)
    guard columns.count == 2, table.otherReferences.isEmpty else { return nil }
    let isKey = Set(table.key) == Set(columns)
    guard isKey || table.key.isEmpty || table.uniquePairs.contains(Set(columns)) else { return nil }
    return columns
  }
}

extension SQLiteImport {
  /// Rows of one table, one by one.
  public final class Rows: @unchecked Sendable {
    private let table: Table
    private let rows: ForeignRows
    /// Number of the row that was read last, from 1.
    public private(set) var number: Int

    init(_ table: Table, _ rows: ForeignRows, _ skipped: Int) {
      self.table = table
      self.rows = rows
      number = skipped
    }

    /// Nil at the end.
    /// - Throws: ``SQLiteImportError`` `row` for one that no entity can hold.
    public func next() throws(SQLiteImportError) -> Row? {
      guard let values = try rows.next() else { return nil }
      number += 1
      var row = Row(id: try id(values), fields: [:], byteCount: 16)
      for field in table.fields {
        let value = values[field.index + 1]
        row.byteCount += value.byteCount
        if let typed = try typed(value, field), typed != .null { row.fields[field.name] = typed }
      }
      guard row.byteCount <= CSVReader.recordBytesMax else {
        throw error("the row is larger than an event may be (16 MiB); keep large content in files")
      }
      return row
    }

    private func typed(_ value: ForeignValue, _ field: Field) throws(SQLiteImportError) -> Value? {
      if case .null = value { return nil }
      let typed =
        field.references == nil ? value.value(as: field.type) : value.key.map { .text($0) }
      guard let typed else {
        throw error("the column \(field.column) holds a value that is no \(field.type.rawValue)")
      }
      return typed
    }

    /// Parts of a composite key are joined with `/`; a `/` in one is `~1`, and a `~` is `~0`.
    private func id(_ values: [ForeignValue]) throws(SQLiteImportError) -> String {
      var parts: [String] = []
      for index in table.key {
        guard let part = values[index + 1].key else {
          throw error("a column of the primary key is NULL or no UTF-8, and an entity needs an id")
        }
        parts.append(part)
      }
      if parts.isEmpty { parts = [values[0].key ?? ""] }
      let id =
        parts.count == 1
        ? parts[0]
        : parts.map { $0.replacing("~", by: "~0").replacing("/", by: "~1") }
          .joined(separator: "/")
      guard (1...EntityID.bytesMax).contains(id.utf8.count) else {
        throw error("the primary key has \(id.utf8.count) bytes, and an id has 1 to 1024")
      }
      return id
    }

    private func error(_ message: String) -> SQLiteImportError {
      SQLiteImportError(.row, message, table: table.name, row: number)
    }
  }
}
