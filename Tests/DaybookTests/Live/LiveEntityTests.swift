import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

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

  @Test("a live query on a closed store says so, and one that was read keeps its value")
  @MainActor func closed() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.insert(Item(id: "i1", name: "one")) }
    let read = LiveQuery(store.observe(Item.all.count()), initially: 0)
    while read.isLoading { await Task.yield() }
    #expect(read.value == 1 && read.error == nil)
    try await store.close()
    let late = LiveQuery(store.observe(Item.all.count()), initially: 7)
    while late.isLoading && late.error == nil { await Task.yield() }
    #expect((late.error as? StoreError)?.code == .closed && late.value == 7)
    #expect(read.value == 1 && read.error == nil)
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

  @Test("loops end without an error if the store is closed while they read")
  func closedWhileReading() async throws {
    defer { place.remove() }
    for round in 0..<20 {
      let store = try await store("closed\(round)")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          let counts = store.observe(Item.all.count())
          group.addTask { for try await _ in counts {} }
        }
        // The loops read again and again until the store is closed.
        for number in 0..<10 {
          try await store.write { try $0.insert(Item(id: .init("i\(number)"), name: "x")) }
        }
        try await store.close()
        try await group.waitForAll()
      }
    }
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

  @Test("a search in several types gives entities of each, best first, with what to highlight")
  func severalTypes() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.prepare([Recipe.self], [])
    try await store.write { tx in
      try tx.insert(Page(id: "p", title: "Oat milk", body: "of the sea"))
      try tx.insert(Recipe(id: "r", name: "Milk with a lot of other words, and sugar"))
      try tx.insert(Page(id: "q", title: "Coffee"))
    }
    let hits = try await store.search(
      [Page.self, Recipe.self], for: "mil", matching: .beginnings, markers: ("<b>", "</b>"))
    #expect(Set(hits.map { type(of: $0.entity).collection }) == ["pages", "recipes"])
    #expect(hits.map(\.score) == hits.map(\.score).sorted(by: >))
    let page = try #require(hits.first { $0.entity is Page })
    #expect((page.entity as? Page)?.title == "Oat milk")
    #expect(page.snippet == "Oat <b>milk</b>" && page.excerpt.text == "Oat milk")
    #expect(page.excerpt.highlights == ["milk"])
    #expect(page.excerpt.pieces.map(\.isHighlighted) == [false, true])
    #expect(try await store.search([Page.self, Recipe.self], for: "mil").isEmpty)
    #expect(try await store.search([Page.self, Recipe.self], for: "milk", limit: 1).count == 1)
    #expect(try await store.search([Page.self, Page.self], for: "milk").count == 1)
    #expect(try await store.search([], for: "milk").isEmpty)
    for text in ["", "\"", "name:milk", "title:milk", "*"] {
      _ = try await store.search([Page.self, Recipe.self], for: text)
    }
    await #expect { try await store.search([Page.self, Item.self], for: "x") } throws: {
      ($0 as? StoreError)?.code == .unknownName
    }
    try await store.close()
  }

  struct Recipe: Entity {
    static let collection = "recipes"
    static let fields: [EntityField<Recipe>] = [.field("name", \.name).searchable()]
    var id = ID()
    var name = ""
  }

  @Test("differences of a list say what came, went, moved and changed, from the list before")
  func differences() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(["a", "b", "c"].map { Item(id: Item.ID($0), name: $0) })
    }
    let query = Item.all.order(by: \.name)
    var changes = store.observeChanges(of: query).makeAsyncIterator()
    var ids: [Item.ID] = []
    func next() async throws -> ListChange<Item>? {
      let change = try await changes.next(isolation: nil)
      if let change {
        ids = try #require(ids.applying(change.difference))
        #expect(ids == change.entities.map(\.id))
      }
      return change
    }
    let first = try #require(try await next())
    #expect(first.difference.insertions.count == 3 && first.updated.isEmpty)
    try await store.write { tx in
      try tx.update(Item.ID("a")) { $0.name = "z" }
      try tx.update(Item.ID("b")) { $0.count = 1 }
      try tx.delete(Item.ID("c"))
      try tx.insert(Item(id: "d", name: "d"))
    }
    let second = try #require(try await next())
    #expect(second.entities.map(\.id) == ["b", "d", "a"])
    #expect(second.updated == ["b", "a"])
    #expect(second.difference.removals.count == 2 && second.difference.insertions.count == 2)
    let moved = second.difference.insertions.compactMap { change -> Item.ID? in
      guard case .insert(_, let id, .some) = change else { return nil }
      return id
    }
    #expect(moved == ["a"])
    // A write that changes nothing in the list is not delivered.
    try await store.write { try $0.insert(Page(title: "elsewhere")) }
    try await store.write { try $0.delete(Item.ID("d")) }
    let third = try #require(try await next())
    #expect(third.updated.isEmpty && third.difference.removals.count == 1)
    try await store.close()
    #expect(try await next() == nil)
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
      from: Item.ID("a"), via: Link.self, weight: \.strength)
    #expect(near.map(\.relationship.id) == ["ac", "ab"] && near.map(\.entity.id) == ["c", "b"])
    let back = try await store.graph.neighbors(to: Item.ID("c"), via: Link.self)
    #expect(back.map(\.relationship.id) == ["ac", "bc"] && back.map(\.entity.id) == ["a", "b"])
    let both = try await store.graph.neighbors(of: Item.ID("b"), via: Link.self, limit: 5)
    #expect(both.map(\.relationship.id) == ["bc", "ab"] && both.map(\.entity.id) == ["c", "a"])
    let reach = try await store.graph.reachable(from: Item.ID("a"), via: Link.self, depth: 1)
    #expect(Set(reach.map(\.entity.id)) == ["b", "c"] && reach.map(\.depth) == [1, 1])
    await #expect {
      try await store.graph.neighbors(from: Item.ID("gone"), via: Link.self)
    } throws: {
      ($0 as? StoreError)?.code == .unknownName
    }
    try await store.close()
  }

  @Test("K19: conditions of a traversal are those of queries, and choose what is followed")
  func conditions() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(["a", "b", "c"].map { Item(id: Item.ID($0)) })
      try tx.insert([
        Link(id: "ab", from: "a", to: "b", color: .red, strength: 1),
        Link(id: "bc", from: "b", to: "c", color: .red, strength: 1),
        Link(id: "ac", from: "a", to: "c", color: .green, strength: 5),
        Link(id: "ca", from: "c", to: "a", color: .green, strength: -1),
      ])
    }
    let graph = store.graph
    let red = try await graph.path(from: Item.ID("a"), to: Item.ID("c"), via: Link.self) {
      $0.color == .red && $0.strength.in(0.5..<2)
    }
    #expect(red?.edges.map(\.id) == ["ab", "bc"])
    let light = try await graph.path(
      from: Item.ID("a"), to: Item.ID("c"), via: Link.self, weight: \.strength
    ) { $0.strength > 0 && $0.id != "bc" }
    #expect(light?.edges.map(\.id) == ["ac"] && light?.cost == 5)
    let near = try await graph.neighbors(of: Item.ID("a"), via: Link.self, limit: 1) {
      $0.color == .green
    }
    #expect(near.map(\.relationship.id) == ["ac"])
    let reached = try await graph.reachable(from: Item.ID("a"), via: Link.self) {
      $0.color != .green
    }
    #expect(reached.map(\.entity.id) == ["b", "c"] && reached.map(\.depth) == [1, 2])
    let cycles = try await graph.cycles(via: Link.self) { $0.strength < 2 }
    #expect(cycles.map { Set($0.edges.map(\.id)) } == [["ab", "bc", "ca"]])
    let components = try await graph.components(via: Link.self) { $0.id == "ab" }
    #expect(components.map { $0.map(\.id) } == [["a", "b"], ["c"]])
    let ranked = try await graph.importance(by: .inDegree, via: Link.self) { $0.id == "ab" }
    #expect(ranked.map(\.vertex.id).first == "b")
    let part = try await graph.subgraph(from: Item.ID("a"), depth: 9, via: Link.self) {
      $0.color == .red
    }
    #expect(part.edges.map(\.id) == ["ab", "bc"])
    await #expect {
      try await graph.cycles(via: Link.self) { $0.computed > 2 }
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery
    }
    try await store.close()
  }

  @Test("importance, components and cycles by types count isolated entities, too")
  func structure() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(["a", "b", "c", "d"].map { Item(id: Item.ID($0)) })
      try tx.insert([
        Link(id: "ab", from: "a", to: "b", strength: 1),
        Link(id: "cb", from: "c", to: "b", strength: 4),
        Link(id: "ac", from: "a", to: "c", strength: 2),
      ])
    }
    let graph = store.graph
    let ranks = try await graph.importance(by: .inDegree, via: Link.self, weight: \.strength)
    #expect(ranks.map { $0.vertex.id(as: Item.self) } == ["b", "c", "a", "d"])
    #expect(ranks.map(\.score) == [5, 2, 0, 0])
    let components = try await graph.components(via: Link.self)
    #expect(components.map { $0.map(\.id) } == [["a", "b", "c"], ["d"]])
    #expect(components[0][0].id(as: Page.self) == nil)
    #expect(try await graph.cycles(via: Link.self).isEmpty)
    try await store.write { try $0.insert(Link(id: "ba", from: "b", to: "a")) }
    let cycle = try #require(try await graph.cycles(via: Link.self).first)
    #expect(cycle.vertices.map(\.id) == ["a", "b", "a"] && cycle.edges.map(\.id) == ["ab", "ba"])
    await #expect {
      try await graph.importance(via: Link.self, weight: \.computed)
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery
    }
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
    #expect(sync.state.unacknowledged == 0 && sync.state.problem == nil)
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
