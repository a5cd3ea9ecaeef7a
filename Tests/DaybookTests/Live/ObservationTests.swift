import DaybookLocks
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// `Store.observe`: the values of a read, now and after every change.
@Suite struct ObservationTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  /// Reads the titles of notes, and counts how often.
  private final class Titles {
    private let reads = Counter()
    private var values: LiveValues<[String]>.Iterator

    init(_ store: Store) {
      let observation = store.observe("notes") { [reads] db in
        reads.count.withLock { $0 += 1 }
        return try String.fetchAll(db, sql: "SELECT title FROM notes ORDER BY title")
      }
      values = observation.makeAsyncIterator()
    }

    var readCount: Int { reads.count.withLock { $0 } }

    /// Returns the next value; nil at the end.
    func next() async throws -> [String]? { try await values.next() }

    /// Waits until these titles are delivered, and fails at the end of the values.
    func wait(for titles: [String]) async throws {
      while let value = try await next() { if value == titles { return } }
      Issue.record("the observation has ended before \(titles)")
    }
  }

  private func store() async throws -> Store {
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.define(Definition("tasks", [.text("title")]))
      try tx.insert("notes", "n1", ["title": "Oat milk"])
    }
    return store
  }

  @Test("the first value comes at once, the next after a write, a deletion and a definition")
  func writes() async throws {
    defer { place.remove() }
    let store = try await store()
    let titles = Titles(store)
    #expect(try await titles.next() == ["Oat milk"])
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    #expect(try await titles.next() == ["Oat milk", "Soy milk"])
    try await store.write { try $0.delete("notes", "n1") }
    #expect(try await titles.next() == ["Soy milk"])
    try await store.write { try $0.insert("notes", "n3") }
    try await store.write { try $0.define(Definition("notes", [.text("title").default("none")])) }
    try await titles.wait(for: ["Soy milk", "none"])
    try await store.close()
    #expect(try await titles.next() == nil)
  }

  @Test("writes that follow closely are delivered as one")
  func coalesced() async throws {
    defer { place.remove() }
    let store = try await store()
    let titles = Titles(store)
    #expect(try await titles.next() == ["Oat milk"])
    for number in 1...50 {
      try await store.write { try $0.update("notes", "n1", ["title": .text("\(number)")]) }
    }
    #expect(try await titles.next() == ["50"])
    // The look at what other processes may have written is the second, if there is one.
    #expect(titles.readCount <= 3)
    try await store.close()
  }

  @Test("a write to another collection, or to another entity, causes no read")
  func others() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    let calls = Mutex<[String]>([])
    let tokens = [
      store.core.listen(
        to: .init(collections: ["notes"]), { calls.withLock { $0.append("notes") } }, end: {}),
      store.core.listen(
        to: .init(collections: ["notes"], id: "n1"), { calls.withLock { $0.append("n1") } }, end: {}
      ),
    ]
    try await store.write { try $0.insert("tasks", "t1", ["title": "Wash up"]) }
    try await store.write { try $0.update("notes", "n2", ["title": "Rice milk"]) }
    try await store.write { try $0.update("notes", "n1", ["title": "Rice milk"]) }
    for token in tokens { store.core.changes.forget(token) }
    try await store.close()
    let seen = calls.withLock { $0 }
    let (notes, note) = (seen.count { $0 == "notes" }, seen.count { $0 == "n1" })
    // A look at what other processes have written calls both once, at any moment.
    #expect((1...2).contains(note), "\(seen)")
    #expect(notes == note + 1, "\(seen)")
  }

  @Test("values come after a sync, and after both rebuilds")
  func syncAndRebuild() async throws {
    defer { place.remove() }
    let store = try await store()
    let other = try await place.store("b")
    try await other.syncOnce(with: StorePeer(store))
    try await other.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    let titles = Titles(store)
    #expect(try await titles.next() == ["Oat milk"])
    try await store.syncOnce(with: StorePeer(other))
    try await titles.wait(for: ["Oat milk", "Soy milk"])
    for rebuild in [true, false] {
      // A change that no event made and nobody is told of; a rebuild takes it back.
      try await store.core.onCommitThread { engine in
        try engine.readModel.write {
          try $0.execute(sql: "UPDATE notes SET title = 'x' WHERE id = 'n1'")
        }
      }
      try await store.write { try $0.update("notes", "n2", ["title": "Rice milk"]) }
      try await titles.wait(for: ["Rice milk", "x"])
      if rebuild {
        try await store.rebuild()
      } else {
        _ = try await store.rebuild(collection: "notes")
      }
      try await titles.wait(for: ["Oat milk", "Rice milk"])
      try await store.write { try $0.update("notes", "n2", ["title": "Soy milk"]) }
      try await titles.wait(for: ["Oat milk", "Soy milk"])
    }
    try await store.close()
    try await other.close()
  }

  @Test("a second store of the same folder sees writes of the first, also if it is read-only")
  func otherStores() async throws {
    defer { place.remove() }
    let store = try await store()
    for isReadOnly in [false, true] {
      let other = try await Store.open(at: store.url, options: .init(isReadOnly: isReadOnly))
      let titles = Titles(other)
      try await titles.wait(for: ["Oat milk"])
      for title in ["Soy milk", "Rice milk", "Oat milk"] {
        try await store.write { try $0.update("notes", "n1", ["title": .text(title)]) }
        try await titles.wait(for: [title])
      }
      try await store.write { try $0.define(Definition("notes", [.text("title").default("none")])) }
      try await store.write { try $0.insert("notes", "n2") }
      try await titles.wait(for: ["Oat milk", "none"])
      try await store.write { try $0.delete("notes", "n2") }
      try await titles.wait(for: ["Oat milk"])
      try await other.close()
      #expect(try await titles.next() == nil)
    }
    try await store.close()
  }

  @Test("an error ends a loop, and a new loop begins anew")
  func errors() async throws {
    defer { place.remove() }
    let store = try await store()
    let observation = store.observe("later") { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM later") ?? 0
    }
    await #expect { for try await _ in observation {} } throws: {
      ($0 as? StoreError)?.code == .unknownName
    }
    // A misspelled name would never change.
    await #expect { for try await _ in store.observe("nots", value: { _ in 1 }) {} } throws: {
      "\($0)".contains("“nots”") && "\($0)".contains("“notes”")
    }
    try await store.write { try $0.define(Definition("later", [.text("title")])) }
    for try await count in observation {
      #expect(count == 0)
      break
    }
    try await store.close()
  }

  @Test("a cancelled loop ends, and leaves no listener")
  func cancelled() async throws {
    defer { place.remove() }
    let store = try await store()
    let observation = store.observe("notes") { db in
      try String.fetchAll(db, sql: "SELECT title FROM notes")
    }
    let (values, continuation) = AsyncStream.makeStream(of: [String].self)
    let task = Task {
      for try await value in observation { continuation.yield(value) }
      continuation.finish()
    }
    for await value in values {
      #expect(value == ["Oat milk"])
      task.cancel()
    }
    try await task.value
    #expect(store.core.changes.listenerCount == 0)
    try await store.close()
  }

  @Test("the past has one value")
  func past() async throws {
    defer { place.remove() }
    let store = try await store()
    let past = try await store.at(.time(.now)).open()
    let titles = Titles(past)
    #expect(try await titles.next() == ["Oat milk"])
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    try await past.close()
    #expect(try await titles.next() == nil)
    try await store.close()
  }
}
