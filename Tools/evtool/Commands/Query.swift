import ArgumentParser
import Daybook
import Foundation
import GRDB

/// `evtool query`.
struct Query: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs SQL on the read model, for reading only.",
    discussion: """
      Each collection is a table of its live entities: id, and the declared fields. Booleans are 0 \
      and 1, timestamps YYYY-MM-DD HH:MM:SS.SSS UTC.

      Examples:
        evtool query notes.daybook 'SELECT title FROM notes WHERE pinned ORDER BY title'
        evtool query notes.daybook 'SELECT count(*) AS n FROM notes' --json
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "One SQL statement.")
  var sql: String
  @OptionGroup var output: JSONOption
  @Flag(help: "Print comma-separated values (RFC 4180).")
  var csv = false

  func validate() throws {
    if csv, output.json { throw ValidationError("--csv and --json exclude one another") }
  }

  func run() async throws {
    let (sql, isJSON, isCSV) = (sql, output.json, csv)
    try await store.read { store in
      try await store.read { db in
        if isJSON {
          try Self.printJSON(db, sql)
        } else if isCSV {
          try Self.printCSV(db, sql)
        } else {
          try Self.printTable(db, sql)
        }
      }
    }
  }

  private static func printJSON(_ db: Database, _ sql: String) throws {
    let rows = try Row.fetchCursor(db, sql: sql)
    var count = 0
    while let row = try rows.next() {
      var writer = JSONWriter()
      writer.object { writer in
        for (column, value) in row {
          writer.key(column)
          json(value, &writer)
        }
      }
      StandardOutput.write(Array((count == 0 ? "[" : ",\n").utf8) + writer.bytes)
      count += 1
    }
    StandardOutput.line(count == 0 ? "[]" : "]")
  }

  private static func json(_ value: DatabaseValue, _ writer: inout JSONWriter) {
    switch value.storage {
    case .null: writer.null()
    case .int64(let number): writer.integer(number)
    case .double(let number): writer.real(number)
    case .string(let text): writer.text(text)
    case .blob(let data): writer.text(Base64.encode(Array(data)))
    }
  }

  private static func printCSV(_ db: Database, _ sql: String) throws {
    let statement = try db.makeStatement(sql: sql)
    StandardOutput.line(statement.columnNames.map(quoted).joined(separator: ",") + "\r")
    let rows = try Row.fetchCursor(statement)
    while let row = try rows.next() {
      let cells = row.databaseValues.map { value in
        value.isNull ? "" : quoted(text(value), isEmptyText: text(value).isEmpty)
      }
      StandardOutput.line(cells.joined(separator: ",") + "\r")
    }
  }

  /// NULL is an empty cell, and an empty text a pair of quotes.
  private static func quoted(_ text: String) -> String { quoted(text, isEmptyText: text.isEmpty) }

  private static func quoted(_ text: String, isEmptyText: Bool) -> String {
    let needsQuotes =
      isEmptyText || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }

  private static func printTable(_ db: Database, _ sql: String) throws {
    let statement = try db.makeStatement(sql: sql)
    var table = Table(statement.columnNames)
    let rows = try Row.fetchCursor(statement)
    var count = 0
    while let row = try rows.next() {
      count += 1
      table.add(row.databaseValues.map { $0.isNull ? "–" : Text.oneLine(text($0)) })
    }
    table.print()
    if Terminal.outputIsTerminal {
      StandardOutput.line(Terminal.dim("(\(Text.count(count, "row")))"))
    }
  }

  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: ""
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .blob(let data): Base64.encode(Array(data))
    }
  }
}
