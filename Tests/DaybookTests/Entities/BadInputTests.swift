import Foundation
import Testing

@testable import Daybook

/// What an app should not do with its types: each is an error that says what to do, and changes
/// nothing; or it has a meaning.
@Suite struct BadInputTests {
  struct Node: Entity, Equatable {
    static let collection = "nodes"
    static let fields: [EntityField<Node>] = [
      .field("title", \.title), .field("weight", \.weight), .field("due", \.due),
      .field("data", \.data), .field("parent", \.parent).references(Node.self, onDelete: .cascade),
    ]
    var id = ID()
    var title = ""
    var weight = 1.0
    var due = Date.distantPast
    var data: Data?
    var parent: Node.ID?
  }

  /// The same collection in a later version of the app.
  struct LaterNode: Entity, Equatable {
    static let collection = "nodes"
    static let fields: [EntityField<LaterNode>] = [
      .field("title", \.title), .field("pinned", \.pinned).indexed(),
      .field("parent", \.parent).references(LaterNode.self, onDelete: .cascade),
    ]
    var id = ID()
    var title = ""
    var pinned = false
    var parent: LaterNode.ID?
  }

  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store() async throws -> Store {
    let store = try await Store.open(at: place.folder.appending(path: "a"), schema: [Node.self])
    try await store.write { try $0.insert(Node(id: "n", title: "here")) }
    return store
  }

  @Test("a write that cannot be is refused by an error that names the place, and changes nothing")
  func refusedWrites() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert(Node(id: "gone"))
      try tx.delete(Node.ID("gone"))
    }
    let before = try await store.events().all().count
    typealias Write = @Sendable (WriteTransaction) throws -> Void
    let cases: [(code: StoreError.Code, words: String, write: Write)] = [
      (.wrongType, "nodes.weight", { try $0.insert(Node(weight: .nan)) }),
      (
        .wrongType, "nodes.weight",
        { tx in _ = try tx.update(Node.ID("n")) { $0.weight = .infinity } }
      ),
      (.wrongType, "due", { try $0.insert(Node(due: Date(timeIntervalSince1970: 1e15))) }),
      (.tooLarge, "20971", { try $0.insert(Node(data: Data(count: 20 << 20))) }),
      (.entityExists, "n", { try $0.insert(Node(id: "n")) }),
      (.noSuchEntity, "gone", { tx in _ = try tx.update(Node.ID("gone")) { $0.title = "x" } }),
      (.noSuchEntity, "never", { try $0.delete(Node.ID("never")) }),
      (.invalidID, "1 to 1024 bytes", { try $0.insert(Node(id: "")) }),
    ]
    for (code, words, write) in cases {
      do {
        try await store.write { try write($0) }
        Issue.record("a write is not refused: \(code) \(words)")
      } catch let error as StoreError {
        #expect(error.code == code, "\(error)")
        #expect(error.description.contains(words), "\(error)")
      }
    }
    #expect(try await store.events().all().count == before)
    #expect(try await store.fetch(Node.all).map(\.title) == ["here"])
    try await store.close()
  }

  @Test("NUL in a text, a reference to nothing and NULL in a field have a meaning")
  func accepted() async throws {
    defer { place.remove() }
    let store = try await store()
    let text = "a\u{0}b"
    try await store.write { tx in
      try tx.insert(Node(id: "nul", title: text, parent: "nobody"))
      try tx.insert("nodes", "null", ["title": .null, "weight": .null])
    }
    #expect(try await store.fetch(Node.where { $0.title == text }).map(\.id) == ["nul"])
    #expect(try await store.fetch(Node.ID("nul"))?.parent == "nobody")
    let shown = try #require(try await store.fetch(Node.ID("null")))
    #expect(shown.title == "" && shown.weight == 1)
    #expect(try await store.fetch(Node.where { $0.weight == 1 }).count == 3)
    try await store.close()
  }

  @Test("a cascade in a circle ends, and deletes each entity once")
  func circle() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.insert([Node(id: "a", parent: "b"), Node(id: "b", parent: "a")])
      try tx.insert(Node(id: "self", parent: "self"))
    }
    try await store.write { tx in
      try tx.delete(Node.ID("a"))
      try tx.delete(Node.ID("self"))
      #expect(tx.operations.count == 3)
    }
    #expect(try await store.fetch(Node.all).map(\.id) == ["n"])
    try await store.close()
  }

  @Test("100,000 rows show the default of a later field, by its index, and are deleted with one")
  func many() async throws {
    defer { place.remove() }
    let count = 100_000
    let store = try await store()
    for start in stride(from: 0, to: count, by: 20_000) {
      try await store.write { tx in
        for number in start..<start + 20_000 {
          try tx.insert("nodes", "c\(number)", ["parent": "n"])
        }
      }
    }
    try await store.close()
    let later = try await Store.open(at: store.url, schema: [LaterNode.self])
    try await later.write { try $0.update(LaterNode.ID("c7")) { $0.pinned = true } }
    let loose = LaterNode.where { !$0.pinned }
    #expect(try await later.fetch(loose.count()) == count)
    #expect(try await later.fetch(loose.limit(3)).allSatisfy { !$0.pinned })
    let plan = try await later.explain(loose)
    #expect(plan.contains { $0.contains("USING") && $0.contains("pinned") }, "\(plan)")
    try await later.write { tx in
      try tx.delete(LaterNode.ID("n"))
      #expect(tx.operations.count == count + 1)
    }
    #expect(try await later.fetch(LaterNode.all.count()) == 0)
    try await later.close()
  }

  @Test("a closed store refuses every typed call")
  func closed() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.close()
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.fetch(Node.ID("n")) }, { _ = try await store.fetch(Node.all) },
      { _ = try await store.fetch(Node.all.count()) },
      { try await store.write { try $0.insert(Node()) } },
      { _ = try await store.graph.components() }, { _ = try await store.audit().all() },
      { _ = try await store.hidden(in: Node.self).all() },
      { _ = try await store.blame(of: Node.ID("n")) },
      { _ = try await store.conflicts(in: "nodes").all() },
    ]
    for call in calls {
      await #expect { try await call() } throws: { ($0 as? StoreError)?.code == .closed }
    }
    // There is nothing to observe any more, so a loop ends at once.
    var values = store.observe(Node.all).makeAsyncIterator()
    #expect(try await values.next() == nil)
  }
}
