import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// What an app of typed graph models needs of the language: rows G4 to G7, G16 and G26 of
/// `docs/requirements.md`.
@Suite struct GraphDocumentTests {
  private struct Person: Codable, Equatable, Sendable {
    var name: String
    var age: Int?
    var city: String?
  }

  @Test("G4: a schema and a graph in it are made if need be, and used")
  func graphs() async throws {
    let store = try await Store.inMemory()
    for _ in 1...2 {
      let session = GQLSession(store, actor: "admin")
      try await session.run("CREATE SCHEMA IF NOT EXISTS /social")
      try await session.run("CREATE GRAPH IF NOT EXISTS /social/network")
      try await session.run("SESSION SET SCHEMA /social")
      try await session.run("SESSION SET GRAPH network")
      try await session.run("INSERT (:Person {name: 'Alice', age: 30})")
    }
    let session = GQLSession(store)
    #expect(try await session.run("MATCH (p:Person) RETURN p").rows.isEmpty)
    try await session.run("SESSION SET GRAPH /social/network")
    #expect(try await session.run("MATCH (p:Person) RETURN count(p) AS n").rows == [[2]])
    try await store.close()
  }

  @Test("G5: each session has a schema and a graph of its own, and a name of who writes")
  func sessions() async throws {
    let store = try await Store.inMemory()
    let (admin, guest) = (GQLSession(store, actor: "admin"), GQLSession(store, actor: "guest"))
    try await admin.run("CREATE SCHEMA /a")
    try await admin.run("CREATE GRAPH /a/g")
    try await admin.run("SESSION SET GRAPH /a/g")
    try await admin.run("INSERT (:Note {text: 'of the graph'})")
    try await guest.run("INSERT (:Note {text: 'of the main graph'})")
    let query = "MATCH (n:Note) CALL store.history(n) YIELD actor RETURN DISTINCT n.text, actor"
    #expect(try await admin.run(query).rows == [["of the graph", "admin"]])
    #expect(try await guest.run(query).rows == [["of the main graph", "guest"]])
    try await admin.run("SESSION RESET")
    #expect(try await admin.run("MATCH (n:Note) RETURN n.text").rows == [["of the main graph"]])
    try await store.close()
  }

  @Test("G6: texts of the language insert, match, set and delete")
  func texts() async throws {
    let store = try await Store.inMemory()
    try await store.gql("INSERT (:Person {name: 'Alice', age: 30})")
    try await store.gql("CREATE (:Person {name: $name, age: $age})", ["name": "Bob", "age": 25])
    try await store.gql(
      """
      MATCH (a:Person {name: 'Alice'}), (b:Person {name: 'Bob'})
      CREATE (a)-[:KNOWS {since: date('2020-01-01')}]->(b)
      """)
    try await store.gql("MATCH (p:Person {name: 'Bob'}) SET p.age = p.age + 1, p.city = 'Oslo'")
    let known = try await store.gql(
      "MATCH (:Person {name: 'Alice'})-[k:KNOWS]->(p) RETURN p.name, p.age, k.since.year AS year")
    #expect(known.columns == ["p.name", "p.age", "year"])
    #expect(known.rows == [["Bob", 26, 2020]])
    let counts = try await store.gql("MATCH (p:Person) DETACH DELETE p").counts
    #expect(counts.nodesDeleted == 2 && counts.relationshipsDeleted == 1)
    try await store.close()
  }

  @Test("G7: a result is decoded into values of a type")
  func decoding() async throws {
    let store = try await Store.inMemory()
    try await store.gql("INSERT (:Person {name: 'Alice', age: 30}), (:Person {name: 'Bob'})")
    let nodes = try await store.gql("MATCH (p:Person) RETURN p ORDER BY p.name")
    let people = [Person(name: "Alice", age: 30), Person(name: "Bob")]
    #expect(try nodes.decode(Person.self) == people)
    let columns = try await store.gql(
      "MATCH (p:Person) RETURN p.name AS name, p.age AS age ORDER BY name")
    #expect(try columns.decode(Person.self) == people)
    let names = try await store.gql("MATCH (p:Person) RETURN p.name ORDER BY p.name")
    #expect(try names.decode(String.self) == ["Alice", "Bob"])
    try await store.close()
  }

  @Test("G16: one query follows any number of steps, over the relationships of typed collections")
  func steps() async throws {
    let store = try await Store.inMemory()
    try await store.write { transaction in
      try transaction.define(Definition("people", [.text("name")]))
      try transaction.define(Definition("knows").connecting("people", to: "people"))
      for number in 1...9 {
        try transaction.insert("people", "p\(number)", ["name": .text("Person \(number)")])
      }
      for number in 1...8 {
        try transaction.insert(
          "knows", "k\(number)",
          ["source": .text("p\(number)"), "target": .text("p\(number + 1)")])
      }
    }
    let six = try await store.gql(
      """
      MATCH (:people {id: 'p1'})-[:knows]->()-[:knows]->()-[:knows]->()-[:knows]->()
        -[:knows]->()-[:knows]->(p) RETURN p.name
      """)
    #expect(try six.decode(String.self) == ["Person 7"])
    let all = try await store.gql(
      "MATCH (:people {id: 'p1'})-[:knows]->{1,7}(p) RETURN count(p) AS n")
    #expect(all.rows == [[7]])
    let popular = try await store.gql(
      """
      MATCH (p:people) WHERE COUNT { (p)-[:knows]-() } > 1
      RETURN count(p) AS people, avg(COUNT { (p)-[:knows]-() }) AS mean
      """)
    #expect(popular.rows == [[7, 2.0]])
    try await store.close()
  }

  @Test("G26: a live query has its values, whether it loads, its error, and a way to ask again")
  @MainActor func wrapper() async throws {
    let store = try await Store.inMemory()
    try await store.gql("INSERT (:Person {name: 'Alice'})")
    let query = LiveQuery(
      store.observe(gql: "MATCH (p:Person) RETURN p", as: Person.self), initially: [])
    #expect(query.isLoading && query.value.isEmpty)
    while query.isLoading { await Task.yield() }
    #expect(query.value == [Person(name: "Alice")] && query.error == nil)
    query.refresh()
    #expect(query.isLoading)
    while query.isLoading { await Task.yield() }
    #expect(query.value == [Person(name: "Alice")] && query.error == nil)
    let wrong = LiveQuery(store.observe(gql: "MATCH (p RETURN p", as: Person.self), initially: [])
    while wrong.isLoading { await Task.yield() }
    #expect((wrong.error as? GQLError)?.position != nil)
    try await store.close()
  }
}
