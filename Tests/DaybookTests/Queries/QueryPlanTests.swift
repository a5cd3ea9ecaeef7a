import Foundation
import Testing

@testable import Daybook

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
}
