import DaybookLocks
import DaybookLogEngine
import DaybookProjections
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The filling of an empty store, whose read model is made at the end.
@Suite struct DeferralTests {
  private static let options = {
    var options = Store.Options()
    options.defersProjection = true
    options.lockTimeout = .milliseconds(100)
    return options
  }()

  private static let items = Definition(
    "items",
    [
      .text("name").searchable(),
      .integer("count").indexed(),
    ])

  /// Makes a store that is being filled, with `batches` events of 500 inserts.
  private func filling(_ folder: TemporaryStore, batches: Int) async throws -> Store {
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { try $0.define(Self.items) }
    for batch in 0..<batches {
      try await store.write { tx in
        for number in batch * 500..<batch * 500 + 500 {
          try tx.insert(
            "items", "i\(number)",
            ["name": .text("item number \(number)"), "count": .integer(Int64(number))])
        }
      }
    }
    return store
  }

  /// Returns the number of rows that the file of the read model has for other readers; nil if there
  /// is no table.
  private func rowsOnDisk(_ folder: TemporaryStore) throws -> Int? {
    let queue = try DatabaseQueue(
      path: CheckedFile.uri(StoreFiles(folder: folder.url).readModel))
    defer { try? queue.close() }
    return try queue.read { db in
      try db.tableExists("items") ? Int.fetchOne(db, sql: "SELECT count(*) FROM items") : nil
    }
  }

  private func isSound(_ folder: TemporaryStore) async throws -> Bool {
    let verification = try await Store.verify(at: folder.url)
    return verification.isSound
  }

