#if Macros
  import Daybook
  import Foundation
  import DaybookLocks
  import Testing

  /// An app for notes, over folders that devices share.
  @Suite(.timeLimit(.minutes(10))) struct NoteTests {
    private func note(_ text: String, in folder: Folder.ID? = nil, pinned: Bool = false) -> Note {
      var note = Note(folder: folder, pinned: pinned)
      note.write(text)
      return note
    }

    @Test("N1: notes have a title and a preview, pinned ones come first, and folders have an order")
    func types() async throws {
      let store = try await Store.inMemory(schema: NoteManager.schema)
      let work = Folder(name: "Work", order: 2)
      let home = Folder(name: "Home", order: 1)
      let garden = Folder(name: "Garden", parent: home.id)
      let notes = [
        note("Oats\nBuy some", in: home.id), note("Zinc", in: home.id, pinned: true),
        note("Plan", in: work.id),
      ]
      try await store.write { tx in
        try tx.insert([work, home, garden])
        try tx.insert(notes)
      }
      let top = Folder.where { $0.parent == nil }.order(by: \.order)
      #expect(try await store.fetch(top).map(\.name) == ["Home", "Work"])
      let inside = Note.where { $0.folder == home.id }.order(by: \.pinned, .descending)
        .order(by: \.title)
      let shown = try await store.fetch(inside)
      #expect(shown.map(\.title) == ["Zinc", "Oats"] && shown.map(\.preview) == ["", "Buy some"])
      try await store.write { tx in
        try tx.update(work.id) { $0.order = 0 }
        try tx.delete(home)
      }
      #expect(try await store.fetch(top).map(\.name) == ["Work"])
      #expect(try await store.fetch(garden.id) == nil)
      #expect(try await store.fetch(notes[0].id)?.folder == nil)
      try await store.close()
    }

    @Test("N3: an app has several shared folders at once, and nothing of one is in another")
    func severalFolders() async throws {
      let place = try Place()
      defer { place.remove() }
      let names = ["home", "work"]
      let shared = try names.map { try place.makeFolder("shared-\($0)") }
      var mine: [Store] = []
      var others: [Store] = []
      for (name, folder) in zip(names, shared) {
        mine.append(try await place.open("mine-\(name)", NoteManager.schema))
        others.append(try await place.open("other-\(name)", NoteManager.schema))
        try await others[others.count - 1].write { try $0.insert(note("A note of \(name)")) }
        try await others[others.count - 1].syncOnce(with: FolderPeer(folder))
      }
      let syncs = zip(mine, shared).map {
        $0.sync(with: FolderPeer($1), options: .quick)
      }
      for (store, name) in zip(mine, names) {
        let expected = ["A note of \(name)"]
        for try await notes in store.observe(Note.all) where notes.map(\.title) == expected {
          break
        }
        #expect(try await store.fetch(Note.all.count()) == 1)
      }
      // A store takes nothing from a folder that is another one's.
      await #expect(throws: StoreError.self) {
        try await mine[0].syncOnce(with: FolderPeer(shared[1]))
      }
      for sync in syncs { await sync.stop() }
      try await (mine + others).close()
    }

    @Test("N4: a manager is observed by views, and has repositories of notes and folders")
    @MainActor func manager() async throws {
      let store = try await Store.inMemory(schema: NoteManager.schema)
      let manager = NoteManager(store)
      try await wait { !manager.list.isLoading && !manager.tree.isLoading }
      #expect(manager.list.value.isEmpty && manager.tree.value.isEmpty)
      let folder = Folder(name: "Home")
      try await manager.folders.insert([folder])
      let oats = note("Oats", in: folder.id)
      try await manager.notes.insert([oats])
      try await wait { manager.list.value.map(\.title) == ["Oats"] }
      try await wait { manager.tree.value.map(\.name) == ["Home"] }
      #expect(try await manager.notes.fetch(oats.id)?.folder == folder.id)
      try await manager.notes.delete([oats.id])
      try await wait { manager.list.value.isEmpty }
      try await store.close()
    }

    @Test("N5: a view reads the database alone, while a shared folder does not answer")
    func neverBlocked() async throws {
      let place = try Place()
      defer { place.remove() }
      let store = try await place.open("a", NoteManager.schema)
      let oats = note("Oats\nBuy some")
      try await store.write { try $0.insert(oats) }
      let folder = SilentPeer()
      let sync = store.sync(with: folder, options: .quick)
      for await _ in folder.requests { break }
      #expect(try await store.fetch(oats.id)?.content == "Oats\nBuy some")
      #expect(try await store.search(Note.self, for: "buy").count == 1)
      var list = store.observe(Note.all).makeAsyncIterator()
      #expect(try await list.next()?.count == 1)
      #expect(sync.state.phase == .syncing)
      await sync.stop()
      try await store.close()
    }

    @Test("N9: what two people write in one note while they are apart is in the note of both")
    func merging() async throws {
      let place = try Place()
      defer { place.remove() }
      let shared = try place.makeFolder("shared")
      let ann = try await place.open("ann", NoteManager.schema)
      let bob = try await place.open("bob", NoteManager.schema)
      let note = note("Oats\nBuy some")
      try await ann.write { try $0.insert(note) }
      for store in [ann, bob] { try await store.syncOnce(with: FolderPeer(shared)) }
      try await ann.write { tx in
        try tx.edit(note.id, \.content) { try $0.insert("Rolled ", at: 0) }
      }
      try await bob.write { tx in _ = try tx.update(note.id) { $0.content += " on Monday" } }
      for store in [ann, bob, ann] { try await store.syncOnce(with: FolderPeer(shared)) }
      for store in [ann, bob] {
        let content = try await store.fetch(note.id)?.content
        #expect(content == "Rolled Oats\nBuy some on Monday")
        #expect(try await store.conflicts(in: Note.self).isEmpty)
      }
      #expect(try await ann.digest() == bob.digest())
      try await ann.close()
      try await bob.close()
    }

    @Test("N10: an edit is in the database at once, and in the shared folder afterwards")
    func outbound() async throws {
      let place = try Place()
      defer { place.remove() }
      let shared = try place.makeFolder("shared")
      let (here, there) = (
        try await place.open("a", NoteManager.schema), try await place.open("b", NoteManager.schema)
      )
      let network = Network(to: FolderPeer(shared), failures: nil)
      let sync = here.sync(with: network, options: .quick)
      let oats = note("Oats")
      let event = try await here.write { tx in
        try tx.insert(oats)
        return tx.event
      }
      // Nothing is in the folder yet.
      #expect(try await here.fetch(oats.id)?.title == "Oats")
      #expect(try await sync.delivery(of: event) == .waiting)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path).isEmpty)
      network.restore()
      sync.syncNow()
      try await sync.waitUntilSent(event)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shared.path).isEmpty == false)
      try await there.syncOnce(with: FolderPeer(shared))
      #expect(try await there.fetch(oats.id)?.title == "Oats")
      await sync.stop()
      try await [here, there].close()
    }

    @Test("N12: the list, the editor and the folder tree follow every change")
    @MainActor func liveViews() async throws {
      let store = try await Store.inMemory(schema: NoteManager.schema)
      let manager = NoteManager(store)
      let home = Folder(name: "Home", order: 1)
      let garden = Folder(name: "Garden", parent: home.id, order: 2)
      let (oats, zinc) = (note("Oats", in: home.id), note("Zinc", in: home.id))
      try await manager.folders.insert([home, garden])
      try await manager.notes.insert([oats, zinc])
      try await wait {
        manager.folders(in: nil) == [home] && manager.folders(in: home.id) == [garden]
      }
      try await wait { manager.list.value.map(\.title) == ["Oats", "Zinc"] }
      let editor = LiveQuery(store.observe(oats.id), initially: nil)
      try await wait { editor.value?.title == "Oats" }
      try await store.write { tx in
        try tx.update(zinc.id) { $0.pinned = true }
        try tx.update(oats.id) { $0.write("Oat milk\nBuy some") }
        try tx.update(garden.id) { $0.parent = nil }
      }
      try await wait { manager.list.value.map(\.title) == ["Zinc", "Oat milk"] }
      try await wait { editor.value?.preview == "Buy some" }
      try await wait { manager.folders(in: nil).map(\.name) == ["Home", "Garden"] }
      try await store.write { try $0.delete(oats) }
      try await wait { editor.value == nil }
      try await store.close()
    }

    @Test("N13: edits made offline wait, survive a restart, and are sent once")
    func offlineQueue() async throws {
      let place = try Place()
      defer { place.remove() }
      let shared = try place.makeFolder("shared")
      let first = try await place.open("a", NoteManager.schema)
      try await first.syncOnce(with: FolderPeer(shared))
      for number in 1...3 { try await first.write { try $0.insert(note("Note \(number)")) } }
      try await first.close()
      let here = try await place.open("a", NoteManager.schema)
      let network = Network(to: FolderPeer(shared), failures: nil)
      let sync = here.sync(with: network, options: .quick)
      await sync.state { $0.phase == .offline }
      try await here.write { try $0.insert(note("Note 4")) }
      #expect(sync.state.unacknowledged >= 4)
      network.restore()
      sync.syncNow()
      let done = try #require(await sync.state { $0.phase == .idle && $0.unacknowledged == 0 })
      #expect(done.sent == 4)
      await sync.stop()
      let there = try await place.open("b", NoteManager.schema)
      try await there.syncOnce(with: FolderPeer(shared))
      let titles = try await there.fetch(Note.all.order(by: \.title)).map(\.title)
      #expect(titles == ["Note 1", "Note 2", "Note 3", "Note 4"])
      let again = try await here.syncOnce(with: FolderPeer(shared))
      #expect(again.eventsSent == 0)
      try await [here, there].close()
    }

    @Test("N14: a new device fills as files come, observers see it, and progress is told")
    func firstLaunch() async throws {
      let place = try Place()
      defer { place.remove() }
      let shared = try place.makeFolder("shared")
      let device = try await place.open("new", NoteManager.schema)
      var list = device.observe(Note.all.order(by: \.title)).makeAsyncIterator()
      #expect(try await list.next() == [])
      let received = Mutex<[UInt64]>([])
      // Each of two other devices brings its files when the new one is there already.
      for (name, count) in [("b", 2), ("c", 3)] {
        let other = try await place.open(name, NoteManager.schema)
        for number in 1...count {
          try await other.write { try $0.insert(note("\(name)\(number)")) }
        }
        try await other.syncOnce(with: FolderPeer(shared))
        try await other.close()
        try await device.syncOnce(with: FolderPeer(shared)) { progress in
          received.withLock { $0.append(progress.eventsReceived) }
        }
        while let notes = try await list.next(),
          notes.filter({ $0.title.hasPrefix(name) }).count
            < count
        {}
      }
      #expect(
        try await device.fetch(Note.all.order(by: \.title)).map(\.title)
          == ["b1", "b2", "c1", "c2", "c3"])
      #expect(received.withLock(\.self).contains { $0 >= 4 })
      try await device.close()
    }
  }
#endif
