import DaybookProjections
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The search index follows the edits of texts later, and a search never shows that.
@Suite struct SearchBacklogTests {
  private let place: SyncPlace

  init() { place = SyncPlace() }

  private static let notes = Definition(
    "notes",
    [
      .text("title").searchable(), .text("body").merging().searchable(),
      .text("plain").searchable(),
    ])

  /// - Parameter delay: the milliseconds after which the index follows by itself.
  private func store(delay: Int = 1_000_000) async throws -> Store {
    let url = place.folder.appending(path: "a")
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    var options = Store.Options()
    options.indexingDelay = delay
    let store = try await Store.create(at: url, options: options)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["title": "Trees", "body": "An oak and an elm"])
      try tx.insert("notes", "n2", ["title": "Fruit", "body": "A pear"])
    }
    return store
  }

  private func type(_ text: String, _ store: Store) async throws {
    try await store.write { tx in
      try tx.edit("notes", "n1", "body") { $0.append(text) }
    }
  }

  private func backlog(_ store: Store) async throws -> Int {
    try await store.read { db in
      try Int.fetchOne(db, sql: "SELECT count(DISTINCT entity) FROM _daybook_unindexed") ?? -1
    }
  }

  private func found(_ query: String, _ store: Store) async throws -> [String] {
    try await store.search(query).map(\.id).sorted()
  }

  private func now(_ query: String, _ store: Store) async throws -> [String] {
    try await Blocking.run { try store.blocking.search(query).map(\.id) }
  }

  @Test("an edit leaves the search index as it is, and each kind of search finds the new text")
  func edits() async throws {
    defer { place.remove() }
    let store = try await store()
    try await type(", and a beech", store)
    #expect(try await backlog(store) == 1)
    #expect(try await found("beech", store) == ["n1"])
    #expect(try await backlog(store) == 0)

    try await type(", and a larch", store)
    #expect(try await store.searchAllOrAny("larch").hits.map(\.id) == ["n1"])
    try await type(", and a maple", store)
    #expect(try await now("maple", store) == ["n1"])
    try await store.write { tx in
      try tx.edit("notes", "n1", "body") { $0.assign("Nothing") }
    }
    #expect(try await found("oak OR larch OR maple", store) == [])
    #expect(try await Store.verify(at: store.url).isSound)
    try await store.close()
  }

  @Test("a search of one collection does not index another's rows")
  func otherCollection() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.define(Definition("things", [.text("name").searchable()]))
      try tx.insert("things", "t1", ["name": "oak table"])
    }
    try await type(", and a beech", store)
    #expect(try await store.search("table", in: "things").map(\.id) == ["t1"])
    #expect(try await backlog(store) == 1)
    try await store.close()
  }

  @Test("a long text that is assigned is indexed later, a short one at once")
  func assigned() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.update("notes", "n2", ["plain": "short"]) }
    #expect(try await backlog(store) == 0)
    let long = String(repeating: "long words of many ", count: 200)
    try await store.write { try $0.update("notes", "n2", ["plain": .text(long)]) }
    #expect(try await backlog(store) == 0)
    try await store.write { try $0.update("notes", "n2", ["plain": .text(long + "walnut")]) }
    #expect(try await backlog(store) == 1)
    #expect(try await found("walnut", store) == ["n2"])
    try await store.close()
  }

  @Test("a row that waits for its index can be deleted, restored and have another schema")
  func changes() async throws {
    defer { place.remove() }
    let store = try await store()
    try await type(", and a beech", store)
    try await store.write { try $0.delete("notes", "n1") }
    #expect(try await backlog(store) == 0)
    #expect(try await found("oak OR beech", store) == [])
    try await store.write { try $0.restore("notes", "n1") }
    #expect(try await found("oak OR beech", store) == ["n1"])

    try await type(", and a larch", store)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("more").searchable(weight: 3)]))
    }
    #expect(try await backlog(store) == 0)
    #expect(try await found("larch", store) == ["n1"])

    try await type(", and a maple", store)
    _ = try await store.rebuild(collection: "notes")
    #expect(try await found("maple", store) == ["n1"])
    try await type(", and a birch", store)
    try await store.rebuild()
    #expect(try await found("birch", store) == ["n1"])
    #expect(try await Store.verify(at: store.url).isSound)
    try await store.close()
  }

  @Test("a transaction that fails leaves the backlog as it was")
  func rollback() async throws {
    defer { place.remove() }
    let store = try await store()
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await store.write { tx in
        try tx.edit("notes", "n1", "body") { $0.append(", and a beech") }
        throw Refused()
      }
    }
    #expect(try await backlog(store) == 0)
    try await type(", and a larch", store)
    #expect(try await found("beech", store) == [])
    #expect(try await found("larch", store) == ["n1"])
    try await store.close()
  }

  @Test("the index follows by itself, so that a store that only reads finds the text")
  func byItself() async throws {
    defer { place.remove() }
    let store = try await store(delay: 10)
    let reader = try await Store.open(at: store.url, options: .init(isReadOnly: true))
    try await type(", and a beech", store)
    while try await backlog(reader) > 0 { await Task.yield() }
    #expect(try await found("beech", reader) == ["n1"])
    try await reader.close()
    try await store.close()
  }

  @Test("a store that only reads shows a row by the text that its index has")
  func snippets() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { tx in
      try tx.edit("notes", "n1", "body") { try $0.insert("A beech grows beside ", at: 0) }
    }
    let reader = try await Store.open(at: store.url, options: .init(isReadOnly: true))
    let hits = try await reader.search("elm")
    #expect(hits.map(\.snippet) == ["An oak and an [elm]"])
    #expect(try await reader.search("beech").isEmpty)
    try await reader.close()
    let now = try await store.search("elm")
    #expect(now.map(\.snippet) == ["A beech grows beside An oak and an [elm]"])
    try await store.close()
  }

  @Test("closing a store completes its index, and verify accepts one that is not complete")
  func closing() async throws {
    defer { place.remove() }
    let store = try await store()
    try await type(", and a beech", store)
    let copy = place.folder.appending(path: "killed")
    try FileManager.default.copyItem(at: store.url, to: copy)
    try await store.close()
    let reader = try await Store.open(at: store.url, options: .init(isReadOnly: true))
    #expect(try await backlog(reader) == 0)
    #expect(try await found("beech", reader) == ["n1"])
    try await reader.close()
    // As a killed process leaves it.
    #expect(try await Store.verify(at: copy).isSound)
    let killed = try await Store.open(at: copy)
    #expect(try await found("beech", killed) == ["n1"])
    try await killed.close()
  }

  @Test("an observed search delivers what is typed")
  func observed() async throws {
    defer { place.remove() }
    let store = try await Store.open(at: place.folder.appending(path: "t"), schema: [Tree.self])
    let tree = Tree(text: "oak")
    try await store.write { try $0.insert(tree) }
    var hits = store.observe(search: Tree.self, for: "beech").makeAsyncIterator()
    #expect(try await hits.next()?.count == 0)
    try await store.write { tx in
      try tx.edit(tree.id, \.text) { $0.append(" beech") }
    }
    while let next = try await hits.next(), next.isEmpty {}
    try await store.close()
  }
}

private struct Tree: Entity {
  static let collection = "trees"
  static let fields: [EntityField<Tree>] = [.field("text", \.text).merging().searchable()]
  var id = ID()
  var text = ""
}
