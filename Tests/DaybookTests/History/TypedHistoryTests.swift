import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// What an app's types show of histories and conflicts.
@Suite struct TypedHistoryTests {
  enum Level: String, Codable, CaseIterable { case low, high }

  struct Item: Entity, Equatable {
    static let collection = "items"
    static let fields: [EntityField<Item>] = [
      .field("name", \.name).merging(), .field("level", \.level), .field("due", \.due),
      .field("tags", \.tags),
    ]
    var id = ID()
    var name = ""
    var level = Level.low
    var due: Date?
    var tags: Set<String> = []
  }

  struct Other: Entity, Equatable {
    static let collection = "others"
    static let fields: [EntityField<Other>] = [.field("level", \.level)]
    var id = ID()
    var level = Level.low
  }

  /// The same collection as a later version of the app declares it.
  enum Later {
    struct Item: Entity, Equatable {
      static let collection = "items"
      static let fields: [EntityField<Item>] = [
        .field("title", \.title).formerly("name").merging(),
        .field("urgency", \.urgency)
          .formerly("level"),
      ]
      var id = ID()
      var title = ""
      var urgency = "low"
    }
  }

  let place: SyncPlace

  init() throws { place = try SyncPlace() }

  func store(_ name: String = "a") async throws -> Store {
    try await Store.open(
      at: place.folder.appending(path: name), schema: [Item.self, Other.self])
  }

  @Test("a history shows each property's old and new value with the property's type")
  func history() async throws {
    defer { place.remove() }
    let store = try await store()
    let due = Date(timeIntervalSince1970: 1_800_000_000)
    try await store.write(actor: "ann") { try $0.insert(Item(id: "i", name: "oat", due: due)) }
    try await store.write(actor: "bob", label: "urgent") { tx in
      try tx.update(Item.ID("i")) {
        $0.level = .high
        $0.tags = ["a", "b"]
        $0.due = nil
      }
    }
    try await store.write { try $0.delete(Item.ID("i")) }
    let writes = try await store.history(of: Item.ID("i"))
    #expect(writes.map(\.kind) == [.insert, .update, .delete])
    #expect(writes.map(\.actor) == ["ann", "bob", ""] && Set(writes.map(\.id)).count == 3)
    #expect(writes[0].change(of: \.name)?.to == "oat")
    #expect(writes[0].change(of: \.due)?.to == due)
    #expect(writes[1].label == "urgent")
    let level = try #require(writes[1].change(of: \.level))
    #expect(level.from == .low && level.to == .high)
    #expect(writes[1].change(of: \.tags)?.to == ["a", "b"])
    let changed = try #require(writes[1].change(of: \.due))
    #expect(changed.from == due && changed.to == nil)
    #expect(writes[1].change(of: \.name) == nil && writes[1].change(of: \.id) == nil)
    #expect(try await store.history(of: Item.ID("nobody")).isEmpty)
    try await store.close()
  }

  @Test("a history shows a field by its property, whatever other versions of the app call it")
  func renamed() async throws {
    defer { place.remove() }
    let first = try await store()
    try await first.write { try $0.insert(Item(id: "i", name: "oat", level: .high)) }
    try await first.close()
    let url = place.folder.appending(path: "a")
    let later = try await Store.open(at: url, schema: [Later.Item.self])
    try await later.write { tx in
      try tx.update(Later.Item.ID("i")) { $0.urgency = "immediate" }
    }
    let shown = try await later.history(of: Later.Item.ID("i"))
    #expect(shown[0].change(of: \.title)?.to == "oat")
    #expect(shown[0].changes.map(\.field).sorted() == ["tags", "title", "urgency"])
    // The first version does not know the case, and shows the property's default.
    let old = try await later.history(of: Item.ID("i"))
    #expect(old[0].change(of: \.name)?.to == "oat")
    let level = try #require(old[1].change(of: \.level))
    #expect(level.from == .high && level.to == .low)
    #expect(shown[1].change(of: \.urgency)?.to == "immediate")
    try await later.close()
  }

  @Test("a conflict shows the values of a property, and is settled with one of its type")
  func conflicts() async throws {
    defer { place.remove() }
    let (ann, bob) = (try await store(), try await store("b"))
    try await ann.write { tx in
      try tx.insert(Item(id: "i"))
      try tx.insert(Item(id: "gone"))
    }
    try await bob.syncOnce(with: StorePeer(ann))
    let dates = [1_800_000_000.25, 1_900_000_000].map(Date.init(timeIntervalSince1970:))
    try await ann.write(actor: "ann") { tx in
      try tx.update(Item.ID("i")) { $0.due = dates[0] }
      try tx.update(Item.ID("gone")) { $0.level = .high }
    }
    try await bob.write(actor: "bob") { tx in
      try tx.update(Item.ID("i")) { $0.due = dates[1] }
      try tx.delete(Item.ID("gone"))
    }
    try await bob.syncOnce(with: StorePeer(ann))
    let conflicts = try await bob.conflicts(in: Item.self).all()
    let ofDue = try #require(conflicts.first { $0.values(of: \Item.due) != nil })
    #expect(ofDue.id(of: Item.self) == "i" && ofDue.id(of: Other.self) == nil)
    let values = try #require(ofDue.values(of: \Item.due))
    #expect(
      Dictionary(uniqueKeysWithValues: values.map { ($0.write.author.actor, $0.value) })
        == ["ann": dates[0], "bob": dates[1]])
    #expect(ofDue.values(of: \Item.name) == nil && ofDue.values(of: \Other.level) == nil)
    let deletion = try #require(conflicts.first { $0.id(of: Item.self) == "gone" })
    if let levels = deletion.values(of: \Item.level) {
      #expect(levels.contains { $0.value == nil } && levels.contains { $0.value == .high })
    }

    let third = Date(timeIntervalSince1970: 2_000_000_000)
    try await bob.write { try $0.settle(ofDue, \Item.due, with: third) }
    #expect(try await bob.fetch(Item.ID("i"))?.due == third)
    #expect(try await bob.conflicts(in: Item.self, id: "i").all().isEmpty)
    let refused = await #expect(throws: StoreError.self) {
      try await bob.write { try $0.settle(ofDue, \Item.level, with: .high) }
    }
    #expect(refused?.code == .invalidQuery && refused?.message.contains("items.due") == true)
    try await ann.close()
    try await bob.close()
  }
}
