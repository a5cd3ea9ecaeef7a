package import DaybookEventCore
package import DaybookProjections

/// A foreign SQLite database, presented as collections. Tables become collections, rows become
/// entities, and foreign keys become references. Tables that only connect others become
/// relationships.
///
/// The initializer reads the whole database once, to learn what its columns really hold. The file
/// is opened read-only, and everything is read from one state of it. Only one thread at a time may
/// use an instance and its ``Rows``.
package final class SQLiteImport: @unchecked Sendable {
  package struct Field: Hashable, Sendable {
    /// The name of the column in the table.
    package var column: String
    package var name: String
    package var type: FieldType
    /// The collection to whose ids the field refers; nil if it is not a reference.
    package var references: String?
    /// Why the field has this type, if that is not obvious.
    package var remark: String?
    /// Whether the field becomes searchable.
    package var isSearched = false
    let index: Int
    /// The place of the value in a row that ``Table/sql`` reads, behind the row number.
    let place: Int
  }

  package struct Table: Sendable {
    /// The name of the table in the database.
    package var name: String
    package var collection: String
    /// Whether each row connects two entities. Then the fields `source` and `target` are its ends.
    package var isRelationship: Bool
    package var fields: [Field]
    package var rowCount: Int
    /// The columns whose values form the ids; empty if the row number is the id.
    package var idColumns: [String]
    let key: [Int]
    /// Reads the row number, the columns, and then the keys to which references lead.
    let sql: String

    /// The definition that the store needs before the rows.
    package var definition: Definition {
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

  /// A table, view or virtual table that is not imported.
  package struct LeftOut: Hashable, Sendable {
    package enum Reason: String, Sendable {
      /// A view, which only shows data of tables.
      case view
      case virtual
      /// A table that belongs to a virtual table.
      case shadow
      /// A table with neither a primary key nor an accessible row number.
      case noKey
      /// A table that the caller did not ask for.
      case unasked
    }

    package var table: String
    package var reason: Reason
    /// The number of rows; nil if they were not counted.
    package var rows: Int?
  }

  /// The tables to import, sorted by name.
  package private(set) var tables: [Table] = []
  package private(set) var leftOut: [LeftOut] = []
  /// Changes that the import makes to the data, one sentence each.
  package private(set) var notes: [String] = []
  private let database: ForeignDatabase
  private let search: SearchableFields

  /// Opens a database and reads all of it once.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - isImmutable: whether no program writes to the file meanwhile. Then SQLite takes no lock,
  ///     and creates no file beside a database in WAL mode.
  ///   - search: which fields become searchable.
  ///   - includes: returns whether the table with the given name is to be imported.
  ///   - progress: called with the number of rows read so far. If it throws, reading stops.
  /// - Throws: ``SQLiteImportError``, and what `progress` throws.
  package init(
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

  /// Returns whether a database can be read in place, without writing anything. It cannot if a
  /// crash has left a `-journal` that must be rolled back.
  /// - Throws: ``SQLiteImportError`` `locked` while another program writes.
  package static func isReadable(path: String) throws(SQLiteImportError) -> Bool {
    do throws(SQLiteImportError) {
      _ = try ForeignDatabase(path: path, isImmutable: false)
      return true
    } catch {
      guard error.code == .locked else { return false }
      throw error
    }
  }

  /// The values of one row.
  package struct Row: Sendable {
    package var id: String
    /// The values that are not NULL, by field name.
    package var fields: [String: Value]
    /// The approximate size of the row in an event, in bytes.
    package var byteCount: Int
  }

  /// Returns the rows of a table, in the order of the row numbers or of the primary key.
  /// - Parameters:
  ///   - table: the table to read.
  ///   - skipped: the number of rows to skip; a negative number counts as 0.
  /// - Throws: ``SQLiteImportError`` if the query fails.
  package func rows(of table: Table, from skipped: Int = 0) throws(SQLiteImportError) -> Rows {
    let skipped = max(0, skipped)
    return Rows(table, try database.rows("\(table.sql) LIMIT -1 OFFSET \(skipped)"), skipped)
  }

  // MARK: - Mapping of tables

  private struct Contents {
    var columns: [ForeignColumnContents]
    var rowCount = 0
  }

  private static func sql(_ table: ForeignTable, lookups: [String] = []) -> String {
    let rowID = table.rowID.map { "\"\($0)\"" }
    let columns = [rowID ?? "NULL"] + table.columns.map { quotedName($0.name) } + lookups
    let order =
      rowID ?? table.key.map { quotedName(table.columns[$0].name) }.joined(separator: ", ")
    return "SELECT \(columns.joined(separator: ", ")) FROM \(quotedName(table.name)) AS child "
      + "ORDER BY \(order)"
  }

  /// Returns an expression for the key to which a reference leads, spelled as in the other table;
  /// nil if SQLite has no index for that.
  ///
  /// SQLite compares as the key's column does: one that is declared `COLLATE NOCASE` regards `ANN`
  /// and `ann` as the same, and one of integers `1.0` and `1`. Ids are compared byte by byte. The
  /// plus takes the referring column's own way of comparing away. A reference that leads nowhere
  /// keeps its value.
  private func lookup(_ reference: ForeignTable.Reference, of table: ForeignTable)
    -> String?
  {
    let (target, key) = (quotedName(reference.table), quotedName(reference.key))
    let value = "child.\(quotedName(table.columns[reference.column].name))"
    let search = "SELECT parent.\(key) FROM \(target) AS parent WHERE parent.\(key) = +"
    // SQLite may not know how the column compares, and without an index it would read the whole
    // table for each row.
    guard let plan = try? database.all("EXPLAIN QUERY PLAN \(search)?1"),
      plan.last?.last?.key?.begins(with: "SEARCH") == true
    else { return nil }
    return "coalesce((\(search)\(value) LIMIT 1), \(value))"
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
    // An id column that is also a reference stays a field, or the reference would be lost.
    let isIDOnly = idColumn.map { id in !table.references.contains { $0.column == id } } ?? false
    let names = NameMapping.fields(headings, id: isIDOnly ? idColumn : nil)
    var lookups: [String] = []
    var places = Array(table.columns.indices)
    for reference in table.references {
      guard let lookup = self.lookup(reference, of: table) else { continue }
      places[reference.column] = table.columns.count + lookups.count
      lookups.append(lookup)
    }
    var fields = table.columns.indices.compactMap { index -> Field? in
      guard !isIDOnly || index != idColumn else { return nil }
      let reference = table.references.first { $0.column == index }
      let content = contents.columns[index]
      return Field(
        column: table.columns[index].name, name: names[index],
        type: reference == nil ? content.type : .text,
        references: reference.flatMap { collections[Names.folded($0.table)] },
        remark: reference == nil ? content.remark : nil, index: index, place: places[index])
    }
    for index in searched(fields, table.name, collection, contents) {
      fields[index].isSearched = true
    }
    return Table(
      name: table.name, collection: collection, isRelationship: isRelationship, fields: fields,
      rowCount: contents.rowCount, idColumns: table.key.map { table.columns[$0].name },
      key: table.key, sql: Self.sql(table, lookups: lookups))
  }

  /// Returns the indexes of the fields that become searchable.
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

  /// Returns the two reference columns of a table that only connects entities; nil for other
  /// tables. The two foreign keys must form the primary key or have a unique index, or the table
  /// must have no primary key.
  private static func ends(_ table: ForeignTable) -> [Int]? {
    let columns = table.references.map(\.column)
    guard columns.count == 2, table.otherReferences.isEmpty else { return nil }
    let isKey = Set(table.key) == Set(columns)
    guard isKey || table.key.isEmpty || table.uniquePairs.contains(Set(columns)) else { return nil }
    return columns
  }
}

extension SQLiteImport {
  /// The rows of one table, read one at a time.
  package final class Rows: @unchecked Sendable {
    private let table: Table
    private let rows: ForeignRows
    /// The number of the row that was read last, counted from 1.
    package private(set) var number: Int

    init(_ table: Table, _ rows: ForeignRows, _ skipped: Int) {
      self.table = table
      self.rows = rows
      number = skipped
    }

    /// Returns the next row; nil at the end.
    /// - Throws: ``SQLiteImportError`` `row` if the row cannot be stored as an entity.
    package func next() throws(SQLiteImportError) -> Row? {
      guard let values = try rows.next() else { return nil }
      number += 1
      var row = Row(id: try id(values), fields: [:], byteCount: 16)
      for field in table.fields {
        let value = values[field.place + 1]
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

    /// Returns the id of a row. The parts of a composite key are joined with `/`. Within a part,
    /// `/` is written as `~1`, and `~` as `~0`.
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
      guard (1...EntityIDCodec.bytesMax).contains(id.utf8.count) else {
        throw error("the primary key has \(id.utf8.count) bytes, and an id has 1 to 1024")
      }
      return id
    }

    private func error(_ message: String) -> SQLiteImportError {
      SQLiteImportError(.row, message, table: table.name, row: number)
    }
  }
}
