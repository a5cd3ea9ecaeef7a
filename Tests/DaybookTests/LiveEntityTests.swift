import Foundation
import GRDB
import Testing

@testable import Daybook

/// Live entities, searches and graphs of an app's types, and conflicts settled by one call.
@Suite struct LiveEntityTests {
  typealias Item = QueryTests.Item
  typealias Link = QueryTests.Link

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  struct Page: Entity {
    static let collection = "pages"
    static let fields: [EntityField<Page>] = [
      .field("title", \.title).searchable(weight: 4), .field("body", \.body).searchable(),
    ]
    var id = ID()
    var title = ""
    var body = ""
  }

  private func store(_ name: String = "a") async throws -> Store {
    try await Store.open(
      at: place.folder.appending(path: name), schema: [Item.self, Link.self, Page.self])
  }

  @Test("a list, an entity, a number and a search are delivered once after each change")
  func kinds() async throws {
    defer { place.remove() }
    let store = try await store()
    let item = Item(id: "i1", name: "one")
    var list = store.observe(Item.where { $0.name.hasPrefix("o") }).makeAsyncIterator()
    var one = store.observe(item.id).makeAsyncIterator()
    var count = store.observe(Item.all.count()).makeAsyncIterator()
    var hits = store.observe(search: Page.self, for: "mil", matching: .beginnings)
      .makeAsyncIterator()
    #expect(try await list.next() == [])
    #expect(try await one.next() == .some(nil))
    #expect(try await count.next() == 0)
    #expect(try await hits.next()?.isEmpty == true)
    try await store.write { tx in
      try tx.insert(item)
      try tx.insert(Page(id: "p1", title: "Oat milk"))
    }
    #expect(try await list.next() == [item])
    #expect(try await one.next() == item)
    #expect(try await count.next() == 1)
    #expect(try await hits.next()?.map(\.entity.title) == ["Oat milk"])
    let edit = try await store.write { tx in
      try tx.insert(Item(id: "i2", name: "two"))
      try tx.update(item.id) { $0.count = 5 }
      return tx.event
    }
    #expect(try await list.next()?.map(\.count) == [5])
    #expect(try await one.next()??.count == 5)
    #expect(try await count.next() == 2)
    try await store.undo(edit)
    #expect(try await list.next() == [item])
    #expect(try await one.next() == item)
    #expect(try await count.next() == 1)
    try await store.write { try $0.update("pages", "p1", ["body": "of milk"]) }
    #expect(try await hits.next()?.first?.snippet.isEmpty == false)
    try await store.close()
    #expect(try await list.next() == nil)
  }

