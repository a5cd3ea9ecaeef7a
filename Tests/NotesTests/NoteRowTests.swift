import Foundation
import Notes
import Observation
import Synchronization
import Testing

/// What an app for notes needs, row by row, on a drive that carries files as badly as drives do.
@Suite(.timeLimit(.minutes(3))) struct NoteRowTests {
  /// Two devices, of which the second has what the first had when it began.
  private func pair(_ drive: SharedDrive) async throws -> (ann: Notebook, bob: Notebook) {
    let ann = try await Notebook.open("ann", on: drive)
    try ann.share(in: try drive.folder("ann"))
    try await ann.wait { $0.isComplete }
    let bob = try await Notebook.open("bob", on: drive)
    let folder = try drive.folder("bob")
    try drive.settle()
    try bob.share(in: folder)
    try await bob.wait { $0.isComplete }
    return (ann, bob)
  }

  /// Carries files well until two notebooks have the same, and each has written and read them.
  private func meet(_ drive: SharedDrive, _ notebooks: Notebook...) async throws {
    for _ in 0..<3 {
      try drive.settle()
      for notebook in notebooks {
        let folder = try #require(notebook.sync?.folder)
        try await notebook.store.syncOnce(with: FolderPeer(folder))
      }
    }
    var digests: Set<StateDigest> = []
    for notebook in notebooks { digests.insert(try await notebook.store.digest().digest) }
    #expect(digests.count == 1)
  }

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

  @Test("N2: each note tells whether it is in the shared folder yet")
  func progress() async throws {
    let drive = try SharedDrive(seed: 2)
    defer { drive.remove() }
    let (ann, bob) = try await pair(drive)
    let (one, two) = (try await ann.add("One"), try await ann.add("Two"))
    try await ann.wait { $0.pending == 0 }
    let sync = try #require(ann.sync)
    #expect(try await sync.waitingNotes().isEmpty)
    #expect(try await sync.progress(of: one).isShared)
    sync.pause()
    try await ann.wait { $0.phase == .paused }
    try await ann.edit(two) { $0.append("!") }
    try await ann.tag(two, adding: ["late"])
    #expect(try await sync.waitingNotes() == [two: 2])
    let progress = try await sync.progress(of: two)
    #expect(progress.waiting == 2 && progress.isFromHere && !progress.isShared)
    sync.resume()
    try await ann.wait { $0.pending == 0 && $0.phase == .idle }
    #expect(try await sync.progress(of: two).isShared)
    try await meet(drive, ann, bob)
    #expect(try await bob.sync?.progress(of: two).isFromHere == false)
    try await ann.close()
    try await bob.close()
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

  @Test("N5: lists, texts and searches are read while the drive brings nothing")
  func neverBlocked() async throws {
    final class Silent: NoteDownloader {
      let started = AsyncStream.makeStream(of: Void.self)
      func download(_ placeholder: URL, to file: URL) async throws {
        started.continuation.yield()
        try await Task.sleep(for: .seconds(86_400))
      }
    }
    let drive = try SharedDrive(seed: 5)
    defer { drive.remove() }
    let ann = try await Notebook.open("ann", on: drive)
    try ann.share(in: try drive.folder("ann"))
    try await ann.add("Far away")
    try await ann.wait { $0.isComplete }
    let silent = Silent()
    let bob = try await Notebook.open("bob", on: drive, downloader: silent)
    let folder = try drive.folder("bob")
    try drive.evict("bob")
    try bob.share(in: folder)
    for await _ in silent.started.stream { break }
    let id = try await bob.add("Near\nOat milk")
    #expect(try await bob.list().map(\.title) == ["Near"])
    #expect(try await bob.body(of: id) == "Near\nOat milk")
    #expect(try await bob.search("oat").first { _ in true }.count == 1)
    try await bob.edit(id) { $0.append("!") }
    let state = try #require(bob.sync?.state)
    #expect(state.downloads.left > 0 && state.missing > 0 && !state.isComplete)
    try await bob.close()
    try await ann.close()
  }

  @Test("N6: a file that comes into the folder is seen without being asked for")
  func watched() async throws {
    let drive = try SharedDrive(seed: 6)
    defer { drive.remove() }
    let (ann, bob) = try await pair(drive)
    var lists = bob.notes().makeAsyncIterator()
    #expect(try await lists.next() == [])
    try await ann.add("New")
    try await ann.wait { $0.pending == 0 }
    try drive.settle()
    #expect(try await lists.next()?.map(\.title) == ["New"])
    try await ann.close()
    try await bob.close()
  }

  @Test("N7: evicted files are downloaded, a few at once and again after failures, with progress")
  func downloads() async throws {
    let drive = try SharedDrive(seed: 7)
    defer { drive.remove() }
    let ann = try await Notebook.open("ann", on: drive)
    try ann.share(in: try drive.folder("ann"))
    for number in 0..<12 {
      try await ann.add("Note \(number)")
      try await ann.wait { $0.pending == 0 }
    }
    let downloader = drive.downloader("bob", failures: 9)
    let bob = try await Notebook.open("bob", on: drive, downloader: downloader)
    let folder = try drive.folder("bob")
    try drive.evict("bob")
    let sync = try bob.share(in: folder)
    var most = NoteSync.Downloads()
    for await state in sync.states {
      most.waiting = max(most.waiting, state.downloads.waiting)
      most.failing = max(most.failing, state.downloads.failing)
      if state.isComplete { break }
    }
    #expect(try await bob.list().count == 12)
    let state = sync.state
    #expect(state.downloads.failing == 0 && state.downloads.problem == nil)
    #expect(state.downloads.done == drive.downloadCount && state.downloads.done >= 12)
    #expect(state.fraction == 1 && downloader.most <= 4)
    // What is evicted again is not needed again: all of it is here.
    try await bob.close()
    try await ann.close()
  }

  @Test("N8: what comes in sets title and preview to those of the merged text, on every device")
  func inbound() async throws {
    let drive = try SharedDrive(seed: 8)
    defer { drive.remove() }
    let (ann, bob) = try await pair(drive)
    let id = try await ann.add("Shopping\nOat milk")
    try await meet(drive, ann, bob)
    for notebook in [ann, bob] {
      notebook.sync?.pause()
      try await notebook.wait { $0.phase == .paused }
    }
    try await ann.edit(id) { try $0.insert("My ", at: 0) }
    try await bob.edit(id) { try $0.insert(" list", at: 8) }
    for notebook in [ann, bob] { notebook.sync?.resume() }
    try await meet(drive, ann, bob)
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
    let (ann, bob) = try await pair(drive)
    let id = try await ann.add("One paragraph.")
    try await meet(drive, ann, bob)
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
    for notebook in [ann, bob] { try await notebook.wait { $0.pending == 0 } }
    try drive.settle()
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

  @Test("N10: an edit is in the database at once, and in the folder afterwards")
  func outbound() async throws {
    let drive = try SharedDrive(seed: 10)
    defer { drive.remove() }
    let ann = try await Notebook.open("ann", on: drive)
    let folder = try drive.folder("ann")
    let id = try await ann.add("Before sharing")
    let sync = try ann.share(in: folder)
    sync.pause()
    try await ann.edit(id) { $0.append("!") }
    #expect(try await ann.summary(of: id)?.title == "Before sharing!")
    sync.resume()
    try await ann.wait { $0.isComplete }
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    #expect(files?.contains { $0.hasSuffix(".events") } ?? false)
    try await ann.close()
  }

  @Test("N11: activity and deletions of all devices are read from the events, page by page")
  func logs() async throws {
    let drive = try SharedDrive(seed: 11)
    defer { drive.remove() }
    let (ann, bob) = try await pair(drive)
    let id = try await ann.add("Oats", tags: ["shop"])
    try await meet(drive, ann, bob)
    try await bob.edit(id) { $0.append("!") }
    try await bob.delete([id])
    try await meet(drive, ann, bob)
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
    let (ann, bob) = try await pair(drive)
    var (lists, trees) = (bob.notes().makeAsyncIterator(), bob.folders().makeAsyncIterator())
    #expect(try await lists.next() == [])
    #expect(try await trees.next() == [])
    let home = try await ann.addFolder("Home")
    let id = try await ann.add("Oats", in: home)
    var editor = bob.bodies(of: id).makeAsyncIterator()
    #expect(try await editor.next() == .some(nil))
    try await meet(drive, ann, bob)
    #expect(try await bob.notes().first { !$0.isEmpty }.map(\.title) == ["Oats"])
    #expect(try await bob.folders().first { $0.first?.noteCount == 1 }.count == 1)
    #expect(try await editor.next() == "Oats")
    try await ann.edit(id) { $0.append(" and milk") }
    try await meet(drive, ann, bob)
    #expect(try await editor.next() == "Oats and milk")
    try await ann.delete(home)
    try await meet(drive, ann, bob)
    #expect(try await editor.next() == .some(nil))
    #expect(try await bob.list().isEmpty)
    #expect(try await bob.folderTree().isEmpty)
    try await ann.close()
    try await bob.close()
  }

  @Test("N13: what is written while the folder is away waits, survives a restart, and is sent")
  func offline() async throws {
    let drive = try SharedDrive(seed: 13)
    defer { drive.remove() }
    let folder = try drive.folder("ann")
    let away = drive.root.appending(path: "away")
    var ann = try await Notebook.open("ann", on: drive)
    try ann.share(in: folder)
    let sent = try await ann.add("Sent")
    try await ann.wait { $0.isComplete }
    try FileManager.default.moveItem(at: folder, to: away)
    let waiting = try await ann.add("Waiting")
    ann.sync?.syncNow()
    let offline = try await ann.wait { $0.phase == .offline }
    #expect(offline.pending == 1 && offline.cure != nil)
    try await ann.close()
    ann = try await Notebook.open("ann", on: drive)
    let sync = try ann.share(in: folder)
    try await ann.edit(waiting) { $0.append("!") }
    try await ann.wait { $0.phase == .offline && $0.pending == 2 }
    #expect(try await sync.waitingNotes() == [waiting: 2])
    try FileManager.default.moveItem(at: away, to: folder)
    sync.syncNow()
    try await ann.wait { $0.isComplete }
    let bob = try await Notebook.open("bob", on: drive)
    try bob.share(in: folder)
    try await bob.wait { $0.isComplete }
    #expect(try await Set(bob.list().map(\.id)) == [sent, waiting])
    #expect(try await bob.body(of: waiting) == "Waiting!")
    try await ann.close()
    try await bob.close()
  }

  @Test("N14: on the first launch the list fills as files come, with progress")
  func firstLaunch() async throws {
    let drive = try SharedDrive(seed: 14)
    defer { drive.remove() }
    for name in ["ann", "bob", "cat"] {
      let notebook = try await Notebook.open(name, on: drive)
      let folder = try drive.folder(name)
      try drive.settle()
      try notebook.share(in: folder)
      try await notebook.wait { $0.isComplete }
      for number in 0..<4 { try await notebook.add("\(name) \(number)") }
      try await notebook.wait { $0.isComplete }
      try await notebook.close()
    }
    let downloader = Stepwise(drive.downloader("new"))
    let new = try await Notebook.open("new", on: drive, downloader: downloader)
    let folder = try drive.folder("new")
    try drive.evict("new")
    let list = new.notes()
    let sync = try new.share(in: folder)
    // Each file is let through when the list shows what the one before has brought.
    var fractions: [Double] = []
    var counts: [Int] = []
    var known = 0
    while true {
      let state = try await new.wait { $0.isComplete || $0.downloads.left > 0 }
      if state.isComplete { break }
      fractions.append(state.fraction)
      let left = state.missing
      downloader.letOneThrough()
      try await new.wait { $0.missing < left || $0.isComplete }
      // Not every file has a note.
      let count = try await new.list().count
      if count > known { counts.append(count) }
      known = count
    }
    #expect(try await list.first { $0.count == 12 }.count == 12)
    #expect(counts.count > 3 && counts == counts.sorted())
    #expect(fractions.count > 3 && fractions == fractions.sorted() && sync.state.fraction == 1)
    try await new.close()
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

  @Test("N16: a change is on another device within seconds")
  func withinSeconds() async throws {
    let drive = try SharedDrive(seed: 16)
    defer { drive.remove() }
    let folder = try drive.folder("shared")
    let (ann, bob) = (
      try await Notebook.open("ann", on: drive), try await Notebook.open("bob", on: drive)
    )
    try ann.share(in: folder)
    try await ann.wait { $0.isComplete }
    try bob.share(in: folder)
    try await bob.wait { $0.isComplete }
    let id = try await ann.add("0")
    var bodies = bob.bodies(of: id).makeAsyncIterator()
    while try await bodies.next() != "0" {}
    for number in 1...10 {
      let start = ContinuousClock.now
      try await ann.edit(id) { $0.assign("\(number)") }
      while try await bodies.next() != "\(number)" {}
      #expect(ContinuousClock.now - start < .seconds(5))
    }
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

/// A downloader that lets one download through at a time.
private final class Stepwise: NoteDownloader {
  private let downloader: any NoteDownloader
  private let steps = Mutex<(waiting: [CheckedContinuation<Void, Never>], free: Int)>(([], 0))

  init(_ downloader: any NoteDownloader) { self.downloader = downloader }

  func letOneThrough() {
    steps.withLock { steps in
      if steps.waiting.isEmpty { steps.free += 1 } else { steps.waiting.removeFirst().resume() }
    }
  }

  func download(_ placeholder: URL, to file: URL) async throws {
    await withCheckedContinuation { continuation in
      steps.withLock { steps in
        if steps.free > 0 {
          steps.free -= 1
          continuation.resume()
        } else {
          steps.waiting.append(continuation)
        }
      }
    }
    try await downloader.download(placeholder, to: file)
  }
}
