import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookProjections

/// The work of undoing an event with many operations, counted and not timed.
@Suite struct UndoWorkTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  /// What writing to a store has cost so far.
  private struct Work: Sendable {
    /// The number of rows that were changed, in all tables.
    var rows: Int
    /// The number of events that were read from the log.
    var reads: Int
    /// The bytes of the states of entities that were written.
    var stateBytes: Int

    init(_ store: Store) async throws {
      self = try await store.core.onCommitThread { engine in
        let rows = engine.readModel.writeWithoutTransaction { $0.totalChangesCount }
        return Work(
          rows: rows, reads: engine.projector.earlier.readCount,
          stateBytes: engine.projector.entities.stateBytesWritten)
      }
    }

    private init(rows: Int, reads: Int, stateBytes: Int) {
      (self.rows, self.reads, self.stateBytes) = (rows, reads, stateBytes)
    }

    static func - (a: Work, b: Work) -> Work {
      Work(
        rows: a.rows - b.rows, reads: a.reads - b.reads, stateBytes: a.stateBytes - b.stateBytes)
    }
  }

  /// Returns the work for the undo of a deletion that took `count` notes along, its redo, and the
  /// fifth undo.
  private func work(_ count: Int) async throws -> [Work] {
    let store = try await place.store("\(count)")
    try await store.write { tx in
      try tx.define(Definition("folders", [.text("name")]))
      try tx.define(
        Definition(
          "notes", [.text("title"), .text("folder").references("folders").onDelete(.cascade)]))
      try tx.insert("folders", "f")
      for number in 0..<count {
        try tx.insert("notes", "n\(number)", ["title": "note", "folder": "f"])
      }
    }
    let deletion = try await store.write { tx in
      try tx.delete("folders", "f")
      return tx.event
    }
    var works: [Work] = []
    for turn in 0..<9 {
      let before = try await Work(store)
      if turn % 2 == 0 {
        try await store.undo(deletion)
      } else {
        try await store.redo(deletion)
      }
      works.append(try await Work(store) - before)
      let left = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
      #expect(left == (turn % 2 == 0 ? count : 0))
    }
    try await store.close()
    return [works[0], works[1], works[8]]
  }

  @Test("the work of an undo is in proportion to the operations of the event")
  func proportion() async throws {
    defer { place.remove() }
    let (few, many) = (try await work(100), try await work(1600))
    for (few, many) in zip(few, many) {
      #expect(many.rows < 20 * few.rows, "\(few) \(many)")
      #expect(many.stateBytes < 20 * few.stateBytes, "\(few) \(many)")
      // The event that was undone, the one before it, and what is kept in memory.
      #expect(many.reads <= 3, "\(few) \(many)")
    }
  }
}
