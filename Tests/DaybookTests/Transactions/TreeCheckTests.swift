import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Trees through the public surface: local writes are refused, merges are cut.
@Suite struct TreeCheckTests {
  static let folders = Definition(
    "folders",
    [
      .init(
        "parent",
        ["type": .text("text"), "references": .text("folders"), "tree": .boolean(true)]),
      .text("name"),
    ])

  private func store(_ folder: TemporaryStore) async throws -> Store {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.folders)
      try tx.insert("folders", "a")
      try tx.insert("folders", "b", ["parent": .text("a")])
      try tx.insert("folders", "c", ["parent": .text("b")])
    }
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

  private func parents(_ store: Store) async throws -> [String?] {
    try await store.read { db in
      try (String?).fetchAll(db, sql: "SELECT parent FROM folders ORDER BY id")
    }
  }

  @Test("no entity can become its own ancestor, by any write")
  func refusals() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    let cases: [(StoreError.Code?, @Sendable (WriteTransaction) throws -> Void)] = [
      (.wouldLoop, { try $0.update("folders", "a", ["parent": .text("c")]) }),
      (.wouldLoop, { try $0.put("folders", "a", ["parent": .text("a")]) }),
      (.wouldLoop, { try $0.insert("folders", "d", ["parent": .text("d")]) }),
      (
        .wouldLoop,
        { tx in
          try tx.insert("folders", "d", ["parent": .text("c")])
          try tx.update("folders", "b", ["parent": .text("d")])
        }
      ),
      (
        .wouldLoop,
        { tx in
          try tx.delete("folders", "b")
          try tx.update("folders", "a", ["parent": .text("c")])
          try tx.restore("folders", "b")
        }
      ),
      (
        .wouldLoop,
        { tx in
          // The new parent is not there yet.
          try tx.update("folders", "a", ["parent": .text("z")])
          try tx.insert("folders", "z", ["parent": .text("c")])
        }
      ),
      (nil, { try $0.update("folders", "c", ["parent": .text("a"), "name": .text("moved")]) }),
      (nil, { try $0.update("folders", "b", ["parent": .text("c")]) }),
      (.wouldLoop, { try $0.update("folders", "c", ["parent": .text("b")]) }),
    ]
    for (index, (code, body)) in cases.enumerated() {
      #expect(try await refusal(store, body) == code, "case \(index)")
    }
    #expect(try await parents(store) == [nil, "c", "a"])
  }

  @Test("a circle that a merge makes is cut at the same place everywhere, and listed")
  func merge() async throws {
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let a = try await Store.create(at: here.url)
    try await a.write { tx in
      try tx.define(Self.folders)
      for id in ["x", "y"] { try tx.insert("folders", id) }
    }
    let b = try await Store.create(at: there.url)
    try await bring(a, into: b)
    try await a.write { try $0.update("folders", "x", ["parent": .text("y")]) }
    try await b.write { try $0.update("folders", "y", ["parent": .text("x")]) }
    try await bring(a, into: b)
    try await bring(b, into: a)
    let hidden = try await a.hidden().all()
    #expect(hidden.map(\.reason) == [.cycle])
    #expect(try await b.hidden().all() == hidden)
    #expect(try await parents(a) == parents(b))
    #expect(try await parents(a).compactMap { $0 }.count == 1)
    #expect(try await a.status().cycles == 1)
    let cut = try #require(hidden.first).id
    #expect(try await a.fetch("folders", cut)?["parent"] == .null)
    #expect(try await a.digest().digest == b.digest().digest)
    // A move of the other entity shows the reference that was cut.
    let other = cut == "x" ? "y" : "x"
    try await a.write { try $0.update("folders", other, ["parent": .null]) }
    #expect(try await a.hidden().all().isEmpty)
    #expect(try await a.fetch("folders", cut)?["parent"] == .text(other))
    #expect(try await a.verify().isSound)
    try await bring(a, into: b)
    #expect(try await parents(a) == parents(b))
  }

  @Test("only a text that refers to its own collection can be a tree")
  func definitions() async throws {
    let folder = try TemporaryStore()
    let store = try await store(folder)
    for attributes: [String: Value] in [
      ["tree": .boolean(true)], ["tree": .text("yes")],
      ["tree": .boolean(true), "references": .text("other")],
      ["tree": .boolean(true), "references": .text("folders"), "type": .text("integer")],
    ] {
      let definition = Definition("folders", [.init("above", attributes)])
      #expect(try await refusal(store) { try $0.define(definition) } == .invalidName)
    }
    #expect(
      try await refusal(store) {
        try $0.define(
          Definition("folders", [.init("name", ["tree": .boolean(true)])]))
      } == .invalidName)
    // A field with a circle in its values cannot become a tree either.
    let above = Definition("folders", [.text("above").references("folders")])
    let tree = Definition("folders", [.init("above", ["tree": .boolean(true)])])
    try await store.write { tx in
      try tx.define(above)
      try tx.update("folders", "b", ["above": .text("c")])
      try tx.update("folders", "c", ["above": .text("b")])
    }
    #expect(try await refusal(store) { try $0.define(tree) } == .wouldLoop)
    try await store.write { try $0.update("folders", "c", ["above": .text("a")]) }
    #expect(try await refusal(store) { try $0.define(tree) } == nil)
    #expect(
      try await refusal(store) { try $0.update("folders", "a", ["above": .text("b")]) }
        == .wouldLoop)
  }
}
