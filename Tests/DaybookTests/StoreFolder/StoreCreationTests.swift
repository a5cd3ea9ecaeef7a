import DaybookLocks
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Creations of stores at the same place, and at odd places.
@Suite struct StoreCreationTests {
  /// The second creation overwrote the identity of the first, or discarded its store.
  @Test("a store that is being created cannot be created or discarded by another caller")
  func whileMaking() throws {
    let folder = try TemporaryStore()
    let inner = Mutex<Result<Store, any Error>?>(nil)
    var environment = StoreEnvironment.system
    environment.randomBytes = { count in
      // At the first request, the folder has been found empty and has no file yet.
      if inner.withLock({ $0 }) == nil {
        inner.withLock { $0 = .failure(StoreError(.other, "begun")) }
        let result = Result { try BlockingStore.create(at: folder.url).store }
        inner.withLock { $0 = result }
      }
      return StoreEnvironment.system.randomBytes(count)
    }
    let parts = try StoreOpening(url: folder.url, options: .init(), environment: environment)
      .create()
    let store = Store(
      OpenStore(parts, url: folder.url, options: .init()), options: .init())
    let error = #expect(throws: StoreError.self) { try inner.withLock { $0 }?.get() }
    #expect(error?.code == .alreadyExists, "\(String(describing: error))")
    try store.blocking.write { try $0.define(StoreTests.notes) }
    try store.blocking.close()
    let again = try BlockingStore.open(at: folder.url)
    #expect(again.store.replica == store.replica)
    #expect(try again.read { _, schema in schema["notes"] != nil })
    try again.close()
  }

  @Test("exactly one of many concurrent creations succeeds, and the others are refused")
  func together() async throws {
    for _ in 0..<10 {
      let folder = try TemporaryStore()
      let made = try await withThrowingTaskGroup(of: Store?.self) { group in
        for _ in 0..<6 {
          group.addTask {
            do {
              let store = try await Store.create(at: folder.url)
              try await store.write { tx in
                try tx.define(StoreTests.notes)
                try tx.insert("notes", "n1", ["title": .text("mine")])
              }
              return store
            } catch let error as StoreError {
              #expect(error.code == .alreadyExists, "\(error)")
              return nil
            }
          }
        }
        return try await group.reduce(into: [Store]()) { if let store = $1 { $0.append(store) } }
      }
      #expect(made.count == 1)
      for store in made { try await store.close() }
      let again = try await Store.open(at: folder.url)
      #expect(again.replica == made.first?.replica)
      #expect(try await again.fetch("notes", "n1") != nil)
      try await again.close()
      #expect(try await Store.verify(at: folder.url).isSound)
    }
  }

  @Test(
    "a folder that a file manager has looked at is as good as an empty one",
    arguments: [".DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini", "._notes", "Icon\r"])
  func litter(name: String) async throws {
    let (made, backup, back) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    for place in [made, backup, back] {
      try FileManager.default.createDirectory(at: place.url, withIntermediateDirectories: true)
      try Data([1]).write(to: place.url.appending(path: name))
    }
    let store = try await Store.create(at: made.url)
    try await store.write { try $0.define(StoreTests.notes) }
    _ = try await Store.backup(at: made.url, to: backup.url)
    _ = try await Store.backup(at: made.url, to: backup.url)
    #expect(try await Store.verify(backup: backup.url).isSound)
    _ = try await Store.restore(backup: backup.url, to: back.url)
    try await store.close()
    for place in [made, back] { #expect(try await Store.verify(at: place.url).isSound) }
    for place in [made, backup, back] {
      let path = place.url.appending(path: name).path(percentEncoded: false)
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("a folder with anything else in it is not taken for a store or a restored one")
  func otherFiles() async throws {
    let (made, backup, other) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
    try await Store.create(at: made.url).close()
    _ = try await Store.backup(at: made.url, to: backup.url)
    try FileManager.default.createDirectory(at: other.url, withIntermediateDirectories: true)
    for name in [".DS_Store", "notes.txt"] {
      try Data([1]).write(to: other.url.appending(path: name))
    }
    var error = await #expect(throws: StoreError.self) { try await Store.create(at: other.url) }
    #expect(error?.code == .alreadyExists)
    error = await #expect(throws: StoreError.self) {
      try await Store.restore(backup: backup.url, to: other.url)
    }
    #expect(error?.code == .alreadyExists)
    error = await #expect(throws: StoreError.self) {
      try await Store.backup(at: made.url, to: other.url)
    }
    #expect(error?.message.contains("notes.txt") == true, "\(String(describing: error))")
  }

  /// SQLite read the rest of the path as the name of a host.
  @Test("a path that begins with two slashes can hold a store")
  func twoSlashes() async throws {
    let folder = try TemporaryStore()
    let url = URL(fileURLWithPath: "/" + folder.url.path(percentEncoded: false))
    let store = try await Store.create(at: url)
    try await store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("Oat milk")])
    }
    try await store.rebuild()
    try await store.close()
    let again = try await Store.open(at: url)
    #expect(try await again.search("oat").map(\.id) == ["n1"])
    try await again.close()
    #expect(try await Store.verify(at: url).isSound)
  }
}
