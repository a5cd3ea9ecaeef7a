import DaybookLocks
import DaybookNotes
import Foundation
import Testing

/// What an app for notes needs of a shared folder, row by row. Drives carry files badly.
@Suite(.timeLimit(.minutes(10))) struct NoteFolderRowTests {
  @Test("N2: each note tells whether it is in the shared folder yet")
  func progress() async throws {
    let drive = try SharedDrive(seed: 2)
    defer { drive.remove() }
    let (ann, bob) = try await drive.pair()
    let (one, two) = (try await ann.add("One"), try await ann.add("Two"))
    try await ann.wait { $0.unacknowledged == 0 }
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
    try await ann.wait { $0.unacknowledged == 0 && $0.phase == .idle }
    #expect(try await sync.progress(of: two).isShared)
    try await drive.meet(ann, bob)
    #expect(try await bob.sync?.progress(of: two).isFromHere == false)
    try await ann.close()
    try await bob.close()
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
    let (ann, bob) = try await drive.pair()
    var lists = bob.notes().makeAsyncIterator()
    #expect(try await lists.next() == [])
    try await ann.add("New")
    try await ann.wait { $0.unacknowledged == 0 }
    try drive.carryAll()
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
      try await ann.wait { $0.unacknowledged == 0 }
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
    #expect(offline.unacknowledged == 1 && offline.cure != nil)
    try await ann.close()
    ann = try await Notebook.open("ann", on: drive)
    let sync = try ann.share(in: folder)
    try await ann.edit(waiting) { $0.append("!") }
    try await ann.wait { $0.phase == .offline && $0.unacknowledged == 2 }
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
      try drive.carryAll()
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
