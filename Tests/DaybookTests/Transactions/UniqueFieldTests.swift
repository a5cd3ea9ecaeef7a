import Foundation
import GRDB
import Testing

@testable import Daybook

/// Unique fields through the public surface: local writes are refused, merges park.
@Suite struct UniqueFieldTests {
  static let people = Definition(
    "people",
    [
      .text("mail").unique(),
      .real("number").unique(),
      .text("name"),
    ])

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.people)
      try tx.insert("people", "ann", ["mail": .text("a@x"), "number": .real(1)])
      try tx.insert("people", "bob", ["mail": .text("b@x")])
    }
    return store
  }

  private func clash(
    _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> UniqueClash? {
    let before = try await store.digest()
    do {
      try await store.write(body)
      return nil
    } catch let error as StoreError where error.code == .valueTaken {
      #expect(try await store.digest() == before)
      return error.clash
    }
  }

  private func shown(_ store: Store) async throws -> [String] {
    try await store.read { try String.fetchAll($0, sql: "SELECT id FROM people ORDER BY id") }
  }

  @Test("a local write that would clash is refused with the owner")
  func refusals() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let taken = UniqueClash(
      collection: "people", fields: ["mail"], values: ["a@x"], owner: "ann")
    #expect(
      try await clash(store) { try $0.insert("people", "c", ["mail": .text("a@x")]) } == taken)
    #expect(
      try await clash(store) { try $0.update("people", "bob", ["mail": .text("a@x")]) } == taken)
    #expect(
      try await clash(store) { try $0.put("people", "bob", ["mail": .text("a@x")]) } == taken)
    let number = try await clash(store) {
      try $0.put("people", "c", ["number": .integer(1)])
    }
    #expect(number?.fields == ["number"])
    // Two inserts of one transaction clash too, before the first is in the read model.
    let within = try await clash(store) { tx in
      try tx.insert("people", "c", ["mail": .text("c@x")])
      try tx.insert("people", "d", ["mail": .text("c@x")])
    }
    #expect(within?.owner == "c")
    #expect(try await clash(store) { try $0.update("people", "ann", ["name": .text("A")]) } == nil)
    #expect(try await shown(store) == ["ann", "bob"])
  }

  @Test("a value is free once its owner has given it up, and a restore may be refused")
  func handedOn() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.update("people", "ann", ["mail": .text("new@x")])
      try tx.update("people", "bob", ["mail": .text("a@x")])
      try tx.delete("people", "bob")
      try tx.insert("people", "cat", ["mail": .text("a@x")])
    }
    #expect(try await clash(store) { try $0.restore("people", "bob") }?.owner == "cat")
    try await store.write { tx in
      try tx.delete("people", "cat")
      try tx.restore("people", "bob")
    }
    #expect(try await shown(store) == ["ann", "bob"])
  }

  @Test("an entity that clashes after a merge is parked on both replicas until it is changed")
  func merge() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await store(here)
    let b = try await Store.create(at: there.url)
    try await bring(a, into: b)
    try await a.write { try $0.insert("people", "x1", ["mail": .text("x@x"), "name": .text("1")]) }
    try await b.write { try $0.insert("people", "x2", ["mail": .text("x@x"), "name": .text("2")]) }
    try await bring(a, into: b)
    try await bring(b, into: a)
    let parked = try await a.hidden().all()
    #expect(try await b.hidden().all() == parked)
    #expect(try await a.digest().digest == b.digest().digest)
    #expect(parked.map(\.id) == ["x2"] && parked.map(\.reason) == [.parked(owner: "x1")])
    #expect(try await a.status().parked == 1)
    #expect(try await shown(a) == ["ann", "bob", "x1"])
    #expect(try await a.fetch("people", "x2")?["name"] == .text("2"))
    // The value that the parked entity waits for is taken.
    #expect(try await clash(a) { try $0.insert("people", "y", ["mail": .text("x@x")]) } != nil)
    try await a.write { try $0.update("people", "x2", ["mail": .text("x2@x")]) }
    #expect(try await shown(a) == ["ann", "bob", "x1", "x2"])
    try await bring(a, into: b)
    #expect(try await shown(b) == ["ann", "bob", "x1", "x2"])
    #expect(try await b.verify().isSound)
    try await b.rebuild()
    #expect(try await shown(b) == ["ann", "bob", "x1", "x2"])
  }

  @Test("a field with a repeated value cannot become unique")
  func becomesUnique() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.update("people", "ann", ["name": .text("same")])
      try tx.update("people", "bob", ["name": .text("same")])
    }
    let unique = Definition("people", [.init("name", ["unique": .boolean(true)])])
    let found = try await clash(store) { try $0.define(unique) }
    #expect(found?.values == ["same"])
    try await store.write { tx in
      try tx.update("people", "bob", ["name": .text("other")])
      try tx.define(unique)
    }
    #expect(
      try await clash(store) { try $0.update("people", "bob", ["name": .text("same")]) } != nil)
    try await store.write {
      try $0.define(
        Definition("people", [.init("name", ["unique": .boolean(false)])]))
    }
    #expect(
      try await clash(store) { try $0.update("people", "bob", ["name": .text("same")]) } == nil)
  }

  @Test("an attribute unique that is neither true nor false is refused")
  func misspelled() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    await #expect(throws: StoreError.self) {
      try await store.write {
        try $0.define(
          Definition("people", [.init("name", ["unique": .text("yes")])]))
      }
    }
  }
}
