import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Migrations, stores in memory, repositories, and live values for views.
@Suite struct MigrationTests {
  typealias Item = QueryTests.Item

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private static let doubled = Migration(1, "double the counts") { tx in
    try tx.update(where: Item.all) { $0.count *= 2 }
  }

  private static let named = Migration(2, "names") { tx in
    try tx.update(where: Item.where { $0.name == "" }) { $0.name = "unnamed" }
  }

  private func open(_ name: String, _ migrations: [Migration]) async throws -> Store {
    try await Store.open(
      at: place.folder.appending(path: name), schema: [Item.self], migrations: migrations)
  }

  @Test("K14: each migration runs once, in the order of the numbers, also after reopening")
  func once() async throws {
    defer { place.remove() }
    let old = try await open("a", [])
    try await old.write { try $0.insert(Item(id: "i", count: 3)) }
    try await old.close()
    for _ in 1...2 {
      let store = try await open("a", [Self.named, Self.doubled])
      let item = try await store.fetch(Item.ID("i"))
      #expect(item?.count == 6 && item?.name == "unnamed")
      try await store.close()
    }
  }

  @Test(
    "two devices that migrate independently converge without a conflict, and an older app goes on")
  func independently() async throws {
    defer { place.remove() }
    let (a, b, older) = (try await open("a", []), try await open("b", []), try await open("c", []))
    try await a.write { try $0.insert([Item(id: "i", count: 3), Item(id: "j", count: 4)]) }
    for store in [b, older] { try await store.syncOnce(with: StorePeer(a)) }
    try await a.close()
    try await b.close()
    let (newA, newB) = (
      try await open("a", [Self.doubled, Self.named]),
      try await open("b", [Self.doubled, Self.named])
    )
    try await newA.syncOnce(with: StorePeer(newB))
    try await older.syncOnce(with: StorePeer(newA))
    for store in [newA, newB, older] {
      #expect(try await store.fetch(Item.all).map(\.count) == [6, 8])
      #expect(try await store.conflicts().all().isEmpty)
    }
    try await older.write { try $0.insert(Item(id: "k", count: 5)) }
    try await older.close()
    // The older device is upgraded: what others have migrated is passed over, and only its own new
    // item is doubled.
    let upgraded = try await open("c", [Self.doubled, Self.named])
    #expect(try await upgraded.fetch(Item.all).map(\.count) == [6, 8, 10])
    for store in [newA, newB, upgraded] { try await store.close() }
  }

  @Test("a new device that was empty does not keep an older one from migrating its data")
  func emptyDeviceFirst() async throws {
    defer { place.remove() }
    let new = try await open("new", [Self.doubled])
    let old = try await open("old", [])
    try await old.write { try $0.insert(Item(id: "i", count: 3)) }
    try await new.write { try $0.insert(Item(id: "n", count: 10)) }
    try await old.syncOnce(with: StorePeer(new))
    // Until the older device is upgraded, its data are what they were, everywhere.
    for store in [old, new] {
      #expect(try await store.fetch(Item.all.order(by: \.id)).map(\.count) == [3, 10])
    }
    try await old.close()
    let upgraded = try await open("old", [Self.doubled])
    try await upgraded.syncOnce(with: StorePeer(new))
    for store in [upgraded, new] {
      #expect(try await store.fetch(Item.all.order(by: \.id)).map(\.count) == [6, 10])
      #expect(try await store.conflicts().all().isEmpty)
      try await store.close()
    }
  }

