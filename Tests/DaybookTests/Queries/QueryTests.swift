import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Queries with conditions over properties, against filters in Swift.
@Suite struct QueryTests {
  enum Color: String, Codable, CaseIterable, Sendable { case red, green, blue }

  /// Cases whose order is not that of their raw values.
  enum Level: String, Codable, CaseIterable, Comparable {
    case low, mid, high

    static func < (a: Level, b: Level) -> Bool {
      (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
    }
  }

  struct Item: Entity, Equatable {
    static let collection = "items"
    static let fields: [EntityField<Item>] = [
      .field("name", \.name).indexed(), .field("note", \.note), .field("count", \.count),
      .field("size", \.size), .field("ratio", \.ratio), .field("isDone", \.isDone).indexed(),
      .field("color", \.color), .field("second", \.second), .field("tags", \.tags),
      .field("numbers", \.numbers), .field("due", \.due), .field("parent", \.parent),
      .field("code", \.code).unique(), .field("level", \.level).indexed(),
      .field("last", \.last), .field("colors", \.colors), .field("marks", \.marks),
    ]
    var id = ID()
    var name = ""
    var note: String?
    var count = 0
    var size: Int?
    var ratio = 0.5
    var isDone = false
    var color = Color.green
    var second: Color?
    var tags: [String] = []
    var numbers: [Int] = []
    var due = Date.distantPast
    var parent: Item.ID?
    var code: String?
    var level = Level.mid
    var last: Level?
    var colors: [Color] = []
    var marks: Set<Int>?

    var shouted: String { name.uppercased() }
  }

  struct Label: Entity {
    static let collection = "labels"
    static let fields: [EntityField<Label>] = [.field("name", \.name).indexed()]
    var id = ID()
    var name = ""
  }

  struct Link: Relationship, Equatable {
    static let collection = "links"
    static let fields: [EntityField<Link>] = [
      .field("source", \.from).references(Item.self, onDelete: .cascade),
      .field("target", \.to).references(Item.self, onDelete: .cascade),
      .field("color", \.color), .field("strength", \.strength),
    ]
    var id = ID()
    var from = Item.ID("")
    var to = Item.ID("")
    var color = Color.red
    var strength = 1.0

    var computed: Double { strength * 2 }
  }

  let place: SyncPlace

  init() throws { place = try SyncPlace() }

  func store(_ name: String = "a") async throws -> Store {
    try await Store.open(at: place.folder.appending(path: name), schema: [Item.self, Link.self])
  }

