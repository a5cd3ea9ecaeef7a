import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB

extension FuzzTarget {
  /// A read model whose internal tables hold wrong values.
  ///
  /// Page checksums find the damage of a disk. This target stands for a bug or an attack. The input
  /// is a list of changes: table, column, row, kind of change, and its argument.
  static let readModel = FuzzTarget("read-model", bytesMax: 512, trials: 200) {
    var seeds: [[UInt8]] = [[]]
    for (table, entry) in internalTables.enumerated() {
      for column in entry.columns.indices {
        for cell in cellSeeds { seeds.append([UInt8(table), UInt8(column), 0] + cell) }
        seeds.append([UInt8(table), UInt8(column), 1, 6, 1, 0x80])
      }
      seeds.append([UInt8(table), 0, 0, 7])
    }
    return seeds
  } check: { bytes in
    let sample = try SampleReadModel.shared.get()
    try sample.queue.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN")
      defer { try? db.execute(sql: "ROLLBACK") }
      var input = FuzzInput(bytes)
      while !input.isAtEnd { try change(db, &input) }
      let digest = try? use(db, sample.source)
      guard bytes.isEmpty else { return }
      try require(digest == sample.finalDigest, "an unchanged read model does not catch up")
    }
  }

  private static let internalTables: [(name: String, key: String, columns: [String])] = [
    ("checkpoint", "id", ["digest", "opaque", "replica"]),
    (
      "origins", "number",
      ["sequence", "times", "flags", "authored", "number", "origin", "chain", "far"]
    ),
    ("mentions", "author, number", ["seen", "through", "number", "author"]),
    ("context", "author, seen, sequence", ["through", "sequence", "seen", "author"]),
    ("authored", "origin, block", ["times", "block", "origin"]),
    ("stamps", "origin, first", ["first", "last", "time", "hub", "sequence", "origin"]),
    (
      "superseded_stamps", "origin, first, last, hub, sequence, time",
      ["first", "last", "time", "hub", "sequence", "origin"]
    ),
    (
      "definitions", "rowid",
      ["value", "sequence", "operation", "origin", "collection", "field", "attribute"]
    ),
    ("collections", "number", ["name", "number"]),
    ("fields", "collection, number", ["name", "number", "collection"]),
    ("entities", "number", ["state", "collection", "id", "number"]),
    ("values", "entity, field", ["value", "field", "entity"]),
    ("refused", "collection", ["collection", "reason"]),
    ("history", "entity, chunk", ["entries", "chunk", "entity"]),
    ("parked_members", "collection, entity", ["entity", "collection"]),
    ("cycles", "collection, field, id", ["target", "id", "field", "collection"]),
    (
      "unique", "collection, field, value, rank",
      ["entity", "rank", "value", "id", "field", "collection"]
    ),
    (
      "unfit", "collection, id, field, origin, sequence, operation",
      ["origin", "sequence", "operation", "field", "id", "collection"]
    ),
    ("misfits", "collection, id, field", ["value", "field", "id", "collection"]),
    ("conflicts", "rowid", ["writes", "attribute", "field", "id", "collection"]),
  ]

  private static let cellSeeds: [[UInt8]] = [
    [1, 0], [1, 0xFF], [2, 0, 0, 0, 0, 0, 0, 0, 0x80],
    [2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [4, 3, 0x6E, 0x31, 0xC3],
    [5, 3, 1, 0, 0],
  ]

  /// Makes one change; does nothing if SQLite refuses it.
  private static func change(_ db: Database, _ input: inout FuzzInput) throws {
    let table = internalTables[Int(input.byte()) % internalTables.count]
    let column = table.columns[Int(input.byte()) % table.columns.count]
    let (row, kind) = (Int(input.byte()), input.byte() % 8)
    let name = "_daybook_\(table.name)"
    let place = "(\(table.key)) = (SELECT \(table.key) FROM \(name) LIMIT 1 OFFSET \(row))"
    let cell: DatabaseValue
    switch kind {
    case 0: cell = .null
    case 1: cell = Int64(Int8(bitPattern: input.byte())).databaseValue
    case 2: cell = input.integer(Int64.self).databaseValue
    case 3: cell = Double(bitPattern: input.integer(UInt64.self)).databaseValue
    case 4:
      let text = input.take(Int(input.byte()))
      cell = String(decoding: text, as: UTF8.self).databaseValue
    case 5: cell = Data(input.take(Int(input.byte()))).databaseValue
    case 6:
      let (offset, mask) = (Int(input.byte()), input.byte())
      var old: Cell?
      try db.forEachRow("SELECT \(column) FROM \(name) WHERE \(place)") { old = $0.cell(0) }
      guard case .blob(let bytes)? = old, offset < bytes.count else { return }
      var patched = bytes
      patched[offset] ^= mask
      cell = Data(patched).databaseValue
    default:
      try? db.execute(sql: "DELETE FROM \(name) WHERE \(place)")
      return
    }
    try? db.execute(sql: "UPDATE \(name) SET \(column) = ? WHERE \(place)", arguments: [cell])
  }

  /// Runs everything that reads the internal tables.
  ///
  /// Each reader may refuse, but none may end the process.
  private static func use(_ db: Database, _ source: SampleSource) throws -> StateDigest {
    let view = try ReadModelView(db, source: source)
    let vector = view.wholeVector
    for (origin, last) in vector.entries {
      for sequence in [1, last / 2, last] as Set<UInt64> {
        let event = EventID(origin, sequence)
        _ = try? view.vector(at: event)
        _ = try? view.times(of: event)
      }
    }
    let selections: [Selection] = [
      .all, .vector(vector), .vector(VersionVector(vector.entries.map { ($0.origin, 3) })),
      .time(60),
    ]
    for (collection, id) in [
      ("notes", "n1"), ("notes", "n2"), ("notes", "n3"), ("notes", "t1"), ("plain", "p1"),
    ] {
      _ = try? view.entity(collection, id)
      _ = try? view.history(of: id, in: collection)
      for selection in selections { _ = try? view.entity(collection, id, at: selection) }
      _ = try? view.textBlame(collection, id, "title")
    }
    _ = try? view.conflicts()
    _ = try? view.hidden()
    _ = try? view.recomputedDigest()
    view.close()
    guard let connection = db.sqliteConnection else { throw SampleSource.Missing() }
    let projector = try Projector(connection: connection, source: source)
    defer { projector.close() }
    for (origin, _) in vector.entries { _ = try? projector.context(of: origin) }
    try projector.catchUp()
    return projector.digest
  }
}

extension SampleReadModel {
  /// A read model that is made once; every input changes it in a transaction that is rolled back.
  nonisolated(unsafe) fileprivate static let shared = Result { try SampleReadModel() }
}
