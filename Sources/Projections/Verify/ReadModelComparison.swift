package import DaybookEventCore

/// Compares a read model with one that was just made from the log, including the internal tables.
package struct ReadModelComparison {
  private let live: ReadModelView
  private let fresh: ReadModelView
  private let willRead: () -> Void

  /// - Parameters:
  ///   - live: the read model in use, in one snapshot.
  ///   - fresh: the read model just made, whose schema is the log's.
  ///   - willRead: called before each collection is read. GRDB records all that is compiled on a
  ///     connection until it compiles a statement itself, at a cost that grows with the records.
  package init(live: ReadModelView, fresh: ReadModelView, willRead: @escaping () -> Void = {}) {
    self.live = live
    self.fresh = fresh
    self.willRead = willRead
  }

  /// Returns the first difference; nil if the two read models show the same.
  ///
  /// Cost: a pass over both. Only a collection that differs is compared row by row, in
  /// the order of ids.
  /// - Throws: ``ProjectionError`` if either cannot be read; what reading the log throws.
  package func firstDifference() throws -> ReadModelDifference? {
    if let difference = try structureDifference() { return difference }
    for identity in try collections() {
      if let difference = try entityDifference(identity) { return difference }
    }
    return try listDifference() ?? live.firstInternalDifference(from: fresh)
  }

  /// Returns the identities of all collections of either read model, declared ones first.
  private func collections() throws(ProjectionError) -> [String] {
    let declared = fresh.schema.sorted.map(\.identity)
    let named = Set(try live.collectionIdentities() + fresh.collectionIdentities())
    return declared + named.subtracting(declared).sorted(by: utf8Less)
  }

  private func entityDifference(_ identity: String) throws -> ReadModelDifference? {
    willRead()
    let comparesBytes = live.hasNumbers(of: fresh, identity)
    let (a, b) = (
      try live.entitySum(of: identity, comparesBytes: comparesBytes),
      try fresh.entitySum(of: identity, comparesBytes: comparesBytes)
    )
    guard a != b else { return nil }
    if let collection = fresh.schema[identity: identity] {
      let columns = ["id"] + collection.fields.map(\.name)
      let list = columns.map(Names.quoted).joined(separator: ", ")
      let query = "SELECT \(list) FROM \(Names.quoted(collection.name)) ORDER BY id"
      if let difference = try rowDifference(query, collection.name, columns) { return difference }
    }
    if let difference = try live.historyDifference(fresh, in: identity) { return difference }
    return ReadModelDifference(
      place: CollectionIdentity.name(identity),
      message: "what is kept beside its rows is not what the log says")
  }

  private func listDifference() throws(ProjectionError) -> ReadModelDifference? {
    for (query, place, columns) in [
      // Writes that do not show count, too: a stamp may make one show. Before the digest, which
      // names no place.
      (
        """
        SELECT d.collection || '.' || d.field || ' ' || d.attribute,
          hex(o.origin) || ':' || d.sequence || ':' || d.operation, hex(d.value), d.migration
        FROM _daybook_definitions d LEFT JOIN _daybook_origins o ON o.number = d.origin
        ORDER BY 1, 2
        """, "definitions", ["name", "event", "value", "migration"]
      ),
      (
        "SELECT collection, field, name FROM _daybook_renamed ORDER BY 1, 2", "renamed fields",
        ["collection", "field", "name"]
      ),
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
      (
        "SELECT collection, reason FROM _daybook_refused ORDER BY 1", "refused",
        ["collection", "reason"]
      ),
      // States, chunks of histories and large values that belong to no entity.
      ("SELECT '', count(*) FROM _daybook_entities", "states", ["", "their number"]),
      ("SELECT '', count(*) FROM _daybook_history", "histories", ["", "their number"]),
      ("SELECT '', count(*) FROM _daybook_values", "values", ["", "their number"]),
    ] {
      if let difference = try rowDifference(query, place, columns) { return difference }
    }
    return nil
  }

  private func structureDifference() throws(ProjectionError) -> ReadModelDifference? {
    let (a, b) = (try Structure(live.sql), try Structure(fresh.sql))
    for name in Set(a.tables.keys).union(b.tables.keys).sorted(by: utf8Less)
    where a.tables[name] != b.tables[name] {
      let message =
        a.tables[name] == nil
        ? "is missing" : b.tables[name] == nil ? "should not be there" : "is defined in another way"
      return ReadModelDifference(place: name, message: message)
    }
    return nil
  }

  /// Tables with their columns and indexes. Internal names are left out: they contain numbers that
  /// differ between read models. SQLite's own tables are, too: its statistics are estimates.
  private struct Structure {
    struct Table: Equatable {
      var columns: [String] = []
      /// The columns of each index.
      var indexes: Set<[String]> = []
      /// The columns of the search index, in their order.
      var searched: [String] = []
    }

    private(set) var tables: [String: Table] = [:]

    init(_ sql: StatementCache) throws(ProjectionError) {
      let entries = try Self.rows(
        sql,
        "SELECT type, name, tbl_name, sql FROM sqlite_schema "
          + "WHERE type IN ('table', 'index', 'view')"
      )
      var searches: [String: [String]] = [:]
      for entry in entries {
        let (type, name, table) = (entry[0], entry[1], entry[2])
        switch type {
        case "table" where !name.hasPrefix("_daybook_") && !name.hasPrefix("sqlite_"):
          tables[name, default: Table()].columns = try Self.rows(
            sql, "PRAGMA table_info(\(Names.quoted(name)))"
          ).map { "\($0[1]) \($0[2])" }
        case "index" where !table.hasPrefix("_daybook_"):
          let columns = try Self.rows(sql, "PRAGMA index_info(\(Names.quoted(name)))").map { $0[2] }
          tables[table, default: Table()].indexes.insert(columns)
        case "view": searches[name] = Self.names(in: entry[3])
        default: break
        }
      }
      for (_, names) in searches {
        guard let table = names.last else { continue }
        tables[table, default: Table()].searched = names.dropLast()
      }
    }

    /// Returns the quoted names in the SQL of the view that a search index reads:
    /// columns, then the table.
    private static func names(in sql: String) -> [String] {
      sql.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func rows(_ sql: StatementCache, _ text: String) throws(ProjectionError)
      -> [[String]]
    {
      let query = try Statement(sql.connection, text)
      var rows: [[String]] = []
      while try query.step() { rows.append((0..<query.columnCount).map { query.text($0) }) }
      return rows
    }
  }

  private func rowDifference(_ text: String, _ place: String, _ columns: [String])
    throws(ProjectionError) -> ReadModelDifference?
  {
    let (a, b) = (try live.sql(text), try fresh.sql(text))
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
  /// The cell for messages: short, and in quotes if it is text.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "“\(value.cut(to: 60))”"
    case .blob(let bytes): "\(bytes.count) bytes \(Hex.encode(bytes.prefix(16)))"
    }
  }
}

extension ReadModelView {
  /// Returns the digest of the rows and states as they stand. It equals the checkpoint's unless the
  /// file was changed by other software or damaged. Cost: reads every entity.
  package func recomputedDigest() throws -> StateDigest {
    var sum = StateDigest()
    for write in projector.definitions.winners.values {
      let hash = DefinitionRegisters.contribution(write) { index.origin($0).id }
      if let hash { sum.add(hash) }
    }
    for collection in schema.sorted where !collection.isLocal {
      guard let table = projector.knownTable(collection.identity) else { continue }
      let columns = table.columns.map { ", \(Names.quoted($0.schema.name))" }.joined()
      let query = try sql("SELECT _rowid_, id\(columns) FROM \(table.quotedName)")
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
