#if Macros
  import Daybook
  import Foundation
  import GRDB
  import Observation
  import Testing

  /// An app for tasks, with several tools on one store.
  @Suite(.timeLimit(.minutes(10))) struct TaskTests {
    @Test("T1: items, tags, their connections, time entries and saved searches are stored")
    func types() async throws {
      let store = try await Tasks.store()
      let project = Item(title: "Garden")
      let item = Item(title: "Plant oats", parent: project.id, due: Date(timeIntervalSince1970: 9))
      let (home, work) = (Tag(name: "home", color: "green"), Tag(name: "work"))
      let entry = TimeEntry(item: item.id, start: Date(timeIntervalSince1970: 100))
      let search = SavedSearch(
        name: "Waiting", definition: .init(words: "oats", statuses: [.waiting, .next]))
      try await store.write { tx in
        try tx.insert([project, item])
        try tx.insert([home, work])
        try tx.insert(ItemTag(from: item.id, to: home.id))
        try tx.insert(entry)
        try tx.insert(search)
      }
      #expect(try await store.fetch(Item.where { $0.parent == project.id }).map(\.id) == [item.id])
      #expect(try await store.fetch(Tag.related(from: item.id, via: ItemTag.self)) == [home])
      let tagged = Tag.where { $0.name == "home" }.relating(via: ItemTag.self)
      #expect(try await store.fetch(tagged).map(\.title) == ["Plant oats"])
      let running = try await store.fetchOne(TimeEntry.where { $0.end == nil })
      #expect(running?.item == item.id && running?.start == entry.start)
      let saved = try #require(try await store.fetch(search.id)).definition
      let statuses = saved.statuses
      let found = try await store.search(Item.self, for: saved.words).map(\.entity)
      #expect(found.filter { statuses.contains($0.status) }.map(\.id) == [item.id])
      try await store.close()
    }

    @Test("T2: every write sets when an item was made and changed, and an app cannot")
    func times() async throws {
      let store = try await Tasks.store()
      let item = Item(title: "a", created: .distantFuture, modified: .distantFuture)
      try await store.write { try $0.insert(item) }
      let first = try #require(try await store.fetch(item.id))
      #expect(first.created == first.modified && abs(first.created.timeIntervalSinceNow) < 3600)
      // Times are in milliseconds: the item is changed until its time is another one.
      while try #require(try await store.fetch(item.id)?.modified) == first.modified {
        try await store.write { tx in
          _ = try tx.update(item.id) {
            $0.sortOrder += 1
            $0.modified = .distantPast
          }
        }
      }
      let second = try #require(try await store.fetch(item.id))
      #expect(second.modified > first.modified && second.created == first.created)
      let untyped = try await refusal {
        try await store.write {
          try $0.update(Item.collection, item.id.rawValue, ["modified": .timestamp(0)])
        }
      }
      #expect(untyped == .fixedField)
      try await store.close()
    }

    @Test("T4: what is deleted stays in an audit, with its values, who deleted it, and when")
    func audit() async throws {
      let store = try await Tasks.store()
      let item = Item(title: "Plant oats", status: .waiting)
      try await store.write(actor: "ann") { try $0.insert(item) }
      try await store.write(actor: "bob", label: "tidy") { try $0.delete(item) }
      #expect(try await store.fetch(Item.all).isEmpty)
      let deleted = try #require(try await store.deleted(in: Item.self).all().first)
      #expect(deleted.id == item.id.rawValue && deleted["title"] == "Plant oats")
      #expect(deleted["status"] == "waiting" && deleted.actor == "bob" && deleted.label == "tidy")
      #expect(abs(deleted.date.timeIntervalSinceNow) < 3600)
      let history = try await store.history(of: item.id)
      #expect(history.map(\.actor) == ["ann", "bob"] && history.map(\.kind).last == .delete)
      try await store.close()
    }

    @Test("T6: an item has a tag once, by both ids, and a connection does not change its ends")
    func itemTags() async throws {
      let store = try await Tasks.store()
      try await store.write { tx in
        try tx.insert(Item(id: "i"))
        try tx.insert([Tag(id: "t"), Tag(id: "u")])
        try tx.insert(ItemTag(from: "i", to: "t"))
      }
      let link = ItemTag(from: "i", to: "t")
      let again = try await refusal { try await store.write { try $0.insert(link) } }
      #expect(again == .entityExists)
      let moved = try await refusal {
        try await store.write {
          try $0.update(ItemTag.collection, link.id.rawValue, ["target": "u"])
        }
      }
      #expect(moved == .fixedKey)
      #expect(try await store.fetch(ItemTag.all).map(\.to) == ["t"])
      try await store.close()
    }

    @Test("T7: what a device notes about its syncs stays there, and a sync makes no event")
    func syncNotes() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Tasks.schema), try await place.open("b", [Item.self])
      )
      try await here.write { try $0.insert(SyncNote(key: "last_sync", value: "today")) }
      try await here.write { try $0.insert(Item(id: "i")) }
      try await here.meet(there)
      #expect(try await there.fetch(Item.all.count()) == 1)
      let schema = try await there.schema()
      #expect(schema["tags"] != nil && schema["sync_metadata"] == nil)
      let events = try await there.events().all().count
      let again = try await here.syncOnce(with: StorePeer(there))
      #expect(again.eventsSent == 0 && again.eventsReceived == 0)
      #expect(try await there.events().all().count == events)
      #expect(try await here.fetch(SyncNote.all).map(\.value) == ["today"])
      try await [here, there].close()
    }

    @Test("T8: each device keeps its own value of a setting")
    func settings() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Tasks.schema), try await place.open("b", Tasks.schema)
      )
      for (device, value) in [(here, "light"), (there, "dark")] {
        try await device.write { try $0.insert(AppSetting(key: "theme", value: value)) }
        try await device.write { try $0.insert(Item()) }
      }
      try await here.meet(there)
      for (device, value) in [(here, "light"), (there, "dark")] {
        #expect(try await device.fetch(Item.all.count()) == 2)
        #expect(try await device.fetch(AppSetting.all).map(\.value) == [value])
      }
      try await [here, there].close()
    }

    @Test("T10: all tools write through one repository, and no table is written past the store")
    func onlyThroughTheStore() async throws {
      let place = try Place()
      defer { place.remove() }
      let app = ItemRepository(store: try await place.open("a", Tasks.schema), tool: "app")
      let script = ItemRepository(store: try await place.open("a", Tasks.schema), tool: "script")
      let item = try await app.add("Plant oats")
      try await script.complete(item.id)
      #expect(try await app.store.fetch(item.id)?.status == .done)
      #expect(try await app.store.history(of: item.id).map(\.actor) == ["app", "script"])
      let sql = "UPDATE items SET title = 'x'"
      await #expect(throws: DatabaseError.self) {
        try await app.store.read { db in try db.execute(sql: sql) }
      }
      await #expect(throws: DatabaseError.self) {
        try await app.store.databaseReader.read { db in try db.execute(sql: sql) }
      }
      let code = try await refusal {
        try await app.store.write { tx in
          try tx.insert(Item(title: "beside"))
          try tx.database.execute(sql: sql)
        }
      }
      #expect(code == .readOnly)
      #expect(try await script.store.fetch(Item.all).map(\.title) == ["Plant oats"])
      try await [app.store, script.store].close()
    }

    @Test("T12: a client that only reads shows the newest state, and cannot write")
    func readOnly() async throws {
      let place = try Place()
      defer { place.remove() }
      let writer = try await place.open("a", Tasks.schema)
      try await writer.write { try $0.insert(Item(id: "i", title: "one")) }
      let reader = try await place.open("a", Tasks.schema, options: .init(isReadOnly: true))
      #expect(try await reader.fetch(Item.ID("i"))?.title == "one")
      for title in ["two", "three"] {
        try await writer.write { _ = try $0.update(Item.ID("i")) { $0.title = title } }
        #expect(try await reader.fetch(Item.ID("i"))?.title == title)
      }
      let code = try await refusal { try await reader.write { try $0.insert(Item()) } }
      #expect(code == .readOnly)
      try await [writer, reader].close()
    }

    @Test("T17: what comes before its parent waits, and appears when the parent comes")
    func orphans() async throws {
      let place = try Place()
      defer { place.remove() }
      let parents = try await place.open("a", Tasks.schema)
      let children = try await place.open("b", Tasks.schema)
      let both = try await place.open("c", Tasks.schema)
      try await parents.write { tx in
        try tx.insert(Item(id: "p", title: "parent"))
        try tx.insert(Tag(id: "t", name: "home"))
      }
      try await children.write { tx in
        try tx.insert(Item(id: "i", title: "child", parent: "p"))
        // A program without the types may name a tag that this device never had.
        let id = ItemTag(from: "i", to: "t").id.rawValue
        try tx.insert(ItemTag.collection, id, ["source": "i", "target": "t"])
        try tx.insert(TimeEntry(item: "i", start: Date(timeIntervalSince1970: 1)))
      }
      try await both.meet(children)
      let below = Item.where { $0.title == "parent" && $0.id.isReferenced(by: \Item.parent) }
      let tags = Tag.related(from: "i", via: ItemTag.self)
      #expect(try await both.fetch(Item.ID("i"))?.parent == "p")
      #expect(try await both.fetch(below).isEmpty)
      #expect(try await both.fetch(tags).isEmpty)
      try await both.meet(parents)
      #expect(try await both.fetch(below).map(\.id) == ["p"])
      #expect(try await both.fetch(tags).map(\.name) == ["home"])
      #expect(try await both.hidden().all().isEmpty)
      try await [parents, children, both].close()
    }

    @Test("T18: an observer sees the writes of its own store, of another tool, and of a sync")
    func observers() async throws {
      let place = try Place()
      defer { place.remove() }
      let app = try await place.open("a", Tasks.schema)
      let tool = try await place.open("a", Tasks.schema)
      let viewer = try await place.open("a", Tasks.schema, options: .init(isReadOnly: true))
      let device = try await place.open("b", Tasks.schema)
      let query = Item.all.order(by: \.title)
      var titles = app.observe(query).makeAsyncIterator()
      var viewed = viewer.observe(query).makeAsyncIterator()
      func seen(_ expected: [String]) async throws {
        while let items = try await titles.next(), items.map(\.title) != expected {}
        while let items = try await viewed.next(), items.map(\.title) != expected {}
      }
      try await seen([])
      try await app.write { try $0.insert(Item(title: "a")) }
      try await seen(["a"])
      try await tool.write { try $0.insert(Item(title: "b")) }
      try await seen(["a", "b"])
      try await device.write { try $0.insert(Item(title: "c")) }
      try await app.meet(device)
      try await seen(["a", "b", "c"])
      try await [viewer, app, tool, device].close()
    }

    /// What a view of the app does.
    @MainActor private final class ListModel {
      let items: LiveQuery<[Item]>
      init(_ store: Store) { items = LiveQuery(store.observe(Item.all), initially: []) }
    }

    @Test("T19: values are delivered on the main actor, and end when the view goes")
    @MainActor func mainActor() async throws {
      let store = try await Tasks.store()
      var model: ListModel? = ListModel(store)
      try await wait { model?.items.isLoading == false }
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = model?.items.value
      } onChange: {
        // Ends the process if a value is delivered elsewhere.
        MainActor.preconditionIsolated()
        continuation.yield()
      }
      try await store.write { try $0.insert(Item(title: "a")) }
      for await _ in changes { break }
      try await wait { model?.items.value.count == 1 }
      weak let query = model?.items
      #expect(query != nil && store.changeListenerCount == 1)
      model = nil
      #expect(query == nil)
      while store.changeListenerCount > 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      try await store.close()
    }

    @Test(
      "T21: a quick capture goes to the folder that is set, else to the inbox, else to the root")
    func quickCapture() async throws {
      let store = try await Tasks.store()
      func capture(_ title: String) async throws -> Item.ID? {
        try await store.write { try $0.capture(title) }.parent
      }
      #expect(try await capture("first") == nil)
      let (inbox, folder) = (Item(title: "Inbox"), Item(title: "Errands"))
      try await store.write { try $0.insert([inbox, folder]) }
      #expect(try await capture("second") == inbox.id)
      let setting = AppSetting(key: "quick_capture_folder", value: folder.id.rawValue)
      try await store.write { try $0.insert(setting) }
      #expect(try await capture("third") == folder.id)
      try await store.write { try $0.delete(folder) }
      #expect(try await capture("fourth") == inbox.id)
      try await store.close()
    }

    @Test("T24: inserts, updates and deletions are synced, also to a device that remembers no sync")
    func crudAndSync() async throws {
      let place = try Place()
      defer { place.remove() }
      let (here, there) = (
        try await place.open("a", Tasks.schema), try await place.open("b", Tasks.schema)
      )
      let items = ["a", "b", "c"].map { Item(id: Item.ID($0), title: $0) }
      try await here.write { try $0.insert(items) }
      try await here.meet(there)
      #expect(try await there.fetch(Item.all).count == 3)
      try await here.write { tx in
        try tx.update(Item.ID("b")) { $0.title = "bb" }
        try tx.delete(Item.ID("c"))
      }
      let second = try await there.syncOnce(with: StorePeer(here))
      #expect(second.eventsReceived == 1 && second.eventsSent == 0)
      #expect(try await there.fetch(Item.all.order(by: \.id)).map(\.title) == ["a", "bb"])
      try await there.write { _ = try $0.update(Item.ID("a")) { $0.title = "aa" } }
      // A device that has lost everything gets it all, once, and no deleted item comes back.
      let anew = try await place.open("new", Tasks.schema)
      var titles = anew.observe(Item.all.order(by: \.id)).makeAsyncIterator()
      #expect(try await titles.next() == [])
      try await anew.meet(there)
      while let shown = try await titles.next(), shown.map(\.title) != ["aa", "bb"] {}
      try await here.meet(anew)
      for device in [here, there] { try await device.meet(anew) }
      let digest = try await anew.digest()
      for device in [here, there] {
        #expect(try await device.digest().digest == digest.digest)
        #expect(try await device.fetch(Item.all.order(by: \.id)).map(\.title) == ["aa", "bb"])
      }
      try await [here, there, anew].close()
    }

    @Test("T26: an older tool on a newer store keeps fields and cases that it does not know")
    func newerSchema() async throws {
      let place = try Place()
      defer { place.remove() }
      let newer = try await place.open("a", [Newer.Item.self])
      let item = Newer.Item(
        id: "i", title: "Plant", status: .delegated, effort: 5, delegate: "bob")
      try await newer.write { try $0.insert(item) }
      try await newer.close()
      let older = try await place.open("a", Tasks.schema)
      #expect(try await older.fetch(Item.ID("i"))?.status == .next)
      try await older.write { tx in
        try tx.update(Item.ID("i")) { $0.title = "Plant oats" }
        try tx.insert(Item(id: "j", title: "Water them"))
      }
      var whole = try #require(try await older.fetch(Item.ID("i")))
      whole.sortOrder = 4
      let written = whole
      try await older.write { try $0.overwrite(written) }
      try await older.close()
      let again = try await place.open("a", [Newer.Item.self])
      var expected = item
      expected.title = "Plant oats"
      #expect(try await again.fetch(item.id) == expected)
      let second = try await again.fetch(Newer.Item.ID("j"))
      #expect(second == Newer.Item(id: "j", title: "Water them"))
      try await again.close()
    }
  }
#endif