  @Test("what a migrated device has inserted, migrated or changed is not migrated again by another")
  func afterOthers() async throws {
    defer { place.remove() }
    let (a, c) = (try await open("a", []), try await open("c", []))
    try await a.write { try $0.insert([Item(id: "i", count: 3), Item(id: "zero", count: 0)]) }
    try await c.write { try $0.insert(Item(id: "late", name: "old", count: 5)) }
    try await c.syncOnce(with: StorePeer(a))
    try await a.close()
    try await c.write { try $0.insert(Item(id: "own", count: 7)) }
    let newA = try await open("a", [Self.doubled])
    try await newA.write { tx in
      try tx.update(Item.ID("i")) { $0.count = 100 }
      try tx.update(Item.ID("zero")) { $0.count = 1 }
      try tx.update(Item.ID("late")) { $0.name = "new" }
      try tx.delete(Item.ID("late"))
      try tx.restore(Item.ID("late"))
      try tx.insert(Item(id: "new", count: 9))
    }
    try await newA.syncOnce(with: StorePeer(c))
    // An item of the older app that a migrated one has changed in another field.
    try await newA.write { try $0.update(Item.ID("own")) { $0.name = "named" } }
    try await newA.syncOnce(with: StorePeer(c))
    try await c.close()
    let upgraded = try await open("c", [Self.doubled])
    try await newA.syncOnce(with: StorePeer(upgraded))
    for store in [newA, upgraded] {
      let items = try await store.fetch(Item.all)
      let counts = Dictionary(uniqueKeysWithValues: items.map { ($0.id.rawValue, $0.count) })
      #expect(counts == ["i": 100, "zero": 1, "late": 10, "new": 9, "own": 14])
      #expect(items.first { $0.id == "own" }?.name == "named")
      #expect(try await store.conflicts().all().isEmpty)
    }
    try await newA.close()
    try await upgraded.close()
    // Nothing is left to migrate.
    let again = try await open("a", [Self.doubled])
    #expect(try await again.fetch(Item.ID("own"))?.count == 14)
    try await again.close()
  }

  /// A type before and after its field has become unique.
  private enum Before {
    struct Code: Entity {
      static let collection = "codes"
      static let fields: [EntityField<Code>] = [.field("text", \.text)]
      var id = ID()
      var text: String?
    }
  }

  private enum After {
    struct Code: Entity {
      static let collection = "codes"
      static let fields: [EntityField<Code>] = [.field("text", \.text).unique()]
      var id = ID()
      var text: String?
    }
  }

