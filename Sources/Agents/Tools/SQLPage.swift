import DaybookEventCore
import DaybookJSON
import DaybookProjections
import GRDB

/// The values of a statement's parameters.
struct SQLParameters: Sendable {
  private enum Given {
    case none
    case positions([DatabaseValue])
    case names([String: DatabaseValue])
  }

  private let given: Given

  /// - Throws: ``ToolFailure`` for a value that SQL does not have.
  init(_ json: JSONValue?) throws(ToolFailure) {
    switch json {
    case .array(let elements)?:
      var values: [DatabaseValue] = []
      for element in elements { values.append(try Self.value(element)) }
      given = .positions(values)
    case .object(let members)?:
      var values: [String: DatabaseValue] = [:]
      for (name, element) in members { values[name] = try Self.value(element) }
      given = .names(values)
    default: given = .none
    }
  }

  private static func value(_ json: JSONValue) throws(ToolFailure) -> DatabaseValue {
    switch json {
    case .null: .null
    case .boolean(let flag): flag.databaseValue
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .array, .object:
      throw ToolFailure(
        "a parameter of SQL is \(json.summary)", cure: "Give texts, numbers, booleans or null")
    }
  }

  var arguments: StatementArguments {
    switch given {
    case .none: StatementArguments()
    case .positions(let values): StatementArguments(values)
    case .names(let values): StatementArguments(values)
    }
  }
}

/// A page of the rows of an agent's SQL.
struct SQLPage {
  let columns: [String]
  private(set) var budget: ResultBudget

  /// Runs one statement that only reads.
  /// - Parameters:
  ///   - offset: the number of rows to pass over.
  ///   - tables: the names of the collections, for suggestions.
  /// - Throws: ``ToolFailure`` if the SQL is not one statement that reads, or fails.
  init(
    _ db: Database, _ sql: String, _ parameters: SQLParameters, after offset: Int,
    _ budget: ResultBudget, tables: [String]
  ) throws {
    guard !sql.unicodeScalars.contains("\0") else {
      throw ToolFailure("the SQL holds a NUL, where SQLite ends it", cure: "Leave it out")
    }
    let statement: GRDB.Statement
    do { statement = try db.makeStatement(sql: sql) } catch let error as DatabaseError {
      throw Self.failure(error, tables)
    }
    guard statement.isReadonly, !statement.columnNames.isEmpty else { throw Self.isNoQuery }
    do { try statement.setArguments(parameters.arguments) } catch let error as DatabaseError {
      throw Self.failure(error, tables)
    }
    columns = statement.columnNames
    var budget = budget
    var passed = 0
    do {
      try db.forEachRow(of: statement, arguments: parameters.arguments) { columns in
        passed += 1
        guard passed > offset else { return }
        guard budget.add(.array(columns.cells.map(AgentJSON.cell))) else { throw IsFull() }
      }
    } catch is IsFull {
      // The page has no room for this row.
    } catch let error as DatabaseError { throw Self.failure(error, tables) }
    self.budget = budget
  }

  private struct IsFull: Error {}

  private static let isNoQuery = ToolFailure(
    "the statement does not only read",
    cure: "Write with insert, update, edit_text, delete or link, which make events")

  private static func failure(_ error: DatabaseError, _ tables: [String]) -> ToolFailure {
    if error.resultCode == .SQLITE_AUTH { return isNoQuery }
    let words = error.message ?? "\(error.resultCode)"
    if let name = words.rest(after: "no such table: ") {
      return ToolFailure(
        "there is no table “\(name)”",
        cure: NameSuggestion.hint(
          for: String(name), among: tables, none: "Nothing is defined yet"))
    }
    if words.begins(with: "Multiple statements") {
      return ToolFailure("there are several statements", cure: "Call once for each")
    }
    if words.isSame(as: "empty statement") {
      return ToolFailure("there is no SQL", cure: "Such as: SELECT count(*) FROM COLLECTION")
    }
    return ToolFailure("SQL: \(words)", cure: "`schema` lists the tables and their columns")
  }
}
