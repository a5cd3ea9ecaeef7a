import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// The command `evtool query`.
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
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
      try await store.read { db, schema in
        let statement = try UserSQL.statement(sql, db, schema)
        if isJSON {
          try Self.printJSON(db, statement)
        } else if isCSV {
          try Self.printCSV(db, statement)
        } else {
          try Self.printTable(db, statement)
        }
      }
    }
  }

  private static func printJSON(_ db: Database, _ statement: GRDB.Statement) throws {
    let names = statement.columnNames
    let rows = JSONRows()
    try UserSQL.forEachRow(db, statement) { columns in
      var writer = JSONWriter()
      writer.object { writer in
        for (name, cell) in zip(names, columns.cells) {
          writer.key(name)
          json(cell, &writer)
        }
      }
      rows.add(writer.bytes)
    }
    rows.end()
  }

  private static func json(_ cell: Cell, _ writer: inout JSONWriter) {
    switch cell {
    case .null: writer.null()
    case .integer(let number): writer.integer(number)
    case .real(let number): writer.real(number)
    case .text(let text): writer.text(text)
    case .blob(let bytes): writer.text(Base64.encode(bytes))
    }
  }

  private static func printCSV(_ db: Database, _ statement: GRDB.Statement) throws {
    StandardOutput.line(statement.columnNames.map(quoted).joined(separator: ",") + "\r")
    try UserSQL.forEachRow(db, statement) { columns in
      let cells = columns.cells.map { $0 == .null ? "" : quoted(text($0)) }
      StandardOutput.line(cells.joined(separator: ",") + "\r")
    }
  }

  /// Quotes a cell of CSV if necessary. NULL is an empty cell, and an empty text a pair of quotes.
  private static func quoted(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return needsQuotes ? "\"\(text.replacing("\"", by: "\"\""))\"" : text
  }

  private static func printTable(_ db: Database, _ statement: GRDB.Statement) throws {
    var table = Table(statement.columnNames.map(Text.oneLine))
    var count = 0
    try UserSQL.forEachRow(db, statement) { columns in
      count += 1
      table.add(columns.cells.map { $0 == .null ? "–" : Text.oneLine(text($0)) })
    }
    table.end()
    if Terminal.outputIsTerminal {
      StandardOutput.line(Terminal.dim("(\(Text.count(count, "row")))"))
    }
  }

  private static func text(_ cell: Cell) -> String {
    switch cell {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): Base64.encode(bytes)
    }
  }
}
