import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Types, defaults and migrations that cannot be: each is an error that names the place and the
/// cure, and leaves the store as it was.
@Suite struct BadSchemaTests {
  enum One {
    struct Node: Entity {
      static let collection = "nodes"
      static let fields: [EntityField<Node>] = [.field("title", \.title)]
      var id = ID()
      var title = ""
    }
  }

  enum Other {
    struct Node: Entity {
      static let collection = "nodes"
      static let fields: [EntityField<Node>] = [.field("title", \.title)]
      var id = ID()
      var title = 0
    }
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private var url: URL { place.folder.appending(path: "a") }

  /// Opens the store, and returns the error.
  private func refusal(
    _ types: [any Entity.Type], _ migrations: [Migration] = []
  ) async throws -> StoreError? {
    do {
      try await Store.open(at: url, schema: types, migrations: migrations).close()
      return nil
    } catch let error as StoreError { return error }
  }

  @Test("two types of one collection that disagree are an error that names collection and field")
  func twoTypes() async throws {
    defer { place.remove() }
    let error = try #require(try await refusal([One.Node.self, Other.Node.self]))
    #expect(error.code == .contradiction && error.message.contains("nodes.title"), "\(error)")
    #expect(try #require(error.hint).isEmpty == false)
    let store = try await Store.open(at: url, schema: [])
    #expect(try await store.schema()["nodes"] == nil)
    try await store.close()
  }

  @Test("migrations with one number, or a number below 1, are an error, and nothing runs")
  func numbers() async throws {
    defer { place.remove() }
    for numbers in [[1, 1], [0], [-1], [2, 1, 2]] {
      let migrations = numbers.map { number in
        Migration(number, "m\(number)") { try $0.insert(One.Node(id: "made")) }
      }
      let error = try #require(try await refusal([One.Node.self], migrations))
      #expect(error.code == .invalidQuery && error.message.contains("\(numbers)"), "\(error)")
      #expect(error.hint != nil)
    }
    let store = try await Store.open(at: url, schema: [One.Node.self])
    #expect(try await store.fetch(One.Node.all.count()) == 0)
    try await store.close()
  }

  @Test("a migration may delete what it migrates, once, also what another device sends later")
  func deleting() async throws {
    defer { place.remove() }
    let first = try await Store.open(at: url, schema: [One.Node.self])
    try await first.write { tx in
      try tx.insert([One.Node(id: "a", title: "keep"), One.Node(id: "b", title: "drop")])
    }
    try await first.close()
    let migration = Migration(1, "drop") { tx in
      try tx.update(where: One.Node.all) { $0.title += "!" }
      try tx.delete(where: One.Node.where { $0.title == "drop!" })
    }
    for _ in 0..<2 {
      let store = try await Store.open(at: url, schema: [One.Node.self], migrations: [migration])
      #expect(try await store.fetch(One.Node.all).map(\.title) == ["keep!"])
      try await store.close()
    }
  }

  @Test("a default that no field can have is refused by the names of collection and field")
  func defaults() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: url, schema: [])
    let before = try await store.digest()
    for (field, value) in [
      (Definition.Field.real("n"), Value.real(.infinity)), (.real("n"), .real(.nan)),
      (.integer("n"), .text("x")), (.boolean("n"), .integer(2)),
      (.timestamp("n"), .timestamp(.max)), (.json("n"), .json(Array("{".utf8))),
      (.text("n"), .text(String(repeating: "ä", count: 550))), (.text("n"), .text("a\u{0}b")),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { try $0.define(Definition("nodes", [field.default(value)])) }
      }
      #expect(error?.message.contains("nodes.n") == true, "\(String(describing: error))")
      #expect(error?.hint != nil || error?.message.contains("1024") == true)
    }
    #expect(try await store.digest() == before)
    try await store.close()
  }

  @Test("an undo of an undo of a settled conflict shows what was settled")
  func settledConflict() async throws {
    defer { place.remove() }
    let (a, b) = (
      try await Store.open(at: url, schema: [One.Node.self]),
      try await Store.open(at: place.folder.appending(path: "b"), schema: [One.Node.self])
    )
    let id = One.Node.ID("n")
    try await a.write { try $0.insert(One.Node(id: id)) }
    try await b.syncOnce(with: StorePeer(a))
    try await a.write { try $0.update(id) { $0.title = "ann" } }
    try await b.write { try $0.update(id) { $0.title = "bob" } }
    try await b.syncOnce(with: StorePeer(a))
    let conflict = try #require(try await b.conflicts(in: One.Node.self).all().first)
    let settled = try await b.write { tx in
      try tx.settle(conflict, \One.Node.title, with: "both")
      return tx.event
    }
    let undo = try #require(try await b.undo(settled))
    #expect(["ann", "bob"].contains(try await b.fetch(id)?.title))
    #expect(try await b.undo(undo) != nil)
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.fetch(id)?.title == "both")
      #expect(try await store.conflicts(in: One.Node.self).all().isEmpty)
    }
    try await a.close()
    try await b.close()
  }
}
