import DaybookLogEngine
import DaybookProjections
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The identity of a store, and its evidence: the key, the end of the log, and the read model.
@Suite struct StoreIdentityTests {
  /// Makes a store with a note, and closes it.
  /// - Returns: The replica of the store.
  private func makeStore(_ folder: TemporaryStore) async throws -> ReplicaID {
    let store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("old")])
    }
    try await store.close()
    return store.replica
  }

  @Test("a store without its key takes a new identity and keeps its data")
  func renewal() async throws {
    let folder = try TemporaryStore()
    let files = StoreFiles(folder: folder.url)
    let old = try await makeStore(folder)
    try FileManager.default.removeItem(atPath: files.key)
    let renewed = try await Store.open(at: folder.url)
    try await renewed.write { try $0.update("notes", "n1", ["title": .text("new")]) }
    let vector = try await renewed.digest().vector
    #expect(vector.entries.count == 2)
    #expect(vector[old] == 2)
    #expect(try await renewed.fetch("notes", "n1")?["title"] == .text("new"))
    #expect(try await renewed.conflicts().all().isEmpty)
    let v3 = try await renewed.verify()
    #expect(v3.isSound, "\(v3)")
    try await renewed.close()
    let again = try await Store.open(at: folder.url)
    #expect(again.replica != old)
    #expect(vector[again.replica] == 2)
    try await again.close()
  }

  /// Found by the campaign of damaged stores: such a store could not be opened, because the commit
  /// lock was not held.
  @Test("a store with a doubtful tail continues as another replica")
  func doubtfulTail() async throws {
    let folder = try TemporaryStore()
    let files = StoreFiles(folder: folder.url)
    let old = try await makeStore(folder)
    try Self.makeTailDoubtful(folder.url)

    let opened = try await Store.open(at: folder.url)
    #expect(opened.recovery.isAmbiguous)
    try await opened.write { try $0.update("notes", "n1", ["title": .text("two")]) }
    let vector = try await opened.digest().vector
    #expect(vector[old] == 2)
    #expect(vector.entries.count == 2)
    let verification = try await opened.verify()
    #expect(verification.isSound, "\(verification)")
    try await opened.close()
    #expect(try IdentityFile.read(files).replica != old)
  }

  /// Found by reading the code: the old identity stayed in use, and used its sequence numbers
  /// again.
  @Test("a new identity that could not be written is still due at the next opening")
  func renewalFails() async throws {
    let folder = try TemporaryStore()
    let files = StoreFiles(folder: folder.url)
    let old = try await makeStore(folder)
    try Self.makeTailDoubtful(folder.url)
    let inTheWay = URL(filePath: files.key + ".new")
    try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: false)
    await #expect(throws: StoreError.self) { try await Store.open(at: folder.url) }
    #expect(try IdentityFile.read(files).replica == old)
    try FileManager.default.removeItem(at: inTheWay)

    let opened = try await Store.open(at: folder.url)
    #expect(opened.replica != old)
    let replica = opened.replica
    try await opened.close()
    let again = try await Store.open(at: folder.url)
    #expect(again.replica == replica)
    #expect(again.recovery.isClean)
    try await again.close()
  }

  /// Found by review: the second process renewed the identity that it had read before the first
  /// renewed it. If two processes give a new read model a write-ahead log at once, SQLite refuses
  /// one of them without waiting.
  @Test("concurrent openings that need a new identity agree on one")
  func renewedTogether() async throws {
    for _ in 0..<10 {
      let folder = try TemporaryStore()
      let old = try await makeStore(folder)
      try Self.makeTailDoubtful(folder.url)
      let replicas = try await withThrowingTaskGroup(of: Store.self) { group in
        for _ in 0..<3 { group.addTask { try await Store.open(at: folder.url) } }
        var replicas: Set<ReplicaID> = []
        for try await store in group {
          try await store.write { try $0.put("notes", "n2", ["title": .text("\(store.replica)")]) }
          replicas.formUnion(try await store.digest().vector.entries.map(\.origin))
          try await store.close()
        }
        return replicas
      }
      let file = try IdentityFile.read(StoreFiles(folder: folder.url))
      #expect(replicas == [old, file.replica])
      #expect(try file.identity(StoreFiles(folder: folder.url)) != nil)
    }
  }

  /// Adds noise to the end of the log, and removes mark and read model.
  static func makeTailDoubtful(_ folder: URL) throws {
    let segment = try FileHandle(
      forWritingTo: folder.appending(path: "log/0000000000000001.segment"))
    try segment.seekToEnd()
    try segment.write(contentsOf: Data(repeating: 0x5A, count: 100))
    try segment.close()
    try FileManager.default.removeItem(at: folder.appending(path: "log/mark"))
    try StoreFiles.removeReadModel(StoreFiles(folder: folder).readModel)
  }

  /// Found by the campaign of damaged stores: such a read model was evidence only after the next
  /// commit.
  @Test("a rebuilt read model proves the contents of the log before any write")
  func evidence() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    let feed = store.core.feed
    let made = folder.url.appending(path: "made.sqlite").path
    _ = try Rebuild(source: feed, options: .init(replica: store.replica)).run(into: made)
    #expect(try ReadModelFile.peek(made, source: feed)?.replica == store.replica)
    try await store.close()
  }

  @Test("a read model of another store or replica is set aside and not used")
  func foreignReadModel() async throws {
    let (folder, other) = (try TemporaryStore(), try TemporaryStore())
    let (files, others) = (StoreFiles(folder: folder.url), StoreFiles(folder: other.url))
    var store = try await Store.create(at: folder.url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    let (replica, digest) = (store.replica, try await store.digest())
    try await store.close()
    let stranger = try await Store.create(at: other.url)
    try await stranger.write { try $0.define(Definition("tasks")) }
    try await stranger.close()
    // The copy continues as another replica, and holds all events of the store and more.
    let copy = try TemporaryStore()
    try FileManager.default.copyItem(at: folder.url, to: copy.url)
    try FileManager.default.removeItem(atPath: StoreFiles(folder: copy.url).key)
    let peer = try await Store.open(at: copy.url)
    try await peer.write { try $0.insert("notes", "theirs", ["title": .text("two")]) }
    try await peer.close()
    #expect(try IdentityFile.read(StoreFiles(folder: copy.url)).replica != replica)

    for source in [others, StoreFiles(folder: copy.url)] {
      try StoreFiles.removeReadModel(files.readModel)
      try FileManager.default.copyItem(atPath: source.readModel, toPath: files.readModel)
      let reading = await #expect(throws: StoreError.self) {
        try await Store.open(at: folder.url, options: .init(isReadOnly: true))
      }
      #expect(reading?.code == .readOnly)
      store = try await Store.open(at: folder.url)
      #expect(store.damage.isEmpty, "\(store.damage)")
      #expect(try await store.digest() == digest)
      #expect(try await store.fetch("notes", "theirs") == nil)
      try await store.write { try $0.put("notes", "n1", ["title": .text("one")]) }
      let verification = try await store.verify()
      #expect(verification.isSound, "\(verification)")
      try await store.close()
      #expect(FileManager.default.fileExists(atPath: files.quarantine))
      try FileManager.default.removeItem(atPath: files.quarantine)
    }
  }
}
