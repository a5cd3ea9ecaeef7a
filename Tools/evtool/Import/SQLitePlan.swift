import Daybook
import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections
import Foundation

/// The plan of a database import.
struct SQLitePlan: ImportPlan {
  let source: ImportSource
  let unit = "row"
  private let database: SQLiteImport
  private let tables: [SQLiteImport.Table]
  private let puts: Bool
  /// The folder with a copy of the database, removed by ``end()``.
  private let copy: TemporaryFolder?

  init(_ source: ImportSource, _ options: TableOptions, _ schema: StoreSchema) throws {
    self.source = source
    puts = options.put
    guard source.name != "stdin" else {
      throw Failure(
        .usage, "a database cannot come from the standard input", hint: "Save it to a file first")
    }
    let place = try SQLitePlace(source)
    copy = place.copy
    let progress = ProgressLine("reading \(source.name)", unit: "rows")
    defer { progress.clear() }
    let (only, except) = (TableOptions.names(options.only), TableOptions.names(options.except))
    do {
      database = try SQLiteImport(
        path: place.path, isImmutable: place.isImmutable, search: options.searchable,
        includes: { (only.isEmpty || only.contains($0)) && !except.contains($0) },
        progress: { rows in
          progress.update(rows, fraction: nil)
          if Interrupt.isRequested {
            throw Failure(.interrupted, "interrupted; nothing of \(source.name) has been imported")
          }
        })
      tables = Self.tables(of: database, options, schema)
      try requireTables(only + except)
      try requireFields(options)
      try requireAgreement(schema)
    } catch {
      place.copy?.remove()
      guard let error = error as? SQLiteImportError else { throw error }
      throw Failure(.usage, "\(source.name): \(error.message)")
    }
  }

  /// Returns the tables to import. For existing collections, the store's own choice of searchable
  /// fields stays, unless `--search` is given.
  private static func tables(
    of database: SQLiteImport, _ options: TableOptions, _ schema: StoreSchema
  ) -> [SQLiteImport.Table] {
    guard options.search.isEmpty else { return database.tables }
    return database.tables.map { table in
      var table = table
      if schema[table.collection] != nil {
        for index in table.fields.indices { table.fields[index].isSearched = false }
      }
      return table
    }
  }

  private func requireTables(_ names: [String]) throws(Failure) {
    let known = (database.tables.map(\.name) + database.leftOut.map(\.table)).sorted(by: utf8Less)
    for name in names where !known.contains(name) {
      throw Failure(
        .usage, "\(source.name) has no table \(name.quotedForMessage)",
        hint: NameSuggestion.hint(for: name, among: known, none: "It has none at all"))
    }
  }

  private func requireFields(_ options: TableOptions) throws(Failure) {
    for name in TableOptions.names(options.search) {
      let column = name.parts(between: ".").last.map(String.init) ?? name
      let fields = tables.flatMap(\.fields)
      guard !fields.contains(where: { $0.column == column || $0.name == column }) else { continue }
      throw Failure(
        .usage, "no table of \(source.name) has a column \(column.quotedForMessage)",
        hint: NameSuggestion.hint(
          for: column, among: Set(fields.map(\.column)).sorted(by: utf8Less), none: "None has any"))
    }
  }

  /// Refuses columns whose type differs from that in the store, before anything is written.
  private func requireAgreement(_ schema: StoreSchema) throws(Failure) {
    for table in tables {
      guard let declared = schema[table.collection] else { continue }
      for field in table.fields {
        guard let type = declared[field: field.name]?.type, type != field.type else { continue }
        throw Failure(
          .usage,
          "the store has \(table.collection).\(field.name) as \(type.rawValue), and the column of "
            + "\(source.name) holds \(field.type.rawValue)",
          hint: "A type never changes; import the database into a store of its own")
      }
    }
  }

  func end() { copy?.remove() }

  func feed(from firstLine: Int) -> any ImportFeed {
    SQLiteFeed(database, tables, from: firstLine, puts: puts)
  }

  func show() {
    let rows = tables.reduce(0) { $0 + $1.rowCount }
    StandardError.line(
      "\(Text.oneLine(source.name)): \(Text.count(tables.count, "table")), "
        + Text.count(rows, "row"))
    for table in tables {
      var line = "  \(table.collection): \(Text.count(table.rowCount, "row"))"
      if table.isRelationship { line += ", a relationship" }
      if table.name != table.collection { line += ", from the table \(Text.oneLine(table.name))" }
      line +=
        table.idColumns.isEmpty
        ? ", ids from the row numbers" : ", ids from \(table.idColumns.joined(separator: ", "))"
      StandardError.line(Text.oneLine(line))
      for field in table.fields { StandardError.line("    " + Text.oneLine(Self.text(field))) }
    }
    for table in database.leftOut {
      StandardError.line("  left out: \(Text.oneLine(Self.text(table)))")
    }
    for note in database.notes { StandardError.line("  note: \(Text.oneLine(note))") }
  }