  @Test("a query over relationships sees their changes, and writes elsewhere deliver nothing")
  func relationships() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert([Item(id: "a"), Item(id: "b", name: "b")])
    }
    let query = Item.where { $0.id == "a" }.related(via: Link.self)
    var list = store.observe(query).makeAsyncIterator()
    #expect(try await list.next() == [])
    try await store.write { try $0.insert(Page(title: "elsewhere")) }
    try await store.write { try $0.insert(Link(id: "l", from: "a", to: "b")) }
    #expect(try await list.next()?.map(\.name) == ["b"])
    try await store.write { try $0.delete(Item.ID("b")) }
    #expect(try await list.next() == [])
    #expect(try await store.fetch(Link.all).isEmpty)
    try await store.close()
  }

  @Test("K10, K11: what is typed is never an error, and a hit is the whole entity")
  func search() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert([
        Page(id: "p1", title: "Programming", body: "of oats"),
        Page(id: "p2", title: "Oats", body: "Programming, and more about it"),
      ])
    }
    for text in [
      "", " ", "\"", "*", "-", "(", ")", "a:", "NEAR(", "\u{0}", "'; --", "^", "OR", "{", "+",
    ] {
      _ = try await store.search(Page.self, for: text)
      _ = try await store.search(Page.self, for: text, matching: .beginnings)
    }
    let hits = try await store.search(Page.self, for: "prog", matching: .beginnings)
    #expect(hits.map(\.entity.id) == ["p1", "p2"])
    #expect(hits[0].entity.body == "of oats" && hits[0].snippet.contains("[Programming]"))
    #expect(hits[0].score > hits[1].score)
    #expect(try await store.search(Page.self, for: "pro oat", matching: .beginnings).count == 2)
    #expect(try await store.search(Page.self, for: "prog").isEmpty)
    await #expect { try await store.search(Item.self, for: "x") } throws: {
      ($0 as? StoreError)?.code == .unknownName
    }
    try await store.close()
  }

  @Test("K18, K19: paths and neighbours by types, and a weight by its property")
  func graph() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(["a", "b", "c"].map { Item(id: Item.ID($0)) })
      try tx.insert([
        Link(id: "ab", from: "a", to: "b", strength: 1),
        Link(id: "bc", from: "b", to: "c", strength: 1),
        Link(id: "ac", from: "a", to: "c", strength: 5),
      ])
    }
    let hops = try await store.graph.path(from: Item.ID("a"), to: Item.ID("c"), via: Link.self)
    #expect(hops?.edges.map(\.id) == ["ac"])
    let way = try await store.graph.path(
      from: Item.ID("a"), to: Item.ID("c"), via: Link.self, weight: \.strength)
    #expect(way?.vertices.map(\.id) == ["a", "b", "c"] && way?.cost == 2)
    let near = try await store.graph.neighbors(
      of: Item.ID("a"), via: Link.self, weight: \.strength, direction: .outgoing)
    #expect(near.map(\.id) == ["ac", "ab"])
    let reach = try await store.graph.reachable(from: Item.ID("a"), via: Link.self, depth: 1)
    #expect(Set(reach.map(\.vertex.id)) == ["b", "c"])
    try await store.close()
  }

  @Test("K38: a conflict is settled by one call, on all replicas, and a stale one is refused")
  func settle() async throws {
    defer { place.remove() }
    let (ann, bob) = (try await store(), try await store("b"))
    try await ann.write { try $0.insert(Item(id: "i", name: "oat")) }
    try await bob.syncOnce(with: StorePeer(ann))
    try await ann.write(actor: "ann") { try $0.update(Item.ID("i")) { $0.name = "rice" } }
    try await bob.write(actor: "bob") { try $0.update(Item.ID("i")) { $0.name = "soy" } }
    try await bob.syncOnce(with: StorePeer(ann))
    let conflicts = try await bob.conflicts(in: Item.self).all()
    let conflict = try #require(conflicts.first)
    let shown = try await bob.fetch(Item.ID("i"))?.name
    try await bob.settle(conflict, taking: .other, actor: "bob")
    try await bob.syncOnce(with: StorePeer(ann))
    for store in [ann, bob] {
      #expect(try await store.conflicts(in: Item.self).all().isEmpty)
      let name = try await store.fetch(Item.ID("i"))?.name
      #expect(name != shown && ["rice", "soy"].contains(name))
    }
    await #expect { try await bob.settle(conflict, taking: .shown) } throws: {
      ($0 as? StoreError)?.code == .staleConflict
    }
    try await ann.close()
    try await bob.close()
  }

  @Test("K33: a background sync tells its state, and carries writes both ways")
  func sync() async throws {
    defer { place.remove() }
    let (ann, bob) = (try await store(), try await store("b"))
    try await ann.write { try $0.insert(Item(id: "i", name: "oat")) }
    let sync = ann.sync(with: StorePeer(bob))
    for await state in sync.states where state.phase == .idle && state.lastSuccess != nil { break }
    #expect(try await bob.fetch(Item.ID("i"))?.name == "oat")
    #expect(sync.state.pending == 0 && sync.state.problem == nil)
    try await bob.write { try $0.insert(Item(id: "j", name: "rye")) }
    var names = ann.observe(Item.all.order(by: \.name)).makeAsyncIterator()
    while let items = try await names.next(), items.map(\.name) != ["oat", "rye"] {
      sync.syncNow()
    }
    await sync.stop()
    try await ann.close()
    try await bob.close()
  }
}
