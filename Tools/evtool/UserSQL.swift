import DaybookEventCore
import DaybookProjections
import GRDB

/// SQL from the command line, with errors in plain words.
enum UserSQL {
  /// Returns one statement that only reads.
  /// - Throws: ``Failure`` if the SQL is not one valid statement that reads and has no parameters.
  static func statement(
    _ sql: String, _ db: Database, _ schema: StoreSchema
  ) throws -> GRDB.Statement {
    guard !sql.unicodeScalars.contains("\0") else {
      throw Failure(.usage, "the SQL holds a NUL, where SQLite ends it", hint: "Leave it out")
    }
    let statement: GRDB.Statement
    do {
      statement = try db.makeStatement(sql: sql)
    } catch let error as DatabaseError {
      throw failure(error, schema)
    }
    guard statement.isReadonly else {
      throw Failure(
        .usage, "query only reads, and this statement writes",
        hint: "`evtool put`, `update`, `delete` and `import` write, as events of the log")
    }
    guard !statement.columnNames.isEmpty else {
      throw Failure(.usage, "the statement asks for nothing", hint: "Say what to SELECT")
    }
    do {
      try statement.validateArguments([])
    } catch {
      throw Failure(
        .usage, "the statement has parameters, and nothing gives their values",
        hint: "Write the values into the SQL")
    }
    return statement
  }

  private static func failure(_ error: DatabaseError, _ schema: StoreSchema) -> Failure {
    let words = error.message ?? ""
    if error.resultCode == .SQLITE_MISUSE, words.begins(with: "Multiple statements") {
      return Failure(
        .usage, "query takes one statement, and there are several",
        hint: "Give them one by one")
    }
    if words.isSame(as: "empty statement") {
      return Failure(
        .usage, "there is no SQL to run", hint: "Such as: SELECT count(*) FROM COLLECTION")
    }
    let tables = schema.sorted.map(\.name)
    if let name = words.rest(after: "no such table: ") {
      return Failure(
        .usage, "there is no table \(String(name).quotedForMessage)",
        hint: NameSuggestion.hint(for: String(name), among: tables, none: "Nothing is defined yet"))
    }
    var failure = Failure(error)
    if let name = words.rest(after: "no such column: ") {
      let columns = Set(schema.sorted.flatMap { $0.fields.map(\.name) } + ["id"])
      let column = name.parts(between: ".").last.map(String.init) ?? ""
      failure.hint = NameSuggestion.nearest(to: column, among: columns.sorted(by: utf8Less)).map {
        "Did you mean “\($0)”?"
      }
    }
    return failure
  }
}
