#if Macros
  import Daybook
  import Foundation
  import GRDB
  import Testing

  /// An app with a graph of typed models: models, writes and transactions.
  @Suite(.timeLimit(.minutes(10))) struct GraphModelTests {
    @Test("G1: a store is opened at a path, with the name of who writes")
    func open() async throws {
      let place = try Place()
      defer { place.remove() }
      for name in ["ann", "bob"] {
        let store = try await place.open("a", Models.schema, options: .init(actor: name))
        try await store.write { try $0.insert(Person(id: Person.ID(name))) }
        #expect(try await store.lastEvent()?.actor == name)
        try await store.close()
      }
    }

    @Test("G2: a model is Codable and Identifiable, with a UUID and its collection as the label")
    func models() throws {
      func copy<T: Codable & Identifiable>(_ value: T) throws -> T {
        try JSONDecoder().decode(T.self, from: try JSONEncoder().encode(value))
      }
      let person = Person(name: "Alice", age: 30, role: .admin, site: URL(string: "https://a.org"))
      #expect(try copy(person) == person)
      #expect(person.id.uuid != nil && Person().id != Person().id)
      #expect(Person.collection == "people" && Company.collection == "companies")
      let id = UUID()
      #expect(Person.ID(id).uuid == id)
    }

    @Test("G3: a relationship has a type, and both ends with their types")
    func relationships() async throws {
      let store = try await Models.people()
      let friendship = Friendship(from: "a", to: "c", since: Date(timeIntervalSince1970: 5))
      try await store.write { try $0.insert(friendship) }
      let found = try #require(try await store.fetch(friendship.id))
      #expect(found == friendship && Friendship.collection == "friendships")
      #expect(found.from == ("a" as Person.ID) && found.to == ("c" as Person.ID))
      let schema = try #require(try await store.schema()["employments"])
      #expect(schema.isRelationship)
      #expect(schema[field: "source"]?.references == Person.collection)
      #expect(schema[field: "target"]?.references == Company.collection)
      try await store.close()
    }

    @Test("G8: a model is inserted, found by its id, updated and deleted")
    func crud() async throws {
      let store = try await Models.store()
      var person = Person(name: "Alice", age: 30)
      let inserted = person
      try await store.write { try $0.insert(inserted) }
      #expect(try await store.fetch(person.id) == person)
      person.age = 31
      let updated = person
      try await store.write { try $0.overwrite(updated) }
      #expect(try await store.fetch(person.id)?.age == 31)
      try await store.write { try $0.delete(updated) }
      #expect(try await store.fetch(person.id) == nil)
      try await store.close()
    }

    @Test("G9: many models are inserted, updated and deleted, each time as one event")
    func batches() async throws {
      let store = try await Models.store()
      var people = (0..<50).map { Person(name: "p\($0)", age: $0) }
      let inserted = people
      let before = try await store.events().all().count
      try await store.write { try $0.insert(inserted) }
      for index in people.indices { people[index].age += 1 }
      let updated = people
      try await store.write { try $0.overwrite(updated) }
      #expect(try await store.fetch(Person.all.sum(of: \.age)) == (1...50).reduce(0, +))
      try await store.write { try $0.delete(updated) }
      #expect(try await store.fetch(Person.all.count()) == 0)
      #expect(try await store.events().all().count == before + 3)
      try await store.close()
    }

    @Test("G10: a relationship is made of a value or of its ends and properties, and is deleted")
    func makeRelationships() async throws {
      let store = try await Models.people()
      let (alice, acme) = (Person.ID("a"), Company(name: "Acme"))
      let job = Employment(from: alice, to: acme.id, title: "Baker", share: 0.5)
      let friendship = Friendship(from: alice, to: "d")
      try await store.write { tx in
        try tx.insert(acme)
        try tx.insert(job)
        try tx.insert(Employment(from: alice, to: acme.id, title: "Driver"))
        try tx.insert(friendship)
      }
      let titles = try await store.fetch(Employment.where { $0.to == acme.id }).map(\.title)
      #expect(Set(titles) == ["Baker", "Driver"])
      try await store.write { tx in
        try tx.delete(job)
        // The id follows from the ends, so nothing has to be looked up.
        try tx.delete(Friendship(from: alice, to: "d"))
      }
      #expect(try await store.fetch(Employment.all).map(\.title) == ["Driver"])
      #expect(try await store.fetch(friendship.id) == nil)
      #expect(try await store.fetch(Friendship.where { $0.from == alice }).map(\.to) == ["b"])
      try await store.close()
    }

    private struct Refused: Error {}

    @Test("G20: if a transaction throws, nothing of it is left")
    func rollback() async throws {
      let store = try await Models.people()
      let before = try await store.digest()
      await #expect(throws: Refused.self) {
        try await store.write { tx in
          try tx.insert(Person(name: "Eve"))
          try tx.delete(Person.ID("a"))
          #expect(try tx.fetch(Person.all.count()) == 4)
          throw Refused()
        }
      }
      #expect(try await store.fetch(Person.all.order(by: \.id)).map(\.id) == ["a", "b", "c", "d"])
      #expect(try await store.digest() == before)
      try await store.close()
    }

    @Test("G21: a nested transaction that throws is undone alone, and the rest is one event")
    func nested() async throws {
      let store = try await Models.store()
      let before = try await store.events().all().count
      try await store.write { tx in
        try tx.insert(Person(name: "outer"))
        try? tx.nested { tx in
          try tx.insert(Person(name: "refused"))
          throw Refused()
        }
        try tx.nested { tx in
          try tx.insert(Person(name: "inner"))
          try? tx.nested { tx in
            try tx.update(where: Person.all) { $0.age = 99 }
            throw Refused()
          }
        }
      }
      let people = try await store.fetch(Person.all.order(by: \.name))
      #expect(people.map(\.name) == ["inner", "outer"] && people.map(\.age) == [0, 0])
      #expect(try await store.events().all().count == before + 1)
      try await store.close()
    }

    @Test("G22: all calls are asynchronous, many run at once, and there are blocking ones as well")
    func async() async throws {
      let store = try await Models.store()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            try await store.write { try $0.insert(Person(name: "p\(number)", age: number)) }
            _ = try await store.fetch(Person.where { $0.age <= number })
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.fetch(Person.all.count()) == 20)
      let (counts, continuation) = AsyncStream.makeStream(of: Int?.self)
      Thread.detachNewThread {
        let count = try? store.blocking.read { db in
          try Person.where { $0.age < 5 }.fetchCount(db)
        }
        continuation.yield(count)
      }
      for await count in counts {
        #expect(count == 5)
        break
      }
      try await store.close()
    }
  }
#endif
