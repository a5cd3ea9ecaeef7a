import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Queries of an app's types on moments at which the store did not have all of them yet.
@Suite struct PastQueryTests {
  enum First {
    struct Person: Entity, Equatable {
      static let collection = "people"
      static let fields: [EntityField<Person>] = [.field("title", \.title)]
      var id = ID()
      var title = ""
    }
  }

  struct Person: Entity, Equatable {
    static let collection = "people"
    static let fields: [EntityField<Person>] = [
      .field("name", \.name).formerly("title"), .field("age", \.age).indexed(),
      .field("ratio", \.ratio), .field("motto", \.motto), .field("email", \.email),
      .field("seen", \.seen).kept(.modified), .field("tags", \.tags),
    ]
    var id = ID()
    var name = ""
    var age = 3
    var ratio = 0.1
    var motto = "it's?"
    var email: String?
    var seen = Date.distantPast
    var tags = ["new"]
  }

  struct Friend: Relationship, Equatable {
    static let collection = "friends"
    static let fields: [EntityField<Friend>] = [
      .field("source", \.from).references(Person.self), .field("target", \.to),
      .field("since", \.since),
    ]
    var id = ID()
    var from = Person.ID("")
    var to = Person.ID("")
    var since = 1
  }

  @Test("before a field its default is found, before a name the first one, before a type nothing")
  func olderThanTypes() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let url = place.folder.appending(path: "a")
    let first = try await Store.open(at: url, schema: [First.Person.self])
    let empty = try await first.step(from: VersionVector(), by: 1).vector
    try await first.write { tx in
      try tx.insert([First.Person(id: "a", title: "Ann"), First.Person(id: "b", title: "Bob")])
    }
    let then = try await first.digest().vector
    try await first.close()
    let store = try await Store.open(at: url, schema: [Person.self, Friend.self])
    try await store.write { tx in
      try tx.insert(Person(id: "c", name: "Cid", age: 9))
      try tx.insert(Friend(from: "a", to: "c"))
    }

    let past = try await store.at(.vector(then)).open()
    let people = try await past.fetch(Person.all.order(by: \.name))
    #expect(people == [Person(id: "a", name: "Ann"), Person(id: "b", name: "Bob")])
    #expect(try await past.fetch(Person.ID("a")) == people[0])
    #expect(try await past.fetch(Person.ID("c")) == nil)
    #expect(try await past.fetch(Person.where { $0.name == "Bob" && $0.age == 3 }) == [people[1]])
    #expect(try await past.fetch(Person.where { $0.motto == "it's?" && $0.age < 4 }.count()) == 2)
    #expect(try await past.fetch(Person.where { $0.ratio == 0.1 }.count()) == 2)
    #expect(try await past.fetch(Person.where { $0.tags.contains("new") }.count()) == 2)
    #expect(try await past.fetch(Person.where { $0.email != nil || $0.age > 3 }).isEmpty)
    #expect(try await past.fetch(Person.all.sum(of: \.age)) == 6)
    #expect(try await past.fetch(Person.all.grouped(by: \.age).count()).map(\.value) == [2])
    #expect(try await past.fetch(Person.all.order(by: \.age).after(people[0])) == [people[1]])
    #expect(try await past.fetch(Person.where { $0.id.count(of: Friend.self) == 0 }).count == 2)
    #expect(try await past.fetch(Person.all.related(via: Friend.self) { $0.since == 1 }).isEmpty)
    #expect(try await past.fetch(Friend.all.count()) == 0)
    #expect(try await past.fetch(Friend.ID("x")) == nil)
    #expect(try await past.fetch(Person.all, including: Friend.self).count == 2)
    let plan = try await past.explain(Person.where { $0.name == "Bob" })
    #expect(!plan.isEmpty)
    // SQL of one's own sees the table as it was.
    let columns = try await past.read { db in try db.columns(in: "people").map(\.name) }
    #expect(columns.contains("title") && !columns.contains("age"))
    try await past.close()

    let moment = try await store.at(.vector(then))
    #expect(try await moment.fetch(Person.all.order(by: \.name)) == people)
    #expect(try await moment.fetchOne(Person.where { $0.name == "Bob" }) == people[1])
    #expect(try await moment.fetch(Person.where { $0.age == 3 }.count()) == 2)
    #expect(try await moment.fetch(Person.all.grouped(by: \.age).count()).map(\.value) == [2])
    #expect(try await moment.fetch(Person.all.selecting(\.motto).distinct()) == ["it's?"])
    #expect(try await moment.fetch(Person.all.including(Friend.all)).map(\.related) == [[], []])
    let found = try await store.at(.vector(then)).read { db, _ in try Person.all.fetchAll(db) }
    #expect(Set(found.map(\.name)) == ["Ann", "Bob"])
    let none = try await store.at(.vector(empty)).read { db, _ in
      try (Person.all.fetchAll(db).count, Person.where { $0.id.has(Friend.self) }.fetchCount(db))
    }
    #expect(none == (0, 0))
    // In the present, a type that the store lacks is still an error.
    let plain = try await Store.create(at: place.folder.appending(path: "plain"))
    await #expect { try await plain.fetch(Person.all) } throws: {
      ($0 as? StoreError)?.code == .unknownName
    }
    try await plain.close()
    try await store.close()
  }
}
