import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Indexes of several fields, and fields that are unique together.
@Suite struct IndexTests {
  private static let notes = Definition(
    "notes",
    [
      .text("folder").references("folders"), .integer("place"), .boolean("pinned"),
      .text("source"), .text("number"),
    ])

  private let folder: TemporaryStore

  init() throws { folder = try TemporaryStore() }

  private func store(_ definition: Definition) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(definition) }
    return store
  }

  private func plan(_ store: Store, _ sql: String) async throws -> String {
    try await store.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
        .joined(separator: "; ")
    }
  }

  @Test("an index of several fields sorts what it finds, downwards too")
  func compound() async throws {
    let store = try await store(Self.notes.indexed(by: "folder", .descending("place")))
    let plan = try await plan(
      store, "SELECT * FROM notes WHERE folder = 'a' ORDER BY place DESC LIMIT 50")
    #expect(plan.contains("_daybook_index") && !plan.contains("TEMP B-TREE"))
  }

  @Test("an index of some of the rows is used by a query for these rows only")
  func partial() async throws {
    let store = try await store(Self.notes.indexed(by: "place", where: "pinned"))
    let some = try await plan(store, "SELECT * FROM notes WHERE pinned AND place > 3")
    #expect(some.contains("_daybook_index"))
    let all = try await plan(store, "SELECT * FROM notes WHERE place > 3")
    #expect(!all.contains("_daybook_index"))
    try await store.write {
      try $0.define(Definition("notes").attribute("index:place", .boolean(false)))
    }
    #expect(try await store.verify().isSound)
  }

  @Test("a field that refers to a collection has an index")
  func references() async throws {
    let store = try await store(Self.notes)
    #expect(
      try await plan(store, "SELECT * FROM notes WHERE folder = 'a'").contains("_daybook_index"))
  }

  @Test("an index follows its field to a later name")
  func renamed() async throws {
    let store = try await store(Self.notes.indexed(by: "place", "folder"))
    try await store.write {
      try $0.define(Definition("notes", [.integer("rank").formerly("place")]))
    }
    let index = try await store.read { $1["notes"]?.indexes.first }
    #expect(index?.columns.map(\.field) == ["place", "folder"])
    #expect(
      try await plan(store, "SELECT * FROM notes WHERE rank = 1").contains("_daybook_index"))
  }

  @Test("values that are unique together are refused, and NULL is like no other value")
  func uniqueTogether() async throws {
    let store = try await store(Self.notes.unique("source", "number"))
    try await store.write { tx in
      try tx.insert("notes", "a", ["source": "isbn", "number": "1"])
      try tx.insert("notes", "b", ["source": "isbn", "number": "2"])
      try tx.insert("notes", "c", ["source": "isbn"])
      try tx.insert("notes", "d", ["source": "isbn"])
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.update("notes", "b", ["number": "1"]) }
    }
    #expect(error?.code == .valueTaken)
    #expect(
      error?.clash
        == StoreError.UniqueClash(
          collection: "notes", fields: ["source", "number"], uniqueness: .exact,
          values: ["isbn", "1"], owner: "a", ownersValues: ["isbn", "1"]))
    try await store.write { tx in
      try tx.update("notes", "a", ["number": "3"])
      try tx.update("notes", "b", ["number": "1"])
    }
    #expect(try await store.verify().isSound)
  }

  @Test("a merge that brings the same values together parks the later entity on both replicas")
  func merged() async throws {
    let place = try SyncPlace()
    let ann = try await place.store("ann")
    let bob = try await place.store("bob")
    try await ann.write { try $0.define(Self.notes.unique("source", "number")) }
    try await ann.syncOnce(with: StorePeer(bob))
    try await ann.write { try $0.insert("notes", "a", ["source": "isbn", "number": "1"]) }
    try await bob.write { try $0.insert("notes", "b", ["source": "isbn", "number": "1"]) }
    try await ann.syncOnce(with: StorePeer(bob))
    let hidden = try await ann.hidden().all()
    #expect(hidden.map(\.field) == ["source, number"] && hidden.map(\.value) == ["“isbn”, “1”"])
    #expect(try await bob.hidden().all() == hidden)
    #expect(try await ann.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } == 1)
    #expect(try await ann.verify().isSound)
    try await ann.rebuild()
    #expect(try await ann.hidden().all() == hidden)
  }

  @Test("fields cannot become unique together while two entities have the same values")
  func duplicates() async throws {
    let store = try await store(Self.notes)
    try await store.write { tx in
      try tx.insert("notes", "a", ["source": "isbn", "number": "1"])
      try tx.insert("notes", "b", ["source": "isbn", "number": "1"])
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(Definition("notes").unique("source", "number")) }
    }
    #expect(error?.code == .valueTaken && error?.clash?.fields == ["source", "number"])
    await #expect(throws: StoreError.self) {
      try await store.write {
        try $0.define(Definition("notes", [.text("kind").default("a")]).unique("source", "kind"))
      }
    }
  }

  @Test("an index of no field, of an unknown field or of nine fields is refused")
  func refused() async throws {
    let store = try await store(Self.notes)
    let wrong: [Definition] = [
      Definition("notes").attribute("index:", true), Definition("notes").indexed(by: "nothing"),
      Definition("notes").indexed(by: "place", "place"),
      Definition("notes").attribute("unique:a,b,c,d,e,f,g,h,i", true),
      Definition("notes").attribute("index:place", 3),
      Definition("notes", [.integer("version").kept(.version)]).unique("version", "place"),
    ]
    for definition in wrong {
      await #expect(throws: StoreError.self, "\(definition.attributes)") {
        try await store.write { try $0.define(definition) }
      }
    }
  }
}
