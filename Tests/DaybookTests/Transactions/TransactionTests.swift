import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Transactions: their effects and refusals.
@Suite struct TransactionTests {
  static let links = Definition(
    collection: "links", attributes: ["relationship": .boolean(true)],
    fields: [.text("kind")])

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.define(Self.links)
      try tx.insert("notes", "n1", ["title": .text("one"), "weight": .real(1)])
    }
    return store
  }

  /// Returns the code of the error that a transaction throws. Expects that the transaction changes
  /// nothing.
  private func refusal(
    _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> StoreError.Code? {
    let before = try await store.digest()
    do {
      try await store.write(body)
      return nil
    } catch let error as StoreError {
      let after = try await store.digest()
      #expect(after == before)
      return error.code
    }
  }

  @Test("every refusal has its code and changes nothing")
  func refusals() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let version = try #require(try await store.fetch("notes", "n1")).version
    try await store.write { try $0.update("notes", "n1", ["title": .text("uno")]) }
    let cases: [(StoreError.Code, @Sendable (WriteTransaction) throws -> Void)] = [
      (.entityExists, { try $0.insert("notes", "n1") }),
      (.entityExists, { try $0.restore("notes", "n1") }),
      (.noSuchEntity, { try $0.update("notes", "x", ["title": .text("")]) }),
      (.noSuchEntity, { try $0.delete("notes", "x") }),
      (.noSuchEntity, { try $0.restore("notes", "x") }),
      (.noSuchEntity, { try $0.erase("notes", "x") }),
      (
        .versionMismatch,
        { try $0.update("notes", "n1", ["title": .text("")], expecting: version) }
      ),
      (.versionMismatch, { try $0.delete("notes", "n1", expecting: version) }),
      (.unknownName, { try $0.insert("nothing", "x") }),
      (.unknownName, { try $0.insert("notes", "x", ["nothing": .null]) }),
      (.unknownName, { try $0.drop(collection: "nothing") }),
      (.unknownName, { try $0.drop(field: "nothing", of: "notes") }),
      (.wrongType, { try $0.insert("notes", "x", ["title": .integer(1)]) }),
      (.wrongType, { try $0.insert("notes", "x", ["weight": .real(.nan)]) }),
      (.wrongType, { try $0.insert("notes", "x", ["weight": .real(.infinity)]) }),
      (.wrongType, { try $0.insert("notes", "x", ["weight": .integer(.max)]) }),
      (.wrongType, { try $0.insert("links", "l", ["source": .text("n1")]) }),
      (.wrongType, { try $0.insert("links", "l", ["target": .text("n1"), "source": .null]) }),
      (.invalidID, { try $0.insert("notes", "") }),
      (.invalidID, { try $0.insert("notes", String(repeating: "x", count: 1025)) }),
      (.contradiction, { try $0.define(Self.notes(["weight": ["type": .text("text")]])) }),
      (
        .contradiction,
        {
          try $0.define(
            Definition("notes").relationship())
        }
      ),
      (.invalidName, { try $0.define(Definition("Notes")) }),
      (.invalidName, { try $0.define(Definition("bad name")) }),
      (.invalidName, { try $0.define(Definition("sqlite_x")) }),
      (.invalidName, { try $0.define(Self.notes(["Title": ["type": .text("text")]])) }),
      (.invalidName, { try $0.define(Self.notes(["Id": ["type": .text("text")]])) }),
      (.invalidName, { try $0.define(Self.notes(["new": ["type": .text("odd")]])) }),
      (.invalidName, { try $0.define(Self.notes(["a": [:], "A": [:]])) }),
      (.invalidName, { try $0.define(Self.notes(["title": ["a b": .null]])) }),
      (
        .invalidName,
        { try $0.define(Definition(collection: "more", attributes: ["a b": .boolean(true)])) }
      ),
    ]
    for (index, (code, body)) in cases.enumerated() {
      let found = try await refusal(store, body)
      #expect(found == code, "case \(index)")
    }
    let verification = try await store.verify()
    #expect(verification.isSound, "\(verification)")
    try await store.close()
  }

  private static func notes(_ fields: [String: [String: Value]]) -> Definition {
    Definition(
      "notes", fields.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }
    )
  }

  @Test("an insert over a deleted or erased entity shows only its own fields")
  func insertDoesNotResurrect() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    try await store.write { tx in
      try tx.delete("notes", "n1")
      #expect(try tx.fetch("notes", "n1") == nil)
      try tx.insert("notes", "n1", ["body": .text("new")])
      #expect(try tx.fetch("notes", "n1")?.fields == ["body": .text("new")])
    }
    #expect(try await store.fetch("notes", "n1")?.fields == ["body": .text("new")])
    try await store.write { try $0.delete("notes", "n1") }
    try await store.write { try $0.restore("notes", "n1") }
    #expect(try await store.fetch("notes", "n1")?.fields == ["body": .text("new")])
    try await store.write { tx in
      try tx.erase("notes", "n1")
      try tx.insert("notes", "n1", ["title": .text("again")])
    }
    #expect(try await store.fetch("notes", "n1")?.fields == ["title": .text("again")])
    try await store.write { try $0.erase("notes", "n1") }
    #expect(try await refusal(store) { try $0.restore("notes", "n1") } == .noSuchEntity)
    let digest = try await store.digest()
    try await store.rebuild()
    #expect(try await store.digest() == digest)
    #expect(try await store.verify().isSound)
    try await store.close()
  }

  @Test("a write that expects a version succeeds once, and put inserts or updates")
  func versions() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let read = try #require(try await store.fetch("notes", "n1"))
    try await store.write {
      try $0.update("notes", "n1", ["title": .text("two")], expecting: read.version)
    }
    let next = try #require(try await store.fetch("notes", "n1"))
    #expect(next.version != read.version)
    try await store.write { try $0.delete("notes", "n1", expecting: next.version) }
    try await store.write { tx in
      try tx.put("notes", "n2", ["title": .text("a")])
      try tx.put("notes", "n2", ["body": .text("b")])
    }
    let put = try await store.fetch("notes", "n2")
    #expect(put?.fields == ["title": .text("a"), "body": .text("b")])
    try await store.close()
  }

  @Test("a transaction that changes nothing writes no event")
  func nothing() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let value = try await store.write { _ in 7 }
    #expect(value == 7)
    #expect(try await store.digest().vector.isEmpty)
    let odd = Definition(
      collection: "odd", attributes: ["title": .text("Odd")],
      fields: [
        .integer("count").searchable(),
        .init("place", ["type": .text("text"), "position": .integer(9), "hint": .text("h")]),
      ])
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.define(Self.links)
      try tx.define(odd)
      try tx.insert("notes", "n1", ["title": .text("one"), "weight": .integer(1)])
    }
    let before = try await store.digest()
    try await store.write { try $0.update("notes", "n1", ["title": .text("one")]) }
    try await store.write { try $0.update("notes", "n1", ["weight": .integer(1)]) }
    try await store.write { try $0.define(StoreTests.notes) }
    try await store.write { try $0.define(Self.links) }
    try await store.write { try $0.define(odd) }
    #expect(try await store.digest() == before)
    try await store.close()
  }

  struct TypedNote: Entity {
    static let collection = "notes"
    static let fields: [EntityField<TypedNote>] = [.field("title", \.title)]
    var id = ID()
    var title = ""
  }

  @Test("a transaction is unusable after its closure has returned or thrown")
  func afterwards() async throws {
    final class Box: @unchecked Sendable { var transactions: [WriteTransaction] = [] }
    struct Stop: Error {}
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let box = Box()
    try await store.write { tx in
      box.transactions.append(tx)
      try tx.insert("notes", "n2")
    }
    try? await store.write { tx in
      box.transactions.append(tx)
      throw Stop()
    }
    try await store.write { box.transactions.append($0) }
    let before = try await store.digest()
    for transaction in box.transactions {
      #expect { try transaction.insert("notes", "n3") } throws: {
        ($0 as? StoreError)?.code == .closed
      }
      let note = TypedNote(id: "n3")
      let calls: [() throws -> Any] = [
        { try transaction.define(Definition("x")) }, { try transaction.database },
        { try transaction.nested { _ in } }, { try transaction.fetch("notes", "n1") as Any },
        { try transaction.fetch(note.id) as Any }, { try transaction.fetch(TypedNote.all) },
        { try transaction.fetchOne(TypedNote.all) as Any },
        { try transaction.fetch(TypedNote.all.count()) },
        { try transaction.insert(note) }, { try transaction.insertOrOverwrite([note]) },
        { try transaction.update(where: TypedNote.all) { $0.title = "x" } },
        { try transaction.delete(where: TypedNote.all) },
        { try transaction.set(\.title, of: note.id, to: "x") },
        { try transaction.version(of: note.id) as Any },
        { try transaction.fetchVersioned(note.id) as Any },
        { try transaction.update(from: Versioned(note), to: note) },
        { try transaction.conflicts("notes", "n1") },
        { try transaction.edit("notes", "n1", "title") { _ in } },
        { try transaction.put("notes", "n1", [:]) }, { try transaction.restore(note.id) },
        { try transaction.erase("notes", "n1") }, { try transaction.drop(collection: "notes") },
      ]
      for (number, call) in calls.enumerated() {
        let error = #expect(throws: StoreError.self, "call \(number)") { _ = try call() }
        #expect(error?.code == .closed, "call \(number)")
      }
    }
    #expect(try await store.digest() == before)
    try await store.close()
  }

  @Test("an event of up to 16 MiB is written, and a larger one is refused")
  func limit() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let most = (16 << 20) - 400
    @Sendable func write(_ tx: WriteTransaction, _ id: String, _ count: Int) throws {
      try tx.define(StoreTests.notes)
      try tx.insert("notes", id, ["title": .text(String(repeating: "x", count: count))])
    }
    try await store.write { try write($0, "n1", most) }
    let code = try await refusal(store) { try write($0, "n2", 16 << 20) }
    #expect(code == .tooLarge)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 3..<6 {
        group.addTask { try await store.write { try write($0, "n\(number)", most) } }
      }
      try await group.waitForAll()
    }
    let count = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
    #expect(count == 4)
    try await store.close()
  }

  @Test("each of many concurrent transactions, some of which fail, is written whole or not at all")
  func group() async throws {
    struct Stop: Error {}
    let folder = try TemporaryStore()
    let store = try await store(folder)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<120 {
        group.addTask {
          try? await store.write { tx in
            if number % 5 == 0 { try tx.define(Definition("c\(number)")) }
            try tx.insert("notes", "a\(number)", ["title": .text("\(number)")])
            if number % 3 == 0 { throw Stop() }
            if number % 7 == 0 { try tx.update("notes", "missing", [:]) }
            try tx.insert("notes", "b\(number)")
            try tx.put("notes", "shared", ["weight": .real(Double(number))])
          }
        }
      }
    }
    let good = (0..<120).filter { $0 % 3 != 0 && $0 % 7 != 0 }
    let ids = try await store.read {
      try Set(String.fetchAll($0, sql: "SELECT id FROM notes WHERE id GLOB '[ab]*'"))
    }
    #expect(ids == Set(good.flatMap { ["a\($0)", "b\($0)"] }))
    let schema = try await store.schema()
    for number in stride(from: 0, to: 120, by: 5) {
      #expect((schema["c\(number)"] != nil) == good.contains(number))
    }
    #expect(try await store.history(of: "notes", "shared").count == good.count)
    let verification = try await store.verify()
    #expect(verification.isSound, "\(verification)")
    try await store.close()
  }
}
