import DaybookEventCore
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Fields that the store keeps: when an entity was created and modified, and its version.
@Suite struct KeptFieldTests {
  private static let notes = Definition(
    "notes",
    [
      .text("title").unique(), .timestamp("created").kept(.created),
      .timestamp("modified").kept(.modified).indexed(), .integer("version").kept(.version),
    ])

  private struct Facts: Equatable {
    var created: String
    var modified: String
    var version: Int
  }

  private func facts(_ store: Store, _ id: String = "n1") async throws -> Facts? {
    try await store.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM notes WHERE id = ?", arguments: [id]).map {
        Facts(created: $0["created"], modified: $0["modified"], version: $0["version"])
      }
    }
  }

  private func authored(_ store: Store) async throws -> [String] {
    try await store.history(of: "notes", "n1").map {
      Timestamp.text($0.times.authored.milliseconds) ?? ""
    }
  }

  @Test("the table shows the times of the first and the last write, and their number")
  func times() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["title": "Oat milk"])
    }
    for title in ["Soy milk", "Rice milk"] {
      try await store.write { try $0.update("notes", "n1", ["title": .text(title)]) }
    }
    let times = try await authored(store)
    let shown = try await facts(store)
    #expect(shown == Facts(created: times[0], modified: times[2], version: 3))
    let entity = try await store.fetch("notes", "n1")
    #expect(entity?["version"] == 3)
    try await store.rebuild()
    #expect(try await facts(store) == shown)
    #expect(try await store.verify().isSound)
  }

  @Test("a field that is kept from now on shows what happened before")
  func later() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("title")]))
      try tx.insert("notes", "n1", ["title": "Oat milk"])
    }
    try await store.write { try $0.delete("notes", "n1") }
    try await store.write { try $0.restore("notes", "n1") }
    try await store.write { try $0.define(Self.notes) }
    let times = try await authored(store)
    #expect(
      try await facts(store) == Facts(created: times[0], modified: times[2], version: 3))
    let past = try await store.at(.event(try await store.history(of: "notes", "n1")[0].event))
    #expect(try await past.fetch("notes", "n1")?["version"] == 1)
  }

  @Test("a parked entity shows the same as before, once it is shown again")
  func parked() async throws {
    let place = try SyncPlace()
    let ann = try await place.store("ann")
    let bob = try await place.store("bob")
    try await ann.write { try $0.define(Self.notes) }
    try await ann.syncOnce(with: StorePeer(bob))
    try await ann.write { try $0.insert("notes", "n1", ["title": "Tea"]) }
    try await bob.write { try $0.insert("notes", "n2", ["title": "Tea"]) }
    try await ann.syncOnce(with: StorePeer(bob))
    let shown = [try await facts(ann, "n1"), try await facts(ann, "n2")].compactMap(\.self)
    #expect(shown.count == 1)
    let (loser, owner) = try await facts(ann, "n1") == nil ? ("n1", "n2") : ("n2", "n1")
    #expect(try await ann.fetch("notes", loser)?["version"] == 1)
    try await ann.write { try $0.update("notes", owner, ["title": "Coffee"]) }
    #expect(try await facts(ann, loser)?.version == 1)
    try await ann.syncOnce(with: StorePeer(bob))
    #expect(try await facts(bob, "n1") == facts(ann, "n1"))
    #expect(try await facts(bob, "n2") == facts(ann, "n2"))
    #expect(try await ann.verify().isSound)
  }

  @Test("no write and no definition puts another value into such a field")
  func refused() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(Self.notes) }
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert("notes", "n1", ["version": 7]) }
    }
    #expect(error?.code == .fixedField)
    for field in [
      Definition.Field.text("a").kept(.created), .integer("b").kept(.version).unique(),
      .integer("c").kept(.version).default(1), .integer("d").attribute("kept", "mood"),
    ] {
      await #expect(throws: StoreError.self, "\(field)") {
        try await store.write { try $0.define(Definition("notes", [field])) }
      }
    }
  }
}
