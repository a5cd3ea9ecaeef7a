import DaybookEngine
import DaybookEventCore
import DaybookProjections
public import GRDB
import GRDBSQLite

extension EntityQuery {
  /// Returns the entities, within a read or a transaction of the store.
  ///
  /// ```swift
  /// let (notes, count) = try await store.read { db in
  ///   (try pinned.fetchAll(db), try Note.all.fetchCount(db))
  /// }
  /// ```
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [Model] {
    // The app compiles this loop, because it knows the type. Each entity is copied twice, and
    // copies of an unknown type take much longer.
    let rows = try rows(db)
    defer { rows.end() }
    var models: [Model] = []
    let new = Self.blank
    while try rows.next() {
      var model = new
      model.id = EntityID(rawValue: rows.id)
      model.read(rows.row)
      models.append(consume model)
    }
    return models
  }

  /// An entity that each row is read into a copy of.
  ///
  /// A new entity makes a new id, which takes longer than reading a row.
  @usableFromInline static var blank: Model {
    var model = Model()
    model.id = EntityID(rawValue: "")
    return model
  }

  @usableFromInline
  func rows(_ db: Database) throws -> EntityRowReader {
    try EntityRowReader(db, statement, EntityLayout<Model>.shared.types)
  }

  /// Returns the first entity; nil if there is none.
  public func fetchOne(_ db: Database) throws -> Model? { try limit(1).fetchAll(db).first }

  /// Returns the number of entities.
  public func fetchCount(_ db: Database) throws -> Int { try count().fetch(db) }

  /// Returns how SQLite will find the entities: a line for each step, such as the index that it
  /// uses.
  public func explain(_ db: Database) throws -> [String] {
    // Compiled once without the explanation, for the errors of a query.
    let statement = try db.statement(statement)
    // An explanation reads nothing, so SQLite would not take up new statistics first.
    try db.forEachRow("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in }
    var steps: [String] = []
    let explanation = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + statement.sql)
    try db.forEachRow(of: explanation, arguments: statement.arguments) { row in
      // The columns are id, parent, one that is not used, and the text.
      steps.append(row.text(3))
    }
    return steps
  }
}

extension Entity {
  /// The most ids in one statement, for which there is room on every system.
  private static var idsMax: Int { 500 }

  /// Returns the entities of these ids that have a row, by id.
  static func fetch(_ ids: some Sequence<ID>, _ db: Database) throws -> [ID: Self] {
    var found: [ID: Self] = [:]
    var rest = Array(Set(ids))[...]
    while !rest.isEmpty {
      let part = rest.prefix(idsMax)
      rest = rest.dropFirst(idsMax)
      for entity in try all.where({ $0.id.in(part) }).fetchAll(db) { found[entity.id] = entity }
    }
    return found
  }
}

/// Reads the rows of a statement that selects the id and all fields of a type.
@usableFromInline
final class EntityRowReader {
  private let statement: GRDB.Statement
  let columns: Columns
  /// The current row.
  @usableFromInline let row: EntityRow

  /// - Parameter types: the types of the fields.
  init(_ db: Database, _ fragment: SQLFragment, _ types: [FieldType]) throws {
    statement = try db.statement(fragment)
    columns = Columns(statement)
    row = EntityRow(columns, isTyped: columns.areDeclared(as: types, from: 1))
  }

  /// Goes to the next row; false at the end.
  @usableFromInline
  func next() throws -> Bool {
    row.begin()
    return try statement.step()
  }

  /// The id of the current row.
  @usableFromInline var id: String { columns.textIfAny(0) ?? "" }

  /// Ends the reading, so that the statement keeps no snapshot.
  @usableFromInline
  func end() { sqlite3_reset(statement.sqliteStatement) }
}

/// The entities of a statement that selects the id and all fields of a type.
struct EntityRows<Model: Entity> {
  private let reader: EntityRowReader

  init(_ db: Database, _ fragment: SQLFragment) throws {
    reader = try EntityRowReader(db, fragment, EntityLayout<Model>.shared.types)
  }

  func all() throws -> [Model] {
    var models: [Model] = []
    try read { model, _, _ in models.append(model) }
    return models
  }

  /// Returns the entities, and a hash of what each of their rows holds.
  func hashed() throws -> (models: [Model], hashes: [RowHash]) {
    var models: [Model] = []
    var hashes: [RowHash] = []
    try read { model, row, _ in
      models.append(model)
      hashes.append(RowHash(row))
    }
    return (models, hashes)
  }

  /// Calls `body` with each entity, its row, and the places of the fields that cannot be read.
  func read(_ body: (Model, Columns, _ unreadable: [Int]) throws -> Void) throws {
    defer { reader.end() }
    let new = EntityQuery<Model>.blank
    while try reader.next() {
      var model = new
      model.id = EntityID(rawValue: reader.id)
      model.read(reader.row)
      try body(model, reader.columns, reader.row.unreadable)
    }
  }
}

/// A hash of a row of 128 bits, by which the row is known to be the same as before.
struct RowHash: Hashable, Sendable {
  private let first: Int
  private let second: Int

