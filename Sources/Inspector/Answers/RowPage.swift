import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookProjections
import Foundation
import GRDB

/// A page of the rows of a collection, sorted and filtered.
struct RowPage {
  /// A condition on one column.
  private struct Filter {
    var column: String
    var sql: String
    var argument: DatabaseValue?
  }

  private let collection: StoreSchema.Collection
  private let filters: [Filter]
  private let order: String

  /// The scalars of a text or the bytes of a blob that a cell shows.
  private static let cellMax = 500

  /// - Throws: ``CallFailure`` for an unknown field or a wrong filter.
  init(_ arguments: CallArguments, _ schema: StoreSchema) throws(CallFailure) {
    collection = try schema.collection(named: try arguments.required("collection"))
    filters = try Self.filters(arguments["filter"], collection)
    var order = "id"
    if let sort = arguments.text("sort"), !sort.isSame(as: "id") {
      order = SQLName.quoted(try collection.field(named: sort).name)
    }
    let direction = arguments.boolean("descending") == true ? " DESC" : ""
    self.order = order == "id" ? "id\(direction)" : "\(order)\(direction), id\(direction)"
  }

  private static func filters(
    _ json: JSONValue?, _ collection: StoreSchema.Collection
  ) throws(CallFailure) -> [Filter] {
    guard let json else { return [] }
    guard case .array(let elements) = json, elements.count <= 20 else {
      throw CallFailure("filter is \(json.summary)", cure: "Give an array of at most 20 objects")
    }
    var filters: [Filter] = []
    for element in elements {
      guard case .text(let name)? = element["field"], case .text(let word)? = element["is"] else {
        throw CallFailure("a part of filter has no field or no is")
      }
      let column = name.isSame(as: "id") ? "id" : try collection.field(named: name).name
      filters.append(try filter(column, word, element["value"] ?? .null))
    }
    return filters
  }

  private static func filter(_ column: String, _ word: String, _ value: JSONValue)
    throws(CallFailure) -> Filter
  {
    let name = SQLName.quoted(column)
    let argument: DatabaseValue
    var mark = "?"
    switch value {
    case .null: argument = .null
    case .boolean(let flag): argument = flag.databaseValue
    case .integer(let number): argument = number.databaseValue
    case .real(let number): argument = number.databaseValue
    case .text(let text) where text.utf8.contains(0):
      // GRDB binds a text only up to a NUL.
      argument = Data(text.utf8).databaseValue
      mark = "CAST(? AS TEXT)"
    case .text(let text): argument = text.databaseValue
    case .array, .object: throw CallFailure("the value of a filter is \(value.summary)")
    }
    switch word {
    case "equal": return Filter(column: column, sql: "\(name) IS \(mark)", argument: argument)
    case "different":
      return Filter(column: column, sql: "\(name) IS NOT \(mark)", argument: argument)
    case "contains":
      return Filter(
        column: column, sql: "instr(lower(\(name)), lower(\(mark))) > 0", argument: argument)
    case "less": return Filter(column: column, sql: "\(name) < \(mark)", argument: argument)
    case "more": return Filter(column: column, sql: "\(name) > \(mark)", argument: argument)
    case "empty": return Filter(column: column, sql: "\(name) IS NULL")
    case "filled": return Filter(column: column, sql: "\(name) IS NOT NULL")
    default:
      throw CallFailure(
        "a filter is “\(word.prefix(40))”",
        cure: "Say equal, different, contains, less, more, empty or filled")
    }
  }

  private var conditions: String {
    filters.isEmpty ? "" : " WHERE " + filters.map(\.sql).joined(separator: " AND ")
  }

  private var values: StatementArguments {
    StatementArguments(filters.compactMap(\.argument))
  }

