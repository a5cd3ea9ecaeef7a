import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

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
  ) async throws -> StoreError.UniqueClash? {
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
    let taken = StoreError.UniqueClash(
      collection: "people", fields: ["mail"], uniqueness: .exact, values: ["a@x"], owner: "ann",
      ownersValues: ["a@x"])
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

  // MARK: - Without case

  private static let members = Definition(
    "people", [.text("mail").unique(.folded), .text("club"), .integer("number"), .text("name")]
  ).unique(.folded, "club", "number")

  @Test("a value that differs in case or form from another one is refused, with both spellings")
  func foldedRefusals() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.members)
      try tx.insert("people", "ann", ["mail": "\u{C9}lan@X", "club": "Chess", "number": 1])
      try tx.insert("people", "bob", ["mail": "bob@x", "club": "Chess", "number": 2])
    }
    for write in [
      { (tx: WriteTransaction) in try tx.insert("people", "c", ["mail": "e\u{301}LAN@x"]) },
      { tx in try tx.update("people", "bob", ["mail": "e\u{301}LAN@x"]) },
      { tx in try tx.put("people", "bob", ["mail": "e\u{301}LAN@x"]) },
    ] as [@Sendable (WriteTransaction) throws -> Void] {
      #expect(
        try await clash(store, write)
          == StoreError.UniqueClash(
            collection: "people", fields: ["mail"], uniqueness: .folded,
            values: ["e\u{301}LAN@x"], owner: "ann", ownersValues: ["\u{C9}lan@X"]))
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert("people", "c", ["club": "CHESS", "number": 2]) }
    }
    #expect(
      error?.message == "club, number of people together must be unique without case, and “bob” "
        + "has “Chess”, 2 already")
    // An entity may change its own spelling, and a value with NUL is one like others.
    #expect(
      try await clash(store) { tx in
        try tx.update("people", "bob", ["mail": "BOB@x", "club": "CHESS"])
        try tx.insert("people", "d", ["mail": "a\0B", "club": "chess", "number": 3])
      } == nil)
    #expect(
      try await clash(store) { try $0.insert("people", "e", ["mail": "A\0b"]) }?.owner == "d")
    #expect(try await clash(store) { try $0.insert("people", "e", ["mail": "a\0c"]) } == nil)
    #expect(try await store.fetch("people", "bob")?["mail"] == "BOB@x")
    #expect(try await store.verify().isSound)
    try await store.close()
  }

  @Test("after a merge, one of two spellings is shown on all replicas, and both are listed")
  func foldedMerge() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await Store.create(at: here.url)
    let b = try await Store.create(at: there.url)
    try await a.write { try $0.define(Self.members) }
    try await bring(a, into: b)
    try await a.write {
      try $0.insert("people", "x1", ["mail": "Stra\u{DF}e", "club": "x", "number": 1])
    }
    try await b.write {
      try $0.insert("people", "x2", ["mail": "STRASSE", "club": "X", "number": 1])
    }
    try await bring(a, into: b)
    try await bring(b, into: a)
    for store in [a, b] {
      let hidden = try await store.hidden().all()
      #expect(
        hidden == [
          Store.HiddenValue(
            collection: "people", id: "x2", field: "club, number", value: "“X”, 1",
            reason: .parked(owner: "x1"), ownersValue: "“x”, 1"),
          Store.HiddenValue(
            collection: "people", id: "x2", field: "mail", value: "STRASSE",
            reason: .parked(owner: "x1"), ownersValue: "Stra\u{DF}e"),
        ])
      #expect(try await store.hidden(id: "x2").all() == hidden)
      #expect(try await shown(store) == ["x1"])
      #expect(try await store.verify().isSound)
      try await store.rebuild()
      #expect(try await store.hidden().all() == hidden)
    }
    try await b.write { try $0.delete("people", "x1") }
    #expect(try await b.fetch("people", "x2")?["mail"] == "STRASSE")
    #expect(try await shown(b) == ["x2"])
    #expect(try await b.hidden().all().isEmpty)
    for store in [a, b] { try await store.close() }
  }

  @Test("a field becomes unique without case on purpose, if no entity would be hidden")
  func becomesFolded() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.insert("people", "c", ["mail": "A@X"])
      try tx.insert("people", "d", ["mail": "A@x"])
    }
    let folded = Definition("people", [.text("mail").unique(.folded)])
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(folded) }
    }
    #expect(
      error?.message == "people.mail cannot become unique without case, because that would hide 2 "
        + "entities: “ann” has “a@x”, and “d” has “A@x”")
    #expect(error?.clash?.ownersValues == ["a@x"] && error?.clash?.values == ["A@x"])
    try await store.write { tx in
      try tx.update("people", "c", ["mail": "c@x"])
      try tx.delete("people", "d")
      try tx.define(folded)
    }
    #expect(try await store.schema()["people"]?[field: "mail"]?.uniqueness == .folded)
    #expect(try await clash(store) { try $0.insert("people", "e", ["mail": "C@X"]) } != nil)
    // Nothing is written if the rule is as the definition says.
    let digest = try await store.digest()
    try await store.write { try $0.define(folded) }
    #expect(try await store.digest() == digest)
    try await store.write { try $0.define(Definition("people", [.text("mail").unique()])) }
    #expect(try await clash(store) { try $0.insert("people", "e", ["mail": "C@X"]) } == nil)
    #expect(try await store.verify().isSound)
    try await store.close()
  }

  @Test("a rule that makes no sense, or that a later version knows, is refused")
  func misspelled() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let wrong: [Definition] = [
      Definition("people", [.init("name", ["unique": .text("yes")])]),
      Definition("people", [.init("name", ["unique": .text("folded-2")])]),
      Definition("people", [.init("name", ["unique": 1])]),
      Definition("people", [.real("number").unique(.folded)]),
      Definition("people", [.init("number", [:]).unique(.folded)]),
      Definition("people", [.json("data").unique(.folded)]),
      Definition("people", [.text("slug").default("a").unique(.folded)]),
      Definition("people", [.integer("age")]).unique(.folded, "age", "number"),
      Definition("people").attribute("unique:mail,name", "folded-2"),
      Definition("new", [.integer("age").unique(.folded)]),
    ]
    let digest = try await store.digest()
    for definition in wrong {
      let error = await #expect(throws: StoreError.self, "\(definition)") {
        try await store.write { try $0.define(definition) }
      }
      #expect(error?.hint != nil, "\(definition)")
      #expect(try await store.digest() == digest)
    }
    try await store.close()
  }
}