  @Test("limits, offsets, groups, existence, counts of relationships and what belongs to a list")
  func shapes() async throws {
    defer { place.remove() }
    let store = try await filled(9)
    let items = try await store.fetch(Item.all.order(by: \.id))
    let links = try await store.fetch(Link.all)
    let page = try await store.fetch(Item.all.order(by: \.count).limit(5).offset(3))
    #expect(page == Array(items.sorted { ($0.count, $0.id) < ($1.count, $1.id) }[3..<8]))
    #expect(try await store.fetch(Item.all.limit(5).offset(3).count()) == 5)
    #expect(
      try await store.fetch(Item.where(\.count, .greaterThan, 1).count())
        == items.count { $0.count > 1 })
    #expect(
      try await store.fetch(Item.where(\.isDone, .equal, true).count())
        == items.count { $0.isDone })
    #expect(
      try await store.fetch(Item.all.where(\.note, .equal, nil).count())
        == items.count { $0.note == nil })
    await #expect {
      try await store.fetch(Item.all.where(\.isDone, .less, true))
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery
    }
    let groups = try await store.fetch(
      Item.all.grouped(by: \.count).having { $0.count > 4 }.aggregate { $0.average(of: \.ratio) })
    let expected = Dictionary(grouping: items, by: \.count).filter { $0.value.count > 4 }
    #expect(groups.map(\.key) == expected.keys.sorted())
    for (key, value) in groups {
      let group = try #require(expected[key])
      #expect(abs(value - group.map(\.ratio).reduce(0, +) / Double(group.count)) < 1e-9)
    }
    let busy = try await store.fetch(
      Item.where { $0.id.count(of: Link.self) > 2 }.order(by: \.id))
    #expect(busy == items.filter { item in links.count { $0.from == item.id } > 2 })
    let red = try await store.fetch(
      Item.where { $0.id.has(Link.self) { $0.color == .red && $0.strength >= 2.0 } }
        .order(by: \.id))
    #expect(
      red
        == items.filter { item in
          links.contains { $0.from == item.id && $0.color == .red && $0.strength >= 2 }
        })
    let parents = try await store.fetch(Item.where { $0.id.isReferenced(by: \Item.parent) })
    let known = Set(items.map(\.id))
    #expect(Set(parents.map(\.id)) == Set(items.compactMap(\.parent)).intersection(known))
    for (item, related) in try await store.fetch(Item.all.limit(10), including: Link.self) {
      #expect(Set(related.map(\.id)) == Set(links.filter { $0.from == item.id }.map(\.id)))
    }
    #expect(
      try await store.explain(Item.where { !$0.isDone }).contains { $0.contains("USING INDEX") })
    let sql = Item.where { $0.name == "x'; DROP TABLE items" }.limit(3).sql
    #expect(!sql.contains("DROP") && sql.contains("?"))
    try await store.close()
  }

  @Test("an unknown case is found by the default that it shows, by the index, and pages are whole")
  func unknownCases() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Job.self])
    try await store.write { tx in
      for (number, state) in ["done", "open", "zeal", "mid", "aa"].enumerated() {
        try tx.insert("jobs", "j\(number)", ["state": .text(state)])
      }
    }
    let open = Job.where { $0.state == .open }
    #expect(try await store.fetch(open.order(by: \.id)).map(\.id) == ["j1", "j2", "j3", "j4"])
    #expect(try await store.fetch(Job.where { $0.state != .open }).map(\.id) == ["j0"])
    #expect(try await store.fetch(Job.where { $0.state.in([.done]) }).map(\.id) == ["j0"])
    let plan = try await store.explain(open)
    #expect(plan.contains { $0.contains("USING") && $0.contains("state") }, "\(plan)")
    let all = Job.all.order(by: \.state)
    var ids: [Job.ID] = []
    while let next = try await store.fetchOne(
      ids.last.map { id in
        var last = Job(id: id)
        last.state = id == "j0" ? .done : .open
        return all.after(last)
      } ?? all)
    { ids.append(next.id) }
    #expect(ids == ["j0", "j1", "j2", "j3", "j4"])
    try await store.close()
  }

  struct Job: Entity {
    enum State: String, Codable, CaseIterable { case open, done }
    static let collection = "jobs"
    static let fields: [EntityField<Job>] = [.field("state", \.state).indexed()]
    var id = ID()
    var state = State.open
  }

  struct Visit: Entity, Equatable {
    static let collection = "visits"
    static let fields: [EntityField<Visit>] = [
      .field("tokens", \.tokens), .field("days", \.days), .field("links", \.links),
      .field("people", \.people), .field("ratios", \.ratios), .field("marks", \.marks),
      .field("names", \.names), .field("last", \.last),
    ]
    var id = ID()
    var tokens: [UUID] = []
    var days: [Date] = []
    var links: [URL]?
    var people: [Item.ID] = []
    var ratios: [Float] = []
    var marks: [Bool?] = []
    var names: [String] = []
    var last: Date?
  }

  @Test("an array contains an element as it is, of every type that JSON has a form for")
  func arrays() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Visit.self])
    let (token, day) = (UUID(), Date(timeIntervalSince1970: 1_700_000_000))
    let link = try #require(URL(string: "https://example.org/a?b=c"))
    try await store.write { tx in
      try tx.insert(
        Visit(
          id: "a", tokens: [UUID(), token], days: [day], links: [link], people: ["p"],
          ratios: [0.1, 1], marks: [true, nil], names: ["a\u{0}b", "\\u0000", "e\u{301}"]))
      try tx.insert(Visit(id: "b", tokens: [UUID()], marks: [false], names: ["a", "1", "é"]))
    }
    func ids(_ query: EntityQuery<Visit>) async throws -> [Visit.ID] {
      try await store.fetch(query.order(by: \.id)).map(\.id)
    }
    #expect(try await ids(Visit.where { $0.tokens.contains(token) }) == ["a"])
    #expect(try await ids(Visit.where { $0.tokens.contains(UUID()) }) == [])
    #expect(try await ids(Visit.where { $0.days.contains(day) }) == ["a"])
    #expect(try await ids(Visit.where { $0.links.contains(link) }) == ["a"])
    #expect(try await ids(Visit.where { $0.people.contains("p") }) == ["a"])
    #expect(try await ids(Visit.where { $0.ratios.contains(0.1) }) == ["a"])
    #expect(try await ids(Visit.where { $0.ratios.contains(1) }) == ["a"])
    #expect(try await ids(Visit.where { $0.marks.contains(nil) }) == ["a"])
    #expect(try await ids(Visit.where { $0.marks.contains(false) }) == ["b"])
    #expect(try await ids(Visit.where { $0.names.contains("a\u{0}b") }) == ["a"])
    #expect(try await ids(Visit.where { $0.names.contains("a") }) == ["b"])
    #expect(try await ids(Visit.where { $0.names.contains("\\u0000") }) == ["a"])
    #expect(try await ids(Visit.where { $0.names.contains("e\u{301}") }) == ["a"])
    #expect(try await ids(Visit.where { !$0.names.contains("1") }) == ["a"])
    try await store.close()
  }

  @Test("a date between two milliseconds compares with the dates that a field can hold")
  func betweenMilliseconds() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Visit.self])
    let (before, after) = (
      Date(milliseconds: 1_700_000_000_000), Date(milliseconds: 1_700_000_000_001)
    )
    let between = Date(timeIntervalSince1970: 1_700_000_000.0004)
    let negative = Date(timeIntervalSince1970: -0.0004)
    try await store.write { tx in
      try tx.insert([
        Visit(id: "a", last: before), Visit(id: "b", last: after), Visit(id: "c"),
        Visit(id: "d", last: Date(milliseconds: -1)), Visit(id: "e", last: Date(milliseconds: 0)),
      ])
    }
    func ids(_ query: EntityQuery<Visit>) async throws -> [Visit.ID] {
      try await store.fetch(query.order(by: \.id)).map(\.id)
    }
    #expect(try await ids(Visit.where { $0.last < between }) == ["a", "d", "e"])
    #expect(try await ids(Visit.where { $0.last <= between }) == ["a", "d", "e"])
    #expect(try await ids(Visit.where { $0.last >= between }) == ["b"])
    #expect(try await ids(Visit.where { $0.last > between }) == ["b"])
    #expect(try await ids(Visit.where { $0.last < negative }) == ["d"])
    #expect(try await ids(Visit.where { $0.last >= negative }) == ["a", "b", "e"])
    #expect(try await ids(Visit.where { $0.last < before }) == ["d", "e"])
    // A date is found as it was written, in whole milliseconds.
    #expect(try await ids(Visit.where { $0.last == between }) == ["a"])
    try await store.close()
  }

  @Test("thousands of conditions and hundreds of thousands of values are one query")
  func large() async throws {
    defer { place.remove() }
    let store = try await filled(3)
    let items = try await store.fetch(Item.all.order(by: \.id))
    func ids(_ query: EntityQuery<Item>) async throws -> [Item.ID] {
      try await store.fetch(query.order(by: \.id)).map(\.id)
    }
    func any(_ count: Int) -> EntityQuery<Item> {
      Item.where { columns in
        (0..<count).reduce(columns.count == 1) { $0 || columns.count == 1000 + $1 }
      }
    }
    func every(_ count: Int) -> EntityQuery<Item> {
      Item.where { columns in
        (0..<count).reduce(columns.count == 1) { $0 && columns.count != 1000 + $1 }
      }
    }
    let ones = items.filter { $0.count == 1 }.map(\.id)
    for count in [1, 2, 98, 99, 5000] {
      #expect(try await ids(any(count)) == ones, "\(count)")
      #expect(try await ids(every(count)) == ones, "\(count)")
    }
    let numbers = [1] + (1000..<300_000)
    #expect(try await ids(Item.where { $0.count.in(numbers) }) == ones)
    #expect(try await ids(Item.where { !$0.count.in(numbers) }).count == items.count - ones.count)
    let texts = (0..<2000).map { "none \($0)" } + ["b", "ä\u{0}b", "e\u{301}", ""]
    #expect(
      try await ids(Item.where { $0.name.in(texts) })
        == items.filter { item in
          ["b", "ä\u{0}b", "e\u{301}", ""].contains { $0.utf8.elementsEqual(item.name.utf8) }
        }.map(\.id))
    let optional = [nil] + (3..<3000).map { Optional($0) }
    #expect(
      try await ids(Item.where { $0.size.in(optional) })
        == items.filter { $0.size == nil || $0.size == 3 }.map(\.id))
    let dates = (0..<2000).map { Date(milliseconds: Int64($0)) }
    #expect(
      try await ids(Item.where { $0.due.in(dates) })
        == items.filter { (0..<2000).contains($0.due.milliseconds) }.map(\.id))
    let ratios = [0.5, 0.1] + (1000..<3000).map { Double($0) + 0.1 }
    #expect(
      try await ids(Item.where { $0.ratio.in(ratios) })
        == items.filter { $0.ratio == 0.5 }.map(\.id))
    // A type of its own: a store of another test may lack a default of `Item`.
    try await store.prepare([Label.self], [])
    let plan = try await store.explain(Label.where { $0.name.in(texts) })
    #expect(plan.contains { $0.contains("SEARCH") && $0.contains("name") }, "\(plan)")
    try await store.close()
  }

  @Test("what SQLite refuses is an error of the store with a cure")
  func refused() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert([Item(name: "a", count: .max), Item(name: "b", count: 1)])
    }
    let wrong: [(String, @Sendable () async throws -> Void)] = [
      ("64 bits", { _ = try await store.fetch(Item.all.sum(of: \.count)) }),
      (
        "64 bits",
        {
          _ = try await store.fetch(
            Item.all.grouped(by: \.isDone).aggregate { $0.sum(of: \.count) })
        }
      ),
      (
        "too long",
        {
          let form = String(repeating: "%a", count: 40_000)
          _ = try await store.fetch(Item.where { $0.name.like(form) })
        }
      ),
      (
        "binds",
        {
          let values = (0..<300_000).map { Double($0) }
          _ = try await store.fetch(Item.where { $0.ratio.in(values) })
        }
      ),
      (
        "nested",
        {
          _ = try await store.fetch(
            Item.where { columns in (0..<500).reduce(columns.count == 1) { a, _ in !a } })
        }
      ),
    ]
    for (text, query) in wrong {
      await #expect { try await query() } throws: { error in
        (error as? StoreError)?.code == .invalidQuery && (error as? StoreError)?.hint != nil
          && "\(error)".contains(text)
      }
    }
    // Another version of the app gives a field another name while this one runs.
    let named = Item.where { $0.name == "a" }
    #expect(try await store.fetch(named).count == 1)
    try await store.write { tx in
      try tx.define(Definition("items", [.text("title").formerly("name")]))
    }
    await #expect { try await store.fetch(named) } throws: { error in
      (error as? StoreError)?.code == .unknownName && "\(error)".contains("formerly")
    }
    try await store.close()
  }

  @Test("a property that is not stored, a negative limit and a NaN are errors that say so")
  func errors() async throws {
    defer { place.remove() }
    let store = try await store()
    let wrong: [(EntityQuery<Item>, String)] = [
      (Item.where { $0.shouted == "A" }, "no stored property"),
      (Item.all.order(by: \.shouted), "no stored property"),
      (Item.all.limit(-1), "limit"), (Item.all.offset(-1), "offset"),
      (Item.where { $0.ratio == .nan }, "nan"),
      (Item.where { $0.due < Date(timeIntervalSince1970: 1e15) }, "due"),
    ]
    for (query, text) in wrong {
      await #expect { try await store.fetch(query) } throws: { error in
        (error as? StoreError)?.code == .invalidQuery && "\(error)".contains(text)
      }
    }
    try await store.close()
  }

  @Test("updates and deletions by condition see what the transaction has written")
  func writes() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert((0..<10).map { Item(name: "n\($0)", count: $0) })
      let updated = try tx.update(where: Item.where { $0.count >= 5 }) { $0.isDone = true }
      #expect(updated == 5)
      let deleted = try tx.delete(where: Item.where { !$0.isDone })
      #expect(deleted == 5)
      let left = try tx.fetch(Item.all.count())
      #expect(left == 5)
    }
    #expect(try await store.fetch(Item.all).allSatisfy(\.isDone))
    try await store.close()
  }

  @Test("five relationships in a row are followed, and a query that SQLite cannot hold says so")
  func depth() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert((0...6).map { Item(id: Item.ID("i\($0)")) })
      for number in 0..<6 {
        try tx.insert(Link(from: Item.ID("i\(number)"), to: Item.ID("i\(number + 1)")))
      }
    }
    var query = Item.where { $0.id == "i0" }
    for number in 1...5 {
      query = query.related(via: Link.self)
      #expect(try await store.fetch(query).map(\.id) == [Item.ID("i\(number)")])
    }
    for _ in 0..<40 { query = query.related(via: Link.self) }
    let deep = query
    await #expect { try await store.fetch(deep) } throws: {
      ($0 as? StoreError)?.code == .invalidQuery && ($0 as? StoreError)?.hint != nil
    }
    try await store.close()
  }
}
