import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// What refers to entities that an undo takes away, or that a restoration brings back.
@Suite struct UndoReferencesTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private static let definitions = [
    Definition(
      "folders", [.text("name").unique(), .text("above").references("folders").onDelete(.cascade)]),
    Definition(
      "notes",
      [
        .text("title"), .text("folder").references("folders").onDelete(.cascade),
        .text("other").references("folders").onDelete(.nullify),
        .text("kept").references("folders"),
      ]),
    Definition(
      "pins",
      [
        .text("from").references("folders").onDelete(.cascade),
        .text("to").references("notes").onDelete(.cascade),
      ]),
  ]

  private func store(_ name: String = "a") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in for one in Self.definitions { try tx.define(one) } }
    return store
  }

  /// All live entities, with what they refer to.
  private func state(_ store: Store) async throws -> Set<String> {
    try await store.read { db, _ in
      var state: Set<String> = []
      let statements = [
        "SELECT 'folder ' || id || ' ' || ifnull(above, '-') FROM folders",
        """
        SELECT 'note ' || id || ' ' || ifnull(folder, '-') || ' ' || ifnull(other, '-') FROM notes
        """,
        "SELECT 'pin ' || id || ' ' || \"from\" || ' ' || \"to\" FROM pins",
      ]
      for sql in statements { try db.forEachRow(sql) { state.insert($0.text(0)) } }
      return state
    }
  }

  private func write(
    _ store: Store, actor: String = "ann",
    _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) async throws -> EventID {
    try await store.write(actor: actor) { tx in
      try body(tx)
      return tx.event
    }
  }

  @Test("an undone insertion takes along what refers to it by the rules, and a redo brings it back")
  func insertion() async throws {
    defer { place.remove() }
    let store = try await store()
    let insertion = try await write(store) { try $0.insert("folders", "f", ["name": "f"]) }
    _ = try await write(store, actor: "bob") { tx in
      try tx.insert("folders", "g", ["name": "g"])
      try tx.insert("folders", "below", ["name": "below", "above": "f"])
      try tx.insert("notes", "n", ["folder": "f", "other": "f"])
      try tx.insert("notes", "m", ["folder": "g", "other": "f", "kept": "f"])
      try tx.insert("notes", "deep", ["folder": "below"])
      try tx.insert("pins", "p", ["from": "g", "to": "n"])
      try tx.insert("pins", "q", ["from": "f", "to": "m"])
    }
    let before = try await state(store)
    let left: Set = ["folder g -", "note m g -"]
    let digest = try await store.digest()
    for _ in 1...2 {
      let undo = try #require(try await store.undo(insertion))
      #expect(try await state(store) == left)
      try await store.redo(insertion)
      #expect(try await state(store) == before)
      // The undo of an undo is a redo, whichever of the undos is named.
      let second = try #require(try await store.undo(insertion))
      #expect(try await state(store) == left)
      #expect(try await store.undo(undo) != nil)
      #expect(try await state(store) == before)
      #expect(try await store.undo(second) == nil)
    }
    #expect(try await store.digest() != digest)
    let other = try await place.store("b")
    try await other.syncOnce(with: StorePeer(store))
    #expect(try await state(other) == before)
    #expect(try await store.verify().isSound)
    try await place.close([store, other])
  }

  @Test("a restoration with referrers brings back what the deletion took along, and no more")
  func restoration() async throws {
    defer { place.remove() }
    let store = try await store()
    _ = try await write(store) { tx in
      for name in ["f", "g"] { try tx.insert("folders", name, ["name": .text(name)]) }
      try tx.insert("folders", "below", ["name": "below", "above": "f"])
      try tx.insert("notes", "n", ["folder": "below", "other": "f"])
      try tx.insert("notes", "m", ["folder": "g", "other": "f"])
      try tx.insert("notes", "own", ["folder": "f"])
      try tx.insert("notes", "gs", ["folder": "g"])
      try tx.insert("pins", "p", ["from": "g", "to": "n"])
    }
    _ = try await write(store) { try $0.delete("notes", "own") }
    let before = try await state(store)
    // Both went in one event. What referred to the other one stays away.
    let deletion = try await write(store) { tx in
      try tx.delete("folders", "f")
      try tx.delete("folders", "g")
    }
    #expect(try await state(store).isEmpty)
    let restoration = try await write(store) { try $0.restore("folders", "f", withReferrers: true) }
    #expect(try await state(store) == ["folder f -", "folder below f", "note n below f"])
    _ = try await write(store) { try $0.restore("folders", "g", withReferrers: true) }
    #expect(try await state(store) == before)
    // The undo that would have brought all of it back goes on working, as do the others.
    try await store.undo(deletion)
    #expect(try await state(store) == before)
    try await store.redo(deletion)
    try await store.undo(restoration)
    try await store.undo(deletion)
    #expect(try await state(store) == before)
    #expect(try await store.verify().isSound)
    try await store.close()
  }

  @Test("a plain restoration does not stand against the undo of the deletion")
  func plain() async throws {
    defer { place.remove() }
    let store = try await store()
    _ = try await write(store) { tx in
      try tx.insert("folders", "f", ["name": "f"])
      try tx.insert("notes", "n", ["folder": "f", "other": "f"])
    }
    let before = try await state(store)
    let deletion = try await write(store) { try $0.delete("folders", "f") }
    _ = try await write(store) { tx in
      try tx.restore("folders", "f")
      try tx.update("folders", "f", ["name": "g"])
    }
    #expect(try await state(store) == ["folder f -"])
    try await store.undo(deletion)
    #expect(try await state(store) == before)
    try await store.close()
  }

  @Test("what others wrote since stays, and a restoration that cannot be whole changes nothing")
  func refused() async throws {
    defer { place.remove() }
    let store = try await store()
    _ = try await write(store) { tx in
      try tx.insert("folders", "f", ["name": "f"])
      try tx.insert("folders", "below", ["name": "taken", "above": "f"])
      try tx.insert("notes", "n", ["title": "n", "other": "f"])
    }
    _ = try await write(store) { try $0.delete("folders", "f") }
    _ = try await write(store) { tx in
      try tx.insert("folders", "g", ["name": "taken"])
      try tx.update("notes", "n", ["other": "g"])
    }
    let before = try await state(store)
    try await store.write { tx in
      #expect(throws: StoreError.self) {
        try tx.restore("folders", "f", withReferrers: true)
      }
      #expect(tx.isEmpty)
    }
    #expect(try await state(store) == before)
    _ = try await write(store) { tx in
      try tx.update("folders", "g", ["name": "free"])
      try tx.restore("folders", "f", withReferrers: true)
    }
    #expect(try await state(store) == before.union(["folder f -", "folder below f"]))
    try await store.close()
  }

  @Test("a deletion of the same transaction, and of its group, is restored with what went along")
  func together() async throws {
    defer { place.remove() }
    let store = try await store()
    _ = try await write(store) { tx in
      for number in 0..<20 {
        try tx.insert("folders", "f\(number)", ["name": .text("\(number)")])
        try tx.insert("notes", "n\(number)", ["folder": .text("f\(number)")])
        try tx.insert("notes", "m\(number)", ["other": .text("f\(number)")])
      }
    }
    let before = try await state(store)
    try await store.write { tx in
      try tx.delete("folders", "f0")
      try tx.restore("folders", "f0", withReferrers: true)
    }
    #expect(try await state(store) == before)
    let deletions = (0..<20).map { number in
      SeriesWrite(actor: nil, label: "") { try $0.delete("folders", "f\(number)") }
    }
    let restorations = (0..<20).map { number in
      SeriesWrite(actor: nil, label: "") {
        try $0.restore("folders", "f\(number)", withReferrers: true)
      }
    }
    #expect(await store.write(series: deletions + restorations).failure == nil)
    #expect(try await state(store) == before)
    #expect(try await store.verify().isSound)
    try await store.close()
  }

  @Test("entities whose ids Unicode holds to be equivalent are undone each")
  func equivalentIDs() async throws {
    defer { place.remove() }
    let store = try await store()
    let event = try await write(store) { tx in
      for id in ["\u{e9}", "e\u{301}"] { try tx.insert("notes", id, ["title": "e"]) }
    }
    #expect(try await state(store).isEmpty == false)
    try await store.undo(event)
    #expect(try await state(store).isEmpty)
    try await store.redo(event)
    #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } == 2)
    try await store.close()
  }
}
