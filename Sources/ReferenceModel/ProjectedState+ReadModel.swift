import EventCore
import Foundation
package import GRDB
package import Projections

extension ProjectedState {
  /// What a read model shows, read from its tables.
  /// - Throws: what SQLite throws; also where a search index is not what its table says.
  package init(shownBy db: Database, _ projector: Projector) throws {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    let sql = StatementCache(connection)
    defer { sql.removeAll() }
    self.init(
      tables: [:], misfits: try Self.misfits(db), conflicts: try Self.conflicts(db),
      parked: try Self.parked(db), cycles: try Self.cycles(db), digest: projector.digest,
      isComplete: projector.opaqueCount == 0, isLocalComplete: projector.localOpaqueCount == 0)
    for collection in projector.schema.sorted {
      tables[collection.name] = try Self.table(db, sql, collection.name)
      if !collection.searchable.isEmpty {
        let search = "\"_daybook_search_\(collection.name)\""
        try db.execute(sql: "INSERT INTO \(search)(\(search), rank) VALUES ('integrity-check', 1)")
      }
    }
  }

  private static func table(_ db: Database, _ sql: StatementCache, _ name: String) throws
    -> ReferenceTable
  {
    // Not `db.columns`: GRDB remembers schemas, and does not see what the projector changes.
    let columns = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid", arguments: [name])
    // Not through GRDB, which takes a NUL for the end of a text.
    let query = try sql("SELECT * FROM \"\(name)\" ORDER BY id")
    var rows: [[ReferenceCell]] = []
    while try query.step() {
      rows.append((0..<query.columnCount).map { cell(query.cell($0)) })
    }
    query.reset()
    return ReferenceTable(columns: columns, rows: rows)
  }

  private static func misfits(_ db: Database) throws -> [ReferenceMisfit] {
    try Row.fetchAll(
      db, sql: "SELECT collection, CAST(id AS BLOB), field FROM _daybook_misfits"
    )
    .map {
      ReferenceMisfit(
        collection: ReferenceName($0[0] as String), id: ReferenceName(text($0[1] as Data)),
        field: ReferenceName($0[2] as String))
    }.sorted()
  }

  private static func parked(_ db: Database) throws -> [ReferenceParked] {
    try Row.fetchAll(
      db,
      sql: "SELECT collection, CAST(id AS BLOB), field, CAST(owner AS BLOB) FROM _daybook_parked"
    )
    .map {
      ReferenceParked(
        collection: ReferenceName($0[0] as String), id: ReferenceName(text($0[1] as Data)),
        field: ReferenceName($0[2] as String), owner: ReferenceName(text($0[3] as Data)))
    }.sorted()
  }

  private static func cycles(_ db: Database) throws -> [ReferenceCycle] {
    try Row.fetchAll(
      db,
      sql: "SELECT collection, CAST(id AS BLOB), field, CAST(target AS BLOB) FROM _daybook_cycles"
    )
    .map {
      ReferenceCycle(
        collection: ReferenceName($0[0] as String), id: ReferenceName(text($0[1] as Data)),
        field: ReferenceName($0[2] as String), target: ReferenceName(text($0[3] as Data)))
    }.sorted()
  }

  private static func conflicts(_ db: Database) throws -> [ReferenceConflict] {
    var origins: [Int: ReplicaID] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT number, origin FROM _daybook_origins") {
      origins[row[0]] = Array(row[1] as Data).withUnsafeBytes { ReplicaID(bytes: $0) }
    }
    return try Row.fetchAll(
      db,
      sql: """
        SELECT collection, CAST(id AS BLOB), field, attribute, writes FROM _daybook_conflicts
        """
    ).map { row in
      let bytes = Array(row[4] as Data)
      let refs = try bytes.withUnsafeBytes { raw in
        var reader = ByteReader(raw)
        var refs: [OperationReference] = []
        while !reader.isAtEnd {
          let ref = try WriteRef(from: &reader)
          guard let origin = origins[ref.origin] else { throw ProjectionError.unknownOrigin }
          refs.append(
            OperationReference(
              event: EventID(origin, ref.sequence), operation: ref.operation))
        }
        return refs.sorted()
      }
      return ReferenceConflict(
        collection: ReferenceName(row[0] as String),
        id: (row[1] as Data?).map { ReferenceName(text($0)) },
        field: ReferenceName(row[2] as String), attribute: ReferenceName(row[3] as String),
        frontier: refs)
    }.sorted()
  }

  private static func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  private static func cell(_ cell: Cell) -> ReferenceCell {
    switch cell {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let value): .text(ReferenceName(value))
    case .blob(let bytes): .blob(bytes)
    }
  }
}

extension ProjectionError {
  fileprivate static var unknownOrigin: ProjectionError {
    ProjectionError(
      .damagedReadModel, "a conflict names an origin that the read model does not list")
  }
}
