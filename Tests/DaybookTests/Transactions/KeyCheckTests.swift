import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Ids that follow from a natural key, through the public surface.
@Suite struct KeyCheckTests {
  static let links = Definition(
    collection: "links", attributes: ["relationship": .boolean(true)],
    fields: [
      .text("kind"), .real("weight"),
    ]
  ).keyed(by: "source", "target", "kind")

  private static let cites: [String: Value] = [
    "source": .text("a"), "target": .text("b"), "kind": .text("cites"),
  ]

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.links) }
    return store
  }

  private func refusal(
    _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> StoreError.Code? {
    do {
      try await store.write(body)
      return nil
    } catch let error as StoreError { return error.code }
  }

  @Test("an entity that two replicas make with the same key is one entity")
  func merge() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await store(here)
    let b = try await Store.create(at: there.url)
    try await bring(a, into: b)
    let first = try await a.write { try $0.insert("links", Self.cites) }
    let second = try await b.write {
      try $0.insert("links", Self.cites.merging(["weight": .integer(2)]) { $1 })
    }
    #expect(first == second)
    try await bring(a, into: b)
    try await bring(b, into: a)
    for store in [a, b] {
      let rows = try await store.read { try String.fetchAll($0, sql: "SELECT id FROM links") }
      #expect(rows == [first])
      #expect(try await store.fetch("links", first)?["weight"] == .real(2))
    }
    #expect(try await a.digest().digest == b.digest().digest)
  }

  @Test("an entity whose key lacks a value is refused")
  func missingPart() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let partial = Self.cites.filter { $0.key != "kind" }
    let null = Self.cites.merging(["kind": .null]) { $1 }
    for fields in [partial, null] {
      #expect(try await refusal(store) { try $0.insert("links", fields) } == .invalidID)
      #expect(try await refusal(store) { try $0.put("links", fields) } == .invalidID)
      #expect(try await refusal(store) { try $0.insert("links", "l1", fields) } == .invalidID)
    }
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM links") } == 0)
  }

  @Test("put finds the entity of a key, and inserts a deleted one again under its id")
  func again() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let id = try await store.write { try $0.put("links", Self.cites) }
    let same = try await store.write {
      try $0.put("links", Self.cites.merging(["weight": .real(1)]) { $1 })
    }
    #expect(same == id)
    try await store.write { try $0.delete("links", id) }
    #expect(try await store.write { try $0.insert("links", Self.cites) } == id)
    #expect(try await store.fetch("links", id)?["weight"] == .null)
    // The caller may give the right id, too.
    try await store.write { tx in
      try tx.delete("links", id)
      try tx.insert("links", id, Self.cites)
    }
  }

  @Test("a wrong id, a changed key and a definition with another key are refused")
  func refusals() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let id = try await store.write { try $0.insert("links", Self.cites) }
    let other = Self.cites.merging(["kind": .text("other")]) { $1 }
    let cases: [(StoreError.Code?, @Sendable (WriteTransaction) throws -> Void)] = [
      (.invalidID, { try $0.insert("links", "l1", other) }),
      (.invalidID, { try $0.insert("links", id.uppercased(), Self.cites) }),
      (.invalidID, { try $0.put("links", "l1", other) }),
      (.entityExists, { _ = try $0.insert("links", Self.cites) }),
      (.fixedKey, { try $0.update("links", id, ["kind": .text("other")]) }),
      (.fixedKey, { try $0.update("links", id, ["kind": .null]) }),
      (.fixedKey, { try $0.drop(field: "kind", of: "links") }),
      (nil, { try $0.update("links", id, ["kind": .text("cites"), "weight": .real(3)]) }),
      (.contradiction, { try $0.define(Self.links.keyed(by: "kind")) }),
      (.contradiction, { try $0.define(Self.links.keyed(by: "target", "source", "kind")) }),
      (nil, { try $0.define(Self.links) }),
      (
        .contradiction,
        { tx in
          try tx.define(StoreTests.notes)
          try tx.define(StoreTests.notes.keyed(by: "title"))
        }
      ),
      (
        .invalidID,
        { tx in
          try tx.define(StoreTests.notes)
          try tx.insert("notes", ["title": .text("x")])
        }
      ),
      (.unknownName, { try $0.define(StoreTests.notes.keyed(by: "nothing")) }),
      (.invalidName, { try $0.define(StoreTests.notes.keyed(by: "title", "title")) }),
      (.invalidName, { try $0.define(StoreTests.notes.keyed(by: "")) }),
    ]
    for (index, (code, body)) in cases.enumerated() {
      #expect(try await refusal(store, body) == code, "case \(index)")
    }
  }

  @Test("a key survives closing, a rebuild and an exported define line")
  func lasts() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let id = try await store.write { try $0.insert("links", Self.cites) }
    try await store.rebuild()
    try await store.close()
    let again = try await Store.open(at: folder.url)
    #expect(try await again.schema()["links"]?.key == ["source", "target", "kind"])
    #expect(try await refusal(again) { _ = try $0.insert("links", Self.cites) } == .entityExists)
    #expect(try await again.fetch("links", id) != nil)
  }
}
