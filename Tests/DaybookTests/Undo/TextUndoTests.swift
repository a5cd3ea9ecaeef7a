import DaybookEventCore
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Undo of edits of texts: they are taken out of what others have edited since.
///
/// `TextAnchorTests` compares undos in random histories with the reference model.
@Suite(.timeLimit(.minutes(10))) struct TextUndoTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store(_ name: String = "a", body: String = "milk, bread") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      try tx.define(LiveTextTests.notes)
      try tx.insert("notes", "n1", ["body": .text(body), "title": "one"])
    }
    return store
  }

  private func edit(
    _ store: Store, _ change: @escaping @Sendable (inout EditableText) throws -> Void
  ) async throws -> EventID {
    try await store.write { tx in
      try tx.edit("notes", "n1", "body", change)
      return tx.event
    }
  }

  private func body(_ store: Store) async throws -> Value? {
    try await store.fetch("notes", "n1")?["body"]
  }

  @Test("an edit is taken out among later edits, and put back in its place")
  func among() async throws {
    defer { place.remove() }
    let store = try await store()
    let ann = try await edit(store) { try $0.replace(0..<4, with: "oat milk") }
    _ = try await edit(store) { try $0.insert("cold ", at: 4) }
    _ = try await edit(store) { $0.append("!") }
    #expect(try await body(store) == "oat cold milk, bread!")
    for _ in 0..<3 {
      let undo = try await store.undo(ann, actor: "ann")
      #expect(undo != nil)
      #expect(try await body(store) == "cold milk, bread!")
      // Undone twice is undone once.
      #expect(try await store.undo(ann) == nil)
      try await store.redo(ann)
      #expect(try await body(store) == "oat cold milk, bread!")
    }
    let kinds = try await store.history(of: "notes", "n1").map(\.kind)
    #expect(kinds == [.insert, .edit, .edit, .edit, .undo, .redo, .undo, .redo, .undo, .redo])
    try await store.close()
  }

  @Test("what two authors have deleted comes back when both deletions are undone")
  func shared() async throws {
    defer { place.remove() }
    let a = try await store(body: "one two three")
    let b = try await place.store("b")
    try await a.syncOnce(with: StorePeer(b))
    let mine = try await edit(a) { try $0.delete(0..<8) }
    let theirs = try await edit(b) { try $0.delete(4..<8) }
    try await a.syncOnce(with: StorePeer(b))
    #expect(try await body(a) == "three")
    try await b.undo(mine)
    #expect(try await body(b) == "one three")
    try await a.syncOnce(with: StorePeer(b))
    try await a.undo(theirs)
    #expect(try await body(a) == "one two three")
    try await a.redo(mine)
    #expect(try await body(a) == "three")
    try await place.close([a, b])
  }

  @Test("an edit beside writes of other fields is undone with them")
  func fields() async throws {
    defer { place.remove() }
    let store = try await store()
    let both = try await store.write { tx in
      try tx.edit("notes", "n1", "body") { $0.append("!") }
      try tx.update("notes", "n1", ["title": "two", "count": 2])
      return tx.event
    }
    _ = try await edit(store) { try $0.insert("oat ", at: 0) }
    try await store.undo(both)
    let note = try await store.fetch("notes", "n1")
    #expect(note?["body"] == "oat milk, bread" && note?["title"] == "one")
    try await store.redo(both)
    #expect(try await body(store) == "oat milk, bread!")
    try await store.write { try $0.update("notes", "n1", ["title": "three"]) }
    try await store.undo(both)
    let later = try await store.fetch("notes", "n1")
    #expect(later?["body"] == "oat milk, bread" && later?["title"] == "three")
    try await store.close()
  }

  @Test("an edit of a text that was assigned anew, or of an entity that is gone")
  func replaced() async throws {
    defer { place.remove() }
    let store = try await store()
    let first = try await edit(store) { $0.append("!") }
    let assigned = try await store.write { tx in
      try tx.delete("notes", "n1")
      try tx.insert("notes", "n1", ["body": "new"])
      return tx.event
    }
    // Without the assignment, the field shows the text before, with its edits.
    try await store.undo(assigned)
    #expect(try await body(store) == "milk, bread!")
    try await store.redo(assigned)
    try await store.undo(first)
    #expect(try await body(store) == "new")
    let second = try await edit(store) { $0.append("?") }
    try await store.write { try $0.delete("notes", "n1") }
    #expect(try await store.undo(second) != nil)
    try await store.write { try $0.restore("notes", "n1") }
    #expect(try await body(store) == "new")
    try await store.close()
  }

  @Test("undos that wait among other edits of the text take out the right ones")
  func together() async throws {
    defer { place.remove() }
    let store = try await store(body: "")
    var events: [EventID] = []
    for number in 0..<20 {
      events.append(try await edit(store) { $0.append("<\(number)>") })
    }
    try await withThrowingTaskGroup { group in
      for event in events[..<10] { group.addTask { _ = try await store.undo(event) } }
      for number in 20..<40 {
        group.addTask { _ = try await self.edit(store) { $0.append("<\(number)>") } }
      }
      try await group.waitForAll()
    }
    guard case .text(let text)? = try await body(store) else {
      Issue.record("there is no text")
      return
    }
    #expect(text.hasPrefix((10..<20).map { "<\($0)>" }.joined()))
    for number in 0..<40 { #expect(text.contains("<\(number)>") == (number >= 10)) }
    try await store.rebuild()
    #expect(try await body(store) == .text(text))
    try await store.close()
  }
}
