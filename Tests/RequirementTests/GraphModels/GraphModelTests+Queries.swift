#if Macros
  import Daybook
  import Foundation
  import GRDB
  import Observation
  import Testing

  /// Queries over typed models and their relationships.
  extension GraphModelTests {
    /// Returns the ids of what a query finds, in the order of the names.
    private func ids(_ query: EntityQuery<Person>, _ store: Store) async throws -> [Person.ID] {
      try await store.fetch(query.order(by: \.name)).map(\.id)
    }

    @Test("G11: a condition is a property, a comparison and a value, or an expression")
    func conditions() async throws {
      let store = try await Models.people()
      #expect(try await ids(Person.where(\.age, .greaterThan, 28), store) == ["a", "d"])
      let both = Person.where(\.age, .lessOrEqual, 30).where(\.city, .equal, "Oslo")
      #expect(try await ids(both, store) == ["a", "c"])
      #expect(try await ids(Person.where(\.name, .notEqual, "Bob"), store) == ["a", "c", "d"])
      let either = Person.where { ($0.age > 28 && $0.city == "Rome") || !($0.city != "Oslo") }
      #expect(try await ids(either, store) == ["a", "c", "d"])
      let hostile = "'; DROP TABLE people; --"
      #expect(try await ids(Person.where(\.name, .equal, hostile), store).isEmpty)
      #expect(try await store.fetch(Person.all.count()) == 4)
      try await store.close()
    }

    @Test("G12: a value is one of several, a text has a form, an array contains an element")
    func membership() async throws {
      let store = try await Models.people()
      #expect(try await ids(Person.where { $0.city.in(["Rome", "Kiev"]) }, store) == ["b", "d"])
      #expect(try await ids(Person.where { $0.age.in(25...28) }, store) == ["b", "c"])
      #expect(try await ids(Person.where { $0.name.like("%ar%") }, store) == ["c"])
      #expect(try await ids(Person.where { $0.name.hasPrefix("A") }, store) == ["a"])
      #expect(try await ids(Person.where { $0.tags.contains("oats") }, store) == ["a", "c"])
      #expect(try await ids(Person.where { !$0.tags.contains("oats") }, store) == ["b", "d"])
      try await store.close()
    }

    @Test("G13: a list has an order, a limit and an offset")
    func order() async throws {
      let store = try await Models.people()
      func names(_ query: EntityQuery<Person>) async throws -> [String] {
        try await store.fetch(query).map(\.name)
      }
      let byCity = Person.all.order(by: \.city).order(by: \.age, .descending)
      #expect(try await names(byCity) == ["Alice", "Carol", "Dan", "Bob"])
      #expect(try await names(byCity.limit(2)) == ["Alice", "Carol"])
      #expect(try await names(byCity.limit(2).offset(1)) == ["Carol", "Dan"])
      let last = try #require(try await store.fetch(byCity.limit(2)).last)
      #expect(try await names(byCity.after(last).limit(2)) == ["Dan", "Bob"])
      #expect(try await names(byCity.limit(0)).isEmpty)
      try await store.close()
    }

    @Test("G14: a query follows relationships to a type, from a value, and to a value")
    func related() async throws {
      let store = try await Models.people()
      try await store.write { tx in
        try tx.insert(Company(id: "x", name: "Acme"))
        try tx.insert(Employment(from: "b", to: "x"))
      }
      let oslo = Person.where { $0.city == "Oslo" }
      #expect(try await ids(oslo.related(via: Friendship.self), store) == ["b", "d"])
      let from = Person.related(from: "b", via: Friendship.self)
      #expect(try await ids(from, store) == ["c"])
      let to = Person.related(to: "b" as Person.ID, via: Friendship.self)
      #expect(try await ids(to, store) == ["a"])
      // From one type to another, and back.
      let employers = try await store.fetch(Company.related(from: "b", via: Employment.self))
      #expect(employers.map(\.name) == ["Acme"])
      let staff = Company.where { $0.name == "Acme" }.relating(via: Employment.self)
      #expect(try await ids(staff, store) == ["b"])
      let close = Person.all.related(via: Friendship.self) { $0.isClose }
      #expect(try await ids(close, store) == ["b", "d"])
      try await store.close()
    }

    @Test("G15: a condition holds at the depth at which it stands, and a depth can be a limit")
    func depth() async throws {
      let store = try await Models.people()
      let second = Person.where { $0.name == "Alice" }
        .related(via: Friendship.self).where { $0.age < 30 }
        .related(via: Friendship.self) { !$0.isClose }.where { $0.role == .admin }
      #expect(try await ids(second, store) == ["c"])
      let other = Person.where { $0.name == "Alice" }
        .related(via: Friendship.self).where { $0.age > 30 }.related(via: Friendship.self)
      #expect(try await ids(other, store).isEmpty)
      let close = Person.where { $0.name == "Alice" }
        .related(via: Friendship.self) { $0.isClose }.related(via: Friendship.self) { $0.isClose }
      #expect(try await ids(close, store).isEmpty)
      let within = try await store.graph.reachable(
        from: Person.ID("a"), via: Friendship.self, depth: 2)
      #expect(within.map(\.entity.id) == ["b", "c"] && within.map(\.depth) == [1, 2])
      try await store.close()
    }

    @Test("G16: a query takes several steps, over several types")
    func hops() async throws {
      let store = try await Models.people()
      try await store.write { tx in
        try tx.insert(Company(id: "x", name: "Acme"))
        try tx.insert(Employment(from: "d", to: "x"))
      }
      let alice = Person.where { $0.name == "Alice" }
      let two = alice.related(via: Friendship.self).related(via: Friendship.self)
      #expect(try await ids(two, store) == ["c"])
      let employers = two.related(via: Friendship.self).related(via: Employment.self)
      #expect(try await store.fetch(employers).map(\.name) == ["Acme"])
      let back = Company.where { $0.name == "Acme" }.relating(via: Employment.self)
        .relating(via: Friendship.self).relating(via: Friendship.self)
      #expect(try await ids(back, store) == ["b"])
      try await store.close()
    }

    @Test("G17: numbers, sums and averages, also in groups with a condition on the group")
    func aggregates() async throws {
      let store = try await Models.people()
      let all = Person.all
      #expect(try await store.fetch(all.count()) == 4)
      #expect(try await store.fetch(all.average(of: \.age)) == 30.75)
      #expect(try await store.fetch(all.sum(of: \.age)) == 123)
      #expect(try await store.fetch(all.max(of: \.name)) == "Dan")
      #expect(try await store.fetch(Person.where { $0.age > 99 }.average(of: \.age)) == nil)
      let groups = try await store.fetch(all.grouped(by: \.city).count())
      #expect(groups.map(\.key) == ["Oslo", "Rome"] && groups.map(\.value) == [2, 2])
      let old = all.grouped(by: \.city).having { $0.average(of: \.age) > 30 }
        .aggregate { $0.max(of: \.age) }
      for (city, age) in try await store.fetch(old) { #expect(city == "Rome" && age == 40) }
      #expect(try await store.fetch(old).count == 1)
      try await store.close()
    }

    @Test("G18: a condition on the number of relationships: more than ten friends")
    func subquery() async throws {
      let store = try await Models.people()
      let friends = (0..<11).map { Person(name: "friend \($0)") }
      try await store.write { tx in
        try tx.insert(friends)
        for friend in friends { try tx.insert(Friendship(from: "c", to: friend.id)) }
        for friend in friends.prefix(9) { try tx.insert(Friendship(from: "a", to: friend.id)) }
      }
      let popular = Person.where { $0.id.count(of: Friendship.self) > 10 }
      #expect(try await ids(popular, store) == ["c"])
      #expect(
        try await ids(Person.where { $0.id.count(of: Friendship.self) == 10 }, store) == ["a"])
      let wanted = Person.where { $0.id.count(to: Friendship.self) > 1 }.count()
      #expect(try await store.fetch(wanted) == 9)
      try await store.close()
    }

    @Test("G19: people come with the relationships that lead from them, also those without any")
    func including() async throws {
      let store = try await Models.people()
      try await store.write { try $0.insert(Friendship(from: "a", to: "d")) }
      let oslo = Person.where { $0.city == "Oslo" }.order(by: \.name)
      let found = try await store.fetch(oslo, including: Friendship.self)
      #expect(found.map(\.entity.name) == ["Alice", "Carol"])
      #expect(found.map { Set($0.related.map(\.to)) } == [["b", "d"], ["d"]])
      let lonely = try await store.fetch(
        Person.where { $0.name == "Dan" }, including: Friendship.self)
      #expect(lonely.count == 1 && lonely[0].related.isEmpty)
      try await store.close()
    }

    /// The model of a view.
    @MainActor @Observable final class PeopleModel {
      let people: LiveQuery<[Person]>
      @ObservationIgnored private let store: Store

      init(_ store: Store) {
        self.store = store
        people = LiveQuery(store.observe(Person.all.order(by: \.name)), initially: [])
      }

      func add(_ person: Person) async throws { try await store.write { try $0.insert(person) } }
      func delete(_ person: Person) async throws { try await store.write { try $0.delete(person) } }
    }

    @Test("G28: an observable model has values, loading and error, and follows its own writes")
    @MainActor func observable() async throws {
      let store = try await Models.store()
      let model = PeopleModel(store)
      #expect(model.people.isLoading && model.people.value.isEmpty && model.people.error == nil)
      try await wait { !model.people.isLoading }
      let alice = Person(name: "Alice")
      try await model.add(Person(name: "Bob"))
      try await model.add(alice)
      try await wait { model.people.value.map(\.name) == ["Alice", "Bob"] }
      try await model.delete(alice)
      try await wait { model.people.value.map(\.name) == ["Bob"] }
      #expect(model.people.error == nil)
      try await store.close()
    }

    @Test("G31: a job can start when all that it needs is done, and shows what it waits for")
    func jobs() async throws {
      let store = try await Models.store()
      let (bake, mix, buy) = (
        Job(title: "bake", priority: 3), Job(title: "mix", priority: 1),
        Job(title: "buy", priority: 2)
      )
      try await store.write { tx in
        try tx.insert([bake, mix, buy])
        try tx.insert([
          Dependency(from: bake.id, to: mix.id), Dependency(from: bake.id, to: buy.id),
          Dependency(from: mix.id, to: buy.id),
        ])
      }
      #expect(try await store.blockingJobs(for: bake.id).map(\.title) == ["buy", "mix"])
      #expect(try await store.canStart(bake.id) == false)
      #expect(try await store.canStart(buy.id))
      var blocking = store.observe(Job.blocking(bake.id)).makeAsyncIterator()
      #expect(try await blocking.next()?.count == 2)
      #expect(try await store.read { try Job.startable($0) }.map(\.title) == ["buy"])
      try await store.write { _ = try $0.update(buy.id) { $0.status = .done } }
      #expect(try await blocking.next()?.map(\.title) == ["mix"])
      #expect(try await store.read { try Job.startable($0) }.map(\.title) == ["mix"])
      #expect(try await store.canStart(mix.id))
      try await store.write { _ = try $0.update(mix.id) { $0.status = .done } }
      #expect(try await blocking.next() == [])
      #expect(try await store.canStart(bake.id))
      try await store.close()
    }

    @Test("G32: enumerations, URLs and dates are properties, and values in conditions")
    func values() async throws {
      let store = try await Models.people()
      let site = try #require(URL(string: "https://example.org/ä?b=c"))
      let born = Date(timeIntervalSince1970: -1_000_000_000.5)
      try await store.write { tx in
        _ = try tx.update(Person.ID("a")) { ($0.site, $0.born, $0.role) = (site, born, .admin) }
      }
      let alice = try #require(try await store.fetch(Person.ID("a")))
      #expect(alice.site == site && alice.born == born && alice.role == .admin)
      #expect(try await ids(Person.where { $0.role == .admin }, store) == ["a", "c"])
      #expect(try await ids(Person.where { $0.role != .admin }, store) == ["b", "d"])
      #expect(
        try await ids(Person.where { $0.role.in([.guest, .member]) }, store) == ["b", "d"])
      #expect(try await ids(Person.where { $0.site == site }, store) == ["a"])
      #expect(try await ids(Person.where { $0.site == nil }, store) == ["b", "c", "d"])
      #expect(try await ids(Person.where { $0.born >= born }, store) == ["a"])
      #expect(try await ids(Person.where { $0.born > born }, store).isEmpty)
      #expect(try await ids(Person.where(\.born, .less, born), store) == ["b", "c", "d"])
      try await store.close()
    }
  }
#endif