  /// Returns the number of rows that the filters let pass.
  func count(_ db: Database) throws -> Int {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM \(SQLName.quoted(collection.name))\(conditions)",
      arguments: values) ?? 0
  }

  /// Reads the rows behind an offset into a budget.
  func read(_ db: Database, after offset: Int, limit: Int, _ budget: inout ResultBudget) throws {
    let columns = collection.fields.map { field -> String in
      let name = SQLName.quoted(field.name)
      switch field.type {
      // A long value is read only as far as it is shown: a page of texts of 16 MiB stays small.
      // `substr` ends at a NUL.
      case .text, .json:
        return "CASE WHEN instr(\(name), char(0)) THEN \(name) "
          + "ELSE substr(\(name), 1, \(Self.cellMax + 1)) END"
      case .blob: return "substr(\(name), 1, \(Self.cellMax + 1))"
      default: return name
      }
    }
    let statement = try db.makeStatement(
      sql: """
        SELECT \((["id"] + columns).joined(separator: ", "))
        FROM \(SQLName.quoted(collection.name))\(conditions)
        ORDER BY \(order) LIMIT \(limit + 1) OFFSET \(offset)
        """)
    try db.forEachRow(of: statement, arguments: values) { row in
      guard budget.add(json(row)) else { throw IsFull() }
    }
  }

  struct IsFull: Error {}

  private func json(_ row: Columns) -> JSONValue {
    let cells = collection.fields.indices.map { place -> JSONValue in
      let cell = row.cell(Int32(clamping: place + 1))
      return Self.json(cell, collection.fields[place].type)
    }
    return .object([("id", .text(row.text(0))), ("cells", .array(cells))])
  }

  private static func json(_ cell: Cell, _ type: FieldType) -> JSONValue {
    switch (cell, type) {
    case (.null, _): return .null
    case (.text(let text), .text) where text.unicodeScalars.count > cellMax:
      return cut(text)
    case (.text(let text), .json):
      if text.unicodeScalars.count > cellMax { return cut(text) }
      return (try? JSONParser.parse(Array(text.utf8))).map { .object([("json", $0)]) }
        ?? .text(text)
    case (.blob(let bytes), _):
      return bytes.count > cellMax
        ? .object([("cut", .text(Base64.encode(Array(bytes.prefix(96)))))])
        : .object([("blob", .text(Base64.encode(bytes)))])
    case (.integer(let number), .boolean): return .boolean(number != 0)
    case (.integer(let number), _): return InspectorValue.integer(number)
    case (.real(let number), _): return number.isFinite ? .real(number) : .text("\(number)")
    case (.text(let text), _): return .text(text)
    }
  }

  private static func cut(_ text: String) -> JSONValue {
    .object([("cut", .text(String(text.unicodeScalars.prefix(cellMax))))])
  }

  // MARK: - A moment

  /// Reads rows as they were at a moment, in the order of ids, until the page is full or the time
  /// is over.
  ///
  /// Cost: the history of each entity that is passed over or returned.
  /// - Returns: the rows, and the id behind which to read on; nil if there are no more.
  static func past(
    _ collection: StoreSchema.Collection, after id: String?, limit: Int, in time: Duration,
    _ vector: VersionVector, _ view: ReadModelView
  ) throws -> (rows: [JSONValue], next: String?) {
    let end = ContinuousClock.now + time
    var rows: [JSONValue] = []
    var last = id
    while true {
      let ids = try view.knownIDs(of: collection.name, after: last, limit: 64)
      for id in ids {
        if let entity = try view.entity(collection.name, id, at: .vector(vector)) {
          rows.append(json(entity, collection))
        }
        last = id
        if rows.count >= limit || ContinuousClock.now > end { return (rows, last) }
      }
      if ids.count < 64 { return (rows, nil) }
    }
  }

  private static func json(_ entity: StoredEntity, _ collection: StoreSchema.Collection)
    -> JSONValue
  {
    .object([
      ("id", .text(entity.id)),
      (
        "cells",
        .array(
          collection.fields.map {
            InspectorValue.json(entity[$0.name], bytesMax: cellMax * 4)
          })
      ),
    ])
  }
}
