import DaybookEventCore
import DaybookHubZone
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine
@testable import DaybookPeers

@Suite struct FolderPeerTests {
  private let place = SyncPlace()

  /// Replaces the folder's first file by a placeholder, as a sync program does to free space.
  private func evictFirstFile(of folder: SharedFolder) throws -> (file: String, placeholder: String)
  {
    let file = try #require(folder.files.first)
    let placeholder = file.renamed { ".\($0).icloud" }
    try folder.move(file, to: placeholder)
    return (file, placeholder)
  }

  @Test("two stores that sync with a folder hold the same")
  func twoStores() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.storeWithNote("b"))
    let first = try await a.syncOnce(with: folder.peer())
    #expect(first.eventsSent == 2 && first.eventsReceived == 0 && first.findings.isEmpty)
    let second = try await b.syncOnce(with: folder.peer())
    #expect(second.eventsSent == 2 && second.eventsReceived == 2 && second.zone == first.zone)
    try await a.syncOnce(with: folder.peer())
    #expect(try await place.titles(a) == ["a 0", "b 0"])
    #expect(try await a.digest() == b.digest())
    // Each store has written only its own events, and only in its own folder.
    for file in folder.files {
      let parts = file.split(separator: "/")
      #expect(parts.count == 3 && parts[0] == "zone-\(first.zone)")
      #expect(parts.last?.hasPrefix(parts[1] + ".") == true)
    }
    #expect(folder.files.count == 2)
    // A further sync finds in one exchange that there is nothing to do, and writes nothing.
    let again = try await a.syncOnce(with: folder.peer())
    #expect(again.eventsSent == 0 && again.eventsReceived == 0 && again.exchanges == 1)
    #expect(again.refusals.isEmpty && folder.files.count == 2)
    try await place.close([a, b])
  }

  /// A reader finds the events of files under any name, and reports odd files.
  @Test("odd files in a folder are reported and do not stop a sync")
  func oddFiles() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let a = try await place.storeWithNote("a")
    for number in 1...6 {
      try await place.add(a, "a-\(number)")
      try await a.syncOnce(with: folder.peer())
    }
    let files = folder.files
    try #require(files.count == 6)
    try folder.move(files[0], to: files[0].renamed { $0.replacing(".events", with: " 2.events") })
    let conflicted = files[1].renamed {
      $0.replacing(".events", with: " (ann's conflicted copy).events")
    }
    try folder.write(try folder.read(files[1]), conflicted)
    try folder.move(files[2], to: files[2].renamed { _ in "letters.events" })
    let cut = try folder.read(files[5]).dropLast(10)
    try folder.write(cut, files[5])
    let zone = String(files[0].prefix { $0 != "/" })
    try folder.write(Data("hello".utf8), files[0].renamed { _ in "notes.txt" })
    try folder.write(Data("hello".utf8), zone + "/family.jpg")
    try folder.write(Data(), files[0].renamed { _ in ".DS_Store" })
    try folder.write(cut, files[0].renamed { _ in "~syncthing~something.tmp" })
    try folder.write(Data("x".utf8), files[0].renamed { _ in "broken.events" })

    let b = try await place.store("b")
    let report = try await b.syncOnce(with: folder.peer())
    #expect(
      try await place.titles(b) == ["a 0", "a-1", "a-2", "a-3", "a-4", "a-5"])
    let found = Dictionary(grouping: report.findings, by: \.code).mapValues(\.count)
    #expect(
      found == [.renamed: 2, .duplicate: 1, .incomplete: 1, .foreign: 2, .damaged: 1],
      "\(report.findings)")
    #expect(report.refusals.isEmpty)

    // The author repairs its own files once it is clear that no more of them is arriving.
    try folder.age(files[5], seconds: 3600)
    try await a.syncOnce(with: folder.peer())
    try await b.syncOnce(with: folder.peer())
    #expect(try await a.digest() == b.digest())
    #expect(try folder.read(files[5]).count == cut.count + 10)
    try await place.close([a, b])
  }

  @Test("a sound copy of a damaged file is used in the same exchange")
  func copyOfDamagedFile() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let file = try #require(folder.files.first)
    let whole = try folder.read(file)
    for name in [" (1).events", " (2).events"] {
      try folder.write(whole, file.renamed { $0.replacing(".events", with: name) })
    }
    var damaged = whole
    damaged[damaged.count / 2] ^= 1
    for path in [file, file.renamed { $0.replacing(".events", with: " (1).events") }] {
      try folder.write(damaged, path)
    }
    let report = try await b.syncOnce(with: folder.peer())
    #expect(try await place.titles(b) == ["a 0"])
    #expect(report.findings.contains { $0.code == .damaged && $0.path == file })
    #expect(report.refusals.isEmpty)
    try await place.close([a, b])
  }

  /// Such a file counted as arriving for ever.
  @Test(
    "a file that was cut off is written again, whatever its time",
    arguments: [-86_400, -4e9, 1.7e9])
  func cutOffFile(secondsAgo: TimeInterval) async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let file = try #require(folder.files.first)
    let whole = try folder.read(file)
    try folder.write(whole.dropLast(10), file)
    try folder.age(file, seconds: secondsAgo)
    try await a.syncOnce(with: folder.peer())
    try await b.syncOnce(with: folder.peer())
    #expect(try await a.digest() == b.digest())
    #expect(try folder.read(file) == whole)
    try await place.close([a, b])
  }

  /// Damage that does not change the size is found by a reader. The cure is to delete the file.
  @Test("a damaged file is reported, and written again once it is deleted")
  func damagedFile() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let file = try #require(folder.files.first)
    var bytes = try folder.read(file)
    bytes[bytes.count / 2] ^= 4
    try folder.write(bytes, file)
    let peer = folder.peer()
    for _ in 1...2 {
      let report = try await b.syncOnce(with: peer)
      #expect(report.findings.map(\.code) == [.damaged] && report.eventsReceived == 0)
    }
    folder.remove(file)
    try await a.syncOnce(with: folder.peer())
    #expect(try await b.syncOnce(with: peer).findings.isEmpty)
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  /// Found by seed 4075 of the simulator: programs that carry files set their times.
  @Test("a file that is replaced by one of the same size and time is read again")
  func replacedFile() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let file = try #require(folder.files.first)
    let sound = try folder.read(file)
    var bytes = sound
    bytes[bytes.count / 2] ^= 4
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    func put(_ bytes: Data) throws {
      try folder.write(bytes, file)
      try FileManager.default.setAttributes(
        [.modificationDate: date], ofItemAtPath: folder.path(file))
    }
    let peer = folder.peer()
    try put(bytes)
    #expect(try await b.syncOnce(with: peer).findings.map(\.code) == [.damaged])
    try put(sound)
    #expect(try await b.syncOnce(with: peer).findings.isEmpty)
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  /// Seed 94772 of the lives of a zone.
  @Test("a store publishes new events beside a placeholder for the file with its key")
  func placeholderOfOwnKey() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let (file, placeholder) = try evictFirstFile(of: folder)
    try await place.add(a, "more")
    let report = try await a.syncOnce(with: folder.peer())
    #expect(report.refusals.isEmpty && report.eventsSent == 1)
    #expect(folder.files.count == 2)
    try folder.move(placeholder, to: file)
    try await b.syncOnce(with: folder.peer())
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  @Test("a placeholder is neither read nor replaced")
  func placeholders() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    let (file, placeholder) = try evictFirstFile(of: folder)
    let report = try await b.syncOnce(with: folder.peer())
    #expect(report.findings.map(\.code) == [.placeholder] && report.eventsReceived == 0)
    try await a.syncOnce(with: folder.peer())
    #expect(folder.files == [placeholder])
    try folder.move(placeholder, to: file)
    try await b.syncOnce(with: folder.peer())
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  @Test("events beyond a gap are held, and shown once the missing file arrives")
  func gaps() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    for number in 1...4 {
      try await a.syncOnce(with: folder.peer())
      try await place.add(a, "a-\(number)")
    }
    try await a.syncOnce(with: folder.peer())
    let late = folder.files[2]
    let bytes = try folder.read(late)
    folder.remove(late)
    let report = try await b.syncOnce(with: folder.peer())
    // Events after the gap are held, and not shown.
    #expect(report.eventsReceived == 5)
    #expect(try await place.titles(b) == ["a 0", "a-1"])
    try folder.write(bytes, late)
    #expect(try await b.syncOnce(with: folder.peer()).eventsReceived == 1)
    #expect(try await a.digest() == b.digest())
    try await place.close([a, b])
  }

  @Test("small files are merged into few, and no event is lost")
  func mergedFiles() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let patient = try place.shared("patient")
    let a = try await place.storeWithNote("a")
    for number in 1...60 {
      try await place.add(a, "a-\(number)")
      try await a.syncOnce(with: folder.peer())
    }
    #expect(folder.files.count < 2 * FolderWriter.mergeCount, "\(folder.files.count) files")
    let b = try await place.store("b")
    #expect(try await b.syncOnce(with: folder.peer()).findings.isEmpty)
    #expect(try await a.digest() == b.digest())

    // No file is removed within the grace period, and both old and new files can be read.
    let c = try await place.storeWithNote("c")
    for number in 1...FolderWriter.mergeCount + 1 {
      try await place.add(c, "c-\(number)")
      try await c.syncOnce(with: patient.peer(graceSeconds: 600))
    }
    #expect(patient.files.count > FolderWriter.mergeCount + 1)
    // The first sync brought three events.
    let last = FolderWriter.mergeCount + 2
    let merged = try #require(patient.files.first { $0.contains(".1-\(last).") })
    let d = try await place.store("d")
    #expect(try await d.syncOnce(with: patient.peer()).findings.isEmpty)
    #expect(try await c.digest() == d.digest())
    // The merged file replaces the others once it is old enough.
    try patient.age(merged, seconds: 1200)
    try await c.syncOnce(with: patient.peer(graceSeconds: 600))
    #expect(patient.files.count == 2)
    try await place.close([a, b, c, d])
  }

  /// Found by the simulator, seed 3426: a file that had been read before counted as whole, though
  /// it had been damaged since. The files that it replaced were removed.
  @Test("a merged file that was damaged later replaces no other file")
  func damagedMerge() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let peer = folder.peer(graceSeconds: 600)
    let a = try await place.storeWithNote("a")
    for number in 1...FolderWriter.mergeCount + 1 {
      try await place.add(a, "a-\(number)")
      try await a.syncOnce(with: peer)
    }
    let merged = try #require(
      folder.files.first { $0.contains(".1-\(FolderWriter.mergeCount + 2).") })
    let b = try await place.store("b")
    try await b.syncOnce(with: peer)
    let before = folder.files
    var bytes = try folder.read(merged)
    bytes[bytes.count / 2] ^= 1
    try folder.write(bytes, merged)
    try folder.age(merged, seconds: 1200)
    try await a.syncOnce(with: peer)
    #expect(folder.files == before)
    let c = try await place.store("c")
    #expect(
      try await c.syncOnce(with: folder.peer(graceSeconds: 600)).findings.map(\.code) == [.damaged])
    #expect(try await a.digest() == c.digest())
    try await place.close([a, b, c])
  }

  @Test("events whose files are not there yet are counted, and both do not hold the same")
  func missingEvents() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    try await b.syncOnce(with: folder.peer())
    try await place.add(a, "a-1")
    try await a.syncOnce(with: folder.peer(graceSeconds: 600))
    let file = try #require(folder.files.first { $0.contains(".3-3.") })
    let whole = try folder.read(file)
    let placeholder = file.renamed { ".\($0).icloud" }
    try folder.move(file, to: placeholder)
    var report = try await b.syncOnce(with: folder.peer())
    #expect(report.eventsMissing == 1 && report.findings.map(\.code) == [.placeholder])
    #expect(report.findings.first?.events == .init(of: a.replica, 3...3))
    // The author holds them, so nothing is missing there.
    #expect(try await a.syncOnce(with: folder.peer(graceSeconds: 600)).eventsMissing == 0)
    // Half of it has come, and a sound and a damaged copy of what is known.
    folder.remove(placeholder)
    for age in [0, 86_400] as [TimeInterval] {
      try folder.write(whole.dropLast(9), file)
      try folder.age(file, seconds: age)
      report = try await b.syncOnce(with: folder.peer())
      #expect(report.eventsMissing == 1 && report.findings.map(\.code) == [.incomplete])
    }
    var damaged = whole
    damaged[damaged.count / 2] ^= 1
    try folder.write(damaged, file)
    // The second peer remembers that the file is damaged.
    let peer = folder.peer()
    for _ in 1...2 {
      report = try await b.syncOnce(with: peer)
      #expect(report.eventsMissing == 1 && report.findings.map(\.code) == [.damaged])
    }
    try folder.write(whole, file)
    report = try await b.syncOnce(with: folder.peer())
    #expect(report.eventsMissing == 0 && report.eventsReceived == 1 && report.findings.isEmpty)
    try await place.close([a, b])
  }

  @Test(
    "a folder that was emptied is filled again, and the report says so", arguments: [false, true])
  func emptiedFolder(removesZone: Bool) async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    #expect(try await a.syncOnce(with: folder.peer()).findings.isEmpty)
    #expect(try await b.syncOnce(with: folder.peer()).findings.isEmpty)
    let before = folder.files
    if removesZone {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
        folder.remove(name)
      }
    } else {
      for file in before { folder.remove(file) }
    }
    let report = try await a.syncOnce(with: folder.peer())
    #expect(report.findings.map(\.code) == [.emptied] && report.eventsSent == 2)
    #expect(report.findings.first?.description.contains("was empty") == true)
    #expect(folder.files.count == before.count)
    #expect(try await a.syncOnce(with: folder.peer()).findings.isEmpty)
    // One that was emptied before anything was sent there says nothing.
    let other = try place.shared("other")
    #expect(try await a.syncOnce(with: other.peer()).findings.isEmpty)
    try await place.close([a, b])
  }

  /// A hub does not write to the folder; stores do.
  @Test("stamps are published by stores that have them, and events by their authors")
  func stampsInFolder() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let zone = try place.zone("team")
    let (a, b) = (try await place.storeWithNote("a"), try await place.storeWithNote("b"))
    for store in [a, b] { try await store.syncOnce(with: ZonePeer(zone)) }
    for store in [a, b] { try await store.syncOnce(with: folder.peer()) }
    // Both stores have the events of the other from the hub.
    try await place.add(b, "b-1")
    for store in [b, a] { try await store.syncOnce(with: ZonePeer(zone)) }
    let report = try await a.syncOnce(with: folder.peer())
    #expect(report.refusals.isEmpty)
    let files = folder.files.filter { $0.contains("/\(a.replica)/") }
    let origins = Set(
      files.compactMap { $0.split(separator: "/").last?.prefix(32) }.map(String.init))
    #expect(origins == [a.replica.description, zone.replica.description])

    // A store that never meets the hub gets the stamps from the folder.
    let c = try await place.store("c")
    try await b.syncOnce(with: folder.peer())
    #expect(try await c.syncOnce(with: folder.peer()).refusals.isEmpty)
    #expect(c.core.log.vector[zone.replica] == zone.log.vector[zone.replica])
    #expect(try await c.digest() == a.digest())
    // Another store publishes the events of a store that has been silent for long.
    try await place.add(b, "b-2")
    for store in [b, a] { try await store.syncOnce(with: ZonePeer(zone)) }
    for file in folder.files where file.contains("/\(b.replica)/") {
      try folder.age(file, seconds: 2 * 86_400)
    }
    try await a.syncOnce(with: folder.peer())
    try await c.syncOnce(with: folder.peer())
    #expect(c.core.log.vector[b.replica] == b.core.log.vector[b.replica])
    try await place.close([a, b, c])
    try zone.close()
  }

  /// Otherwise a machine with a clock far ahead would keep all others from ever publishing its
  /// missing events.
  @Test("events of an author whose files have future times are published by other stores")
  func futureFiles() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.storeWithNote("b"))
    try await b.syncOnce(with: folder.peer())
    for file in folder.files { try folder.age(file, seconds: -10 * 365 * 86_400) }
    try await place.add(b, "b-1")
    try await a.syncOnce(with: StorePeer(b))
    try await a.syncOnce(with: folder.peer())
    let c = try await place.store("c")
    try await c.syncOnce(with: folder.peer())
    #expect(c.core.log.vector[b.replica] == b.core.log.vector[b.replica])
    try await place.close([a, b, c])
  }

  @Test("an unusable folder is an error with a cure")
  func unusableFolder() async throws {
    defer { place.remove() }
    let a = try await place.storeWithNote("a")
    let before = try await a.digest()
    let file = place.folder.appending(path: "file")
    try Data().write(to: file)
    for (url, code) in [
      (place.folder.appending(path: "nowhere"), SyncError.Code.unreachable), (file, .unauthorized),
    ] {
      await #expect {
        try await a.syncOnce(with: FolderPeer(url))
      } throws: { error in
        (error as? StoreError)?.syncError?.code == code
          && (error as? StoreError)?.syncError?.hint != nil
      }
    }
    let folder = try place.shared()
    let peer = folder.peer()
    try await a.syncOnce(with: peer)
    try FileManager.default.removeItem(at: folder.url)
    await #expect(throws: StoreError.self) { try await a.syncOnce(with: peer) }
    #expect(try await a.digest() == before)
    // The folder comes back empty, and is filled again.
    _ = try place.shared()
    #expect(try await a.syncOnce(with: peer).eventsSent == 2)
    try await a.close()
  }

  @Test("an engine sends and receives writes through a folder at once", .timeLimit(.minutes(10)))
  func liveFolder() async throws {
    defer { place.remove() }
    let folder = try place.shared()
    let (a, b) = (try await place.storeWithNote("a"), try await place.store("b"))
    try await a.syncOnce(with: folder.peer())
    try await b.syncOnce(with: folder.peer())
    var options = SyncEngine.Options()
    // The interval is so long that only changes of the folder start a sync.
    options.interval = .seconds(3600)
    let (one, two) = (SyncEngine(a, options: options), SyncEngine(b, options: options))
    one.add(folder.peer())
    two.add(folder.peer())
    for await states in two.updates() where states.first?.phase == .idle { break }
    for number in 1...3 {
      try await place.add(a, "a-\(number)")
      for await states in two.updates() {
        if states.first.map({ $0.phase == .idle && $0.received >= UInt64(number) }) ?? false {
          break
        }
      }
      #expect(try await place.titles(b).count == number + 1)
    }
    await one.stop()
    await two.stop()
    try await place.close([a, b])
  }
}
