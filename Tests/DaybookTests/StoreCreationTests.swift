import Foundation
import Synchronization
import Testing

@testable import Daybook

/// Making stores where others make them too.
@Suite struct StoreCreationTests {
  /// The second wrote its identity over the first one's, or discarded the first one's store.
  @Test("a store that is being made is nobody else's to make, or to discard")
  func whileMaking() throws {
    let folder = try TemporaryStore()
    let inner = Mutex<Result<Store, any Error>?>(nil)
    var environment = StoreEnvironment.system
    environment.randomBytes = { count in
      // The first asked for: the folder has been found empty, and nothing is in it yet.
      if inner.withLock({ $0 }) == nil {
        inner.withLock { $0 = .failure(StoreError(.other, "begun")) }
        let result = Result { try Store.create(at: folder.url) }
        inner.withLock { $0 = result }
      }
      return StoreEnvironment.system.randomBytes(count)
    }
    let parts = try StoreOpening(url: folder.url, options: .init(), environment: environment)
      .create()
    let store = Store(parts, url: folder.url, options: .init())
    let error = #expect(throws: StoreError.self) { try inner.withLock { $0 }?.get() }
    #expect(error?.code == .alreadyExists, "\(String(describing: error))")
    try store.write { try $0.define(StoreTests.notes) }
    try store.close()
    let again = try Store.open(at: folder.url)
    #expect(again.replica == store.replica)
    #expect(try again.read { _, schema in schema["notes"] != nil })
    try again.close()
  }

  @Test("of many who make a store at one place, one does, and the others are told that it is there")
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

  /// SQLite took what follows for the name of a host.
  @Test("a path that begins with two slashes holds a store like any other")
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
