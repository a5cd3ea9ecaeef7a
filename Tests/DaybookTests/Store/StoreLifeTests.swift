import DaybookEventCore
import DaybookLocks
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Several stores on one folder, restored backups, and states of the past.
@Suite struct StoreLifeTests {
  private func note(_ number: Int) -> (String, [String: Value]) {
    ("n\(number)", ["title": .text("note \(number)")])
  }

  private func copy(_ files: StoreFiles, to folder: URL) throws {
    let manager = FileManager.default
    try? manager.removeItem(at: folder)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in StoreFiles.readModelFiles(files.readModel) where manager.fileExists(atPath: file) {
      let url = URL(fileURLWithPath: file)
      try manager.copyItem(at: url, to: folder.appending(path: url.lastPathComponent))
    }
  }

  private func putBack(_ files: StoreFiles, from folder: URL) throws {
    try StoreFiles.removeReadModel(files.readModel)
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: folder.path) {
      try manager.copyItem(
        at: folder.appending(path: name), to: files.folder.appending(path: name))
    }
  }

  #if os(Linux)
    /// Found by the campaign of stores, which had no more descriptors after a hundred runs.
    @Test("a store that is closed has none of its files open")
    func closingGivesBackDescriptors() async throws {
      let folder = try TemporaryStore()
      try await Store.create(at: folder.url).close()
      func mine() throws -> [String] {
        let links = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: links).compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: links + "/" + $0)
        }.filter { $0.contains(folder.url.lastPathComponent) }
      }
      func use(_ round: Int) async throws {
        let store = try await Store.open(at: folder.url)
        try await store.write { tx in
          if round == 0 { try tx.define(StoreTests.notes) }
          try tx.insert("notes", "n\(round)", ["title": .text("x")])
        }
        _ = try await store.digest()
        _ = try await store.verify()
        _ = try await store.status()
        try await store.close()
      }
      for round in 0..<5 {
        try await use(round)
        _ = try await Store.verify(at: folder.url)
        // Threads that have just finished a read may still be releasing their connection.
        var left = try mine()
        let end = ContinuousClock.now + .seconds(60)
        while !left.isEmpty, ContinuousClock.now < end {
          try await Task.sleep(for: .milliseconds(5))
          left = try mine()
        }
        #expect(left == [], "round \(round)")
      }
    }
  #endif

  struct Note: Entity {
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [.field("title", \.title)]
    var id = ID()
    var title = ""
  }

  @Test(
    "a store that nothing uses any more closes itself, and its folder in memory goes",
    .timeLimit(.minutes(10)))
  func released() async throws {
    func use() async throws -> (folder: URL, isClosed: () -> Bool) {
      let store = try await Store.inMemory(schema: [Note.self])
      try await store.write { try $0.insert(Note(title: "x")) }
      // Each of these used to keep a store, or may do so.
      for try await notes in store.observe(Note.all) {
        #expect(notes.count == 1)
        break
      }
      _ = try await store.databaseReader.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
      let past = try await store.at(.vector(try await store.digest().vector)).open()
      #expect(try await past.fetch(Note.all).count == 1)
      return (store.url, { [weak store] in store == nil })
    }
    for _ in 0..<8 {
      let (folder, isClosed) = try await use()
      while !isClosed() || FileManager.default.fileExists(atPath: folder.path) {
        await Task.yield()
      }
      #if os(Linux)
        let links = "/proc/self/fd"
        var isOpen = true
        while isOpen {
          isOpen = try FileManager.default.contentsOfDirectory(atPath: links).contains { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
              atPath: links + "/" + name)
            return target?.contains(folder.lastPathComponent) ?? false
          }
          await Task.yield()
        }
      #endif
    }
  }

  @Test("what holds a store keeps it open: a loop, a past, and a transaction that is the last")
  func held() async throws {
    let folder = try TemporaryStore()
    var store: Store? = try await Store.open(at: folder.url, schema: [Note.self])
    try await store?.write { try $0.insert(Note(id: "a", title: "x")) }
    let past = try await store?.at(.vector(store?.digest().vector ?? VersionVector())).open()
    var values = store?.observe(Note.all.count()).makeAsyncIterator()
    #expect(try await values?.next() == 1)
    weak var released = store
    store = nil
    try await released?.write { tx in try tx.insert(Note(id: "b", title: "y")) }
    #expect(try await values?.next() == 2)
    #expect(try await past?.history(of: Note.ID("a")).count == 1)
    #expect(try await past?.fetch(Note.all).map(\.title) == ["x"])
    try await past?.close()
    // Another store on the folder, whatever becomes of the first one.
    let other = try await Store.open(at: folder.url, schema: [Note.self])
    #expect(try await other.fetch(Note.all.count()) == 2)
    try await other.close()
  }

  /// Both rebuilds used one file for the next read model, and took it from each other.
  @Test("concurrent rebuilds, in use and while opening, wait for one another")
  func rebuildsTogether() async throws {
    let folder = try TemporaryStore()
    let one = try await Store.create(at: folder.url)
    try await one.write { tx in
      try tx.define(StoreTests.notes)
      for number in 0..<300 {
        try tx.insert("notes", "n\(number)", ["title": .text("note \(number)")])
      }
    }
    let digest = try await one.digest()
    let stores = [one, try await Store.open(at: folder.url), try await Store.open(at: folder.url)]
    var options = Store.Options()
    options.rebuildsReadModel = true
    let rebuilding = options
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask { for _ in 0..<5 { try await store.rebuild() } }
      }
      group.addTask {
        for _ in 0..<5 {
          try await Store.open(at: folder.url, options: rebuilding).close()
        }
      }
      try await group.waitForAll()
    }
    for store in stores {
      #expect(try await store.digest() == digest)
      try await store.close()
    }
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound, "\(verification)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.allSatisfy { !$0.contains("next") }, "\(names)")
  }

  /// Closing waited for as long as a writer would.
  @Test("closing does not wait for a reader in another instance", .timeLimit(.minutes(10)))
  func closeBesideReader() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.lockTimeout = .seconds(3600)
    let store = try await Store.create(at: folder.url, options: options)
    try await store.write { try $0.define(StoreTests.notes) }
    let other = try await Store.open(at: folder.url)
    let reading = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    let reader = Task {
      try await other.read { db in
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema")
        reading.withLock { $0 = true }
        ended.wait()
      }
    }
    while reading.withLock({ !$0 }) { try await Task.sleep(for: .milliseconds(1)) }
    try await store.write { try $0.insert("notes", "n1", ["title": .text("later")]) }
    // The reader is still reading.
    try await store.close()
    ended.signal()
    try await reader.value
    try await other.close()
    let again = try await Store.open(at: folder.url)
    #expect(try await again.fetch("notes", "n1") != nil)
    try await again.close()
    #expect(try await Store.verify(at: folder.url).isSound)
  }

  @Test("a read model that cannot be set aside is an error with a code and a cure")
  func noQuarantine() async throws {
    let folder = try TemporaryStore()
    try await Store.create(at: folder.url).close()
    let files = StoreFiles(folder: folder.url)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: files.readModel))
    try Data().write(to: URL(fileURLWithPath: files.quarantine))
    let error = await #expect(throws: StoreError.self) {
      try await Store.open(at: folder.url).close()
    }
    #expect(error?.code == .ioFailed)
    #expect(error?.message.contains("quarantine") == true, "\(String(describing: error))")
    #expect(error?.hint != nil)
  }

  @Test("two instances on one folder see each other's writes and agree")
  func twoStores() async throws {
    let folder = try TemporaryStore()
    let one = try await Store.create(at: folder.url)
    let two = try await Store.open(at: folder.url)
    try await one.write { try $0.define(StoreTests.notes) }
    for number in 0..<30 {
      let (store, other) = number % 2 == 0 ? (one, two) : (two, one)
      try await store.write { tx in
        try tx.insert("notes", "n\(number)", ["title": .text("\(number)")])
        if number > 0 { try tx.update("notes", "n\(number - 1)", ["body": .text("seen")]) }
        if number % 10 == 5 {
          try tx.define(
            Definition(
              "notes",
              [
                .integer("extra\(number)").indexed()
              ]))
          try tx.update("notes", "n0", ["extra\(number)": .integer(1)])
        }
      }
      #expect(try await other.fetch("notes", "n\(number)") != nil)
      // Each round uses one call, which has to see the writes of the other instance.
      let sequence = try await other.digest().vector[other.replica]
      switch number / 2 % 3 {
      case 0: #expect(try await other.history(of: "notes", "n\(number)").count == 1)
      case 1:
        let last = Awaited<EventID>()
        try await other.forEachEvent(EventQuery(isNewestFirst: true)) { event in
          last.set(.success(event.event.id))
          return false
        }
        #expect(try last.wait() == EventID(other.replica, sequence))
      default:
        let changes = try await other.changes(from: .event(EventID(other.replica, sequence - 1)))
        #expect(changes.contains { $0.id == "n\(number)" })
      }
    }
    #expect(try await one.digest() == two.digest())
    #expect(try await one.conflicts().all().isEmpty)
    async let a: Void = writeMany(one, "a")
    async let b: Void = writeMany(two, "b")
    _ = try await (a, b)
    #expect(try await one.digest() == two.digest())
    let v1 = try await one.verify()
    #expect(v1.isSound, "\(v1)")
    try await one.rebuild()
    let v2 = try await two.verify()
    #expect(v2.isSound, "\(v2)")
    try await two.write { try $0.insert("notes", "last") }
    #expect(try await one.fetch("notes", "last") != nil)
    let digest = try await two.digest()
    try await two.close()
    try await one.close()
    let again = try await Store.open(at: folder.url)
    #expect(try await again.digest() == digest)
    try await again.close()
  }

  private func writeMany(_ store: Store, _ prefix: String) async throws {
    for number in 0..<40 {
      try await store.write { try $0.insert("notes", "\(prefix)\(number)") }
    }
  }

  @Test("a read-only store shows committed writes, writes nothing, and sees later writes")
  func readOnly() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    let reading = try await Store.open(at: folder.url, options: .init(isReadOnly: true))
    let digest = try await store.digest()
    #expect(try await reading.digest() == digest)
    await #expect(throws: StoreError.self) {
      try await reading.write { try $0.insert("notes", "n2") }
    }
    await #expect(throws: (any Error).self) {
      try await reading.read { try $0.execute(sql: "DELETE FROM notes") }
    }
    let box = Awaited<Bool>()
    try await store.write { tx in
      try tx.insert("notes", "n2")
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        let found = try? await reading.fetch("notes", "n2")
        box.set(.success(found == nil))
        done.signal()
      }
      done.wait()
    }
    #expect(try box.wait())
    #expect(try await reading.fetch("notes", "n2") != nil)
    try await reading.close()
    try await store.close()
  }

  @Test("positions are read from events, vectors and times, and others are refused")
  func positions() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    var moments: [(vector: VersionVector, digest: StateDigest, authored: Int64)] = []
    for number in 0..<6 {
      let authored = try await store.write { tx in
        try tx.put("notes", "n1", ["title": .text("\(number)")])
        return tx.authored.milliseconds
      }
      let report = try await store.digest()
      moments.append((report.vector, report.digest, authored))
      // The next write has to have a later time.
      while Int64(Date().timeIntervalSince1970 * 1000) <= authored { await Task.yield() }
    }
    let origin = store.replica.description
    for (number, moment) in moments.enumerated() {
      let texts = [
        "\(origin.prefix(6)):\(number + 3)", "{\"\(origin)\": \(number + 3)}",
        Timestamp.text(moment.authored)!,
      ]
      for text in texts {
        let position = try await store.position(text)
        let past = try await store.at(position).fetch("notes", "n1")
        #expect(past?["title"] == .text("\(number)"), "\(text)")
        let file = folder.url.appending(path: "past-\(UUID()).sqlite")
        let report = try await store.rebuild(until: position, into: file)
        #expect(report.digest == moment.digest, "\(text)")
        let titles = try await store.at(position).read(in: folder.url) { db, schema in
          #expect(schema["notes"] != nil)
          return try String.fetchAll(db, sql: "SELECT title FROM notes")
        }
        #expect(titles == ["\(number)"], "\(text)")
      }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(left.allSatisfy { !$0.hasPrefix("daybook-past-") })
    await #expect(throws: StoreError.self) {
      _ = try await store.at(.vector(VersionVector([(store.replica, UInt64(1_000))])))
    }
    for text in ["", "ffff:0", "x:1", "{", "{\"ffff\":-1}", "2026-02-30", "\(origin):x", "fff:1"] {
      await #expect(throws: (any Error).self, "\(text)") { try await store.position(text) }
    }
    await #expect(throws: (any Error).self) {
      _ = try await store.at(.event(EventID(store.replica, 99)))
    }
    try await store.close()
  }

  @Test("an older read model catches up, and one of another chain is set aside")
  func restoredReadModel() async throws {
    let folder = try TemporaryStore()
    let files = StoreFiles(folder: folder.url)
    let backup = try TemporaryStore()
    var store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    try await store.close()
    try copy(files, to: backup.url)
    store = try await Store.open(at: folder.url)
    for number in 2..<20 {
      try await store.write { try $0.put("notes", "n\(number % 4)", ["title": .text("\(number)")]) }
    }
    try await store.write { try $0.drop(field: "body", of: "notes") }
    let digest = try await store.digest()
    try await store.close()

    try putBack(files, from: backup.url)
    store = try await Store.open(at: folder.url)
    #expect(try await store.digest() == digest)
    let v4 = try await store.verify()
    #expect(v4.isSound, "\(v4)")
    try await store.close()
    #expect(!FileManager.default.fileExists(atPath: files.quarantine))

    let queue = try ReadModelFile.openAlone(files.readModel)
    try await queue.write {
      try $0.execute(sql: "UPDATE _daybook_origins SET chain = zeroblob(32)")
    }
    try queue.close()
    store = try await Store.open(at: folder.url)
    let v6 = try await store.verify()
    #expect(v6.isSound, "\(v6)")
    try await store.close()

    for garbage in [Data(), Data("not a database at all, but long enough to be one".utf8)] {
      try StoreFiles.removeReadModel(files.readModel)
      try garbage.write(to: URL(fileURLWithPath: files.readModel))
      store = try await Store.open(at: folder.url)
      #expect(try await store.digest() == digest)
      try await store.close()
    }
  }

  @Test("status counts events, collections and entities")
  func status() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.define(TransactionTests.links)
      for number in 0..<5 { try tx.insert("notes", "n\(number)") }
      try tx.delete("notes", "n4")
      try tx.insert("links", "l", ["source": .text("n0"), "target": .text("n1")])
    }
    let status = try await store.status()
    #expect(status.isHealthy)
    #expect(status.events == 2)
    #expect(status.collections.map(\.entities) == [1, 4])
    #expect(status.conflicts == 0 && status.misfits == 0 && status.opaque == 0)
    #expect(status.logVector == status.readModelVector)
    #expect(status.logBytes > 0 && status.readModelBytes > 0)
    try await store.close()
  }

  @Test("the last three of the read models that were set aside are kept")
  func quarantineIsBounded() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    try await store.close()
    for number in 1...5 {
      try Data("no database \(number)".utf8).write(
        to: folder.url.appending(path: "read-model.sqlite"))
      try await Store.open(at: folder.url).close()
    }
    let aside = try await Store.status(at: folder.url).quarantine.map(\.name).sorted()
    #expect(aside == (3...5).map { "read-model-\($0).sqlite" })
    let quarantine = folder.url.appending(path: "quarantine/read-model-5.sqlite")
    #expect(try Data(contentsOf: quarantine) == Data("no database 5".utf8))
  }
}
