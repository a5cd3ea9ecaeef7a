import DaybookEventCore
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Failures of SQLite within transactions. A transaction that has failed stays failed, even if its
/// closure swallows the error.
@Suite struct TransactionFailureTests {
  /// A text that takes 256 pages.
  private static let big = String(repeating: "x", count: 1 << 20)

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n0", ["title": .text("there before")])
    }
    return store
  }

  /// Limits the file of the read model to `pages` more than it has now; nil for no limit.
  private func setRoom(_ store: Store, pages: Int?) async throws {
    try await store.core.onCommitThread { engine in
      try engine.readModel.writeWithoutTransaction { db in
        let count = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let max = pages.map { count + $0 } ?? 1 << 30
        _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(max)")
      }
    }
  }

  /// Expects that log and read model agree, now and after a rebuild.
  private func requireConsistent(_ store: Store, _ folder: TemporaryStore) async throws {
    #expect(try await Store.readModelDifference(at: folder.url) == nil)
    let digest = try await store.digest()
    try await store.close()
    try StoreFiles.removeReadModel(StoreFiles(folder: folder.url).readModel)
    let again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    try await again.close()
  }

  @Test("a full disk that a closure swallows is thrown by the write, and nothing is stored")
  func swallowedFullDisk() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let before = try await store.digest()
    try await setRoom(store, pages: 40)
    await #expect {
      try await store.write { tx in
        try tx.insert("notes", "n1", ["title": .text("small")])
        do { try tx.insert("notes", "n2", ["body": .text(Self.big)]) } catch {}
        do { try tx.define(Definition("others")) } catch {}
        do { try tx.insert("notes", "n3", ["title": .text("after")]) } catch {}
      }
    } throws: { StoreError.isNoSpace($0) }
    #expect(try await store.digest() == before)
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } == 1)
    try await setRoom(store, pages: nil)
    try await store.write { try $0.insert("notes", "n4", ["body": .text(Self.big)]) }
    try await requireConsistent(store, folder)
  }

  @Test("a definition without room is undone, even if the closure continues")
  func swallowedDefinition() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await setRoom(store, pages: 2)
    let definition = Definition(
      "others",
      (0..<20).map {
        .text("field\($0)").indexed()
      })
    await #expect {
      try await store.write { tx in
        try tx.update("notes", "n0", ["title": .text("changed")])
        do { try tx.define(definition) } catch {}
      }
    } throws: { StoreError.isNoSpace($0) }
    try await setRoom(store, pages: nil)
    #expect(try await store.schema()["others"] == nil)
    #expect(try await store.fetch("notes", "n0")?["title"] == .text("there before"))
    try await store.write { try $0.insert("notes", "n1", [:]) }
    try await requireConsistent(store, folder)
  }

  @Test("the other transactions of a group are written, before and after the failing one")
  func groupSurvives() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await setRoom(store, pages: 40)
    let outcomes = await withCheckedContinuation { continuation in
      let collected = Outcomes(5) { continuation.resume(returning: $0) }
      let jobs = (0..<5).map { number in
        Result {
          try WriteJob(
            actor: "", label: "", annotations: [:],
            body: { tx in
              try tx.insert("notes", "g\(number)", ["title": .text("\(number)")])
              guard number == 2 else { return number }
              do { try tx.insert("notes", "big", ["body": .text(Self.big)]) } catch {}
              return number
            }, finish: { collected.set($0, number) })
        }
      }
      #expect(throws: Never.self) { try store.core.write(try jobs.map { try $0.get() }) }
    }
    for (number, outcome) in outcomes.enumerated() {
      switch outcome {
      case .success: #expect(number != 2)
      case .failure(let error):
        #expect(number == 2, "\(error)")
        #expect(StoreError.isNoSpace(error), "\(error)")
      }
    }
    let ids = try await store.read {
      try String.fetchAll($0, sql: "SELECT id FROM notes ORDER BY id")
    }
    #expect(ids == ["g0", "g1", "g3", "g4", "n0"])
    try await setRoom(store, pages: nil)
    try await requireConsistent(store, folder)
  }

  @Test("a refusal can be caught, and the transaction continues")
  func refusalsAreNoFailures() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      #expect(throws: StoreError.self) { try tx.insert("notes", "n0") }
      #expect(throws: StoreError.self) { try tx.update("notes", "none", ["title": .null]) }
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    #expect(try await store.fetch("notes", "n1") != nil)
    try await requireConsistent(store, folder)
  }

  @Test(
    "a transaction fails if its closure does more than read its database",
    arguments: [
      "UPDATE notes SET title = 'past the log'",
      "DELETE FROM _daybook_entities",
      "CREATE TABLE intruder(a)",
      "COMMIT",
      "/* a comment */ commit",
      "ROLLBACK",
      "SAVEPOINT a",
      "-- a comment\n  END",
      "RELEASE a",
      "PRAGMA query_only = 1",
      "pragma main.query_only(1)",
      "PRAGMA \"query_only\" = 1",
      "EXPLAIN PRAGMA query_only = 1",
      // Not `case_sensitive_like`: while a statement runs, SQLite 3.40 changes the function LIKE
      // that all connections of the process share, and queries of other tests find too little.
      "PRAGMA writable_schema = ON",
      "PRAGMA ignore_check_constraints = 1",
      "PRAGMA locking_mode = EXCLUSIVE",
      "PRAGMA max_page_count = 1",
      "PRAGMA wal_autocheckpoint = 1",
      "PRAGMA busy_timeout = 1",
      "PRAGMA user_version = 1",
      "PRAGMA optimize",
    ])
  func databaseIsForReading(sql: String) async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let before = try await store.digest()
    let settings = try await settings(store)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in
        try tx.insert("notes", "n1", ["title": .text("one")])
        let database = try tx.database
        try tx.insert("notes", "n2", ["title": .text("two")])
        try? database.execute(sql: sql)
        try? tx.insert("notes", "n3", ["title": .text("three")])
      }
    }
    #expect(error?.code == .readOnly)
    #expect(try await store.digest() == before)
    let titles = try await store.read { try String.fetchAll($0, sql: "SELECT title FROM notes") }
    #expect(titles == ["there before"])
    #expect(try await self.settings(store) == settings)
    try await store.write { try $0.insert("notes", "n4", ["title": .text("four")]) }
    try await requireConsistent(store, folder)
  }

  /// The settings of the connection that writes, and whether its `LIKE` distinguishes case.
  private func settings(_ store: Store) async throws -> [String] {
    try await store.core.onCommitThread { engine in
      try engine.readModel.writeWithoutTransaction { db in
        let queries =
          [
            "query_only", "writable_schema", "ignore_check_constraints", "locking_mode",
            "max_page_count", "wal_autocheckpoint", "busy_timeout",
            "user_version", "cache_size", "recursive_triggers",
          ].map { "PRAGMA \($0)" } + ["SELECT 'a' LIKE 'A'"]
        return try queries.map { try Row.fetchOne(db, sql: $0)?.description ?? "none" }
      }
    }
  }

  /// SQLite sets most settings while it compiles the statement.
  @Test("a setting of the connection that was only compiled is taken back, and is an error")
  func compiledSetting() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let settings = try await settings(store)
    for sql in ["PRAGMA query_only = 1", "PRAGMA reverse_unordered_selects = 1"] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { tx in
          try tx.insert("notes", "n1", ["title": .text("one")])
          _ = try tx.database.makeStatement(sql: sql)
        }
      }
      #expect(error?.code == .readOnly)
      #expect(try await self.settings(store) == settings)
    }
    try await store.write { try $0.insert("notes", "n2", ["title": .text("two")]) }
    try await requireConsistent(store, folder)
  }

  @Test("writes in a savepoint that the closure rolls back are not acknowledged")
  func ownSavepoint() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { tx in
        try tx.database.inSavepoint {
          try tx.insert("notes", "n1", ["title": .text("one")])
          return .rollback
        }
      }
    }
    #expect(error?.code == .readOnly)
    try await store.write { try $0.insert("notes", "n2", ["title": .text("two")]) }
    try await requireConsistent(store, folder)
  }

  @Test("queries of every kind are allowed, and see the writes of the transaction")
  func databaseReads() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let counts = try await store.write { tx -> [Int?] in
      try tx.insert("notes", "n1", ["title": .text("one")])
      return [
        try Int.fetchOne(tx.database, sql: "SELECT count(*) FROM notes"),
        try Int.fetchOne(tx.database, sql: "WITH a AS (VALUES (7)) SELECT * FROM a"),
        try Int.fetchOne(tx.database, sql: "-- comment\n/* another */ VALUES (8)"),
        try tx.database.columns(in: "notes").count,
        try Table("notes").fetchCount(tx.database),
        try Row.fetchAll(tx.database, sql: "PRAGMA main.table_xinfo(notes)").count,
        try Int.fetchOne(tx.database, sql: "/* */ PRAGMA query_only"),
        try Row.fetchAll(tx.database, sql: "EXPLAIN QUERY PLAN SELECT * FROM notes").count,
      ]
    }
    #expect(counts == [2, 7, 8, 5, 2, 5, 0, 1])
    try await requireConsistent(store, folder)
  }
}

/// Collects the outcomes of several jobs, in order, until all are there.
private final class Outcomes: @unchecked Sendable {
  private let lock = NSLock()
  private var outcomes: [WriteOutcome?]
  private let finish: @Sendable ([WriteOutcome]) -> Void

  init(_ count: Int, finish: @escaping @Sendable ([WriteOutcome]) -> Void) {
    outcomes = Array(repeating: nil, count: count)
    self.finish = finish
  }

  func set(_ outcome: WriteOutcome, _ index: Int) {
    let all = lock.withLock { () -> [WriteOutcome]? in
      outcomes[index] = outcome
      let done = outcomes.compactMap(\.self)
      return done.count == outcomes.count ? done : nil
    }
    if let all { finish(all) }
  }
}
