import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// GRDB's observers of a store's read model.
@Suite struct DatabaseReaderTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  /// The values of a query, as a `ValueObservation` delivers them.
  private final class Titles {
    private let values: AsyncStream<[String]>
    private let observation: AnyDatabaseCancellable
    private(set) var count = 0

    init(_ store: Store, in collection: String = "notes") {
      let (values, continuation) = AsyncStream.makeStream(of: [String].self)
      self.values = values
      let sql = "SELECT title FROM \(collection) ORDER BY title"
      observation = ValueObservation.tracking { try String.fetchAll($0, sql: sql) }.start(
        in: store.databaseReader, scheduling: .async(onQueue: .global()),
        onError: { Issue.record($0) }, onChange: { continuation.yield($0) })
    }

    /// Waits until these titles are delivered.
    func wait(for titles: [String]) async {
      for await value in values {
        count += 1
        if value == titles { return }
      }
    }

    func stop() { observation.cancel() }
  }

  private func store() async throws -> Store {
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": "Oat milk"])
    }
    return store
  }

  /// Writes through another instance, and waits until the observer of the first one sees it. Two
  /// stores on one folder share nothing but its files, as two processes do.
  private func writeElsewhere(_ titles: Titles, _ store: Store) async throws {
    let other = try await Store.open(at: store.url)
    try await other.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    await titles.wait(for: ["Oat milk", "Soy milk"])
    try await other.close()
  }

  @Test("an observer sees writes, deletions, definitions and their undoing by an error")
  func writes() async throws {
    defer { place.remove() }
    let store = try await store()
    let titles = Titles(store)
    await titles.wait(for: ["Oat milk"])
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    await titles.wait(for: ["Oat milk", "Soy milk"])
    try await store.write { try $0.update("notes", "n1", ["title": "Rice milk"]) }
    await titles.wait(for: ["Rice milk", "Soy milk"])
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await store.write { tx in
        try tx.delete("notes", "n1")
        throw Refused()
      }
    }
    try await store.write { try $0.delete("notes", "n2") }
    await titles.wait(for: ["Rice milk"])
    try await store.write { try $0.define(Definition("notes", [.text("title").default("none")])) }
    try await store.write { try $0.insert("notes", "n3") }
    await titles.wait(for: ["Rice milk", "none"])
    titles.stop()
    try await store.close()
  }

  @Test("an observer of one collection is not told of others")
  func others() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.define(Definition("tasks", [.text("title")])) }
    let titles = Titles(store)
    // GRDB may deliver the first value twice, the second time beside the writes that follow.
    // The write in between comes after it: its value can only be delivered once.
    await titles.wait(for: ["Oat milk"])
    try await store.write { try $0.insert("notes", "n0", ["title": "Almond milk"]) }
    await titles.wait(for: ["Almond milk", "Oat milk"])
    let before = titles.count
    for number in 0..<5 {
      try await store.write { try $0.insert("tasks", "t\(number)", ["title": "Wash up"]) }
    }
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    await titles.wait(for: ["Almond milk", "Oat milk", "Soy milk"])
    #expect(titles.count == before + 1)
    titles.stop()
    try await store.close()
  }

  @Test("an observer sees what a sync brings, and what a rebuild mends")
  func syncAndRebuild() async throws {
    defer { place.remove() }
    let store = try await store()
    let other = try await place.store("b")
    try await other.syncOnce(with: StorePeer(store))
    try await other.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    let titles = Titles(store)
    await titles.wait(for: ["Oat milk"])
    try await store.syncOnce(with: StorePeer(other))
    await titles.wait(for: ["Oat milk", "Soy milk"])
    for rebuild in [true, false] {
      // A change that no event made, which a rebuild takes back.
      try await store.core.onCommitThread { engine in
        try engine.readModel.write {
          try $0.execute(sql: "UPDATE notes SET title = 'x' WHERE id = 'n1'")
        }
      }
      await titles.wait(for: ["Soy milk", "x"])
      if rebuild {
        try await store.rebuild()
      } else {
        _ = try await store.rebuild(collection: "notes")
      }
      await titles.wait(for: ["Oat milk", "Soy milk"])
    }
    titles.stop()
    try await store.close()
    try await other.close()
  }

  @Test("an observer sees what another process writes")
  func otherProcess() async throws {
    defer { place.remove() }
    let store = try await store()
    let titles = Titles(store)
    await titles.wait(for: ["Oat milk"])
    try await writeElsewhere(titles, store)
    titles.stop()
    try await store.close()
  }

  @Test("an observer of one collection is not told what another process writes to others")
  func otherProcessElsewhere() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.define(Definition("tasks", [.text("title")])) }
    let titles = Titles(store)
    // GRDB may deliver the first value twice, the second time beside the writes that follow.
    await titles.wait(for: ["Oat milk"])
    try await store.write { try $0.insert("notes", "n0", ["title": "Almond milk"]) }
    await titles.wait(for: ["Almond milk", "Oat milk"])
    let before = titles.count
    let tasks = Titles(store, in: "tasks")
    for number in 1...3 {
      let other = try await Store.open(at: store.url)
      try await other.write { try $0.insert("tasks", "t\(number)", ["title": "Wash up"]) }
      try await other.close()
      await tasks.wait(for: Array(repeating: "Wash up", count: number))
    }
    tasks.stop()
    try await store.write { try $0.insert("notes", "n2", ["title": "Soy milk"]) }
    await titles.wait(for: ["Almond milk", "Oat milk", "Soy milk"])
    #expect(titles.count == before + 1)
    titles.stop()
    try await store.close()
  }

  /// Beside a process that writes all the time, SQLite's write lock is hardly ever free when a
  /// connection looks. The store's own writes waited with the notification.
  @Test("observers are told of another process's write while a third process writes")
  func thirdProcess() async throws {
    defer { place.remove() }
    let store = try await store()
    let titles = Titles(store)
    await titles.wait(for: ["Oat milk"])
    try await writeElsewhere(titles, store)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let third = try DatabaseQueue(
      path: StoreFiles(folder: store.url).readModel, configuration: configuration)
    try await third.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    // With a lock of its own, it would be refused after 30 seconds.
    try await store.core.notifyObservers(of: nil)
    try await third.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    titles.stop()
    try await store.close()
  }
}
