import Daybook
import DaybookEventCore
package import DaybookProjections
import Foundation

/// The plan of a database import.
package struct SQLitePlan: ImportPlan {
  package let source: ImportSource
  package let unit = "row"
  package let database: SQLiteImport
  package let tables: [SQLiteImport.Table]
  private let puts: Bool
  /// The folder with a copy of the database, removed by ``end()``.
  private let copy: ScratchFolder?

  init(
    _ source: ImportSource, _ options: ImportOptions.Tables, _ schema: StoreSchema,
    _ hooks: ImportHooks
  ) throws {
    self.source = source
    puts = options.replaces
    guard source.name != "stdin" else {
      throw ImportError(
        .unusable, "a database cannot come from the standard input", hint: "Save it to a file first"
      )
    }
    let place = try SQLitePlace.prepare(source)
    copy = place.copy
    let (only, except) = (options.only, options.except)
    do {
      database = try SQLiteImport(
        path: place.path, isImmutable: place.isImmutable, search: options.search,
        includes: { (only.isEmpty || only.contains($0)) && !except.contains($0) },
        progress: { try hooks.read($0, of: source, fraction: nil) })
      tables = Self.tables(of: database, options, schema)
      try requireTables(only + except)
      try requireFields(options)
      try requireAgreement(schema)
    } catch {
      place.copy?.remove()
      guard let error = error as? SQLiteImportError else { throw error }
      throw ImportError(.unusable, "\(source.name): \(error.message)")
    }
  }

  /// Returns the tables to import. For existing collections, the store's own choice of searchable
  /// fields stays, unless `--search` is given.
  private static func tables(
    of database: SQLiteImport, _ options: ImportOptions.Tables, _ schema: StoreSchema
  ) -> [SQLiteImport.Table] {
    guard options.search == .automatic else { return database.tables }
    return database.tables.map { table in
      var table = table
      if schema[table.collection] != nil {
        for index in table.fields.indices { table.fields[index].isSearched = false }
      }
      return table
    }
  }

  private func requireTables(_ names: [String]) throws(ImportError) {
    let known = (database.tables.map(\.name) + database.leftOut.map(\.table)).sorted(by: utf8Less)
    for name in names where !known.contains(name) {
      throw ImportError(
        .unusable, "\(source.name) has no table \(name.quotedForMessage)",
        hint: NameSuggestion.hint(for: name, among: known, none: "It has none at all"))
    }
  }

  private func requireFields(_ options: ImportOptions.Tables) throws(ImportError) {
    guard case .named(let names) = options.search else { return }
    for name in names {
      let column = name.parts(between: ".").last.map(String.init) ?? name
      let fields = tables.flatMap(\.fields)
      guard !fields.contains(where: { $0.column == column || $0.name == column }) else { continue }
      throw ImportError(
        .unusable, "no table of \(source.name) has a column \(column.quotedForMessage)",
        hint: NameSuggestion.hint(
          for: column, among: Set(fields.map(\.column)).sorted(by: utf8Less), none: "None has any"))
    }
  }

  /// Refuses columns whose type differs from that in the store, before anything is written.
  private func requireAgreement(_ schema: StoreSchema) throws(ImportError) {
    for table in tables {
      guard let declared = schema[table.collection] else { continue }
      for field in table.fields {
        guard let type = declared[field: field.name]?.type, type != field.type else { continue }
        throw ImportError(
          .unusable,
          "the store has \(table.collection).\(field.name) as \(type.rawValue), and the column of "
            + "\(source.name) holds \(field.type.rawValue)",
          hint: "A type never changes; import the database into a store of its own")
      }
    }
  }

  package func end() { copy?.remove() }

  package func feed(from firstLine: Int) -> any ImportFeed {
    SQLiteFeed(database, tables, from: firstLine, puts: puts)
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

  mutating func next() throws -> FileStep? {
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
        return FileStep(
          content: .operation(.operation(.define(next.definition))), line: 0, lastLine: count,
          table: next.name, byteCount: 64, offset: 0)
      }
    } catch {
      throw ImportLineError(
        line: error.row ?? 0, table: error.table ?? "?",
        failure: ImportError(.malformed, error.message))
    }
  }

  private mutating func step(
    _ row: SQLiteImport.Row, _ number: Int, _ table: SQLiteImport.Table
  ) -> FileStep {
    count += 1
    let operation: InterchangeOperation =
      puts
      ? .put(collection: table.collection, id: row.id, fields: row.fields)
      : .operation(.insert(collection: table.collection, id: row.id, fields: row.fields))
    return FileStep(
      content: .operation(operation), line: number, lastLine: count, table: table.name,
      byteCount: row.byteCount, offset: 0)
  }
}