  init(_ row: Columns) {
    var hashers = (Hasher(), Hasher())
    hashers.1.combine(1)
    for column in 0..<row.count {
      let type = row.type(column)
      hashers.0.combine(type)
      hashers.1.combine(type)
      switch type {
      case SQLITE_NULL: break
      case SQLITE_INTEGER:
        hashers.0.combine(row.integer(column))
        hashers.1.combine(row.integer(column))
      case SQLITE_FLOAT:
        hashers.0.combine(row.real(column))
        hashers.1.combine(row.real(column))
      default:
        row.withBytes(column) { bytes in
          hashers.0.combine(bytes.count)
          hashers.1.combine(bytes.count)
          hashers.0.combine(bytes: bytes)
          hashers.1.combine(bytes: bytes)
        }
      }
    }
    (first, second) = (hashers.0.finalize(), hashers.1.finalize())
  }
}

extension Database {
  /// Returns the statement of a query, compiled once for each connection, with its values bound.
  /// - Throws: the query's error; what SQLite throws.
  func statement(_ fragment: SQLFragment) throws -> GRDB.Statement {
    if let error = fragment.error { throw error }
    var fragment = fragment
    let statement: GRDB.Statement
    do { statement = try compiled(fragment) } catch let error as StoreError
      where error.code == .unknownName
    {
      // A moment of the past, or another version of the app calls something otherwise.
      guard let adapted = try fragment.adapted?(self) else { throw error }
      fragment = adapted
      statement = try compiled(adapted)
    }
    try statement.setArguments(StatementArguments(fragment.values))
    sqlite3_reset(statement.sqliteStatement)
    try registerAccess(fragment)
    return statement
  }

  /// Returns the statement of a query, without its values.
  /// - Throws: ``StoreError`` `invalidQuery` if SQLite refuses it; `unknownName` if the store lacks
  ///   the collection or field.
  private func compiled(_ fragment: SQLFragment) throws -> GRDB.Statement {
    do { return try cachedStatement(sql: fragment.text) } catch let error as DatabaseError {
      throw StoreError.refusal(error)
    }
  }

  /// Tells GRDB's observers what is read, because they do not see the steps of the statement.
  private func registerAccess(_ fragment: SQLFragment) throws {
    for collection in fragment.collections { try registerAccess(to: Table(collection)) }
  }
}

extension StoreError {
  /// Returns SQLite's error as that of the query, if the query is the reason.
  ///
  /// Errors of the disk, of a cancelled read and others are returned as they are.
  fileprivate static func refusal(_ error: DatabaseError) -> any Error {
    let message = error.message ?? ""
    if let unknown = unknown(message) { return unknown }
    let reasons: [ResultCode] = [.SQLITE_ERROR, .SQLITE_TOOBIG, .SQLITE_MISMATCH, .SQLITE_RANGE]
    guard reasons.contains(error.resultCode) else { return error }
    for (part, explanation, hint) in [
      (
        "stack overflow", "the query is nested too deeply for SQLite",
        "Follow fewer relationships in one query and negate fewer conditions in each other, or use "
          + "graph.reachable"
      ),
      (
        "too large", "the query is too large for SQLite",
        "Ask with in(_:) instead of many comparisons, or in several queries"
      ),
      (
        "too many SQL variables", "the query has more values than SQLite binds",
        "Ask in several queries"
      ),
      (
        "integer overflow", "the sum has more than 64 bits",
        "Sum a property of type Double, or fewer entities"
      ),
      (
        "pattern too complex", "the form for like(_:) is too long",
        "SQLite takes 50,000 bytes; contains(_:) and hasPrefix(_:) take texts of any length"
      ),
    ] where message.contains(part) {
      return StoreError(.invalidQuery, "\(explanation): \(message)", hint: hint)
    }
    return StoreError(.invalidQuery, "SQLite refuses the query: \(message)")
  }

  /// Returns the error that the store lacks what a type declares, if SQLite's message says so.
  private static func unknown(_ message: String) -> StoreError? {
    if message.hasPrefix("no such table: ") {
      let name = message.dropFirst("no such table: ".count)
      return StoreError(
        .unknownName, "the store has no collection “\(name)”", hint: DeclaredTypes.hint)
    }
    if message.hasPrefix("no such column: ") {
      let name = message.dropFirst("no such column: ".count)
      return StoreError(
        .unknownName, "the store has no field “\(name)”",
        hint: "\(DeclaredTypes.hint). If another version of the app has renamed the field, give "
          + "the property its new name, formerly the old one")
    }
    return nil
  }
}

extension GRDB.Statement {
  /// Goes to the next row; false at the end.
  /// - Throws: ``StoreError`` `invalidQuery` or `unknownName` if the query is the reason; else
  ///   `DatabaseError`.
  func step() throws -> Bool {
    switch sqlite3_step(sqliteStatement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let message = sqlite3_db_handle(sqliteStatement).flatMap { sqlite3_errmsg($0) }
      throw StoreError.refusal(
        DatabaseError(
          resultCode: ResultCode(rawValue: code), message: message.map { String(cString: $0) },
          sql: sql))
    }
  }
}
