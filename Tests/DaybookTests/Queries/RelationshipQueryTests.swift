import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Queries about relationships between entities of one type.
@Suite struct RelationshipQueryTests {
  struct Person: Entity, Equatable {
    static let collection = "people"
    static let fields: [EntityField<Person>] = [.field("name", \.name)]
    var id = ID()
    var name = ""
  }

  /// A relationship whose id follows from its ends and its kind.
  struct Friend: Relationship, Equatable {
    static let collection = "friends"
    static let fields: [EntityField<Friend>] = [
      .field("source", \.from).references(Person.self, onDelete: .cascade),
      .field("target", \.to).references(Person.self, onDelete: .cascade),
      .field("kind", \.kind), .field("since", \.since),
    ]
    static func refine(_ definition: Definition) -> Definition {
      definition.keyed(by: "source", "target", "kind")
    }
    var id: EntityID<Friend> {
      get { Self.derivedID(of: self) }
      set {}
    }
    var from = Person.ID("")
    var to = Person.ID("")
    var kind = ""
    var since = 0

    var reversed: EntityID<Friend> { Self.derivedID(of: Friend(from: to, to: from, kind: kind)) }
  }

  /// Three people: a has the friends b and c, b has the friend c.
  private static let people = ["a", "b", "c"].map { Person(id: Person.ID($0), name: $0) }
  private static let friends = [
    Friend(from: "a", to: "b", since: 1), Friend(from: "a", to: "c", since: 2),
    Friend(from: "b", to: "c", since: 3),
  ]

  private func store(_ place: SyncPlace) async throws -> Store {
    let store = try await Store.open(
      at: place.folder.appending(path: "a"), schema: [Person.self, Friend.self])
    try await store.write { tx in
      try tx.insert(Self.people)
      try tx.insert(Self.friends)
    }
    return store
  }

  @Test("relationships whose ids follow from their fields are found and ordered by their ids")
  func derivedIDs() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let sorted = Self.friends.sorted { $0.id < $1.id }
    #expect(try await store.fetch(Friend.all.order(by: \.id)) == sorted)
    #expect(try await store.fetch(Friend.all.order(by: \.id, .descending)) == sorted.reversed())
    #expect(try await store.fetch(Friend.all.order(by: \.id).after(sorted[0])).count == 2)
    #expect(try await store.fetch(Friend.where(\.id, .equal, sorted[1].id)) == [sorted[1]])
    #expect(try await store.fetch(Friend.where(\.id, .greaterThan, sorted[1].id)) == [sorted[2]])
    #expect(try await store.fetch(Friend.where { $0.id == sorted[0].id }) == [sorted[0]])
    await #expect {
      try await store.fetch(Friend.all.order(by: \.reversed))
    } throws: {
      "\($0)".contains("no stored property")
    }
    try await store.close()
  }

  @Test("a condition on the relationships of a relationship's own ends looks at other rows")
  func ownEnds() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let far = Person.where { $0.id.has(Friend.self) { $0.to.has(Friend.self) } }
    #expect(try await store.fetch(far).map(\.id) == ["a"])
    let busy = Friend.where { $0.from.count(of: Friend.self) > 1 }
    #expect(try await store.fetch(busy.order(by: \.since)).map(\.since) == [1, 2])
    #expect(try await store.fetch(busy.count()) == 2)
    let counts = try await store.fetch(busy.grouped(by: \.to).having { $0.count > 0 }.count())
    #expect(counts.map(\.key) == ["b", "c"])
    // Each closure may use what the ones around it were given.
    let later = Person.where { person in
      person.id.has(Friend.self) { near in
        near.to.has(Friend.self) { $0.since > near.since && near.from.count(of: Friend.self) == 2 }
      }
    }
    #expect(try await store.fetch(later).map(\.id) == ["a"])
    let reached: [Graph.Reach] = try await store.graph.reachable(
      from: Person.ID("a"), via: Friend.self
    ) { $0.from.count(of: Friend.self) == 1 }
    #expect(!reached.contains { $0.vertex.id != "a" })
    #expect(far == Person.where { $0.id.has(Friend.self) { $0.to.has(Friend.self) } })
    #expect(far.sql.contains("\"friends\" AS \"friends 2\""), "\(far.sql)")
    try await store.close()
  }

  @Test("a relationship has two ends that this store has known, in any order of a transaction")
  func missingEnds() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    let wrong: [(Friend, StoreError.Code)] = [
      (Friend(), .wrongType), (Friend(from: "a", to: ""), .wrongType),
      (Friend(from: "a", to: "nobody"), .noSuchEntity),
      (Friend(from: "nobody", to: "a"), .noSuchEntity),
    ]
    for (friend, code) in wrong {
      await #expect { try await store.write { try $0.insert(friend) } } throws: {
        ($0 as? StoreError)?.code == code && ($0 as? StoreError)?.hint != nil
      }
      await #expect { try await store.write { try $0.insertOrOverwrite([friend]) } } throws: {
        ($0 as? StoreError)?.code == code
      }
    }
    #expect(try await store.fetch(Friend.all.count()) == 3)
    let count = try await store.events().all().count
    try await store.write { tx in
      try tx.insert(Friend(from: "c", to: "d"))
      try? tx.nested { tx in
        try tx.insert(Friend(from: "c", to: "undone"))
        throw StoreError(.other, "the part is undone")
      }
      try tx.insert(Person(id: "d", name: "d"))
      try tx.delete(Person.ID("a"))
      // What was deleted was there.
      try tx.insert(Friend(from: "b", to: "a"))
    }
    #expect(try await store.events().all().count == count + 1)
    #expect(try await store.fetch(Friend.all.count()) == 3)
    try await store.close()
  }

  @Test("a column of another query is an error that says so")
  func foreignColumn() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await store(place)
    var other: EntityCondition<Person>?
    _ = Person.where { columns -> EntityCondition<Person> in
      let condition = columns.name == "a"
      other = condition
      return condition
    }
    let condition = try #require(other)
    await #expect {
      try await store.fetch(Person.where { _ in condition })
    } throws: { error in
      (error as? StoreError)?.code == .invalidQuery && "\(error)".contains("another query")
    }
    try await store.close()
  }
}
