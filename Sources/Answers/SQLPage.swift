import DaybookEventCore
package import DaybookJSON
import DaybookProjections
package import GRDB

/// The values of a statement's parameters.
package struct SQLParameters: Sendable {
  /// The texts that hold NUL, by the place or the name of their parameter.
  private var exact: (places: [Int32: String], names: [String: String]) = ([:], [:])

  private enum Given {
    case none
    case positions([DatabaseValue])
    case names([String: DatabaseValue])
  }

  private let given: Given

  /// - Throws: ``CallFailure`` for a value that SQL does not have.
  package init(_ json: JSONValue?) throws(CallFailure) {
    switch json {
    case .array(let elements)?:
      var values: [DatabaseValue] = []
      for (place, element) in elements.enumerated() {
        values.append(try Self.value(element))
        if let text = Self.exact(element) { exact.places[Int32(clamping: place + 1)] = text }
      }
      given = .positions(values)
    case .object(let members)?:
      var values: [String: DatabaseValue] = [:]
      for (name, element) in members {
        values[name] = try Self.value(element)
        if let text = Self.exact(element) { exact.names[name] = text }
      }
      given = .names(values)
    default: given = .none
    }
  }

  private static func exact(_ json: JSONValue) -> String? {
    guard case .text(let text) = json, text.utf8.contains(0) else { return nil }
    return text
  }

  /// Returns the texts that hold NUL, by the number of their parameter.
  fileprivate func exact(in statement: GRDB.Statement) -> [Int32: String] {
    exact.names.reduce(into: exact.places) { found, entry in
      let number = statement.parameterNumber(entry.key)
      if number > 0 { found[number] = entry.value }
    }
  }

  private static func value(_ json: JSONValue) throws(CallFailure) -> DatabaseValue {
    switch json {
    case .null: .null
    case .boolean(let flag): flag.databaseValue
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .array, .object:
      throw CallFailure(
        "a parameter of SQL is \(json.summary)", cure: "Give texts, numbers, booleans or null")
    }
  }

  package var arguments: StatementArguments {
    switch given {
    case .none: StatementArguments()
    case .positions(let values): StatementArguments(values)
    case .names(let values): StatementArguments(values)
    }
  }
}

/// A page of the rows of somebody's SQL.
package struct SQLPage {
  package let columns: [String]
  package private(set) var budget: ResultBudget

  /// Runs one statement that only reads.
  /// - Parameters:
  ///   - offset: the number of rows to pass over.
  ///   - tables: the names of the collections, for suggestions.
  /// - Throws: ``CallFailure`` if the SQL is not one statement that reads, or fails.
  package init(
    _ db: Database, _ sql: String, _ parameters: SQLParameters, after offset: Int,
    _ budget: ResultBudget, tables: [String]
  ) throws {
    guard !sql.unicodeScalars.contains("\0") else {
      throw CallFailure("the SQL holds a NUL, where SQLite ends it", cure: "Leave it out")
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
      try db.forEachRow(
        of: statement, arguments: parameters.arguments, exact: parameters.exact(in: statement)
      ) { columns in
        passed += 1
        guard passed > offset else { return }
        guard budget.add(.array(columns.cells.map(AnswerJSON.cell))) else { throw IsFull() }
      }
    } catch is IsFull {
      // The page has no room for this row.
    } catch let error as DatabaseError { throw Self.failure(error, tables) }
    self.budget = budget
  }

  private struct IsFull: Error {}

  private static let isNoQuery = CallFailure(
    "the statement does not only read",
    cure: "Write with the calls that write, which make events")

  private static func failure(_ error: DatabaseError, _ tables: [String]) -> CallFailure {
    if error.resultCode == .SQLITE_AUTH { return isNoQuery }
    let words = error.message ?? "\(error.resultCode)"
    if let name = words.rest(after: "no such table: ") {
      return CallFailure(
        "there is no table “\(name)”",
        cure: NameSuggestion.hint(
          for: String(name), among: tables, none: "Nothing is defined yet"))
    }
    if words.begins(with: "Multiple statements") {
      return CallFailure("there are several statements", cure: "Call once for each")
    }
    if words.isSame(as: "empty statement") {
      return CallFailure("there is no SQL", cure: "Such as: SELECT count(*) FROM COLLECTION")
    }
    return CallFailure("SQL: \(words)", cure: "`schema` lists the tables and their columns")
  }
}