  private static func text(_ table: SQLiteImport.LeftOut) -> String {
    let rows = table.rows.map { " with \(Text.count($0, "row"))" } ?? ""
    return switch table.reason {
    case .view: "\(table.table), a view: what it shows comes from tables"
    case .virtual: "\(table.table), a virtual table\(rows)"
    case .shadow: "\(table.table), which belongs to a virtual table"
    case .noKey: "\(table.table), which has neither a primary key nor row numbers with a name"
    case .unasked: "\(table.table)\(rows), as was asked"
    }
  }

  var leftOut: String? {
    let tables = database.leftOut.filter { $0.reason != .view && $0.reason != .shadow }
    guard !tables.isEmpty else { return nil }
    let rows = tables.compactMap(\.rows).reduce(0, +)
    return "left out: \(NameSuggestion.list(tables.map { Text.oneLine($0.table) })), "
      + Text.count(rows, "row")
  }

  private static func text(_ field: SQLiteImport.Field) -> String {
    var text = "\(field.name)  \(field.type.rawValue)"
    if let references = field.references { text += ", refers to \(references)" }
    if field.isSearched { text += ", searchable" }
    if field.name != field.column { text += ", from \(field.column)" }
    return field.remark.map { "\(text), because it \($0)" } ?? text
  }

  func write(to writer: inout JSONWriter) {
    writer.key("collections")
    writer.array { writer in
      for table in tables { Self.write(table, to: &writer) }
    }
    writer.key("leftOut")
    writer.array { writer in
      for table in database.leftOut {
        writer.object {
          $0.member("table", table.table)
          $0.member("reason", table.reason.rawValue)
          $0.key("rows")
          if let rows = table.rows { $0.integer(rows) } else { $0.null() }
        }
      }
    }
    writer.key("notes")
    writer.array { writer in
      for note in database.notes { writer.text(note) }
    }
  }

  private static func write(_ table: SQLiteImport.Table, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("table", table.name)
      writer.member("collection", table.collection)
      writer.member("relationship", table.isRelationship)
      writer.member("rows", table.rowCount)
      writer.key("id")
      writer.array { for column in table.idColumns { $0.text(column) } }
      writer.key("columns")
      writer.array { writer in
        for field in table.fields {
          writer.object {
            $0.member("column", field.column)
            $0.member("field", field.name)
            $0.member("type", field.type.rawValue)
            $0.member("search", field.isSearched)
            $0.key("references")
            if let references = field.references { $0.text(references) } else { $0.null() }
            if let remark = field.remark { $0.member("remark", remark) }
          }
        }
      }
    }
  }
}

/// The steps of a database, table by table: first the collection's definition, then its rows. Steps
/// are counted over all tables.
struct SQLiteFeed: ImportFeed {
  private let database: SQLiteImport
  private let puts: Bool
  private var waiting: ArraySlice<SQLiteImport.Table>
  private var table: SQLiteImport.Table?
  private var rows: SQLiteImport.Rows?
  /// The number of definitions and rows so far, including skipped ones.
  private var count = 0
  private let firstStep: Int

  init(
    _ database: SQLiteImport, _ tables: [SQLiteImport.Table], from firstStep: Int, puts: Bool
  ) {
    self.database = database
    self.firstStep = firstStep
    self.puts = puts
    waiting = tables[...]
  }

  mutating func next() throws -> ImportAction? {
    do throws(SQLiteImportError) {
      while true {
        if let table, let rows {
          if let row = try rows.next() { return step(row, rows.number, table) }
          self.table = nil
          self.rows = nil
        }
        guard let next = waiting.popFirst() else { return nil }
        let done = firstStep - 1 - count
        guard done < next.rowCount + 1 else {
          count += next.rowCount + 1
          continue
        }
        table = next
        rows = try database.rows(of: next, from: max(0, done - 1))
        count += max(1, done)
        guard done < 1 else { continue }
        return ImportAction(
          content: .operation(.operation(.define(next.definition))), line: 0, lastLine: count,
          table: next.name, byteCount: 64, offset: 0)
      }
    } catch {
      throw ImportLineError(
        line: error.row ?? 0, table: error.table ?? "?", failure: Failure(.usage, error.message))
    }
  }

  private mutating func step(
    _ row: SQLiteImport.Row, _ number: Int, _ table: SQLiteImport.Table
  ) -> ImportAction {
    count += 1
    let operation: InterchangeOperation =
      puts
      ? .put(collection: table.collection, id: row.id, fields: row.fields)
      : .operation(.insert(collection: table.collection, id: row.id, fields: row.fields))
    return ImportAction(
      content: .operation(operation), line: number, lastLine: count, table: table.name,
      byteCount: row.byteCount, offset: 0)
  }
}
