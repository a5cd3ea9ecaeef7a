import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Undo and redo: what an event has written is taken back by a new one.
@Suite struct UndoTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  static let notes = Definition("notes", [.text("title"), .integer("count"), .text("body")])

  private func store(_ name: String = "a") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { try $0.define(Self.notes) }
    return store
  }

  private func state(_ store: Store) async throws -> [String: [String: Value]] {
    try await store.read { db, schema in
      var state: [String: [String: Value]] = [:]
      try db.forEachRow("SELECT id, title, count, body FROM notes") { row in
        state[row.text(0)] = [
          "title": row.isNull(1) ? .null : .text(row.text(1)),
          "count": row.isNull(2) ? .null : .integer(row.integer(2)),
          "body": row.isNull(3) ? .null : .text(row.text(3)),
        ]
      }
      return state
    }
  }

  @Test("inserts, updates, deletions and restorations are undone, and redone")
  func each() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert("notes", "kept", ["title": "one", "count": 1])
      try tx.insert("notes", "gone", ["title": "gone"])
    }
    try await store.write { try $0.delete("notes", "gone") }
    let before = try await state(store)
    let edit = try await store.write { tx in
      try tx.insert("notes", "new", ["title": "new"])
      try tx.update("notes", "new", ["title": "newer"])
      try tx.update("notes", "kept", ["title": "two", "count": .null, "body": "b"])
      try tx.restore("notes", "gone")
      return tx.event
    }
    let after = try await state(store)
    for _ in 1...2 {
      let undo = try #require(try await store.undo(edit, actor: "ann"))
      #expect(try await state(store) == before)
      let event = try await store.events(EventQuery(limit: 1, isNewestFirst: true)).all().first
      #expect(event?.id == undo && event?.actor == "ann" && event?.label == "undo")
      try await store.redo(edit)
      #expect(try await state(store) == after)
    }
    let deletion = try await store.write { tx in
      try tx.update("notes", "kept", ["title": "three"])
      try tx.delete("notes", "kept")
      return tx.event
    }
    try await store.undo(deletion)
    #expect(try await state(store) == after)
    #expect(try await store.undo(deletion) == nil)
    try await store.close()
  }

  @Test("what others have written to a new entity stands against its undo, and is named")
  func blocked() async throws {
    defer { place.remove() }
    let store = try await store()
    let edit = try await store.write { tx in
      try tx.insert("notes", "n1", ["title": "one"])
      return tx.event
    }
    let second = try await store.write(actor: "bob") { tx in
      try tx.update("notes", "n1", ["body": "bob's"])
      return tx.event
    }
    let third = try await store.write(actor: "cem") { tx in
      try tx.update("notes", "n1", ["body": "cem's"])
      return tx.event
    }
    let before = try await state(store)
    await #expect { try await store.undo(edit) } throws: { error in
      guard let error = error as? StoreError else { return false }
      return error.code == .undoBlocked && error.blockingEvent == third
        && error.message.contains("body of") && error.message.contains("cem")
    }
    #expect(try await state(store) == before)
    // A later write to the same field stays.
    #expect(try await store.undo(second) != nil)
    #expect(try await state(store) == before)
    try await store.undo(third)
    #expect(try await state(store)["n1"]?["body"] == .null)
    try await store.redo(second)
    #expect(try await state(store)["n1"]?["body"] == "bob's")
    try await store.undo(second)
    try await store.undo(edit)
    #expect(try await state(store).isEmpty)
    let erasure = try await store.write { tx in
      try tx.erase("notes", "n1")
      return tx.event
    }
    let definition = try await store.write { tx in
      try tx.define(Definition("more", [.text("x")]))
      return tx.event
    }
    for event in [erasure, definition] {
      await #expect { try await store.undo(event) } throws: {
        ($0 as? StoreError)?.code == .undoBlocked
      }
    }
    await #expect { try await store.undo(EventID(store.replica, 10_000)) } throws: {
      ($0 as? StoreError)?.code == .invalidPosition
    }
    await #expect { try await store.redo(definition) } throws: {
      ($0 as? StoreError)?.code == .invalidPosition
    }
    try await store.close()
  }

  @Test("everything that one actor has written since a moment is taken back at once")
  func byActor() async throws {
    defer { place.remove() }
    let store = try await store()
    let start = try await store.write(actor: "ann") { tx in
      try tx.insert("notes", "n1", ["title": "one", "body": "one"])
      return tx.event
    }
    try await store.write(actor: "bob") { try $0.update("notes", "n1", ["title": "two"]) }
    try await store.write(actor: "ann") { try $0.update("notes", "n1", ["count": 7]) }
    try await store.write(actor: "bob") { tx in
      try tx.update("notes", "n1", ["title": "three"])
      try tx.insert("notes", "n2", ["title": "bob's"])
    }
    #expect(try await store.undo(by: "bob", since: .event(start)) != nil)
    #expect(
      try await state(store) == ["n1": ["title": "one", "body": "one", "count": 7]])
    #expect(try await store.undo(by: "nobody", since: .event(start)) == nil)
    try await store.close()
  }

  /// What a random event has done: to an entity, and with which values.
  private struct Edit {
    enum Kind { case insert, update, delete }
    var event: EventID
    var id = ""
    var kind = Kind.update
    var values: [String: Value] = [:]
  }

  /// The state that edits make, one after the other.
  private static func state(of edits: [Edit]) -> [String: [String: Value]] {
    var (live, values): (Set<String>, [String: [String: Value]]) = ([], [:])
    for edit in edits {
      switch edit.kind {
      case .insert: live.insert(edit.id)
      case .delete: live.remove(edit.id)
      case .update: break
      }
      values[edit.id, default: ["title": .null, "count": .null, "body": .null]]
        .merge(edit.values) { $1 }
    }
    return values.filter { live.contains($0.key) }
  }

  @Test(
    "in random histories the state is that of the events that are not undone",
    arguments: 1...6)
  func random(seed: UInt64) async throws {
    defer { place.remove() }
    var random = SplitMix64(seed: seed)
    let store = try await store()
    var edits: [Edit] = []
    var undone: Set<EventID> = []
    var (undos, redos, refusals) = (0, 0, 0)
    for _ in 0..<120 {
      let before = try await state(store)
      guard let subject = edits.randomElement(using: &random)?.event,
        Int.random(in: 0..<3, using: &random) > 0
      else {
        if let edit = try await edit(store, before, &random) { edits.append(edit) }
        continue
      }
      do {
        if undone.contains(subject) {
          try await store.redo(subject)
          undone.remove(subject)
          redos += 1
        } else {
          #expect(try await store.undo(subject) != nil)
          undone.insert(subject)
          undos += 1
        }
        let counting = edits.filter { !undone.contains($0.event) }
        #expect(try await state(store) == Self.state(of: counting), "seed \(seed): \(subject)")
      } catch let error as StoreError where error.code == .undoBlocked {
        refusals += 1
        #expect(try await state(store) == before)
        let blocking = try #require(edits.first { $0.event == error.blockingEvent })
        #expect(blocking.id == edits.first { $0.event == subject }?.id)
        #expect(blocking.event > subject && !undone.contains(blocking.event))
      }
    }
    #expect(undos > 10 && redos > 5 && refusals > 0)
    let other = try await place.store("b")
    let third = try await place.store("c")
    try await other.syncOnce(with: StorePeer(store))
    try await third.syncOnce(with: StorePeer(other))
    #expect(try await state(third) == (try await state(store)))
    #expect(try await third.digest() == (try await store.digest()))
    try await store.rebuild()
    #expect(try await third.digest() == (try await store.digest()))
    try await place.close([store, other, third])
  }

  /// Writes one random event; nil if it changes nothing.
  private func edit(
    _ store: Store, _ state: [String: [String: Value]], _ random: inout SplitMix64
  ) async throws -> Edit? {
    let id = "n\(Int.random(in: 0..<4, using: &random))"
    let number = Int64(Int.random(in: 0..<1000, using: &random))
    let field = ["title", "body"].randomElement(using: &random) ?? "title"
    let isDeletion = Int.random(in: 0..<4, using: &random) == 0
    let isLive = state[id] != nil
    return try await store.write { tx in
      if !isLive {
        try tx.insert("notes", id, ["title": .text("\(number)")])
      } else if isDeletion {
        try tx.delete("notes", id)
      } else {
        try tx.update(
          "notes", id, [field: .text("-\(number)"), "count": .integer(number + 1000)])
      }
      // An insert also clears what an earlier life has left, and an update leaves out what is so.
      switch tx.operations.last {
      case .insert(_, _, let values)?:
        return Edit(event: tx.event, id: id, kind: .insert, values: values)
      case .update(_, _, let values)?:
        return Edit(event: tx.event, id: id, kind: .update, values: values)
      case .delete?: return Edit(event: tx.event, id: id, kind: .delete)
      default: return nil
      }
    }
  }
}
