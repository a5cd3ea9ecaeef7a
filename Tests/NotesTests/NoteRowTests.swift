import DaybookLocks
import DaybookNotes
import Foundation
import Observation
import Testing

/// What an app for notes needs, row by row: what a person sees and does. Drives carry files badly.
@Suite(.timeLimit(.minutes(10))) struct NoteRowTests {
  @Test("N1: notes have title, preview, pin and order; folders are a tree with an order")
  func notes() async throws {
    let notebook = try await Notebook.inMemory()
    let work = try await notebook.addFolder("Work")
    let home = try await notebook.addFolder("Home")
    let garden = try await notebook.addFolder("Garden", in: home)
    let oats = try await notebook.add("# Oats\n\nBuy *some*", in: home, tags: ["shop"])
    let zinc = try await notebook.add("Zinc", in: home)
    let plan = try await notebook.add("Plan", in: garden, isPinned: true)
    #expect(try await notebook.list(.folder(home)).map(\.id) == [zinc, oats])
    #expect(try await notebook.list(.below(home)).map(\.id) == [plan, zinc, oats])
    #expect(try await notebook.list(limit: 1).map(\.id) == [plan])
    let shown = try #require(try await notebook.summary(of: oats))
    #expect(shown.title == "Oats" && shown.preview == "Buy *some*" && shown.tags == ["shop"])
    #expect(shown.created <= shown.modified)
    try await notebook.setPinned(oats)
    #expect(try await notebook.list(.folder(home)).map(\.id) == [oats, zinc])
    try await notebook.move(home, to: nil, before: work)
    let tree = try await notebook.folderTree()
    #expect(tree.map(\.folder.name) == ["Home", "Work"] && tree[0].noteCount == 2)
    #expect(tree[0].children.map(\.folder.name) == ["Garden"])
    try await notebook.move([plan], to: nil)
    #expect(try await notebook.list(.top).map(\.id) == [plan])
    try await notebook.close()
  }

  @Test("N3: several shared folders are one list, and nothing of one is in another")
  func shelf() async throws {
    let drive = try SharedDrive(seed: 3)
    defer { drive.remove() }
    let shelf = NoteShelf(at: drive.store("shelf"), actor: "ann")
    let folders = (home: try drive.folder("home"), work: try drive.folder("work"))
    let home = try await shelf.open("home", sharing: folders.home)
    let work = try await shelf.open("work", sharing: folders.work)
    await #expect(throws: NotesError.self) { try await shelf.open("home") }
    #expect(throws: NotesError.self) { try home.share(in: folders.work) }
    try await home.add("At home")
    try await work.add("At work", isPinned: true)
    let all = try await shelf.notes().first { $0.count == 2 }
    #expect(all.map(\.summary.title) == ["At work", "At home"])
    #expect(all.map(\.notebook) == ["work", "home"])
    for notebook in [home, work] { try await notebook.wait { $0.isComplete } }
    let other = try await Notebook.open("other", on: drive)
    try other.share(in: folders.home)
    #expect(try await other.notes().first { !$0.isEmpty }.map(\.title) == ["At home"])
    try await other.wait { $0.isComplete }
    #expect(try await other.list().map(\.title) == ["At home"])
    // A notebook does not take what is another's.
    await other.stopSharing()
    try other.share(in: folders.work)
    let refused = try await other.wait { $0.phase == .error }
    #expect(refused.problem != nil && refused.cure != nil)
    try await shelf.close("home")
    #expect(try await shelf.notes().first { $0.count == 1 }.map(\.notebook) == ["work"])
    await #expect(throws: NotesError.self) { try await shelf.close("home") }
    try await shelf.close()
    try await other.close()
  }

  @Test("N4: views observe lists of notes, folders and tags, and write through the notebook")
  @MainActor func observable() async throws {
    let notebook = try await Notebook.inMemory()
    let list = LiveQuery(notebook.notes(), initially: [])
    let tree = LiveQuery(notebook.folders(), initially: [])
    let tags = LiveQuery(notebook.tags(), initially: [])
    let home = try await notebook.addFolder("Home")
    try await notebook.add("Oats", in: home, tags: ["shop"])
    func isShown() -> Bool {
      list.value.map(\.title) == ["Oats"] && tree.value.map(\.noteCount) == [1]
        && tags.value.map(\.tag) == ["shop"]
    }
    while !isShown() {
      try Task.checkCancellation()
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      let isDone = withObservationTracking({ isShown() }, onChange: { continuation.yield() })
      if isDone { break }
      for await _ in changes { break }
    }
    try await notebook.close()
  }

  @Test("N8: what comes in sets title and preview to those of the merged text, on every device")
  func inbound() async throws {
    let drive = try SharedDrive(seed: 8)
    defer { drive.remove() }
    let (ann, bob) = try await drive.pair()
    let id = try await ann.add("Shopping\nOat milk")
    try await drive.meet(ann, bob)
    for notebook in [ann, bob] {
      notebook.sync?.pause()
      try await notebook.wait { $0.phase == .paused }
    }
    try await ann.edit(id) { try $0.insert("My ", at: 0) }
    try await bob.edit(id) { try $0.insert(" list", at: 8) }
    for notebook in [ann, bob] { notebook.sync?.resume() }
    try await drive.meet(ann, bob)
    for notebook in [ann, bob] {
      let summary = try #require(try await notebook.summary(of: id))
      #expect(summary.title == "My Shopping list" && summary.preview == "Oat milk")
      try await notebook.close()
    }
  }

  @Test(
    "N9: two who edit one paragraph offline lose nothing, however badly the drive carries it",
    arguments: [1, 2, 3, 4] as [UInt64])
  func merging(seed: UInt64) async throws {
    let drive = try SharedDrive(seed: seed)
    defer { drive.remove() }
    let (ann, bob) = try await drive.pair()
    let id = try await ann.add("One paragraph.")
    try await drive.meet(ann, bob)
    for round in 0..<6 {
      for (notebook, name) in [(ann, "a"), (bob, "b")] {
        try await notebook.edit(id) { text in
          try text.insert("<\(name)\(round)>", at: text.count / 2)
        }
      }
      try drive.carry()
      ann.sync?.syncNow()
      bob.sync?.syncNow()
    }
    // The programs that watch the folders do the rest.
    let count = "One paragraph.".count + 12 * "<a0>".count
    for notebook in [ann, bob] { try await notebook.wait { $0.unacknowledged == 0 } }
    try drive.carryAll()
    var bodies: Set<String> = []
    for notebook in [ann, bob] {
      bodies.insert(try await notebook.bodies(of: id).first { $0?.count == count } ?? "")
    }
    #expect(bodies.count == 1)
    let body = try #require(bodies.first)
    #expect(body.count == count)
    // What each has typed is there, and the text that both began with is around it.
    for part in ["a", "b"] {
      #expect(body.filter { "\($0)" == part }.count >= 6, "\(body)")
    }
    #expect(body.filter { !"<>ab0123456789".contains($0) } == "One prgrph.", "\(body)")
    #expect(try await ann.store.conflicts(in: NoteEntity.self).all().isEmpty)
    try await ann.close()
    try await bob.close()
  }

  @Test("N11: activity and deletions of all devices are read from the events, page by page")
  func logs() async throws {
    let drive = try SharedDrive(seed: 11)
    defer { drive.remove() }
    let (ann, bob) = try await drive.pair()
    let id = try await ann.add("Oats", tags: ["shop"])
    try await drive.meet(ann, bob)
    try await bob.edit(id) { $0.append("!") }
    try await bob.delete([id])
    try await drive.meet(ann, bob)
    try await ann.restore([id])
    var done: [String] = []
    for try await activity in ann.activity(of: id) {
      done += activity.changes.map { "\(activity.actor) \($0.kind)" }
    }
    #expect(done == ["ann restored", "bob deleted", "bob edited", "ann added", "ann tagged"])
    let deletions = try await ann.deletions().page(limit: 5)
    #expect(deletions.items.map(\.actor) == ["bob"] && deletions.next == nil)
    let ofBob = try await ann.activity(by: "bob").page(limit: 1)
    #expect(ofBob.items.count == 1 && ofBob.next != nil)
    try await ann.close()
    try await bob.close()
  }

  @Test("N12: list, editor and folder tree follow every change of another device")
  func live() async throws {
    let drive = try SharedDrive(seed: 12)
    defer { drive.remove() }
    let (ann, bob) = try await drive.pair()
    var (lists, trees) = (bob.notes().makeAsyncIterator(), bob.folders().makeAsyncIterator())
    #expect(try await lists.next() == [])
    #expect(try await trees.next() == [])
    let home = try await ann.addFolder("Home")
    let id = try await ann.add("Oats", in: home)
    var editor = bob.bodies(of: id).makeAsyncIterator()
    #expect(try await editor.next() == .some(nil))
    try await drive.meet(ann, bob)
    #expect(try await bob.notes().first { !$0.isEmpty }.map(\.title) == ["Oats"])
    #expect(try await bob.folders().first { $0.first?.noteCount == 1 }.count == 1)
    #expect(try await editor.next() == "Oats")
    try await ann.edit(id) { $0.append(" and milk") }
    try await drive.meet(ann, bob)
    #expect(try await editor.next() == "Oats and milk")
    try await ann.delete(home)
    try await drive.meet(ann, bob)
    #expect(try await editor.next() == .some(nil))
    #expect(try await bob.list().isEmpty)
    #expect(try await bob.folderTree().isEmpty)
    try await ann.close()
    try await bob.close()
  }

  @Test("N15: logs of another app are read by an importer that the app brings")
  func importer() async throws {
    let (ann, bob) = (try await Notebook.inMemory(), try await Notebook.inMemory())
    let old = Date(timeIntervalSince1970: 1_000_000_000)
    let log = MadeUpLog()
    log.items.withLock { notes in
      notes = [
        ImportedNote(
          id: "1", folders: ["Home", "Garden"], body: "Oats\nBuy", created: old, modified: old,
          tags: ["shop"], isPinned: true),
        ImportedNote(id: "2", body: "Zinc"),
      ]
    }
    #expect(try await ann.importNotes(from: log) == NoteImportReport(added: 2))
    let id = try #require(try await ann.list(.pinned).first)
    #expect(id.created == old && id.modified == old && id.tags == ["shop"])
    #expect(try await ann.folderTree().first?.children.map(\.folder.name) == ["Garden"])
    #expect(try await ann.importNotes(from: log) == NoteImportReport(unchanged: 2))
    // A device that imports for itself makes the same notes.
    #expect(try await bob.importNotes(from: log).added == 2)
    try await ann.store.syncOnce(with: StorePeer(bob.store))
    #expect(try await ann.list().count == 2)
    #expect(try await ann.folderTree().count == 1)
    // A change there merges with what was typed here, and does so only once.
    try await ann.edit(id.id) { try $0.insert("Rolled ", at: 0) }
    log.items.withLock { $0[0].body = "Oats\nBuy some" }
    for expected in [NoteImportReport(changed: 1, unchanged: 1), NoteImportReport(unchanged: 2)] {
      #expect(try await ann.importNotes(from: log) == expected)
      #expect(try await ann.body(of: id.id) == "Rolled Oats\nBuy some")
    }
    try await ann.edit(id.id) { $0.append("!") }
    log.items.withLock { $0[0].body = "Oats\nBuy some now" }
    try await ann.importNotes(from: log)
    #expect(try await ann.body(of: id.id) == "Rolled Oats\nBuy some! now")
    // What is in the trash stays there.
    try await ann.delete([id.id])
    #expect(try await ann.importNotes(from: log) == NoteImportReport(unchanged: 1, trashed: 1))
    log.items.withLock { $0.append($0[1]) }
    await #expect(throws: NotesError.self) { try await ann.importNotes(from: log) }
    try await ann.close()
    try await bob.close()
  }
}

/// A log of another app, made up.
private final class MadeUpLog: NoteImporter {
  let source = "made-up"
  let items = Mutex<[ImportedNote]>([])

  func notes() -> AsyncThrowingStream<ImportedNote, any Error> {
    let notes = items.withLock(\.self)
    return AsyncThrowingStream { continuation in
      for note in notes { continuation.yield(note) }
      continuation.finish()
    }
  }
}
