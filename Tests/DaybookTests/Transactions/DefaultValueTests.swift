import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The default of a field: what entities show that have no value.
@Suite struct DefaultValueTests {
  private static let notes = Definition("notes", [.text("title")])
  private static let pinned = Definition("notes", [.boolean("pinned").indexed().default(false)])

  private func store(_ folder: TemporaryStore, notes count: Int = 3) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.notes)
      for number in 0..<count { try tx.insert("notes", "n\(number)", ["title": "Oat milk"]) }
    }
    return store
  }

  private func ids(_ store: Store, _ condition: String) async throws -> [String] {
    try await store.read { db in
      try String.fetchAll(db, sql: "SELECT id FROM notes WHERE \(condition) ORDER BY id")
    }
  }

  @Test("rows older than a field show its default, in SQL, by the index and in fetch")
  func olderRows() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { try $0.define(Self.pinned) }
    #expect(try await ids(store, "NOT pinned") == ["n0", "n1", "n2"])
    let plan = try await store.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT id FROM notes WHERE pinned = 0")
        .map { $0["detail"] as String }.joined()
    }
    #expect(plan.contains("_daybook_index"))
    #expect(try await store.fetch("notes", "n0")?["pinned"] == .boolean(false))
  }

  @Test("a value beats the default, and NULL shows it again")
  func values() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.define(Self.pinned)
      try tx.update("notes", "n1", ["pinned": true])
    }
    #expect(try await ids(store, "pinned") == ["n1"])
    try await store.write { try $0.update("notes", "n1", ["pinned": .null]) }
    #expect(try await ids(store, "pinned").isEmpty)
    #expect(try await store.fetch("notes", "n1")?["pinned"] == false)
    #expect(try await store.verify().isSound)
    try await store.rebuild()
    #expect(try await ids(store, "NOT pinned") == ["n0", "n1", "n2"])
  }

  @Test("a changed default is shown by all entities without a value")
  func changed() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("mood").default("it's fine").searchable()]))
      try tx.update("notes", "n2", ["mood": "glad"])
    }
    #expect(try await store.search("fine", in: "notes").map(\.id).sorted() == ["n0", "n1"])
    try await store.write { try $0.define(Definition("notes", [.text("mood").default("so-so")])) }
    #expect(try await ids(store, "mood = 'so-so'") == ["n0", "n1"])
    #expect(try await store.search("fine", in: "notes").isEmpty)
    try await store.write { try $0.define(Definition("notes", [.text("mood").default(.null)])) }
    #expect(try await ids(store, "mood IS NULL") == ["n0", "n1"])
    #expect(try await store.verify().isSound)
  }

  @Test("a default that is not of the type, too long, or of a tree is refused")
  func refused() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let wrong: [Definition.Field] = [
      .boolean("a").default(1), .text("b").default(.text(String(repeating: "x", count: 2_000))),
      .text("c").default("a\u{0}b"), .real("d").default(.real(.nan)),
      .text("e").references("notes").tree().default("n1"), .json("f").default(.json([0x7B])),
    ]
    for field in wrong {
      await #expect(throws: StoreError.self, "\(field)") {
        try await store.write { try $0.define(Definition("notes", [field])) }
      }
    }
    #expect(try await store.read { $1["notes"]?.fields.map(\.name) } == ["title"])
  }
}
