#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import GRDB

  // The types of an app that has its data as a graph of typed models.

  @Entity("people") struct Person: Codable, Hashable {
    enum Role: String, Codable, Sendable, CaseIterable { case guest, member, admin }

    var id = ID()
    var name = ""
    var age = 0
    @Index var city = ""
    var role = Role.guest
    var site: URL?
    var born = Date.distantPast
    var tags: [String] = []
    var manager: Person.ID?
  }

  @Relationship("friendships", from: Person.self, to: Person.self, unique: \.from, \.to)
  struct Friendship: Codable, Hashable {
    var since = Date.distantPast
    var isClose = false
  }

  @Entity("companies") struct Company: Codable, Hashable {
    var id = ID()
    var name = ""
  }

  @Relationship("employments", from: Person.self, to: Company.self)
  struct Employment: Hashable {
    var title = ""
    @Weight var share = 1.0
  }

  @Entity("jobs") struct Job: Hashable {
    enum Status: String, Codable, Sendable { case todo, running, done, blocked }

    var id = ID()
    var title = ""
    var status = Status.todo
    var priority = 0
  }

  /// A job needs another one to be done first.
  @Relationship("dependencies", from: Job.self, to: Job.self, unique: \.from, \.to)
  struct Dependency: Hashable {}

  enum Models {
    static let schema: [any Entity.Type] = [
      Person.self, Friendship.self, Company.self, Employment.self, Job.self, Dependency.self,
    ]

    static func store() async throws -> Store { try await Store.inMemory(schema: schema) }

    /// Returns a store with four people, a to d, each a friend of the next.
    static func people() async throws -> Store {
      let store = try await store()
      try await store.write { tx in
        try tx.insert([
          Person(id: "a", name: "Alice", age: 30, city: "Oslo", tags: ["chess", "oats"]),
          Person(id: "b", name: "Bob", age: 25, city: "Rome", role: .member),
          Person(id: "c", name: "Carol", age: 28, city: "Oslo", role: .admin, tags: ["oats"]),
          Person(id: "d", name: "Dan", age: 40, city: "Rome"),
        ])
        try tx.insert([
          Friendship(from: "a", to: "b", isClose: true), Friendship(from: "b", to: "c"),
          Friendship(from: "c", to: "d", isClose: true),
        ])
      }
      return store
    }
  }

  /// What such an app adds to a store.
  extension Job {
    /// The jobs that have to be done before one, and are not.
    static func blocking(_ id: Job.ID) -> EntityQuery<Job> {
      Job.related(from: id, via: Dependency.self).where { $0.status != .done }
        .order(by: \.priority, .descending)
    }

    /// The jobs that can be started: those that are open, and need nothing that is not done.
    static func startable(_ db: Database) throws -> [Job] {
      let waiting = try Job.where { $0.status != .done }.relating(via: Dependency.self)
        .fetchAll(db).map(\.id)
      return try Job.where { $0.status == .todo && !$0.id.in(waiting) }
        .order(by: \.priority, .descending).fetchAll(db)
    }
  }

  extension Store {
    func blockingJobs(for id: Job.ID) async throws -> [Job] { try await fetch(Job.blocking(id)) }

    func canStart(_ id: Job.ID) async throws -> Bool {
      try await fetch(Job.blocking(id).count()) == 0
    }
  }
#endif
