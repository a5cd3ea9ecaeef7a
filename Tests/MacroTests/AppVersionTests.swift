#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import GRDB
  import Testing

  /// Several versions of an app, each with its own types, that write to the same data.
  @Suite struct AppVersionTests {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "daybook-versions-\(UUID().uuidString)")

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func open(
      _ name: String, _ schema: [any Entity.Type], _ migrations: [Migration] = []
    ) async throws -> Store {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try await Store.open(
        at: folder.appending(path: name), schema: schema, migrations: migrations)
    }

    func events(_ store: Store) async throws -> Int { try await store.events().all().count }

    // MARK: - Unique fields

    enum Plain {
      @Entity("notes") struct Note: Equatable {
        var id = ID()
        var title = ""
      }
    }

    enum Slugged {
      @Entity("notes") struct Note: Equatable {
        var id = ID()
        var title = ""
        @Unique var slug: String?
      }
    }

    /// A macro would refuse this.
    enum Shared {
      struct Note: Entity {
        static let collection = "notes"
        static let fields: [EntityField<Note>] = [
          .field("title", \.title), .field("slug", \.slug).unique(),
        ]
        var id = ID()
        var title = ""
        var slug = ""
      }
    }

    enum UniqueTitle {
      @Entity("notes") struct Note: Equatable {
        var id = ID()
        @Unique var title: String?
      }
    }

    @Test("a unique field with a default is refused, and no row is hidden")
    func sharedDefault() async throws {
      defer { remove() }
      let store = try await open("a", [Plain.Note.self])
      try await store.write { tx in
        try tx.insert((0..<10).map { Plain.Note(title: "\($0)") })
      }
      try await store.close()
      await #expect {
        try await open("a", [Shared.Note.self])
      } throws: {
        let error = $0 as? StoreError
        return error?.code == .contradiction && error?.message.contains("notes.slug") == true
          && error?.hint?.contains("optional") == true
      }
      let later = try await open("a", [Slugged.Note.self])
      #expect(try await later.fetch(Slugged.Note.all.count()) == 10)
      #expect(try await later.hidden().all().isEmpty)
      try await later.close()
    }

    @Test("a rule that would hide rows says how many, and a migration may change them first")
    func hidingRule() async throws {
      defer { remove() }
      let store = try await open("a", [Plain.Note.self])
      try await store.write { tx in
        for title in ["x", "x", "x", "y", "y", "z"] { try tx.insert(Plain.Note(title: title)) }
      }
      let count = try await events(store)
      try await store.close()
      await #expect {
        try await open("a", [UniqueTitle.Note.self])
      } throws: {
        let error = $0 as? StoreError
        return error?.code == .valueTaken && error?.message.contains("hide 3 entities") == true
          && error?.hint?.contains("migration") == true
      }
      let apart = Migration(1, "titles apart") { tx in
        try tx.update(where: UniqueTitle.Note.all) { $0.title = "\($0.title ?? "") \($0.id)" }
      }
      let later = try await open("a", [UniqueTitle.Note.self], [apart])
      #expect(try await later.fetch(UniqueTitle.Note.all.count()) == 6)
      await #expect(throws: StoreError.self) {
        try await later.write { tx in
          for _ in 0..<2 { try tx.insert(UniqueTitle.Note(title: "again")) }
        }
      }
      // That the title can be nil now, what the migration changes, and the rule.
      #expect(
        try await later.events().all().dropFirst(count).map(\.label) == [
          "schema", "migration 1", "schema",
        ])
      try await later.close()
    }

    @Test("a rule that a version no longer declares stays until a migration takes it away")
    func droppedRule() async throws {
      defer { remove() }
      let store = try await open("a", [UniqueTitle.Note.self])
      try await store.write { try $0.insert(UniqueTitle.Note(title: "one")) }
      try await store.close()
      let plain = try await open("a", [Plain.Note.self])
      await #expect {
        try await plain.write { try $0.insert(Plain.Note(title: "one")) }
      } throws: {
        ($0 as? StoreError)?.code == .valueTaken
          && ($0 as? StoreError)?.hint?.contains("migration") == true
      }
      try await plain.close()
      let migrations = [
        Migration(1, "titles need not be unique") { try $0.define(Plain.Note.self) }
      ]
      let later = try await open("a", [Plain.Note.self], migrations)
      try await later.write { try $0.insert(Plain.Note(title: "one")) }
      #expect(try await later.fetch(Plain.Note.all.count()) == 2)
      try await later.close()
      // The older version does not bring the rule back.
      let older = try await open("a", [UniqueTitle.Note.self])
      #expect(try await older.fetch(UniqueTitle.Note.all.count()) == 2)
      try await older.write { try $0.insert(UniqueTitle.Note(title: "one")) }
      try await older.close()
    }

    @Test("of two migrations that disagree about a rule, the later one counts, whoever runs last")
    func laterMigration() async throws {
      defer { remove() }
      let a = try await open("a", [Plain.Note.self])
      let b = try await open("b", [Plain.Note.self])
      try await a.write { try $0.insert(Plain.Note(title: "one")) }
      try await a.syncOnce(with: StorePeer(b))
      try await [a, b].closeAll()
      let rule = Migration(1, "rule") { try $0.define(UniqueTitle.Note.self) }
      let noRule = Migration(2, "no rule") { try $0.define(Plain.Note.self) }
      let newest = try await open("a", [Plain.Note.self], [rule, noRule])
      // A device with the version before, which has been offline.
      let before = try await open("b", [UniqueTitle.Note.self], [rule])
      for _ in 0..<2 { try await newest.syncOnce(with: StorePeer(before)) }
      #expect(try await newest.digest() == before.digest())
      for store in [newest, before] {
        try await store.write { try $0.insert(Plain.Note(title: "one")) }
      }
      try await [newest, before].closeAll()
    }

    // MARK: - Names

    enum Headline {
      @Entity("notes") struct Note: Equatable {
        var id = ID()
        @Field(formerly: "title") @Search var headline = ""
      }
    }

    enum Caption {
      @Entity("notes") struct Note: Equatable {
        var id = ID()
        @Field(formerly: "title", "headline") @Search var caption = ""
      }
    }

    enum MiddleName {
      @Entity("notes") struct Note {
        var id = ID()
        @Field(formerly: "headline") var caption = ""
      }
    }

    enum NoFormerName {
      @Entity("notes") struct Note {
        var id = ID()
        var headline = ""
      }
    }

    @Test(
      "each version reads, finds, observes and writes a renamed field by the name that it knows")
    func renamed() async throws {
      defer { remove() }
      let old = try await open("a", [Plain.Note.self])
      let new = try await open("b", [Headline.Note.self])
      let id = Plain.Note.ID("n")
      try await old.write { try $0.insert(Plain.Note(id: id, title: "one")) }
      try await old.syncOnce(with: StorePeer(new))
      #expect(try await old.fetch(Plain.Note.all) == [Plain.Note(id: id, title: "one")])
      #expect(try await old.fetch(id)?.title == "one")
      #expect(try await old.fetch(Plain.Note.where { $0.title == "one" }.count()) == 1)
      #expect(try await old.fetch(Plain.Note.all.order(by: \.title)).count == 1)
      try await old.write { tx in
        try tx.update(id) { $0.title += ", two" }
        try tx.set(\.title, of: id, to: "three")
        try tx.edit(id, \.title) { $0.append("!") }
        try tx.insert(Plain.Note(id: "m", title: "four"))
        #expect(try tx.fetch(Plain.Note.all.order(by: \.title)).map(\.title) == ["four", "three!"])
      }
      for try await notes in old.observe(Plain.Note.all.order(by: \.id)) {
        #expect(notes.map(\.title) == ["four", "three!"])
        break
      }
      let history = try await old.history(of: id)
      #expect(history.count == 4)
      let past = try await old.at(.event(history[0].event)).fetch(id)
      #expect(past?.title == "one")
      try await old.syncOnce(with: StorePeer(new))
      #expect(
        try await new.fetch(Headline.Note.all.order(by: \.id)).map(\.headline) == [
          "four", "three!",
        ])
      #expect(try await new.search(Headline.Note.self, for: "four").count == 1)
      #expect(try await old.digest() == new.digest())
      let count = try await events(old)
      try await [old, new].closeAll()
      for schema: [any Entity.Type] in [[Plain.Note.self], [Headline.Note.self]] {
        let again = try await open("a", schema)
        #expect(try await events(again) == count)
        try await again.close()
      }
    }

    @Test("a chain of names ends with the latest, whoever is opened in between")
    func chain() async throws {
      defer { remove() }
      let store = try await open("a", [Plain.Note.self])
      try await store.write { try $0.insert(Plain.Note(id: "n", title: "one")) }
      try await store.close()
      var counts: [Int] = []
      for schema: [any Entity.Type] in [
        [Headline.Note.self], [Caption.Note.self], [Headline.Note.self], [Plain.Note.self],
        [Caption.Note.self],
      ] {
        let store = try await open("a", schema)
        counts.append(try await events(store))
        #expect(try await store.fetch("notes", "n")?.fields.values.first == "one")
        try await store.close()
      }
      #expect(Set(counts.dropFirst()).count == 1)
      let last = try await open("a", [Caption.Note.self])
      #expect(
        try await last.read { try String.fetchAll($0, sql: "SELECT caption FROM notes") } == ["one"]
      )
      // A store that never had the older names makes the same field.
      let fresh = try await open("b", [Caption.Note.self])
      try await fresh.write { try $0.insert(Caption.Note(id: "m", caption: "two")) }
      try await last.syncOnce(with: StorePeer(fresh))
      #expect(
        try await last.fetch(Caption.Note.all.order(by: \.id)).map(\.caption) == ["two", "one"])
      #expect(try await last.schema()["notes"]?.fields.count == 1)
      try await [last, fresh].closeAll()
    }

    @Test(
      "a type that names a field by another name than its first is refused",
      arguments: [true, false])
    func firstName(isMiddle: Bool) async throws {
      defer { remove() }
      let store = try await open("a", [Plain.Note.self])
      try await store.close()
      try await open("a", [Headline.Note.self]).close()
      await #expect {
        try await open("a", isMiddle ? [MiddleName.Note.self] : [NoFormerName.Note.self])
      } throws: {
        ($0 as? StoreError)?.code == .contradiction
          && ($0 as? StoreError)?.hint?.contains("formerly: \"title\"") == true
      }
    }

    // MARK: - Defaults

    enum Five {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
        var number = 5
      }
    }

    enum Nine {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
        var number = 9
      }
    }

    enum MaybeFive {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
        var number: Int? = 5
      }
    }

    enum Nameless {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
      }
    }

    @Test("an optional property with a default can hold nothing")
    func optionalDefault() async throws {
      defer { remove() }
      let store = try await open("a", [MaybeFive.Item.self])
      try await store.write { tx in
        try tx.insert(MaybeFive.Item(id: "a", number: nil))
        try tx.insert(MaybeFive.Item(id: "b"))
        try tx.update(MaybeFive.Item.ID("b")) { $0.number = nil }
        try tx.insert(MaybeFive.Item(id: "c"))
      }
      #expect(
        try await store.fetch(MaybeFive.Item.all.order(by: \.id)).map(\.number) == [nil, nil, 5])
      #expect(try await store.fetch(MaybeFive.Item.where { $0.number == nil }.count()) == 2)
      try await store.close()
    }

    @Test("a number with a default that becomes optional can hold nothing, also after a rebuild")
    func becomesOptional() async throws {
      defer { remove() }
      let first = try await open("a", [Five.Item.self])
      try await first.write { try $0.insert(Five.Item(id: "a")) }
      try await first.close()
      let store = try await open("a", [MaybeFive.Item.self])
      try await store.write { tx in
        try tx.insert(MaybeFive.Item(id: "b", number: nil))
        try tx.insert(MaybeFive.Item(id: "c", number: 7))
        try tx.update(MaybeFive.Item.ID("c")) { $0.number = nil }
        try tx.insert("items", "d", ["name": "before the field"])
      }
      for isRebuilt in [false, true] {
        if isRebuilt { try await store.rebuild() }
        let numbers = try await store.fetch(MaybeFive.Item.all.order(by: \.id)).map(\.number)
        #expect(numbers == [5, nil, nil, 5])
        for (id, number) in zip(["a", "b", "c", "d"], numbers) {
          #expect(try await store.fetch(MaybeFive.Item.ID(rawValue: id))?.number == number)
        }
      }
      #expect(try await store.verify().isSound)
      try await store.close()
      // The first version shows what its property begins with.
      let older = try await open("a", [Five.Item.self])
      #expect(try await older.fetch(Five.Item.all).map(\.number) == [5, 5, 5, 5])
      try await older.close()
    }

    @Test("versions with other defaults write nothing when they are opened, and show the same rows")
    func otherDefaults() async throws {
      defer { remove() }
      let first = try await open("a", [Nameless.Item.self])
      try await first.write { try $0.insert(Nameless.Item(id: "a", name: "old")) }
      try await first.close()
      try await open("a", [Five.Item.self]).close()
      var counts: Set<Int> = []
      for _ in 0..<3 {
        let nine = try await open("a", [Nine.Item.self])
        counts.insert(try await events(nine))
        #expect(try await nine.fetch(Nine.Item.ID("a"))?.number == 5)
        #expect(try await nine.fetch(Nine.Item.where { $0.number == 5 }.count()) == 1)
        try await nine.close()
        let five = try await open("a", [Five.Item.self])
        counts.insert(try await events(five))
        #expect(try await five.fetch(Five.Item.ID("a"))?.number == 5)
        try await five.close()
      }
      #expect(counts.count == 1)
      let nine = try await open("a", [Nine.Item.self])
      try await nine.write { try $0.insert(Nine.Item(id: "b")) }
      #expect(try await nine.fetch(Nine.Item.ID("b"))?.number == 9)
      try await nine.close()
    }

    @Test("an optional field that becomes a number shows the number where nothing was written")
    func becomesRequired() async throws {
      defer { remove() }
      let first = try await open("a", [MaybeFive.Item.self])
      try await first.write { try $0.insert(MaybeFive.Item(id: "a", number: nil)) }
      let count = try await events(first)
      try await first.close()
      let store = try await open("a", [Nine.Item.self])
      #expect(try await events(store) == count)
      #expect(try await store.fetch(Nine.Item.all).map(\.number) == [9])
      #expect(try await store.fetch(Nine.Item.where { $0.number == 9 }.count()) == 1)
      #expect(try await store.fetch(Nine.Item.where { $0.number > 9 }.count()) == 0)
      try await store.close()
      let older = try await open("a", [MaybeFive.Item.self])
      #expect(try await older.fetch(MaybeFive.Item.all).map(\.number) == [nil])
      try await older.close()
    }

    enum Due {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
        var due = Date.now.addingTimeInterval(7 * 86_400)
        var far = Date.distantFuture
        var token = UUID()
        var chance = Bool.random()
        var span = 60 * 60 * 24
        var negative = -1.5
        var tags = ["a", "b"]
      }
    }

    @Test("only what the source shows as constant is a default of the store")
    func movingDefault() async throws {
      defer { remove() }
      let first = try await open("a", [Nameless.Item.self])
      try await first.write { try $0.insert(Nameless.Item(id: "a")) }
      try await first.close()
      let store = try await open("a", [Due.Item.self])
      let fields = try #require(try await store.schema()["items"]).fields
      let withDefault = Set(fields.filter { $0.defaultValue != nil }.map(\.name))
      #expect(withDefault == ["name", "far", "span", "negative", "tags"])
      let row = try #require(try await store.fetch("items", "a"))
      #expect(row["due"] == .null && row["span"] == 86_400 && row["negative"] == -1.5)
      try await store.close()
    }

    // MARK: - Opening

    @Test("of many that open a new store at once, one makes it, and all get it")
    func openedAtOnce() async throws {
      defer { remove() }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let stores = try await withThrowingTaskGroup(of: Store.self) { group in
        for _ in 0..<8 { group.addTask { try await open("a", [Five.Item.self, Folder.self]) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (number, store) in stores.enumerated() {
        try await store.write { try $0.insert(Five.Item(number: number)) }
      }
      for store in stores { #expect(try await store.fetch(Five.Item.all.count()) == 8) }
      #expect(Set(stores.map(\.replica)).count == 1)
      try await stores.closeAll()
      try "not a store".write(
        to: folder.appending(path: "file"), atomically: true, encoding: .utf8)
      await #expect(throws: StoreError.self) { try await open("", [Five.Item.self]) }
    }
  }

  extension [Store] {
    func closeAll() async throws { for store in self { try await store.close() } }
  }
#endif
