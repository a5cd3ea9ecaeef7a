import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

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

  /// A type that no store of these tests has.
  struct Stranger: Relationship, Equatable {
    static let collection = "strangers"
    static let fields: [EntityField<Stranger>] = [
      .field("source", \.from).references(Node.self), .field("target", \.to).references(Node.self),
      .field("title", \.title).searchable(), .field("weight", \.weight),
    ]
    var id = ID()
    var from = Node.ID("")
    var to = Node.ID("")
    var title = ""
    var weight = 1.0
  }

  @Test("a type that is not in the store is an error that names it and says what to do")
  func unknownType() async throws {
    defer { place.remove() }
    let store = try await store()
    let id = Stranger.ID("s")
    let nodes = Node.where { $0.id == "n" }
    let calls: [(String, @Sendable () async throws -> Void)] = [
      ("fetch", { _ = try await store.fetch(Stranger.all) }),
      ("fetchOne", { _ = try await store.fetchOne(Stranger.all) }),
      ("fetch(id)", { _ = try await store.fetch(id) }),
      ("count", { _ = try await store.fetch(Stranger.all.count()) }),
      ("groups", { _ = try await store.fetch(Stranger.all.grouped(by: \.title).count()) }),
      ("explain", { _ = try await store.explain(Stranger.all) }),
      ("related", { _ = try await store.fetch(nodes.related(via: Stranger.self)) }),
      ("including", { _ = try await store.fetch(nodes, including: Stranger.self) }),
      ("observe", { for try await _ in store.observe(Stranger.all) { break } }),
      ("observe(id)", { for try await _ in store.observe(id) { break } }),
      ("observe(count)", { for try await _ in store.observe(Stranger.all.count()) { break } }),
      ("changes", { for try await _ in store.observeChanges(of: Stranger.all) { break } }),
      ("search", { _ = try await store.search(Stranger.self, for: "x") }),
      ("search in types", { _ = try await store.search([Stranger.self], for: "x") }),
      (
        "observe(search)",
        { for try await _ in store.observe(search: Stranger.self, for: "x") { break } }
      ),
      ("neighbors", { _ = try await store.graph.neighbors(from: "n", via: Stranger.self) }),
      ("conflicts", { _ = try await store.conflicts(in: Stranger.self).all() }),
      ("deleted", { _ = try await store.deleted(in: Stranger.self).all() }),
      ("hidden", { _ = try await store.hidden(in: Stranger.self).all() }),
      ("insert", { try await store.write { try $0.insert(Stranger()) } }),
      ("update", { try await store.write { tx in _ = try tx.update(id) { $0.title = "x" } } }),
      ("insertOrOverwrite", { try await store.write { try $0.insertOrOverwrite(Stranger()) } }),
      ("delete", { try await store.write { try $0.delete(id) } }),
      ("restore", { try await store.write { try $0.restore(id) } }),
      ("erase", { try await store.write { try $0.erase(id) } }),
      ("tx.fetch(id)", { _ = try await store.write { tx in try tx.fetch(id) } }),
      ("tx.fetch", { _ = try await store.write { tx in try tx.fetch(Stranger.all) } }),
      (
        "tx.delete(where:)",
        { try await store.write { tx in _ = try tx.delete(where: Stranger.all) } }
      ),
    ]
    for (name, call) in calls {
      do {
        try await call()
        Issue.record("\(name) is not refused")
      } catch let error as StoreError {
        #expect(error.code == .unknownName, "\(name): \(error)")
        #expect(error.message.contains("strangers"), "\(name): \(error)")
        #expect(error.hint?.contains("schema: of Store.open") ?? false, "\(name): \(error)")
      } catch {
        Issue.record("\(name): \(error)")
      }
    }
    // A field that the store does not have, in a collection that it has.
    await #expect { try await store.fetch(LaterNode.all) } throws: { error in
      guard let error = error as? StoreError else { return false }
      return error.code == .unknownName && error.message.contains("nodes")
        && error.message.contains("pinned")
        && error.hint?.contains("schema: of Store.open") ?? false
    }
    try await store.close()
  }

  /// A local collection, of which the store has a shared one.
  struct LocalNode: Entity {
    static let collection = "nodes"
    static let fields: [EntityField<LocalNode>] = [.field("title", \.title)]
    static func refine(_ definition: Definition) -> Definition { definition.local() }
    var id = ID()
    var title = ""
  }

  struct Draft: Entity {
    static let collection = "drafts"
    static let fields: [EntityField<Draft>] = [.field("title", \.title)]
    static func refine(_ definition: Definition) -> Definition { definition.local() }
    var id = ID()
    var title = ""
  }

  struct DraftReader: Entity {
    static let collection = "readers"
    static let fields: [EntityField<DraftReader>] = [
      .field("draft", \.draft).references(Draft.self)
    ]
    var id = ID()
    var draft: Draft.ID?
  }

  struct NewNode: Entity {
    static let collection = "others"
    static let fields: [EntityField<NewNode>] = [.field("title", \.title)]
    var id = ID()
    var title = ""
  }

  struct Renamed: Entity {
    static let collection = "nodes"
    static let fields: [EntityField<Renamed>] = [
      .field("weight", \.heading).formerly("title")
    ]
    var id = ID()
    var heading = ""
  }

  @Test("types that contradict the store, also by an earlier name, leave it as it was")
  func contradictions() async throws {
    defer { place.remove() }
    let store = try await store()
    let before = try await store.events().all().count
    try await store.close()
    let cases: [(schema: [any Entity.Type], words: String)] = [
      ([NewNode.self, LocalNode.self], "shared collection"),
      ([NewNode.self, DraftReader.self, Draft.self], "which is local"),
      ([NewNode.self, Renamed.self], "a field “weight” already"),
    ]
    for (schema, words) in cases {
      await #expect { _ = try await Store.open(at: store.url, schema: schema) } throws: {
        guard let error = $0 as? StoreError else { return false }
        return error.code == .contradiction && error.message.contains(words)
      }
      let same = try await Store.open(at: store.url)
      #expect(try await same.events().all().count == before)
      let schema = try await same.schema()
      #expect(schema["others"] == nil && schema["drafts"] == nil)
      try await same.close()
    }
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
