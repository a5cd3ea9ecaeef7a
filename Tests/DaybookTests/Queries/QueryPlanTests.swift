import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Which indexes SQLite takes for queries over properties.
@Suite struct QueryPlanTests {
  struct Word: Entity, Equatable {
    static let collection = "words"
    static let fields: [EntityField<Word>] = [.field("name", \.name).indexed()]
    var id = ID()
    var name = ""
  }

  struct Link: Relationship, Equatable {
    static let collection = "links"
    static let fields: [EntityField<Link>] = [
      .field("source", \.from).references(Word.self, onDelete: .cascade),
      .field("target", \.to).references(Word.self, onDelete: .cascade),
      .field("kind", \.kind).indexed(),
    ]
    var id = ID()
    var from = Word.ID("")
    var to = Word.ID("")
    var kind = ""
  }

  /// The steps of a query that look into the relationships; at least one.
  private func looks<Model>(_ query: EntityQuery<Model>, _ store: Store) async throws -> [String] {
    let steps = try await store.read { db in try query.explain(db) }
    let looks = steps.filter { $0.contains("links") }
    #expect(!looks.isEmpty)
    return looks
  }

  @Test("a condition on an indexed field of a relationship leaves the index of its end to be used")
  func relationshipsByTheirEnds() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Word.self, Link.self])
    let (dog, hound) = (Word(name: "dog"), Word(name: "hound"))
    try await store.write { tx in
      try tx.insert([dog, hound])
      try tx.insert(Link(from: hound.id, to: dog.id, kind: "below"))
    }
    let one = Word.where { $0.id == dog.id }
    let below = one.relating(via: Link.self) { $0.kind == "below" }
    let belowSteps = try await looks(below, store)
    #expect(belowSteps.allSatisfy { $0.contains("_incoming") }, "\(belowSteps)")
    let belowFound = try await store.fetch(below)
    #expect(belowFound == [hound])
    let above = Word.where { $0.name == "hound" }.related(via: Link.self) { $0.kind == "below" }
    let aboveSteps = try await looks(above, store)
    #expect(aboveSteps.allSatisfy { $0.contains("_outgoing") }, "\(aboveSteps)")
    let aboveFound = try await store.fetch(above)
    #expect(aboveFound == [dog])
    let linked = Word.where { $0.id.has(Link.self) { $0.kind == "below" } }
    let linkedSteps = try await looks(linked, store)
    #expect(linkedSteps.allSatisfy { $0.contains("_outgoing") }, "\(linkedSteps)")
    let linkedFound = try await store.fetch(linked)
    #expect(linkedFound == [hound])
    let counted = Word.where { $0.id.count(of: Link.self) { $0.kind == "below" } == 1 }
    let countedSteps = try await looks(counted, store)
    #expect(countedSteps.allSatisfy { $0.contains("_outgoing") }, "\(countedSteps)")
    let countedFound = try await store.fetch(counted)
    #expect(countedFound == [hound])
    // From all words, the kind is what tells relationships apart.
    let all = Word.all.related(via: Link.self) { $0.kind == "below" }
    let allFound = try await store.fetch(all)
    #expect(allFound == [dog])
    try await store.close()
  }

  /// Tasks of many owners, most of them in one state.
  struct Task: Entity, Equatable {
    static let collection = "tasks"
    static let fields: [EntityField<Task>] = [
      .field("owner", \.owner).indexed(), .field("state", \.state).indexed(),
    ]
    var id = ID()
    var owner = ""
    var state = ""
  }

  /// The same with the fields in another order.
  struct Job: Entity, Equatable {
    static let collection = "jobs"
    static let fields: [EntityField<Job>] = [
      .field("state", \.state).indexed(), .field("owner", \.owner).indexed(),
    ]
    var id = ID()
    var state = ""
    var owner = ""
  }

  private static let open = [
    Task.where { $0.state == "open" && $0.owner == "o17" },
    Task.where { $0.owner == "o17" && $0.state == "open" },
  ]
  private static let openJobs = [
    Job.where { $0.state == "open" && $0.owner == "o17" },
    Job.where { $0.owner == "o17" && $0.state == "open" },
  ]

  private func expectOwners(_ store: Store, _ when: String) async throws {
    let steps = try await store.read { db in
      try Self.open.map { try $0.explain(db) } + Self.openJobs.map { try $0.explain(db) }
    }
    #expect(steps.allSatisfy { $0.joined().contains("(owner=?)") }, "\(when): \(steps)")
    let found = try await store.fetch(Self.openJobs[0])
    #expect(found.allSatisfy { $0.owner == "o17" } && !found.isEmpty)
  }

  private func add(_ numbers: Range<Int>, to store: Store) async throws {
    try await store.write { tx in
      for number in numbers {
        let (owner, state) = ("o\(number % 400)", number % 50 == 0 ? "done" : "open")
        try tx.insert(Task(owner: owner, state: state))
        try tx.insert(Job(state: state, owner: owner))
      }
    }
  }

  @Test("of two indexed conditions, the one that fewer rows meet is looked up")
  func selective() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let folder = place.folder.appending(path: "a")
    var store = try await Store.open(at: folder, schema: [Task.self, Job.self])
    // Connections that have read the schema before there was anything to measure.
    let reader = try await Store.open(at: folder, options: .init(isReadOnly: true))
    let file = folder.appending(path: "read-model.sqlite").path
    let other = try DatabaseQueue(path: "file:\(file)?mode=ro")
    let text = "SELECT id FROM jobs WHERE state = 'open' AND owner = 'o17'"
    _ = try await other.read { try String.fetchAll($0, sql: text) }
    for store in [store, reader] { _ = try await store.fetch(Self.openJobs[0]) }
    for number in 0..<30 { try await add(number * 40..<number * 40 + 40, to: store) }
    try await expectOwners(store, "grown")
    try await expectOwners(reader, "grown, a store that was open")
    let plan = try await other.read {
      try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(text)").map { $0["detail"] as String }
    }
    #expect(plan.joined().contains("(owner=?)"), "\(plan)")
    try other.close()
    try await store.rebuild()
    try await expectOwners(store, "rebuilt")
    try await expectOwners(reader, "rebuilt, a store that was open")
    try await add(1200..<9000, to: store)
    try await expectOwners(store, "grown after a rebuild")
    #expect(try await store.verify().isSound)
    try await reader.close()
    try await store.close()
    store = try await Store.open(at: folder, options: .init(rebuildsReadModel: true))
    try await expectOwners(store, "rebuilt while opening")
    let past = try await store.at(.time(.max)).open()
    try await expectOwners(past, "the past")
    try await past.close()
    try await store.close()
  }

  @Test("with statistics, too, relationships are found by their ends")
  func endsWithStatistics() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Word.self, Link.self])
    let words = (0..<600).map { Word(id: Word.ID("w\($0)"), name: "word \($0 % 300)") }
    try await store.write { tx in
      try tx.insert(words)
      for number in words.indices {
        let to = words[(number * 7 + 1) % words.count].id
        try tx.insert(
          Link(from: words[number].id, to: to, kind: number % 100 == 0 ? "beside" : "below"))
      }
    }
    let one = Word.where { $0.id == Word.ID("w1") }
    let named = Word.where { $0.name == "word 8" }
    // SQLite knows nothing about the rows of `below`.
    let closure = """
      WITH RECURSIVE below(id) AS (
        SELECT 'w1' UNION SELECT words.id FROM below JOIN links ON source = below.id
          JOIN words ON words.id = target WHERE kind = 'below' AND name <> 'word 8')
      SELECT count(*) FROM below
      """
    for when in ["grown", "rebuilt"] {
      for query in [one, named] {
        let below = try await looks(query.relating(via: Link.self) { $0.kind == "below" }, store)
        #expect(below.allSatisfy { $0.contains("_incoming") }, "\(when): \(below)")
        let above = try await looks(query.related(via: Link.self) { $0.kind == "below" }, store)
        #expect(above.allSatisfy { $0.contains("_outgoing") }, "\(when): \(above)")
      }
      let steps = try await store.read { db in
        // An explanation does not make SQLite take up new statistics.
        _ = try Int.fetchOne(db, sql: closure)
        return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + closure).map {
          $0["detail"] as String
        }
      }
      #expect(steps.contains { $0.contains("_outgoing") }, "\(when): \(steps)")
      #expect(!steps.contains { $0.contains("BLOOM") || $0.contains("(kind=?)") }, "\(steps)")
      try await store.rebuild()
    }
    try await store.close()
  }
}
