import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The changes between two positions.
@Suite struct StoreChangesTests {
  private struct Row: Hashable {
    var id: String
    var title: String?
    var weight: Double?
  }

  /// Returns the rows of a read model that is made for a position, as the reference.
  private func rows(_ store: Store, at position: Position) async throws -> [String: Row] {
    let rows = try await store.at(position).read { db, _ in
      try GRDB.Row.fetchAll(db, sql: "SELECT id, title, weight FROM notes").map {
        Row(id: $0[0], title: $0[1], weight: $0[2])
      }
    }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
  }

  private func row(_ entity: StoredEntity?) -> Row? {
    guard let entity else { return nil }
    var row = Row(id: entity.id)
    if case .text(let title) = entity["title"] { row.title = title }
    if case .real(let weight) = entity["weight"] { row.weight = weight }
    return row
  }

  @Test("the changes between two positions are the differences of their states")
  func agreesWithStates() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    for number in 1...60 {
      try await store.write { tx in
        let id = "n\(number * 7 % 11)"
        let isLive = try tx.fetch("notes", id) != nil
        switch number % 6 {
        case 0 where isLive: try tx.delete("notes", id)
        case 1 where isLive: try tx.erase("notes", id)
        case 2 where isLive: try tx.update("notes", id, ["weight": .real(Double(number % 3))])
        default: try tx.put("notes", id, ["title": .text("\(number % 4)")])
        }
      }
    }
    let last = try await store.digest().vector[store.replica]
    for (from, to) in [(3, 62), (62, 3), (20, 21), (10, 40), (40, 40), (59, 12)]
      as [(UInt64, UInt64)]
    {
      let positions = [from, to].map { Position.event(EventID(store.replica, $0)) }
      let before = try await rows(store, at: positions[0])
      let after = try await rows(store, at: positions[1])
      let expected = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      let changes = try await store.changes(from: positions[0], to: positions[1])
      #expect(Set(changes.map(\.id)) == expected)
      #expect(changes.map(\.id) == changes.map(\.id).sorted())
      for change in changes {
        #expect(row(change.before) == before[change.id])
        #expect(row(change.after) == after[change.id])
      }
    }
    #expect(last == 62)
    let tail = try await store.changes(from: .event(EventID(store.replica, 62)))
    #expect(tail.isEmpty)
    let unknown = await #expect(throws: (any Error).self) {
      try await store.changes(from: .event(EventID(store.replica, 63)))
    }
    #expect(unknown != nil)
    #expect(try await store.changes(from: .event(EventID(store.replica, 3)), in: "other").isEmpty)
    try await store.close()
  }
}
