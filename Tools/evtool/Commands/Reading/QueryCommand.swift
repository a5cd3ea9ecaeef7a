import ArgumentParser
import Daybook
import DaybookEventCore
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
    Interrupt.endAfter {}
    let (sql, output, isCSV) = (sql, output, csv)
    try await store.read { store in
      try await store.read { db, schema in
        let statement = try UserSQL.statement(sql, db, schema)
        if isCSV { return try Self.printCSV(db, statement) }
        try Self.show(db, statement, output)
      }
    }
  }

  private static func show(
    _ db: Database, _ statement: GRDB.Statement, _ output: JSONOption
  ) throws {
    var list = output.list(.rows, columns: statement.columnNames)
    var count = 0
    try db.forEachRow(of: statement) { columns in
      count += 1
      try list.add(columns.cells.map { $0 as any ReportValue })
    }
    list.end(
      last: Terminal.outputIsTerminal ? Terminal.dim("(\(Text.count(count, "row")))") : nil)
  }

  private static func printCSV(_ db: Database, _ statement: GRDB.Statement) throws {
    StandardOutput.line(statement.columnNames.map(quoted).joined(separator: ",") + "\r")
    try db.forEachRow(of: statement) { columns in
      try StandardOutput.check()
      let cells = columns.cells.map { $0 == .null ? "" : quoted($0.plain) }
      StandardOutput.line(cells.joined(separator: ",") + "\r")
    }
  }

  /// Quotes a cell of CSV if necessary. NULL is an empty cell, and an empty text a pair of quotes.
  private static func quoted(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty || text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    return needsQuotes ? "\"\(text.replacing("\"", by: "\"\""))\"" : text
  }
}
