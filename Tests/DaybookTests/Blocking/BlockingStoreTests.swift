import DaybookLocks
import DaybookLogEngine
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Calls for code that is not asynchronous.
@Suite struct BlockingStoreTests {
  @Test("a blocking write is there for later calls, and after opening again")
  func writesLast() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    let event = try store.write(actor: "ann", label: "first") { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("Oat milk")])
      return tx.event
    }
    #expect(event.origin == store.store.replica)
    try store.write { try $0.update("notes", "n1", ["pinned": .boolean(true)]) }
    #expect(try store.fetch("notes", "n1")?["pinned"] == .boolean(true))
    #expect(try store.fetch("notes", "n2") == nil)
    #expect(try store.search("oat").map(\.id) == ["n1"])
    let titles = try store.read { db in try String.fetchAll(db, sql: "SELECT title FROM notes") }
    #expect(titles == ["Oat milk"])
    #expect(try store.read { _, schema in schema.collections.keys.sorted() } == ["notes"])
    #expect(throws: (any Error).self) {
      try store.read { try $0.execute(sql: "DELETE FROM notes") }
    }
    try store.close()
    #expect(throws: StoreError.self) { try store.write { try $0.insert("notes", "n2") } }

    let again = try BlockingStore.open(at: folder.url)
    #expect(try again.fetch("notes", "n1")?["title"] == .text("Oat milk"))
    try again.close()
    let reading = try BlockingStore.open(at: folder.url, options: .init(isReadOnly: true))
    #expect(try reading.fetch("notes", "n1") != nil)
    let refused = #expect(throws: StoreError.self) {
      try reading.write { try $0.insert("notes", "n2") }
    }
    #expect(refused?.code == .readOnly)
    try reading.close()
    let taken = #expect(throws: StoreError.self) { try BlockingStore.create(at: folder.url) }
    #expect(taken?.code == .alreadyExists)
  }

  @Test("an error of a transaction is thrown, and nothing of the transaction is written")
  func rollback() throws {
    struct Stop: Error {}
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    try store.write { try $0.define(StoreTests.notes) }
    let before = store.store.core.log.vector
    #expect(throws: Stop.self) {
      try store.write { tx in
        try tx.insert("notes", "n1")
        throw Stop()
      }
    }
    let wrong = #expect(throws: StoreError.self) {
      try store.write { try $0.insert("notes", "n1", ["title": .integer(1)]) }
    }
    #expect(wrong?.code == .wrongType)
    #expect(throws: StoreError.self) { try store.write(annotations: ["a b": ""]) { _ in } }
    #expect(store.store.core.log.vector == before)
    #expect(try store.fetch("notes", "n1") == nil)
    try store.close()
  }

  @Test("a transaction that calls its own store gets an error, and can continue")
  func reentry() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    try await store.write { try $0.define(StoreTests.notes) }
    let calls: [@Sendable (BlockingStore) throws -> Void] = [
      { try $0.write { try $0.insert("notes", "inner") } },
      { _ = try $0.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") } },
      { _ = try $0.fetch("notes", "n1") },
      { _ = try $0.search("words") },
      { _ = try $0.graph.vertex("notes/n1") },
      { _ = try $0.page(of: $0.store.conflicts(), limit: 1) },
      { _ = try $0.all(of: $0.store.deleted()) },
      { _ = try $0.all(of: $0.store.events()) },
      { try $0.close() },
    ]
    let body: @Sendable (WriteTransaction) throws -> Int = { tx in
      try tx.put("notes", "n1", ["title": .text("words")])
      var refused = 0
      for call in calls {
        do { try call(store.blocking) } catch let error as StoreError where error.code == .reentrant
        {
          refused += 1
        }
      }
      try tx.put("notes", "n2", ["title": .text("more")])
      return refused
    }
    // The calls are on the calling thread, and then on the commit thread.
    #expect(try await Self.thread { try store.blocking.write(body) } == calls.count)
    #expect(try await store.write(body) == calls.count)
    #expect(try await store.fetch("notes", "inner") == nil)
    #expect(try await store.fetch("notes", "n2")?["title"] == .text("more"))
    try await store.close()
  }

  @Test("nested reads share a snapshot, and may write")
  func nestedReads() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    try store.write { tx in
      try tx.define(StoreTests.notes)
      try tx.insert("notes", "n1", ["title": .text("one")])
    }
    let seen = try store.read { db, _ in
      try store.write { try $0.insert("notes", "n2", ["title": .text("two")]) }
      let inner = try store.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM notes") ?? 0
      }
      return [
        try Int.fetchOne(db, sql: "SELECT count(*) FROM notes") ?? 0, inner,
        try store.search("two").count, try store.fetch("notes", "n2") == nil ? 0 : 1,
      ]
    }
    let refused = #expect(throws: StoreError.self) { try store.read { _ in try store.close() } }
    #expect(refused?.code == .reentrant)
    #expect(seen == [1, 1, 0, 0])
    #expect(try store.fetch("notes", "n2") != nil)
    try store.close()
  }

  @Test("concurrent writes of threads and tasks are all written once")
  func together() async throws {
    let folder = try TemporaryStore()
    let (one, two) = (
      try await Store.create(at: folder.url), try await Store.open(at: folder.url)
    )
    try await one.write { try $0.define(StoreTests.notes) }
    let events = try await withThrowingTaskGroup(of: [EventID].self) { group in
      for writer in 0..<12 {
        let store = writer % 4 == 3 ? two : one
        group.addTask {
          guard writer % 2 == 0 else {
            var events: [EventID] = []
            for number in 0..<20 {
              events.append(try await store.write { try Self.insert($0, writer, number) })
            }
            return events
          }
          return try await Self.thread {
            try (0..<20).map { number in
              let event = try store.blocking.write { try Self.insert($0, writer, number) }
              guard try store.blocking.fetch("notes", "n\(writer)-\(number)") != nil else {
                throw StoreError(.other, "a write was acknowledged that readers do not see")
              }
              return event
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(events).count == 240)
    let count = try await two.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notes") }
    #expect(count == 240)
    #expect(try await one.digest() == two.digest())
    try await one.close()
    try await two.close()
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound, "\(verification)")
  }

  private static func insert(
    _ tx: WriteTransaction, _ writer: Int, _ number: Int
  ) throws -> EventID {
    try tx.insert("notes", "n\(writer)-\(number)", ["title": .text("by \(writer)")])
    return tx.event
  }

  @Test("a thread with half a megabyte of stack can write deeply nested data")
  func smallStack() async throws {
    let folder = try TemporaryStore()
    let store = try await Store.create(at: folder.url)
    let json = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    try await Self.thread(stackBytes: 512 << 10) {
      let store = store.blocking
      try store.write { tx in
        try tx.define(
          Definition(
            "folders",
            [
              .init(
                "parent",
                [
                  "type": .text("text"), "references": .text("folders"), "tree": .boolean(true),
                ]),
              .json("data").searchable(),
              .text("name").unique(),
            ]))
        for number in 0..<2000 {
          try tx.insert(
            "folders", "f\(number)",
            [
              "parent": .text("f\(number - 1)"), "data": .json(Array(json.utf8)),
              "name": .text("n\(number)"),
            ])
        }
      }
      try store.write { try $0.update("folders", "f0", ["parent": .text("other")]) }
      let error = #expect(throws: StoreError.self) {
        try store.write { try $0.update("folders", "f0", ["parent": .text("f1999")]) }
      }
      #expect(error?.code == .wouldLoop)
    }
    #expect(try await store.fetch("folders", "f1999") != nil)
    try await store.close()
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound, "\(verification)")
  }

  @Test("a deferred read model is made before a blocking call reads it")
  func deferred() async throws {
    let folder = try TemporaryStore()
    var options = Store.Options()
    options.defersProjection = true
    let store = try await Store.create(at: folder.url, options: options)
    try await Self.thread {
      let store = store.blocking
      try store.write { tx in
        try tx.define(StoreTests.notes)
        try tx.insert("notes", "n1", ["title": .text("one")])
      }
      try store.write { try $0.insert("notes", "n2", ["title": .text("two")]) }
      #expect(try store.search("two").map(\.id) == ["n2"])
      #expect(try store.fetch("notes", "n1")?["title"] == .text("one"))
      try store.close()
    }
    let verification = try await Store.verify(at: folder.url)
    #expect(verification.isSound, "\(verification)")
  }

  @Test("both faces of a store are one store: each sees at once what the other writes")
  func faces() async throws {
    let folder = try TemporaryStore()
    let blocking = try await Self.thread {
      let store = try BlockingStore.create(at: folder.url)
      try store.write { try $0.define(StoreTests.notes) }
      return store
    }
    let store = blocking.store
    #expect(store.blocking.store === store)
    for number in 0..<20 {
      let (first, second) = ("a\(number)", "b\(number)")
      try await Self.thread { try blocking.write { try $0.insert("notes", first) } }
      #expect(try await store.fetch("notes", first) != nil)
      try await store.write { try $0.insert("notes", second) }
      #expect(try await Self.thread { try blocking.fetch("notes", second) } != nil)
    }
    try await store.close()
    let error = await #expect(throws: StoreError.self) {
      try await Self.thread { try blocking.fetch("notes", "a1") }
    }
    #expect(error?.code == .closed)
  }

  @Test("listeners of a store are notified of a blocking write before it returns")
  func changes() throws {
    let folder = try TemporaryStore()
    let store = try BlockingStore.create(at: folder.url)
    try store.write { try $0.define(StoreTests.notes) }
    let heard = Mutex(0)
    let watch = store.store.core.watch
    let listener = watch.listen { heard.withLock { $0 += 1 } }
    // A new listener may be woken once at first.
    while watch.looks == 0 { sched_yield() }
    let before = heard.withLock { $0 }
    try store.write { try $0.insert("notes", "n1") }
    #expect(heard.withLock { $0 } > before)
    watch.forget(listener)
    try store.close()
  }

  /// Runs `body` on a thread of its own.
  static func thread<T: Sendable>(
    stackBytes: Int = 0, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result { try body() }) }
      if stackBytes > 0 { thread.stackSize = stackBytes }
      thread.start()
    }
  }
}
