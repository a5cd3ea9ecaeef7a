import Foundation
import Testing

@testable import Daybook

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
    // The older device is upgraded: the record has come by sync, so nothing is doubled twice.
    let upgraded = try await open("c", [Self.doubled, Self.named])
    #expect(try await upgraded.fetch(Item.all).map(\.count) == [6, 8, 5])
    for store in [newA, newB, upgraded] { try await store.close() }
  }

  @Test("a migration that throws leaves the store as it was, and closed")
  func throwing() async throws {
    defer { place.remove() }
    struct Refused: Error {}
    let store = try await open("a", [])
    try await store.write { try $0.insert(Item(id: "i", count: 3)) }
    try await store.close()
    let bad = Migration(2, "bad") { tx in
      try tx.update(where: Item.all) { $0.count = 0 }
      throw Refused()
    }
    await #expect(throws: Refused.self) { try await open("a", [Self.doubled, bad]) }
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
    try await items.save([item])
    #expect(try await list.next() == [item])
    #expect(try await items.fetch("i") == item)
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
}
