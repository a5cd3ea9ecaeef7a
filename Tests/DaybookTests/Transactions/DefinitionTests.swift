import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Definitions on stores with data, while other instances write.
@Suite struct DefinitionTests {
  private static let notes = Definition(
    "notes",
    [
      .text("title").searchable(),
      .text("body"), .integer("count"),
    ])

  private func field(_ name: String, _ attributes: [String: Value]) -> Definition {
    Definition("notes", [.init(name, attributes)])
  }

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert(
        "notes", "n1", ["title": .text("Oat milk"), "body": .text("buy it"), "count": .integer(1)])
    }
    return store
  }

  private func refusal(
    _ store: Store, _ definition: Definition
  ) async throws -> StoreError? {
    let before = try await store.digest()
    do {
      try await store.write { try $0.define(definition) }
      return nil
    } catch let error as StoreError {
      #expect(try await store.digest() == before)
      return error
    }
  }

  // MARK: - While others write

  @Test("definitions change while two instances write, and no write is lost")
  func whileOthersWrite() async throws {
    let folder = try TemporaryStore()
    let first = try await store(folder)
    let second = try await Store.open(at: folder.url)
    let changes: [Definition] = [
      field("body", ["search": .boolean(true)]), field("count", ["index": .boolean(true)]),
      field("later", ["type": .text("real")]),
      Definition("tasks", [.text("name")]),
      field("body", ["search": .boolean(false)]),
      Definition("notes", [.init("heading").formerly("title")]),
      field("count", ["unique": .boolean(true)]),
    ]
    let writes = 40
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, store) in [("a", first), ("b", second)] {
        group.addTask {
          for number in 0..<writes {
            // The write uses the first name of the field, which may have another name by now.
            try await store.write {
              try $0.insert(
                "notes", "\(name)\(number)",
                ["title": .text("common \(name) \(number)"), "body": .text("words")])
            }
          }
        }
      }
      group.addTask {
        for (index, change) in changes.enumerated() {
          try await (index % 2 == 0 ? first : second).write { try $0.define(change) }
        }
        try await first.write { try $0.drop(field: "later", of: "notes") }
      }
      try await group.waitForAll()
    }
    for store in [first, second] {
      let (count, headings) = try await store.read { db in
        (
          try Int.fetchOne(db, sql: "SELECT count(*) FROM notes"),
          try Int.fetchOne(db, sql: "SELECT count(heading) FROM notes")
        )
      }
      #expect(count == writes * 2 + 1 && headings == writes * 2 + 1)
      #expect(try await store.search("common", in: "notes", limit: 500).count == writes * 2)
      #expect(
        try await store.schema()["notes"]?.fields.map(\.name) == ["heading", "body", "count"])
      #expect(try await store.schema()["tasks"] != nil)
    }
    #expect(try await first.digest() == second.digest())
    try await second.close()
    #expect(try await first.verify().isSound)
    try await first.close()
  }

  @Test("a definition or renaming by one instance counts for the next write of another")
  func otherInstance() async throws {
    let folder = try TemporaryStore()
    let first = try await store(folder)
    let second = try await Store.open(at: folder.url)
    try await second.write { tx in
      try tx.define(Definition("notes", [.init("headline").formerly("title")]))
      try tx.define(Definition("tags", []))
    }
    try await first.write { tx in
      try tx.insert("tags", "t1")
      try tx.insert("notes", "n2", ["headline": .text("new")])
    }
    #expect(try await second.fetch("notes", "n2")?["headline"] == .text("new"))
  }

  @Test("a field that becomes searched finds old values, and a redefined field has them")
  func dropAndDefine() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    #expect(try await store.search("buy", in: "notes").isEmpty)
    try await store.write { try $0.define(self.field("body", ["search": .boolean(true)])) }
    #expect(try await store.search("buy", in: "notes").map(\.id) == ["n1"])
    try await store.write { try $0.drop(field: "body", of: "notes") }
    #expect(try await store.search("buy", in: "notes").isEmpty)
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.update("notes", "n1", ["body": .text("x")]) }
    }
    try await store.write { try $0.define(self.field("body", ["type": .text("text")])) }
    #expect(try await store.fetch("notes", "n1")?["body"] == .text("buy it"))
    try await store.write { try $0.drop(collection: "notes") }
    #expect(try await store.schema()["notes"] == nil)
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert("notes", "n2") }
    }
    try await store.write { try $0.define(Self.notes) }
    #expect(try await store.fetch("notes", "n1")?["count"] == .integer(1))
    #expect(try await store.verify().isSound)
  }

  @Test("what was dropped comes back as what it was, with its values, or not at all")
  func anotherType() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let links = Definition("links", [.text("kind")]).relationship().keyed(by: "source", "target")
    try await store.write { tx in
      try tx.drop(field: "count", of: "notes")
      try tx.define(links)
      try tx.drop(collection: "links")
    }
    let others: [Definition] = [
      field("count", ["type": .text("text")]), Definition("links", [.text("kind")]),
      Definition("links", [.text("kind")]).relationship(),
      Definition("links", [.integer("kind")]).relationship().keyed(by: "source", "target"),
    ]
    for other in others {
      await #expect {
        try await store.write { try $0.define(other) }
      } throws: {
        ($0 as? StoreError)?.code == .contradiction
      }
    }
    try await store.write { tx in
      try tx.define(Definition("notes", [Definition.Field("count")]))
      try tx.define(links)
    }
    #expect(try await store.fetch("notes", "n1")?["count"] == 1)
    #expect(try await store.status().misfits == 0)
  }

  // MARK: - Contradictions

  @Test("a contradiction names both definitions, and changes nothing")
  func contradictions() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let cases: [(Definition, StoreError.Code, [String])] = [
      (
        field("count", ["type": .text("real")]), .contradiction, ["notes.count", "integer", "real"]
      ),
      (
        Definition("notes").relationship(),
        .contradiction, ["notes", "relationship", "ordinary"]
      ),
      (Definition("Notes"), .invalidName, ["notes", "Notes"]),
      (field("Title", ["type": .text("text")]), .invalidName, ["title", "Title"]),
      (
        Definition("notes", [.init("body").formerly("title")]), .contradiction,
        ["body"]
      ),
      (
        Definition("notes", [.init("row id").formerly("title")]),
        .invalidName, ["name"]
      ),
    ]
    for (definition, code, words) in cases {
      let error = try await refusal(store, definition)
      #expect(error?.code == code, "\(definition): \(error?.description ?? "")")
      for word in words {
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
      }
    }
  }

  // MARK: - Names

  /// Such an event was shown by its author, and could be read by no replica: not even by its own
  /// rebuild.
  @Test("a definition that has a renamed field under both of its names is refused")
  func bothNames() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.define(Definition("notes", [.init("headline").formerly("title")]))
    }
    for both in [
      Definition("notes", [.text("title").indexed(), .text("headline").unique()]),
      Definition("notes", [.text("headline"), .text("title").searchable(weight: 3)]),
    ] {
      let error = try await refusal(store, both)
      #expect(error?.code == .contradiction)
      #expect(error?.message.contains("title") == true)
      #expect(error?.message.contains("headline") == true)
    }
    for twice in [
      Definition("notes").unique("title", "headline"),
      Definition("notes").indexed(by: "headline", "title"),
    ] {
      let error = try await refusal(store, twice)
      #expect(error?.code == .invalidName)
    }
    let digest = try await store.digest()
    try await store.rebuild()
    #expect(try await store.digest() == digest)
    try await store.close()
  }

  @Test("a renamed field has its new name in SQL, search and writes, and takes its first")
  func renaming() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let renamed = Definition("notes", [.init("headline").formerly("title")])
    try await store.write { try $0.define(renamed) }
    let digest = try await store.digest()
    try await store.write { try $0.define(renamed) }
    #expect(try await store.digest() == digest)
    let title = try await store.read { try String.fetchOne($0, sql: "SELECT headline FROM notes") }
    #expect(title == "Oat milk")
    #expect(try await store.search("headline:oat", in: "notes").count == 1)
    #expect(try await store.fetch("notes", "n1")?.fields["headline"] == .text("Oat milk"))
    try await store.write { try $0.update("notes", "n1", ["headline": .text("new")]) }
    try await store.write { try $0.update("notes", "n1", ["title": .text("by its first name")]) }
    await #expect(throws: StoreError.self) {
      try await store.write {
        try $0.update("notes", "n1", ["title": .text("a"), "headline": .text("b")])
      }
    }
    let entity = try await store.fetch("notes", "n1")
    #expect(entity?.fields.keys.sorted() == ["body", "count", "headline"])
    #expect(entity?["headline"] == .text("by its first name"))
    // Events in the log still use the first name.
    let box = Collected<String>()
    try await store.forEachEvent { logged in
      for operation in logged.event.body?.operations ?? [] {
        if case .update(_, _, let fields) = operation {
          box.append(contentsOf: fields.keys.sorted())
        }
      }
      return true
    }
    #expect(box.all == ["title", "title"])
    let changed = try await store.history(of: "notes", "n1").last?.changes.map(\.field)
    #expect(changed == ["headline"])
    // The field is renamed again, by either name, and back.
    try await store.write {
      try $0.define(
        Definition("notes", [.init("subject").formerly("headline")]))
    }
    #expect(try await store.schema()["notes"]?.fields.map(\.name) == ["subject", "body", "count"])
    try await store.rebuild()
    #expect(try await store.fetch("notes", "n1")?["subject"] == .text("by its first name"))
    try await store.write {
      try $0.define(Definition("notes", [.init("title").formerly("title")]))
    }
    #expect(try await store.schema()["notes"]?.fields.map(\.name) == ["title", "body", "count"])
    #expect(try await store.verify().isSound)
  }

  @Test("two replicas that rename one field agree on a name, and take writes under all names")
  func renamedTwice() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await store(here)
    let b = try await Store.create(at: there.url)
    try await bring(a, into: b)
    try await a.write { tx in
      try tx.define(Definition("notes", [.init("headline").formerly("title")]))
      try tx.update("notes", "n1", ["headline": .text("from a")])
    }
    try await b.write { tx in
      try tx.define(Definition("notes", [.init("subject").formerly("title")]))
      try tx.insert("notes", "n2", ["subject": .text("from b")])
    }
    try await bring(a, into: b)
    try await bring(b, into: a)
    #expect(try await a.schema() == b.schema())
    let name = try #require(try await a.schema()["notes"]?[field: "title"]?.name)
    #expect(["headline", "subject"].contains(name))
    for store in [a, b] {
      let rows = try await store.read {
        try String.fetchAll($0, sql: "SELECT \(name) FROM notes ORDER BY id")
      }
      #expect(rows == ["from a", "from b"])
      #expect(try await store.conflicts().all().map(\.attribute) == ["name"])
    }
  }

  @Test("a name that two replicas give to two fields goes to one of them")
  func contestedName() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await store(here)
    let b = try await Store.create(at: there.url)
    try await bring(a, into: b)
    let mine = Definition("notes", [.init("text").formerly("title")])
    let theirs = Definition("notes", [.init("text").formerly("body")])
    try await a.write { try $0.define(mine) }
    try await b.write { try $0.define(theirs) }
    try await bring(a, into: b)
    try await bring(b, into: a)
    for store in [a, b] {
      #expect(try await store.schema()["notes"]?.fields.map(\.name) == ["title", "text", "count"])
      let digest = try await store.digest()
      for definition in [mine, theirs] { try await store.write { try $0.define(definition) } }
      #expect(try await store.digest() == digest)
      #expect(try await store.fetch("notes", "n1")?["text"] == .text("buy it"))
    }
  }

  @Test("the name of a dropped field is free, and the field returns under its first name")
  func namesAreFreed() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.define(Definition("notes", [.init("headline").formerly("title")]))
      try tx.drop(field: "headline", of: "notes")
      try tx.define(self.field("headline", ["type": .text("text")]))
    }
    #expect(try await store.fetch("notes", "n1")?["headline"] == .null)
    try await store.write { try $0.define(self.field("title", ["type": .text("text")])) }
    #expect(try await store.fetch("notes", "n1")?["title"] == .text("Oat milk"))
    #expect(
      Set(try await store.schema()["notes"]?.fields.map(\.name) ?? [])
        == ["title", "body", "count", "headline"])
  }

  @Test("unique values and keys belong to a field under any name")
  func renamedUniqueAndKey() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let days = Definition(
      "days",
      [
        .integer("day"),
        .text("code").unique(),
      ]
    ).keyed(by: "day")
    let id = try await store.write { tx in
      try tx.define(days)
      return try tx.insert("days", ["day": .integer(1), "code": .text("x")])
    }
    try await store.write {
      try $0.define(
        Definition("days", [.init("date").formerly("day"), .init("label").formerly("code")]))
    }
    #expect(try await store.write { try $0.put("days", ["date": .integer(1)]) } == id)
    let clash: StoreError.UniqueClash?
    do {
      _ = try await store.write {
        try $0.insert("days", ["date": .integer(2), "label": .text("x")])
      }
      clash = nil
    } catch let error as StoreError { clash = error.clash }
    #expect(clash?.fields == ["label"])
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.update("days", id, ["date": .integer(3)]) }
    }
    #expect(try await refusal(store, days) == nil)
    #expect(try await store.schema()["days"]?.fields.map(\.name) == ["date", "label"])
  }
}

/// Items that a closure on another thread has collected.
final class Collected<T: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var items: [T] = []
  var all: [T] { lock.withLock { items } }
  func append(contentsOf more: [T]) { lock.withLock { items += more } }
}