  @Test("deferred writes stay in the log until closing makes the read model")
  func closing() async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: 20)
    #expect(try rowsOnDisk(folder) == nil)
    #expect(try await store.schema()["items"] != nil)
    #expect(try rowsOnDisk(folder) == nil)
    try await store.close()
    #expect(try rowsOnDisk(folder) == 10_000)
    #expect(try await isSound(folder))
    let again = try await Store.open(at: folder.url, options: .init(isReadOnly: true))
    #expect(try await again.search("9876", in: "items", limit: 2).map(\.id) == ["i9876"])
    try await again.close()
  }

  @Test("a read sees all acknowledged writes", arguments: 0..<6)
  func reading(_ kind: Int) async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: kind % 2 == 0 ? 1 : 8)
    switch kind / 2 {
    case 0: #expect(try await store.fetch("items", "i7")?["count"] == .integer(7))
    case 1: #expect(try await store.history(of: "items", "i7").count == 1)
    default:
      let count = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM items") }
      #expect(count == (kind % 2 == 0 ? 500 : 4000))
    }
    try await store.write { try $0.update("items", "i7", ["count": .integer(-1)]) }
    #expect(try await store.fetch("items", "i7")?["count"] == .integer(-1))
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("a transaction that reads goes on, on a read model with all earlier writes")
  func transactions() async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: 8)
    let found = try await store.write { tx in
      try tx.insert("items", "new", ["count": .integer(1)])
      return try Int.fetchOne(tx.database, sql: "SELECT count(*) FROM items")
    }
    #expect(found == 4001)
    try await store.close()
    #expect(try await isSound(folder))
  }

  /// Closures ran twice, with all their effects.
  @Test("a closure runs once, whichever call ends the deferral", arguments: 0..<6)
  func once(_ kind: Int) async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: kind % 2 == 0 ? 1 : 8)
    let runs = Mutex([0, 0, 0])
    let writes: [SeriesWrite<Void>] = (0..<3).map { number in
      SeriesWrite { tx in
        runs.withLock { $0[number] += 1 }
        try tx.insert("items", "new \(number)", ["count": .integer(Int64(number))])
        guard number == 1 else { return }
        switch kind / 2 {
        case 0: try tx.update("items", "i1", ["count": .integer(100)])
        case 1: _ = try Int.fetchOne(tx.database, sql: "SELECT count(*) FROM items")
        default:
          // The write that ends the deferral is the last of its transaction.
          try tx.delete("items", "new 1")
        }
      }
    }
    let written = await store.write(series: writes)
    #expect(written.values.count == 3, "\(String(describing: written.failure))")
    #expect(runs.withLock { $0 } == [1, 1, 1])
    #expect(try await store.fetch("items", "new 0") != nil)
    #expect((try await store.fetch("items", "new 1") == nil) == (kind / 2 == 2))
    #expect(try await store.fetch("items", "new 2") != nil)
    if kind / 2 == 0 { #expect(try await store.fetch("items", "i1")?["count"] == .integer(100)) }
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("an error that a transaction swallows does not change the other writes")
  func hidden() async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: 1)
    try await store.write { tx in
      try? tx.update("items", "i1", ["count": .integer(100)])
      try? tx.insert("items", "i2", ["count": .integer(200)])
      try tx.insert("items", "new", [:])
    }
    #expect(try await store.fetch("items", "i1")?["count"] == .integer(100))
    #expect(try await store.fetch("items", "i2")?["count"] == .integer(2))
    #expect(try await store.fetch("items", "new") != nil)
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("a transaction that fails leaves nothing, and earlier ones stay")
  func failing() async throws {
    struct Stop: Error {}
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: 8)
    await #expect(throws: Stop.self) {
      try await store.write { tx in
        try tx.insert("items", "gone", [:])
        throw Stop()
      }
    }
    do {
      try await store.write { try $0.insert("items", "i3", [:]) }
      Issue.record("an entity was inserted twice")
    } catch let error as StoreError { #expect(error.code == .entityExists) }
    #expect(try await store.fetch("items", "gone") == nil)
    #expect(try await store.fetch("items", "i3999") != nil)
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("a copy of a store that is being filled opens with all acknowledged writes")
  func killed() async throws {
    let folder = try TemporaryStore()
    let store = try await filling(folder, batches: 8)
    let copy = try TemporaryStore()
    try? FileManager.default.removeItem(at: copy.url)
    try FileManager.default.copyItem(at: folder.url, to: copy.url)
    let opened = try await Store.open(at: copy.url)
    let count = try await opened.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM items") }
    #expect(count == 4000)
    try await opened.close()
    #expect(try await isSound(copy))
    try await store.close()
  }

  @Test("other instances wait meanwhile, and write once the store is filled")
  func others() async throws {
    let folder = try TemporaryStore()
    let other = try await { () async throws -> Store in
      try await Store.create(at: folder.url).close()
      return try await Store.open(at: folder.url, options: Self.options)
    }()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { try $0.define(Self.items) }
    await #expect(throws: StoreError.self) {
      try await other.write { try $0.insert("items", "theirs", [:]) }
    }
    try await store.write { try $0.insert("items", "ours", [:]) }
    #expect(try await store.fetch("items", "ours") != nil)
    try await other.write { try $0.insert("items", "theirs", [:]) }
    #expect(try await store.fetch("items", "theirs") != nil)
    try await store.close()
    try await other.close()
    #expect(try await isSound(folder))
  }

  @Test("a store with an entity does not defer its writes")
  func notEmpty() async throws {
    let folder = try TemporaryStore()
    try await filling(folder, batches: 1).close()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { try $0.insert("items", "new", [:]) }
    #expect(try rowsOnDisk(folder) == 501)
    try await store.close()
  }

  @Test("unique values clash in deferred writes, too")
  func unique() async throws {
    let folder = try TemporaryStore()
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { tx in
      try tx.define(UniqueFieldTests.people)
      try tx.insert("people", "ann", ["mail": .text("a@x")])
    }
    do {
      try await store.write { try $0.insert("people", "eve", ["mail": .text("a@x")]) }
      Issue.record("two people have one address")
    } catch let error as StoreError { #expect(error.code == .valueTaken) }
    try await store.close()
    #expect(try await isSound(folder))
  }

  /// The check looked for circles among rows that were not there yet.
  @Test("a field becomes no tree if an entity is above itself by it")
  func tree() async throws {
    let folder = try TemporaryStore()
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { tx in
      try tx.define(Definition("folders", [.text("parent").references("folders")]))
      try tx.insert("folders", "a", ["parent": .text("b")])
      try tx.insert("folders", "b", ["parent": .text("a")])
    }
    let tree = Definition("folders", [.text("parent").references("folders").tree()])
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.define(tree) }
    }
    #expect(error?.code == .wouldLoop)
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("a check that needs the read model is made with all earlier writes, of the same event, too")
  func checks() async throws {
    let folder = try TemporaryStore()
    try await Store.create(at: folder.url).close()
    let store = try await Store.open(at: folder.url, options: Self.options)
    try await store.write { tx in
      // The order of the collections in the read model that is built is another.
      try tx.define(Definition("unused", [.text("name")]))
      try tx.define(
        Definition(
          "folders",
          [.text("parent").references("folders").tree(), .text("path").unique(), .text("name")]))
      try tx.insert("folders", "top", ["name": "top"])
      let error = #expect(throws: StoreError.self) {
        try tx.insert("folders", "self", ["parent": "self"])
      }
      #expect(error?.code == .wouldLoop)
      try tx.insert("folders", "below", ["parent": "top", "path": "/below"])
      let clash = #expect(throws: StoreError.self) {
        try tx.insert("folders", "other", ["parent": "below", "path": "/below"])
      }
      #expect(clash?.clash?.owner == "below")
    }
    let rows = try await store.read { db in
      try String.fetchAll(db, sql: "SELECT id || coalesce(path, '-') FROM folders ORDER BY id")
    }
    #expect(rows == ["below/below", "top-"])
    try await store.close()
    #expect(try await isSound(folder))
  }

  @Test("deferred transactions have the same outcomes and results as others", arguments: 0..<8)
  func same(_ seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let (one, two) = (try TemporaryStore(), try TemporaryStore())
    try await Store.create(at: one.url).close()
    let deferred = try await Store.open(at: one.url, options: Self.options)
    let plain = try await Store.create(at: two.url)
    for _ in 0..<40 {
      let plan = (0..<random.pick([1, 1, 2, 5])).map { _ in
        // Most steps insert new entities, so that a deferral does not always end at once.
        (kind: random.below(40), id: "e\(random.below(4000))", value: Int64(random.below(9)))
      }
      let outcomes = try await [outcome(deferred, plan), outcome(plain, plan)]
      #expect(outcomes[0] == outcomes[1], "seed \(seed)")
    }
    let query = "SELECT id || coalesce(count, '-') FROM items ORDER BY 1"
    let (a, b) = (
      try await deferred.read { try String.fetchAll($0, sql: query) },
      try await plain.read { try String.fetchAll($0, sql: query) }
    )
    #expect(a == b, "seed \(seed)")
    try await deferred.close()
    try await plain.close()
    #expect(try await isSound(one))
  }

  private func outcome(_ store: Store, _ plan: [(kind: Int, id: String, value: Int64)])
    async throws -> String
  {
    do {
      return try await store.write { tx in
        try tx.define(Self.items)
        for step in plan {
          let fields: [String: Value] = ["count": .integer(step.value)]
          switch step.kind {
          case 0: try tx.update("items", step.id, fields)
          case 1: try tx.delete("items", step.id)
          case 2: try tx.put("items", step.id, fields)
          case 3: if try tx.fetch("items", step.id) == nil { try tx.insert("items", step.id) }
          case 4: try? tx.update("items", step.id, fields)
          default: try tx.insert("items", step.id, fields)
          }
        }
        return "written \(tx.operations.count)"
      }
    } catch let error as StoreError {
      return error.code.rawValue
    }
  }
}
