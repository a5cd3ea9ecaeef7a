import DaybookSimulation
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// What an app's buttons for undo and redo offer, and do.
@Suite struct UndoStackTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store(_ name: String = "a") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title"), .text("code").unique()]))
    }
    return store
  }

  @discardableResult
  private func write(
    _ store: Store, _ actor: String, _ label: String, _ title: String, in id: String = "n"
  ) async throws -> EventID {
    try await store.write(actor: actor, label: label) { tx in
      try tx.put("notes", id, ["title": .text(title)])
      return tx.event
    }
  }

  private func title(_ store: Store, _ id: String = "n") async throws -> Value? {
    try await store.fetch("notes", id)?["title"]
  }

  @Test("the last edit of the actor is undone first, and a new edit ends what can be redone")
  @MainActor
  func buttons() async throws {
    defer { place.remove() }
    let store = try await store()
    let edits = UndoStack(store, actor: "ann")
    #expect(!edits.canUndo && !edits.canRedo)
    #expect(try await edits.undo() == nil)
    #expect(try await edits.redo() == nil)
    try await write(store, "ann", "write", "one")
    try await write(store, "ann", "change", "two")
    try await write(store, "bob", "his", "bob's", in: "m")
    #expect(try await edits.undo() != nil)
    #expect(try await title(store) == "one")
    #expect(edits.undoLabel == "write" && edits.redoLabel == "change")
    try await edits.redo()
    #expect(try await title(store) == "two")
    #expect(edits.undoLabel == "change" && !edits.canRedo)
    // Two quick ones take back two.
    async let first = edits.undo()
    async let second = edits.undo()
    _ = try await (first, second)
    #expect(try await title(store) == nil)
    #expect(!edits.canUndo && edits.redoLabel == "write")
    try await edits.redo()
    try await write(store, "ann", "", "three")
    #expect(try await store.undoState(actor: "ann").redo == nil)
    try await edits.undo()
    #expect(try await title(store) == "one")
    #expect(edits.canRedo && edits.redoLabel == nil && edits.undoLabel == "write")
    #expect(try await title(store, "m") == "bob's")
    try await store.close()
  }

  @Test("a view sees what others do, on this device or another, and after a restart")
  func elsewhere() async throws {
    defer { place.remove() }
    let (store, other) = (try await store(), try await place.store("b"))
    var states = store.observeUndo(actor: "ann").makeAsyncIterator()
    #expect(try await states.next() == UndoStack.State())
    try await write(store, "ann", "write", "one")
    #expect(try await states.next()?.undo?.label == "write")
    try await store.syncOnce(with: StorePeer(other))
    #expect(try await other.undoState(actor: "ann").undo?.label == "write")
    try await write(other, "ann", "elsewhere", "two")
    try await other.syncOnce(with: StorePeer(store))
    let step = try #require(try await states.next()?.undo)
    #expect(step.label == "elsewhere")
    // Another actor may have undone it meanwhile, and it is not redone for them.
    try await other.undo(step.events[0], actor: "bob")
    try await other.syncOnce(with: StorePeer(store))
    let state = try await states.next()
    #expect(state?.undo?.label == "write" && state?.redo == nil)
    try await store.close()
    let reopened = try await Store.open(at: place.folder.appending(path: "a"))
    #expect(try await reopened.undoState(actor: "ann") == state)
    try await place.close([reopened, other])
  }

  @Test("what others have built on cannot be undone, says so once, and is passed over")
  @MainActor
  func passedOver() async throws {
    defer { place.remove() }
    let store = try await store()
    try await write(store, "ann", "first", "one")
    try await write(store, "ann", "second", "one", in: "m")
    let blocking = try await write(store, "bob", "his", "two", in: "m")
    let edits = UndoStack(store, actor: "ann")
    await #expect { try await edits.undo() } throws: {
      ($0 as? StoreError)?.code == .undoBlocked && ($0 as? StoreError)?.blockingEvent == blocking
    }
    #expect(edits.undoLabel == "first")
    try await edits.undo()
    #expect(try await title(store) == nil)
    #expect(try await title(store, "m") == "two")
    try await store.close()
  }

  @Test("what is no edit of entities is passed over; many events undone at once are one step")
  func others() async throws {
    defer { place.remove() }
    let store = try await store()
    let start = try await write(store, "ann", "first", "one")
    try await store.write(actor: "ann") { tx in
      try tx.define(Definition("more", [.text("x")]))
      try tx.define(Definition("own", [.text("x")]))
    }
    try await store.write(actor: "ann") { try $0.define(Definition("mine", [.text("x")]).local()) }
    try await store.write(actor: "ann", label: "local") { try $0.insert("mine", "l") }
    #expect(try await store.undoState(actor: "ann").undo?.events == [start])
    let second = try await write(store, "ann", "second", "two")
    let third = try await write(store, "ann", "third", "three", in: "m")
    _ = try await store.setUndone([second, third], true, actor: "ann")
    let state = try await store.undoState(actor: "ann")
    #expect(state.undo?.events == [start])
    #expect(state.redo?.events.sorted() == [second, third] && state.redo?.label == "third")
    try await store.close()
  }

  @Test("random edits, undos and redos of two actors are those of two stacks", arguments: 1...6)
  @MainActor
  func random(seed: UInt64) async throws {
    defer { place.remove() }
    var random = SplitMix64(seed: seed)
    let store = try await store()
    let actors = ["ann", "bob"]
    let stacks = actors.map { UndoStack(store, actor: $0) }
    var undo: [[EventID]] = [[], []]
    var redo: [[EventID]] = [[], []]
    for step in 0..<80 {
      let who = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        // Each has entities of its own, so that nobody stands in the way.
        let id = "\(actors[who])\(Int.random(in: 0..<3, using: &random))"
        undo[who].append(try await write(store, actors[who], "\(step)", "\(step)", in: id))
        redo[who] = []
      case 2, 3:
        let event = try await stacks[who].undo()
        #expect((event != nil) == !undo[who].isEmpty)
        if let last = undo[who].popLast() { redo[who].append(last) }
      default:
        let event = try await stacks[who].redo()
        #expect((event != nil) == !redo[who].isEmpty)
        if let last = redo[who].popLast() { undo[who].append(last) }
      }
      for who in 0...1 {
        let state = try await store.undoState(actor: actors[who])
        #expect(state.undo?.events == undo[who].last.map { [$0] }, "seed \(seed), \(step)")
        #expect(state.redo?.events == redo[who].last.map { [$0] }, "seed \(seed), \(step)")
      }
    }
    try await store.close()
  }
}
