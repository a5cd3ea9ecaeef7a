import EventCore
import Foundation
import GRDB

@testable import Projections

/// A read model in a file, driven by hand, and what it shows in the reference model's terms.
final class ReadModelProbe {
  let path: String
  let source: ArrayEventSource
  private var queue: DatabaseQueue
  private(set) var projector: Projector

  init(_ source: ArrayEventSource, folder: URL) throws {
    path = folder.appending(path: "\(UUID()).sqlite").path
    self.source = source
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction { db in
      let cache = StatementCache(db.sqliteConnection!)
      try cache.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY")
      try ReadModelFormat.create(cache)
      return try Projector(connection: db.sqliteConnection!, source: source)
    }
  }

  func catchUp() throws {
    try queue.writeWithoutTransaction { db in
      try projector.sql.execute("BEGIN IMMEDIATE")
      do { try projector.catchUp() } catch {
        try projector.sql.execute("ROLLBACK")
        try projector.reload()
        throw error
      }
      try projector.sql.execute("COMMIT")
    }
  }

  /// Makes one collection again, as one transaction.
  @discardableResult
  func rebuild(collection: String) throws -> Int {
    try queue.writeWithoutTransaction { db in
      try projector.sql.execute("BEGIN IMMEDIATE")
      do {
        let count = try projector.rebuild(collection: collection)
        try projector.sql.execute("COMMIT")
        return count
      } catch {
        try projector.sql.execute("ROLLBACK")
        try projector.reload()
        throw error
      }
    }
  }

  func reopen() throws {
    projector.close()
    try queue.close()
    queue = try DatabaseQueue(path: path)
    projector = try queue.writeWithoutTransaction {
      try Projector(connection: $0.sqliteConnection!, source: source)
    }
  }

  /// What readers use, on a snapshot.
  func view<T>(_ body: (ReadModelView, Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction { db in
      let view = try ReadModelView(db, source: source)
      defer { view.close() }
      return try body(view, db)
    }
  }

  /// Changes the read model behind the projector's back.
  func damage(_ sql: String) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// The first thing in which this read model differs from one that is made now.
  func differenceFromRebuilt(folder: URL) throws -> ReadModelDifference? {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    _ = try BulkRebuild(source: source).run(into: path)
    let fresh = try DatabaseQueue(path: path)
    return try fresh.writeWithoutTransaction { db in
      try queue.writeWithoutTransaction { live in
        let projector = try Projector(connection: db.sqliteConnection!, source: source)
        defer { projector.close() }
        let comparison = ReadModelComparison(
          live: live.sqliteConnection!, fresh: db.sqliteConnection!, schema: projector.schema)
        defer { comparison.close() }
        if let shown = try comparison.firstDifference() { return shown }
        let (a, b) = (
          try ReadModelView(live, source: source), try ReadModelView(db, source: source)
        )
        defer {
          a.close()
          b.close()
        }
        return try a.firstInternalDifference(from: b)
      }
    }
  }

  func state() throws -> ProjectedState {
    try queue.writeWithoutTransaction { try Self.state($0, projector) }
  }

  /// What a rebuild makes of the same events.
  static func rebuilt(
    _ source: ArrayEventSource, folder: URL, selection: Selection = .all, partitionBytes: Int
  ) throws -> ProjectedState {
    let path = folder.appending(path: "\(UUID()).sqlite").path
    var options = BulkRebuild.Options()
    options.partitionBytes = partitionBytes
    options.memoryBytes = partitionBytes
    // Both ways of making primary keys are tried.
    options.makesKeysLate = partitionBytes > 1000
    let rebuild = BulkRebuild(source: source, options: options)
    _ = try rebuild.run(into: path, selection: selection)
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { db in
      let projector = try Projector(connection: db.sqliteConnection!, source: source)
      defer { projector.close() }
      return try state(db, projector)
    }
  }

  private static func state(_ db: Database, _ projector: Projector) throws -> ProjectedState {
    var tables: [String: ReferenceTable] = [:]
    for collection in projector.schema.sorted {
      let name = "\"\(collection.name)\""
      // Not `db.columns`: GRDB remembers schemas, and does not see what the projector changes.
      let columns = try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid", arguments: [collection.name])
      // Not through GRDB, which takes a NUL for the end of a text.
      let query = try projector.sql("SELECT * FROM \(name) ORDER BY id")
      var rows: [[ReferenceCell]] = []
      while try query.step() {
        rows.append((0..<query.columnCount).map { cell(query.cell($0)) })
      }
      query.reset()
      tables[collection.name] = ReferenceTable(columns: columns, rows: rows)
      if !collection.searchable.isEmpty {
        let search = "\"\(CollectionTable.searchName(collection.name))\""
        try db.execute(sql: "INSERT INTO \(search)(\(search), rank) VALUES ('integrity-check', 1)")
      }
    }
    let misfits = try Row.fetchAll(
      db, sql: "SELECT collection, CAST(id AS BLOB), field FROM _daybook_misfits"
    )
    .map {
      ReferenceMisfit(
        collection: ReferenceName($0[0] as String), id: ReferenceName(text($0[1] as Data)),
        field: ReferenceName($0[2] as String))
    }.sorted()
    return ProjectedState(
      tables: tables, misfits: misfits, conflicts: try conflicts(db, projector),
      parked: try parked(db), cycles: try cycles(db),
      digest: projector.digest, isComplete: projector.opaqueCount == 0,
      isLocalComplete: projector.localOpaqueCount == 0)
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

  private static func conflicts(_ db: Database, _ projector: Projector) throws
    -> [ReferenceConflict]
  {
    try Row.fetchAll(
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
          refs.append(
            OperationReference(
              event: EventID(projector.index.origin(ref.origin).id, ref.sequence),
              operation: ref.operation))
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
