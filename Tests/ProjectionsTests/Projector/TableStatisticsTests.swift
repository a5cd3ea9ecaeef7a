import DaybookEventCore
import GRDB
import Testing

@testable import DaybookProjections

/// The statistics that SQLite's planner uses: when they are measured, and what that costs.
@Suite struct TableStatisticsTests {
  private static let tasks = DaybookEventCore.Operation.define(
    Definition("tasks", [.text("state").indexed(), .text("owner").indexed()]))

  private static func task(_ number: Int) -> DaybookEventCore.Operation {
    .insert(
      collection: "tasks", id: "t\(number)",
      fields: ["state": .text("open"), "owner": .text("o\(number % 100)")])
  }

  /// The number of rows that the statistics say that the tasks have; nil if there are none.
  private func measured(_ probe: ReadModelProbe, _ table: String = "tasks") throws -> Int? {
    try probe.reading {
      try Int.fetchOne(
        $0,
        sql: """
          SELECT max(CAST(substr(stat, instr(stat, 'rows=') + 5) AS INTEGER)) FROM sqlite_stat1
          WHERE tbl = ?
          """,
        arguments: [table])
    }
  }

  private func schemaVersion(_ probe: ReadModelProbe) throws -> Int? {
    try probe.reading { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
  }

  @Test("statistics follow a table that grows by one row in each process")
  func oneByOne() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    history.write("ann", at: 1, Self.tasks)
    // Written in turn with another collection, so that the rows have numbers at regular distances.
    history.write("ann", at: 2, .define(Definition("notes", [.text("title").indexed()])))
    for number in 0..<4000 {
      history.write(
        "ann", at: Int64(number + 3), Self.task(number),
        .insert(collection: "notes", id: "n\(number)", fields: ["title": "one"]))
    }
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    let origin = TestHistory.origin("ann")
    // The first event of each author is its identity.
    source.deliver(origin, 1...3)
    try probe.catchUp()
    #expect(try measured(probe) == nil)
    var versions: Set<Int?> = []
    for number in 1...4000 {
      let sequence = UInt64(number + 3)
      source.deliver(origin, sequence...sequence)
      try probe.catchUp()
      try probe.projector.reload()
      versions.insert(try schemaVersion(probe))
      for table in ["tasks", "notes"] {
        let rows = try #require(try measured(probe, table))
        // Tables grow by half on average until they are measured, small ones by 64 rows. SQLite
        // estimates their rows.
        let range = max(0, number / 6 - 64)...number * 2
        #expect(range.contains(rows), "\(table): \(rows) of \(number)")
      }
    }
    // Other connections read the schema again when a table has doubled, and no oftener: at 1 row,
    // some 64 rows, 128 and so on. The two tables may do so at once.
    #expect((6...18).contains(versions.count), "\(versions.count)")
    #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
  }

  @Test("an index that is new has statistics")
  func newIndex() throws {
    let folder = try ProjectionFolder()
    var history = TestHistory()
    history.write("ann", at: 1, Self.tasks)
    history.write("ann", at: 2, (0..<300).map(Self.task))
    history.write(
      "ann", at: 3, .define(Definition("tasks", [.text("owner"), .text("note").indexed()])))
    let source = ArrayEventSource(history)
    let probe = try ReadModelProbe(source, folder: folder.url)
    for sequence in 1...4 as ClosedRange<UInt64> {
      source.deliver(TestHistory.origin("ann"), sequence...sequence)
      try probe.catchUp()
    }
    let (indexes, measured) = try probe.reading { db in
      (
        try String.fetchSet(
          db, sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks'"),
        try String.fetchSet(db, sql: "SELECT idx FROM sqlite_stat1 WHERE tbl = 'tasks'")
      )
    }
    #expect(indexes == measured)
  }

  /// Counts the instructions of SQLite's virtual machine for measuring a table.
  private func instructions(rows: Int, sameOwner: Bool) throws -> Int {
    let fixture = try QueryFixture(
      [Self.tasks], thenTogether: (0..<rows).map { Self.task(sameOwner ? 0 : $0).renamed($0) })
    let probe = fixture.probe
    return try probe.reading { db in
      let table = try #require(probe.projector.knownTable("tasks"))
      return try db.instructions { _ = try probe.projector.entities.statistics.measure(table) }
    }
  }

  @Test("a large table is measured with no more work than a small one", arguments: [false, true])
  func bounded(sameOwner: Bool) throws {
    let small = try instructions(rows: 2000, sameOwner: sameOwner)
    let large = try instructions(rows: 20_000, sameOwner: sameOwner)
    #expect(Double(large) < 1.2 * Double(small), "\(small), \(large)")
    #expect(large < 60_000)
  }
}

extension DaybookEventCore.Operation {
  /// The same insert of another task.
  fileprivate func renamed(_ number: Int) -> DaybookEventCore.Operation {
    guard case .insert(let collection, _, let fields) = self else { return self }
    return .insert(collection: collection, id: "t\(number)", fields: fields)
  }
}
