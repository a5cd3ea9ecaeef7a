#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import Testing

  /// Entities of every form of Swift, in a store.
  @Suite struct LegalTypeTests {
    private func stored<E: Entity>(_ entity: E) async throws -> E {
      let store = try await Store.inMemory(schema: [Several.self, Space.InExtension.self, E.self])
      try await store.write { try $0.insert(entity) }
      let found = try #require(try await store.fetch(entity.id))
      let all = try await store.fetch(E.all)
      #expect(all.map(\.id) == [entity.id])
      // What another version wrote, or nothing at all, shows the defaults.
      let other = E.ID("other")
      try await store.write { try $0.insert(E.collection, other.rawValue, [:]) }
      #expect(try await store.fetch(other) != nil)
      try await store.close()
      return found
    }

    private func expectStored<E: Entity & Equatable>(
      _ entities: E..., location: SourceLocation = #_sourceLocation
    ) async throws {
      for entity in entities {
        let found = try await stored(entity)
        #expect(found == entity, sourceLocation: location)
      }
    }

    @Test("several properties in one declaration, and names of any kind")
    func names() async throws {
      var several = Several(title: "a", count: 2, first: 3, third: 4, fourth: "b")
      several.second = 5
      try await expectStored(Several(), several)
      try await expectStored(
        Named(),
        Named(
          read: true, fields: 1, collection: "c", refine: 2, default: 3, class: "d", init: 4,
          case: 5, where: "e", self: 6, Type: 7, row: 8, model: "f", Daybook: 9))
      try await expectStored(`Protocol`())
    }

    @Test("who sees and sets a property does not matter to the store")
    func access() async throws {
      var seen = Seen(visits: 3, name: "a", note: "b")
      (seen.level, seen.count) = (4, 5)
      seen.visit()
      let found = try await stored(seen)
      #expect(found == seen && found.visits == 4)
      try await expectStored(Space.Exposed())
      try await expectStored(Space.InExtension())
      for entity in Space.hiddenEntities() { _ = try await stored(entity) }
      #expect(Space.hidden.count == 2)
    }

    @Test("blocks of a condition can hold everything but fields")
    func conditions() async throws {
      let conditional = Conditional(sample: 4)
      try await expectStored(Conditional(), conditional)
      #expect(conditional.dump() == "4" && Conditional.samples == [1, 2])
      #expect(Conditional().label == "a")
      try await expectStored(Otherwise(count: 3))
    }

    @Test("names of other types are what they stand for")
    func aliases() async throws {
      let store = try await Store.inMemory(schema: [Several.self, Aliased.self])
      let several = Several()
      let parent = Aliased(body: "oat milk")
      let child = Aliased(
        body: "x", one: several.id, two: several.id, three: several.id, four: several.id,
        parent: parent.id)
      try await store.write { tx in
        try tx.insert(several)
        try tx.insert([parent, child])
      }
      try await store.write { tx in
        try tx.delete(several.id)
        try tx.update(parent.id) { $0.body += ", bread" }
      }
      let found = try #require(try await store.fetch(child.id))
      #expect(found.one == several.id && found.four == several.id && found.parent == parent.id)
      #expect(found.two == nil && found.three == nil && found.version > 0)
      #expect(abs(found.modified.timeIntervalSinceNow) < 3600)
      #expect(try await store.search(Aliased.self, for: "bread").map(\.entity.id) == [parent.id])
      let schema = try await store.schema()
      #expect(schema["aliased"]?.fields.first { $0.name == "body" }?.merges == true)
      try await store.close()
    }

    @Test("types in every spelling")
    func types() async throws {
      try await expectStored(
        Spelled(),
        Spelled(
          optional: 1, long: "a", implicit: 2, list: ["b"], table: ["c": [3]], text: "d",
          day: Date(timeIntervalSince1970: 4), bracketed: 5, unsigned: 6, wide: 7, price: 8.5,
          span: 9, place: Place(latitude: 1), range: 2...3))
      try await expectStored(
        Nested(),
        Nested(
          place: .init(x: 1), places: [], maybe: .init(x: 2), shape: .dot, other: .box(4),
          flags: [], flag: .blue, kind: .usual, kinds: [.default], byKind: ["a": .usual]))
    }

    @Test("defaults in every spelling")
    func defaults() async throws {
      var changed = Defaults()
      (changed.level, changed.minus, changed.chosen, changed.made) = (.low, 5, 6, 7)
      (changed.lines, changed.raw, changed.empty, changed.given) = ("a", "b", "c", ["d"])
      try await expectStored(Defaults(), changed)
      #expect(Defaults().lines == "one\n  \"two\" \\" && Defaults().chosen == 1)
      // Each new value has another token, so that the store has no default for it.
      let store = try await Store.inMemory(schema: [Defaults.self])
      let fields = try await store.schema()["defaults"]?.fields ?? []
      let withDefault = Set(fields.filter { $0.defaultValue != nil }.map(\.name))
      #expect(withDefault.isDisjoint(with: ["token", "second", "made"]))
      #expect(withDefault.isSuperset(of: ["level", "hex", "week", "lines", "own", "cast"]))
      try await store.close()
    }

    @Test("a public initializer has the defaults of the properties")
    func publicDefaults() async throws {
      let value = Published()
      #expect(value == Published(id: value.id))
      #expect(value.limit == 3 && value.name == "usual" && value.secret == "hidden")
      #expect(value.size == 4 && value.chosen == 1 && value.made == 3 && value.third == .low)
      #expect(value.lines == "one\n  two" && value.link != nil && value.position == .first)
      try await expectStored(
        value,
        Published(
          limit: 1, again: 2, name: "a", secret: "b", size: 3, level: .low, second: .high,
          third: nil, week: 4, both: "c", not: true, mixed: 5, chosen: 6, made: 7, given: [],
          tags: ["d"], marks: ["e"], parent: value.id, other: 8, link: nil,
          sure: URL(string: "https://c.d")!, day: Date(timeIntervalSince1970: 9), lines: "",
          position: .after(.first)))
      try await expectStored(Commented(), Commented(first: 2, second: 3, table: [:], third: 4))
    }

    @Test("attributes, and members that are not stored")
    func members() async throws {
      var members = Members(code: "ABC", count: 4)
      members.double = 12
      try await expectStored(Members(), members)
      #expect(members.code == "abc" && members.count == 6 && members[1] == 7)
      let (short, loaded) = (await members.short, try await members.load())
      #expect(short == 6 && loaded == 6)
      let (shown, title) = (await members.show(), await members.title)
      #expect(shown == 6 && title == "abc" && members.list([1]) == [1, 6])
      let kept = Kept(count: 3, watched: 4, pair: (5, 6), action: { 7 }, changes: 8)
      let found = try await stored(kept)
      #expect(found.count == 3 && found.watched == 1 && found.pair == (1, 2))
      #expect(found.action == nil && found.constant == 5 && found.changes == 0)
    }

    @Test("initializers and protocols of the author's")
    func initializers() async throws {
      let text = try #require(Started(text: "7"))
      try await expectStored(text, Started(5), try Started(from: Started(6)))
      try await expectStored(Extended(text: "7"), Extended(count: 3), Extended())
      let one = Conforming(count: 3)
      try await expectStored(one)
      let copy = try JSONDecoder().decode(Conforming.self, from: JSONEncoder().encode(one))
      #expect(copy == one && one > Conforming() && "\(one)" == "3")
      try await expectStored(Available(count: 3))
    }

    @Test("a relationship between types in other types, with a key of several properties")
    func relationship() async throws {
      let (from, to) = (Space.InExtension(), Several())
      let store = try await Store.inMemory(
        schema: [Several.self, Space.InExtension.self, Joined.self])
      let joined = Joined(from: from.id, to: to.id, kind: .far)
      try await store.write { tx in
        try tx.insert(from)
        try tx.insert(to)
        try tx.insert(joined)
      }
      let found = try await store.fetch(joined.id)
      #expect(found == joined && found?.note == "usual" && found?.level == 2)
      #expect(Joined(from: from.id, to: to.id, kind: .far).id == joined.id)
      try await store.close()
    }

    @Test("an index of an order is a field with its own default, and has an index")
    func places() async throws {
      let store = try await Store.inMemory(schema: [Placed.self])
      let rows = [Placed(), Placed(position: .after(.first)), Placed(position: .before(.first))]
      try await store.write { try $0.insert(rows) }
      let found = try await store.fetch(Placed.all.order(by: \.position))
      #expect(found == [rows[2], rows[0], rows[1]])
      let schema = try #require(try await store.schema()["placed"])
      #expect(schema.fields.first { $0.name == "position" }?.defaultValue == .text("V"))
      #expect(schema.indexes.contains { $0.columns.count == 2 })
      try await store.write { try $0.move([2], to: 0, in: found, by: \.position) }
      let moved = try await store.fetch(Placed.all.order(by: \.position))
      #expect(moved.map(\.id) == [rows[1], rows[2], rows[0]].map(\.id))
      try await store.close()
    }
  }
#endif
