#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import GRDB
  import DaybookProjections
  import Testing

  /// Types that macros declare, in a store.
  @Suite struct MacroStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
      path: "daybook-macros-\(UUID().uuidString)")

    private func store(_ name: String = "a", schema: [any Entity.Type]) async throws -> Store {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try await Store.open(at: folder.appending(path: name), schema: schema)
    }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    private static let links: [any Entity.Type] = [Folder.self, Note.self, Link.self]

    @Test("every kind of property comes back from the store, a transaction and the past")
    func roundTrip() async throws {
      defer { remove() }
      let store = try await store(schema: [Folder.self, Thing.self])
      var thing = Thing(
        text: "b", other: "c", boolean: false, count: 7, small: -8, ratio: 0.25, half: 2,
        day: Date(timeIntervalSince1970: 1_800_000_000.125), token: UUID(),
        link: URL(string: "https://example.org/a?b=c"), data: Data([0, 255]), mood: .cross,
        lastMood: .calm, place: Place(latitude: 1, longitude: 2), lastPlace: Place(),
        tags: ["x\"y"],
        ages: ["ann": 4], numbers: [3], default: "y", row: 9)
      (thing.friend, thing.owner, thing.folder) = (Thing.ID(), Thing.ID(), Folder.ID())
      thing.isSelected = true
      let (written, empty) = (thing, Thing())
      let inside = try await store.write { tx in
        try tx.insert([written, empty])
        return try tx.fetch(written.id)
      }
      let event = try #require(
        try await store.events(EventQuery(isNewestFirst: true)).all().first?.id)
      let found = [
        inside, try await store.fetch(thing.id), try await store.at(.event(event)).fetch(thing.id),
      ]
      for found in found.dropFirst() {
        thing.isSelected = false
        thing.created = try #require(found).created
        thing.modified = try #require(found).modified
        thing.version = 1
        #expect(found == thing)
        #expect(abs(thing.created.timeIntervalSinceNow) < 3600)
        #expect(thing.created == thing.modified)
      }
      #expect(inside?.text == "b" && inside?.isSelected == false)
      var blank = empty
      (blank.created, blank.modified, blank.version) = (thing.created, thing.modified, 1)
      #expect(try await store.fetch(empty.id) == blank)
      #expect(thing.shout == "B" && Thing.limit == 3)
      try await store.close()
    }

    @Test("the store keeps times and the version, and what an app sets there is not written")
    func kept() async throws {
      defer { remove() }
      let store = try await store(schema: [Folder.self, Thing.self])
      let thing = Thing(created: .distantFuture, modified: .distantFuture, version: 99)
      try await store.write { try $0.insert(thing) }
      try await store.write { _ = try $0.update(thing.id) { $0.count = 1 } }
      let found = try #require(try await store.fetch(thing.id))
      #expect(found.version == 2 && found.created <= found.modified)
      #expect(abs(found.modified.timeIntervalSinceNow) < 3600)
      #expect(
        try await store.history(of: thing.id).flatMap(\.changes).contains { $0.field == "version" }
          == false)
      try await store.close()
    }

    @Test("what the attributes say is in the store: search, indexes, references, trees")
    func attributes() async throws {
      defer { remove() }
      let store = try await store(schema: [Folder.self, Note.self, Thing.self])
      let folder = Folder(name: "Home")
      let note = Note(title: "Oat milk", folder: folder.id, tags: ["shop"])
      let other = Note(body: "oat flakes and oat biscuits")
      let (top, low) = (Thing(), Thing())
      try await store.write { tx in
        try tx.insert(folder)
        try tx.insert([note, other])
        try tx.insert([top, low])
        try tx.update(low.id) { $0.parent = top.id }
      }
      #expect(try await store.search("oat", in: "notes").map(\.id).first == note.id.rawValue)
      let indexes = try await store.read { db in
        try db.indexes(on: "notes").map { $0.columns }
      }
      #expect(indexes.contains(["pinned"]) && indexes.contains(["folder"]))
      await #expect {
        try await store.write { try $0.update(top.id) { $0.parent = low.id } }
      } throws: {
        ($0 as? StoreError)?.code == .wouldLoop
      }
      try await store.write { try $0.delete(folder) }
      #expect(try await store.fetch(note.id)?.folder == nil)
      try await store.write { _ = try $0.update(low.id) { $0.owner = top.id } }
      try await store.write { try $0.delete(top) }
      #expect(try await store.fetch(low.id) == nil)
      try await store.close()
    }

    @Entity("folders") struct LaterFolder: Equatable {
      var id = ID()
      @Field(formerly: "name") var title = ""
      var color = "grey"
      var mood = Mood.calm
      var icon: String?
    }

    @Test("older rows show the defaults, and a field that is renamed keeps its values")
    func later() async throws {
      defer { remove() }
      let first = try await store(schema: [Folder.self])
      let folder = Folder(name: "Home")
      try await first.write { try $0.insert(folder) }
      try await first.close()
      let second = try await store(schema: [LaterFolder.self])
      let id = LaterFolder.ID(folder.id.rawValue)
      let expected = LaterFolder(id: id, title: "Home", color: "grey", mood: .calm, icon: nil)
      #expect(try await second.fetch(id) == expected)
      let titles = try await second.read { db in
        try String.fetchAll(db, sql: "SELECT title FROM folders WHERE color = 'grey'")
      }
      #expect(titles == ["Home"])
      try await second.write { tx in
        try tx.update(id) { $0.title = "Work" }
        try tx.insert(LaterFolder(title: "New", color: "red"))
      }
      #expect(try await second.fetch(id)?.title == "Work")
      let events = try await second.events(EventQuery()).all().count
      try await second.close()
      let third = try await store(schema: [LaterFolder.self])
      #expect(try await third.events(EventQuery()).all().count == events)
      try await third.close()
    }

    @Test("the same relationship made twice, on two devices, is one")
    func keyed() async throws {
      defer { remove() }
      let (a, b) = (
        try await store("a", schema: Self.links), try await store("b", schema: Self.links)
      )
      let (milk, list) = (Note(title: "Oat milk", tags: ["shop"]), Note(title: "List"))
      try await a.write { try $0.insert([milk, list]) }
      try await b.syncOnce(with: StorePeer(a))
      let link = Link(from: milk.id, to: list.id, kind: .cites)
      let again = Link(from: milk.id, to: list.id, kind: .cites, strength: 0.5)
      #expect(link.id == again.id && link.id != Link(from: milk.id, to: list.id).id)
      #expect(link.id != Link(from: list.id, to: milk.id, kind: .cites).id)
      try await a.write { try $0.insert(link) }
      try await b.write { tx in
        try tx.insert(again)
        try tx.insert(Link(from: milk.id, to: list.id))
      }
      await #expect { try await b.write { try $0.insert(again) } } throws: {
        ($0 as? StoreError)?.code == .entityExists
      }
      try await b.syncOnce(with: StorePeer(a))
      for store in [a, b] {
        let count = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM links") }
        #expect(count == 2)
        let found = try #require(try await store.fetch(link.id))
        #expect(found.id == link.id && found.kind == .cites)
        #expect(found.from == milk.id && found.to == list.id && found.strength == 0.5)
      }
      try await a.write {
        try $0.insertOrOverwrite(Link(from: milk.id, to: list.id, kind: .cites, strength: 2))
      }
      #expect(try await a.fetch(link.id)?.strength == 2)
      await #expect {
        try await a.write { try $0.update(link.id) { $0.kind = .related } }
      } throws: {
        ($0 as? StoreError)?.code == .fixedKey || ($0 as? StoreError)?.code == .invalidID
      }
      try await a.write { try $0.delete(milk) }
      #expect(try await a.fetch(link.id) == nil)
      #expect(try await a.deleted(in: Link.self).all().count == 2)
      try await a.close()
      try await b.close()
    }

    @Test("relationships are the graph's: it follows them with their weight, as they are directed")
    func graph() async throws {
      defer { remove() }
      let store = try await store(schema: [
        Folder.self, Note.self, Link.self, Pair.self, Visit.self, Friend.self,
      ])
      let (a, b) = (Note(title: "a"), Note(title: "b"))
      let (home, work) = (Folder(name: "home"), Folder(name: "work"))
      let pair = Pair(from: a.id, to: home.id, note: "first")
      let visits = [Visit(from: home.id, to: a.id), Visit(from: home.id, to: a.id, reason: "rain")]
      try await store.write { tx in
        try tx.insert([a, b])
        try tx.insert([home, work])
        try tx.insert(Link(from: a.id, to: b.id))
        try tx.insert(pair)
        try tx.insert(visits)
        try tx.insert(Friend(from: home.id, to: work.id))
      }
      #expect(Pair(from: a.id, to: home.id, note: "second").id == pair.id)
      #expect(visits[0].id != visits[1].id)
      for visit in visits { #expect(try await store.fetch(visit.id) == visit) }
      let indexes = try await store.read { db in try db.indexes(on: "links").map { $0.columns } }
      #expect(indexes.contains(["strength"]))
      #expect(try await store.fetch(Friend(from: home.id, to: work.id).id)?.kind == "friend")
      try await store.close()
    }

    @Test("the rules of a type hold: local, unique together, indexes of several fields")
    func rules() async throws {
      defer { remove() }
      let store = try await store(schema: [Setting.self, Book.self])
      let schema = try await store.schema()
      #expect(schema["settings"]?.isLocal == true && schema["books"]?.isLocal == false)
      #expect(schema["books"]?.uniqueSets.map(\.fields) == [["source", "number"]])
      #expect(schema["books"]?.indexes.count == 2)
      try await store.write { try $0.insert(Setting(key: "theme", theme: "dark")) }
      await #expect { try await store.write { try $0.insert(Setting(key: "theme")) } } throws: {
        ($0 as? StoreError)?.code == .valueTaken
      }
      try await store.write { try $0.insert(Book(source: "isbn", number: "1")) }
      await #expect {
        try await store.write { try $0.insert(Book(source: "isbn", number: "1", shelf: 2)) }
      } throws: {
        ($0 as? StoreError)?.code == .valueTaken
      }
      try await store.close()
    }

    @Test("values without case are unique by themselves and together, and keep their spelling")
    func foldedRules() async throws {
      defer { remove() }
      let store = try await store(schema: [Member.self])
      let schema = try await store.schema()
      #expect(schema["members"]?[field: "email"]?.uniqueness == .folded)
      #expect(
        schema["members"]?.uniqueSets == [
          StoreSchema.UniqueSet(fields: ["club", "nickname"], uniqueness: .folded)
        ])
      let ann = Member(email: "Ann@Example.com", club: 1, nickname: "\u{C9}lan")
      try await store.write { try $0.insert(ann) }
      for taken in [
        Member(email: "ann@example.COM", club: 2), Member(club: 1, nickname: "e\u{301}LAN"),
      ] {
        let error = await #expect(throws: StoreError.self) {
          try await store.write { try $0.insert(taken) }
        }
        #expect(error?.code == .valueTaken && error?.clash?.owner == ann.id.rawValue)
      }
      try await store.write { tx in
        try tx.insert(Member(email: "bob@example.com", club: 2, nickname: "\u{E9}lan"))
      }
      #expect(try await store.fetch(ann.id)?.email == "Ann@Example.com")
      let found = Member.where { $0.email.folded == "ANN@EXAMPLE.COM" }
      #expect(try await store.fetch(found).map(\.id) == [ann.id])
      try await store.close()
    }

    @Test("public types, types in others, and types with their own initializers are stored, too")
    func places() async throws {
      defer { remove() }
      let store = try await store(schema: [
        Person.self, Knows.self, Outer.Inner.Leaf.self, Outer.Packaged.self, Shown.Item.self,
        Task2.self,
      ])
      let (ann, bob) = (Person(name: "Ann", role: .host), Person(name: "Bob", visits: 3))
      let leaf = Outer.Inner.Leaf()
      let task = Task2("call")
      try await store.write { tx in
        try tx.insert([ann, bob])
        try tx.insert(Knows(from: ann.id, to: bob.id))
        try tx.insert(leaf)
        try tx.insert(Outer.Packaged(name: "x"))
        try tx.insert(Shown.Item(name: "y"))
        try tx.insert(task)
      }
      #expect(try await store.fetch(ann.id) == ann)
      #expect(try await store.fetch(bob.id)?.visits == 3)
      #expect(try await store.fetch(leaf.id)?.next == nil)
      #expect(try await store.fetch(task.id)?.title == "call")
      let knows = try await store.fetch(Knows(from: ann.id, to: bob.id, trust: 1).id)
      #expect(knows == Knows(from: ann.id, to: bob.id, since: 2000, trust: 0.5))
      try await store.close()
    }
  }
#endif
