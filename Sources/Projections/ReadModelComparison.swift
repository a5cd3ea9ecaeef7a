package import EventCore

/// The first thing in which a read model differs from what the log says.
public struct ReadModelDifference: Hashable, Sendable, CustomStringConvertible {
  /// Where: a table, `checkpoint`, or `search index`.
  public var place: String
  /// Which row, by its id; empty where it is not about a row.
  public var id: String
  public var message: String

  public init(place: String, id: String = "", message: String) {
    self.place = place
    self.id = id
    self.message = message
  }

  public var description: String {
    id.isEmpty ? "\(place): \(message)" : "\(place) “\(id)”: \(message)"
  }
}

/// Compares a read model with one that was made from the log just now.
package struct ReadModelComparison {
  private let live: StatementCache
  private let fresh: StatementCache
  private let schema: Schema

  /// - Parameters:
  ///   - live: a connection to the one in use.
  ///   - fresh: a connection to the one made aside, whose schema is the log's.
  package init(live: OpaquePointer, fresh: OpaquePointer, schema: Schema) {
    self.live = StatementCache(live)
    self.fresh = StatementCache(fresh)
    self.schema = schema
  }

  /// Lets go of all prepared statements.
  package func close() {
    live.removeAll()
    fresh.removeAll()
  }

  /// - Returns: nil where the two show the same.
  /// - Throws: ``ProjectionError`` where either cannot be read.
  package func firstDifference() throws(ProjectionError) -> ReadModelDifference? {
    if let difference = try structureDifference() { return difference }
    for collection in schema.sorted {
      let columns = ["id"] + collection.fields.map(\.name)
      let list = columns.map(Names.quoted).joined(separator: ", ")
      let query = "SELECT \(list) FROM \(Names.quoted(collection.name)) ORDER BY id"
      if let difference = try rowDifference(query, collection.name, columns) { return difference }
    }
    for (query, place, columns) in [
      (
        "SELECT collection || '/' || id, field, value FROM _daybook_misfits ORDER BY 1, 2",
        "misfits", ["id", "field", "value"]
      ),
      (
        "SELECT collection || '/' || id, field, value, owner FROM _daybook_parked ORDER BY 1, 2",
        "parked", ["id", "field", "value", "owner"]
      ),
      (
        "SELECT collection || '/' || id, field, target FROM _daybook_cycles ORDER BY 1, 2",
        "cycles", ["id", "field", "target"]
      ),
      (
        "SELECT id, hex(digest), opaque, opaque_local FROM _daybook_checkpoint", "checkpoint",
        ["id", "digest", "opaque", "opaque_local"]
      ),
    ] {
      if let difference = try rowDifference(query, place, columns) { return difference }
    }
    return nil
  }

  private func structureDifference() throws(ProjectionError) -> ReadModelDifference? {
    let query = """
      SELECT name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND (name NOT GLOB '_daybook_*' OR name GLOB '_daybook_index_*')
      ORDER BY name
      """
    let (a, b) = (try structure(live, query), try structure(fresh, query))
    for (name, sql) in b.sorted(by: { $0.key < $1.key }) where a[name] != sql {
      return ReadModelDifference(
        place: name, message: a[name] == nil ? "is missing" : "is defined in another way")
    }
    for name in a.keys.sorted() where b[name] == nil {
      return ReadModelDifference(place: name, message: "should not be there")
    }
    return nil
  }

  /// Names and columns; how the SQL happens to be written is of no matter.
  private func structure(_ sql: StatementCache, _ text: String) throws(ProjectionError)
    -> [String: [String]]
  {
    let query = try sql(text)
    var names: [String] = []
    while try query.step() { names.append(query.text(0)) }
    query.reset()
    var structure: [String: [String]] = [:]
    for name in names {
      let columns = try sql(
        """
        SELECT name || ' ' || type FROM pragma_table_info(?1)
        UNION ALL SELECT coalesce(name, '') FROM pragma_index_info(?1)
        """)
      try columns.bind(1, name)
      var found: [String] = []
      while try columns.step() { found.append(columns.text(0)) }
      columns.reset()
      structure[name] = found
    }
    return structure
  }

  private func rowDifference(_ text: String, _ place: String, _ columns: [String])
    throws(ProjectionError) -> ReadModelDifference?
  {
    let (a, b) = (try live(text), try fresh(text))
    defer {
      a.reset()
      b.reset()
    }
    while true {
      let (hasA, hasB) = (try a.step(), try b.step())
      guard hasA || hasB else { return nil }
      let (idA, idB) = (hasA ? a.text(0) : "", hasB ? b.text(0) : "")
      if !hasA || (hasB && utf8Less(idB, idA)) {
        return ReadModelDifference(place: place, id: idB, message: "the row is missing")
      }
      if !hasB || utf8Less(idA, idB) {
        return ReadModelDifference(place: place, id: idA, message: "the row should not be there")
      }
      for column in columns.indices {
        let (cellA, cellB) = (a.cell(Int32(column)), b.cell(Int32(column)))
        if cellA != cellB {
          return ReadModelDifference(
            place: place, id: idA,
            message: "\(columns[column]) is \(cellA.shown), and the log says \(cellB.shown)")
        }
      }
    }
  }
}

extension Cell {
  /// For messages: short, and with quotes where it is text.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value.count > 60 ? "“\(value.prefix(60))…”" : "“\(value)”"
    case .blob(let bytes): "\(bytes.count) bytes \(Hex.encode(bytes.prefix(16)))"
    }
  }
}

extension ReadModelView {
  /// The digest that the rows and states as they stand add up to: equal to the checkpoint's unless
  /// something has been changed behind the projector's back. Cost: reads every entity.
  package func recomputedDigest() throws -> StateDigest {
    var sum = StateDigest()
    for hash in projector.definitions.contributions(origin: { index.origin($0).id }) {
      sum.add(hash)
    }
    for collection in schema.sorted where !collection.isLocal {
      guard let table = projector.knownTable(collection.identity) else { continue }
      let columns = table.columns.map { ", \(Names.quoted($0.schema.name))" }.joined()
      let query = try sql("SELECT rowid, id\(columns) FROM \(table.quotedName)")
      while try query.step() {
        let cells = table.columns.indices.map { query.cell(Int32($0 + 2)) }
        let record = try projector.entities.record(
          table, query.text(1), number: query.integer(0), row: cells)
        if let hash = record.contribution(index) { sum.add(hash) }
      }
      query.reset()
    }
    let query = try sql(
      """
      SELECT c.name, e.id, e.number, e.state FROM _daybook_entities e
      JOIN _daybook_collections c ON c.number = e.collection
      """)
    while try query.step() {
      guard let table = projector.knownTable(query.text(0)) else { continue }
      let record = try projector.entities.record(
        table, query.text(1), number: query.integer(2), state: query.blob(3), row: nil)
      if let hash = record.contribution(index) { sum.add(hash) }
    }
    query.reset()
    return sum
  }
}