  @Test("a migration that an older device runs late leaves the rule that a later version has added")
  func late() async throws {
    defer { place.remove() }
    let rules = Migration(1, "rules") { try $0.define(Before.Code.self) }
    let (oldURL, newURL) = (
      place.folder.appending(path: "old"), place.folder.appending(path: "new")
    )
    let first = try await Store.open(at: oldURL, schema: [Before.Code.self])
    try await first.write { try $0.insert(Before.Code(text: "x")) }
    let new = try await Store.open(at: newURL, schema: [After.Code.self], migrations: [rules])
    try await first.syncOnce(with: StorePeer(new))
    try await first.close()
    let old = try await Store.open(at: oldURL, schema: [Before.Code.self], migrations: [rules])
    try await old.syncOnce(with: StorePeer(new))
    for store in [old, new] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { try $0.insert(Before.Code(text: "x")) }
      }
      #expect(error?.code == .valueTaken)
      try await store.close()
    }
  }

  @Test("a migration that throws is an error with its number and name, and nothing is changed")
  func throwing() async throws {
    defer { place.remove() }
    struct Refused: Error {}
    let store = try await Store.create(at: place.folder.appending(path: "a"))
    try await store.write { tx in
      try tx.define(Definition("items", [.text("name"), .integer("count")]))
      try tx.insert("items", "i", ["count": 3])
    }
    let (before, digest) = (try await store.events().all().count, try await store.digest())
    try await store.close()
    let bad = Migration(2, "bad") { tx in
      try tx.update(where: Item.all) { $0.count = 0 }
      throw Refused()
    }
    let refused = Migration(3, "refused") { try $0.delete(Item.ID("none")) }
    for (wrong, words) in [(bad, "Refused"), (refused, "there is no “none”")] {
      await #expect { try await open("a", [Self.doubled, wrong]) } throws: { error in
        guard let error = error as? StoreError else { return false }
        return error.code.rawValue == "migrationFailed" && error.hint != nil && error.cause != nil
          && error.message.contains("\(wrong.number) “\(wrong.name)”")
          && error.message.contains(words)
      }
      let same = try await Store.open(at: store.url)
      #expect(try await same.events().all().count == before)
      #expect(try await same.digest() == digest)
      try await same.close()
    }
    await #expect { try await open("a", [Self.doubled, Self.doubled]) } throws: {
      ($0 as? StoreError)?.code == .invalidQuery
    }
    let again = try await open("a", [Self.doubled])
    #expect(try await again.fetch(Item.ID("i"))?.count == 6)
    try await again.close()
  }

  @Test("M19: a store in memory is a whole store, and leaves nothing behind")
  func inMemory() async throws {
    let store = try await Store.inMemory(schema: [Item.self])
    try await store.write { try $0.insert(Item(name: "one")) }
    #expect(try await store.fetch(Item.all.count()) == 1)
    #expect(FileManager.default.fileExists(atPath: store.url.path()))
    try await store.close()
    #expect(!FileManager.default.fileExists(atPath: store.url.path()))
    place.remove()
  }

  @Test("M7: a repository fetches, saves, deletes and observes")
  func repository() async throws {
    let store = try await Store.inMemory(schema: [Item.self])
    let items: any Repository<Item> = StoreRepository(store, actor: "ann")
    var list = items.observe(Item.all).makeAsyncIterator()
    #expect(try await list.next() == [])
    let item = Item(id: "i", name: "one")
    try await items.insert([item])
    #expect(try await list.next() == [item])
    #expect(try await items.fetch("i") == item)
    let base = try #require(try await items.fetchVersioned("i"))
    var form = base.entity
    form.name = "two"
    #expect(try await items.save(form, from: base).current.entity == form)
    #expect(try await list.next() == [form])
    try await items.insertOrOverwrite([item])
    #expect(try await list.next() == [item])
    try await items.delete(["i"])
    #expect(try await list.next() == [])
    #expect(try await store.history(of: item.id).allSatisfy { $0.actor == "ann" })
    try await store.close()
    place.remove()
  }

  @Test("G26: a live query tells loading, values and errors, and begins again on refresh")
  @MainActor func liveQuery() async throws {
    let store = try await Store.inMemory(schema: [Item.self])
    let query = LiveQuery(store.observe(Item.all), initially: [])
    #expect(query.isLoading && query.value.isEmpty)
    try await store.write { try $0.insert(Item(id: "i", name: "one")) }
    while query.value.isEmpty { await Task.yield() }
    #expect(!query.isLoading && query.error == nil)
    let broken = LiveQuery(store.observe(Item.where { $0.shouted == "A" }), initially: [])
    while broken.isLoading { await Task.yield() }
    #expect((broken.error as? StoreError)?.code == .invalidQuery)
    broken.refresh()
    #expect(broken.isLoading && broken.error == nil)
    try await store.close()
    while query.isLoading { await Task.yield() }
    place.remove()
  }

  @Test("a read-only store that lacks what the types declare says what")
  func readOnly() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write { try $0.define(Definition("items", [.text("name")])) }
    try await store.close()
    await #expect {
      _ = try await Store.open(
        at: store.url, schema: [Item.self], options: .init(isReadOnly: true))
    } throws: { error in
      (error as? StoreError)?.code == .contradiction && "\(error)".contains("items.note")
    }
  }

  @Test("a read-only store that has a field of another type than the app's is refused by name")
  func readOnlyContradiction() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Item.self])
    try await store.close()
    let copy = try await place.store("b")
    try await copy.write { tx in
      var definition = Item.layoutDefinition
      definition.fields = definition.fields.map { field in
        field.name == "note" ? .integer("note") : field
      }
      try tx.define(definition)
    }
    try await copy.close()
    let readOnly = Store.Options(isReadOnly: true)
    try await Store.open(at: store.url, schema: [Item.self], options: readOnly).close()
    await #expect {
      _ = try await Store.open(at: copy.url, schema: [Item.self], options: readOnly)
    } throws: { error in
      (error as? StoreError)?.code == .contradiction && "\(error)".contains("items.note")
        && "\(error)".contains("integer")
    }
  }
}
