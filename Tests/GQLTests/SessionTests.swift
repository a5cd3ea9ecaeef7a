import Daybook
import DaybookEventCore
import Foundation
import GRDB
import Testing

@testable import DaybookGQL

/// Statements on a store: events, replicas, typed collections, schemas and graphs.
@Suite struct SessionTests {
  private let place: GraphPlace

  init() throws { place = try GraphPlace() }

  private func rows(_ result: GQLResult) -> [String] {
    result.rows.map { $0.map(\.description).joined(separator: " | ") }.sorted()
  }

  // MARK: - Events

  @Test("a statement that writes is one event with its actor and its label")
  func event() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store, actor: "ann")
    let result = try await session.run(
      "UNWIND [1, 2] AS x\n  CREATE (:A {x: x})-[:R]->(:B)")
    let event = try #require(result.event)
    #expect(result.counts.nodesCreated == 4 && result.counts.relationshipsCreated == 2)
    var events: [LoggedEvent] = []
    for try await one in store.events() { events.append(one) }
    let last = try #require(events.first { $0.id == event })
    #expect(last.actor == "ann" && last.label == "UNWIND [1, 2] AS x CREATE (:A {x: x})-[:R]->(:B)")
    #expect(try await session.run("MATCH (n) RETURN n").event == nil)
    try await store.close()
  }

  @Test("every operation that a statement writes is one that versions without GQL know")
  func operations() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write { try $0.define(Definition("people", [.text("name")])) }
    for text in [
      "CREATE SCHEMA /s", "CREATE GRAPH /s/g", "CREATE INDEX FOR (n:A) ON (n.x)",
      "CREATE (:A:B {x: 1, `an odd.name`: [1.5]})-[:R {since: date('2020-02-29')}]->(:people)",
      "MERGE (:A {x: 2})-[:R]->(:C)", "CREATE (:Q {name: 'q'})",
      "MATCH (n:A) SET n:D, n.x = null REMOVE n:B",
      "MATCH (c:C) DETACH DELETE c", "CALL store.promote('Q', 'people')", "DROP GRAPH /s/g",
    ] { try await store.gql(text) }
    var kinds: [String: Int] = [:]
    for try await logged in store.events() {
      for operation in logged.event.body?.operations ?? [] {
        let kind =
          switch operation {
          case .define: "define"
          case .insert: "insert"
          case .update: "update"
          case .delete: "delete"
          case .identity: "identity"
          default: "another"
          }
        kinds[kind, default: 0] += 1
      }
    }
    #expect(kinds.keys.sorted() == ["define", "delete", "identity", "insert", "update"])
    try await store.close()
  }

  @Test("an error in the middle of a statement leaves nothing written")
  func failure() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store)
    try await session.run("CREATE (:A {x: 1})-[:R]->(:B)")
    let before = try await store.digest().digest
    for text in [
      "CREATE (:New {y: 1}) WITH 1 AS x RETURN 1 / (x - 1)",
      "MATCH (a:A) SET a.x = 2, a.z = 5 DELETE a", "UNWIND [1, 0] AS x CREATE (:C {x: 1 / x})",
    ] {
      await #expect(throws: GQLError.self) { try await session.run(text) }
    }
    #expect(try await store.digest().digest == before)
    #expect(rows(try await session.run("MATCH (n) RETURN n")) == ["(:A {x: 1})", "(:B)"])
    try await store.close()
  }

  @Test(
    "every writing clause is undone and redone",
    arguments: [
      "CREATE (:A {x: 9})-[:R {y: 1}]->(:B)", "MERGE (n:Z {q: 1})", "MATCH (a:A) SET a.x = 5, a:L",
      "MATCH (a:A) SET a = {k: 1}", "MATCH (a:A) REMOVE a.x, a:A", "MATCH (a:A) DETACH DELETE a",
      "MATCH ()-[r:R]->() DELETE r", "MATCH ()-[r:R]->() SET r.w = 'new', r.since = null",
      "MATCH (a:A) FOREACH (i IN [1, 2] | SET a.x = a.x + i CREATE (a)-[:F {i: i}]->(:C))",
      "UNWIND [1, 2] AS i MERGE (n:A {x: i}) ON CREATE SET n.made = true ON MATCH SET n.met = true",
    ])
  func undo(text: String) async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store)
    let all = "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m"
    try await session.run("CREATE (:A {x: 1, s: 'a'})-[:R {since: 2000}]->(:B {y: [1, 2]})")
    let before = rows(try await session.run(all))
    let event = try #require(try await session.run(text).event)
    let after = rows(try await session.run(all))
    #expect(after != before)
    let undo = try #require(try await store.undo(event))
    #expect(rows(try await session.run(all)) == before)
    try await store.undo(undo)
    #expect(rows(try await session.run(all)) == after)
    try await store.close()
  }

  // MARK: - Replicas

  @Test("two replicas set different properties and labels of one node apart, and both win")
  func apart() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.gql("CREATE (:P {name: 'Ann'})")
    try await b.syncOnce(with: StorePeer(a))
    try await a.gql("MATCH (n:P) SET n.age = 30, n:Left REMOVE n:P")
    try await b.gql("MATCH (n:P) SET n.city = 'Oslo', n:Right")
    try await b.syncOnce(with: StorePeer(a))
    let wanted = ["(:Left:Right {name: 'Ann', age: 30, city: 'Oslo'})"]
    for store in [a, b] {
      let node = try await store.gql(
        "MATCH (n) RETURN labels(n) AS l, n.name AS n, n.age AS a, n.city AS c")
      #expect(rows(node) == ["['Left', 'Right'] | 'Ann' | 30 | 'Oslo'"], "\(wanted)")
    }
    #expect(try await a.digest().digest == b.digest().digest)
    try await a.close()
    try await b.close()
  }

  @Test("two replicas that MERGE the same pattern apart have it once afterwards")
  func merge() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    let text = "MERGE (n:P {name: 'Ann'}) MERGE (n)-[r:IN {x: 1}]->(c:City {name: 'Oslo'})"
    try await a.gql("\(text) SET n.left = 1")
    try await b.gql("\(text) SET n.right = 2")
    try await b.gql("MERGE (n:P {name: 'Bob'})")
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      let result = try await store.gql(
        "MATCH (n:P) OPTIONAL MATCH (n)-[r]->(c) RETURN n.name, n.left, n.right, r.x, c.name")
      #expect(
        rows(result) == ["'Ann' | 1 | 2 | 1 | 'Oslo'", "'Bob' | null | null | null | null"])
    }
    #expect(try await a.digest().digest == b.digest().digest)
    try await a.close()
    try await b.close()
  }

  @Test("a relationship to a node that was deleted elsewhere is not shown")
  func dangling() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.gql("CREATE (:P {name: 'Ann'}), (:P {name: 'Bob'})")
    try await b.syncOnce(with: StorePeer(a))
    try await a.gql("MATCH (n {name: 'Bob'}) DELETE n")
    try await b.gql("MATCH (a {name: 'Ann'}), (b {name: 'Bob'}) CREATE (a)-[:KNOWS]->(b)")
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.gql("MATCH (a)-[r]-(b) RETURN r").rows.isEmpty)
      #expect(rows(try await store.gql("MATCH (n) RETURN n.name")) == ["'Ann'"])
    }
    try await a.close()
    try await b.close()
  }

  // MARK: - Typed collections

  @Test("typed collections are labels, and their relationships types")
  func typed() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(
        Definition("notes", [.text("title"), .integer("stars"), .boolean("pinned")]))
      try tx.define(Definition("links", [.text("kind")]).relationship())
      try tx.insert("notes", "n1", ["title": "Oat milk", "stars": 3])
      try tx.insert("notes", "n2", ["title": "Coffee"])
      try tx.insert("links", "l1", ["source": "n1", "target": "n2", "kind": "cites"])
    }
    let session = GQLSession(store)
    #expect(
      rows(try await session.run("MATCH (n:notes {stars: 3}) RETURN n.title, n.id"))
        == ["'Oat milk' | 'n1'"])
    #expect(
      rows(try await session.run("MATCH (a {id: 'n1'})-[r:links]->(b) RETURN r.kind, b.title"))
        == ["'cites' | 'Coffee'"])
    try await session.run("MATCH (n:notes {title: 'Coffee'}) SET n.pinned = true, n.stars = 5")
    #expect(try await store.fetch("notes", "n2")?["stars"] == .integer(5))
    try await session.run("CREATE (n:notes {title: 'Tea'}) CREATE (n)-[:links {kind: 'x'}]->(n)")
    #expect(
      rows(try await session.run("MATCH (n:notes)-[r]->(n) RETURN n.title, type(r)"))
        == ["'Tea' | 'links'"])
    for text in [
      "MATCH (n:notes) SET n.unknown = 1", "MATCH (n:notes) SET n.stars = 'many'",
      "MATCH (n:notes) SET n:Other", "CREATE (:notes:Other)",
      "MATCH (n:notes) CREATE (n)-[:links]->(:Open)",
    ] {
      await #expect(throws: GQLError.self, "\(text)") { try await session.run(text) }
    }
    try await store.close()
  }

  // MARK: - Schemas and graphs

  @Test("schemas and graphs are made, chosen and dropped; what was dropped does not come back")
  func graphs() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store)
    await #expect(throws: GQLError.self) { try await session.run("SESSION SET SCHEMA /social") }
    try await session.run("CREATE SCHEMA IF NOT EXISTS /social")
    try await session.run("CREATE SCHEMA IF NOT EXISTS /social")
    try await session.run("CREATE GRAPH IF NOT EXISTS /social/network")
    try await session.run("SESSION SET SCHEMA /social")
    try await session.run("SESSION SET GRAPH network")
    try await session.run("INSERT (:Person {name: 'Alice', age: 30})")
    #expect(try await session.run("MATCH (n) RETURN n").rows.count == 1)
    #expect(try await store.gql("MATCH (n) RETURN n").rows.isEmpty)
    let exists = await #expect(throws: GQLError.self) {
      try await session.run("CREATE GRAPH /social/network")
    }
    #expect(exists?.code == .exists)
    let full = await #expect(throws: GQLError.self) { try await session.run("DROP SCHEMA /social") }
    #expect(full?.detail == "SchemaNotEmpty")
    try await GQLSession(store).run("DROP GRAPH /social/network")
    let gone = await #expect(throws: GQLError.self) { try await session.run("MATCH (n) RETURN n") }
    #expect(gone?.code == .notFound && gone?.hint != nil)
    for text in ["CREATE (:Person)", "MERGE (:Person)", "CREATE INDEX FOR (n:A) ON (n.x)"] {
      let lost = await #expect(throws: GQLError.self, "\(text)") { try await session.run(text) }
      #expect(lost?.code == .notFound, "\(text)")
    }
    try await session.run("CREATE GRAPH /social/network")
    #expect(try await session.run("MATCH (n) RETURN n").rows.isEmpty)
    try await store.close()
  }

  // MARK: - The session

  @Test("a session for reading refuses what writes, and a closed one everything")
  func readOnly() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    var options = GQLSession.Options()
    options.isReadOnly = true
    let session = GQLSession(store, options: options)
    for text in ["CREATE (n)", "MATCH (n) SET n.x = 1", "CREATE SCHEMA /s", "MERGE (n:A)"] {
      let error = await #expect(throws: GQLError.self) { try await session.run(text) }
      #expect(error?.code == .readOnly)
    }
    #expect(try await session.run("RETURN 1 AS x").rows == [[1]])
    try await session.run("SESSION CLOSE")
    await #expect(throws: GQLError.self) { try await session.run("RETURN 1 AS x") }
    try await store.close()
  }

  @Test("a parameter is a value, whatever it holds, and is never read as a query")
  func parameters() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let nasty = "x'}) DETACH DELETE n //\u{0} /* ` \" $y"
    try await store.gql("CREATE (:A {s: $s}), (:A {s: 'other'})", ["s": .string(nasty)])
    let found = try await store.gql("MATCH (n:A {s: $s}) RETURN n.s AS s", ["s": .string(nasty)])
    #expect(found.rows == [[.string(nasty)]])
    try await store.gql("MATCH (n:A {s: $s}) SET n.hit = true", ["s": .string(nasty)])
    try await store.gql("MATCH (n:A {s: $s}) DELETE n", ["s": "nothing is this"])
    let hits = try await store.gql("MATCH (n:A) RETURN count(n) AS n, count(n.hit) AS h")
    #expect(rows(hits) == ["2 | 1"])
    let missing = await #expect(throws: GQLError.self) {
      try await store.gql("MATCH (n:A {s: $s}) DELETE n")
    }
    #expect(missing?.code == .missingParameter)
    try await store.close()
  }

  @Test("ids with NUL are ids like others, of typed nodes and their relationships")
  func ids() async throws {
    let store = try await Store.inMemory()
    try await store.write {
      try $0.define(Definition("people", [.text("name")]))
      try $0.define(Definition("knows").connecting("people", to: "people"))
    }
    for id in ["a\u{0}b", "a\u{0}c", "a", "\u{0}"] {
      try await store.gql("CREATE (:people {id: $id, name: $id})", ["id": .string(id)])
      let found = try await store.gql(
        "MATCH (n:people {id: $id}) RETURN n.name", ["id": .string(id)])
      #expect(found.rows == [[.string(id)]])
    }
    try await store.gql(
      "MATCH (a:people {id: $a}), (b:people {id: $b}) CREATE (a)-[:knows]->(b), (b)-[:LIKES]->(a)",
      ["a": "a\u{0}b", "b": "a\u{0}c"])
    for pattern in ["(a)-[:knows]->(b)", "(a)<-[:LIKES]-(b)", "(a)-[:knows*1..2]->(b)"] {
      let ends = try await store.gql("MATCH \(pattern) RETURN a.id, b.id")
      #expect(ends.rows == [["a\u{0}b", "a\u{0}c"]], "\(pattern)")
    }
    let all = try await store.gql("MATCH (a:people) WHERE NOT (a)--() RETURN count(a)")
    #expect(all.rows == [[2]])
    try await store.close()
  }

  private struct Person: Codable, Equatable {
    var name: String
    var age: Int?
    var tags: [String]
  }

  @Test("results are decoded into types: nodes, rows, lists and scalars")
  func decoding() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.gql(
      "CREATE (:P {name: 'Ann', age: 30, tags: ['a']}), (:P {name: 'Bob', tags: []})")
    let people = try await store.gql("MATCH (p:P) RETURN p ORDER BY p.name").decode(Person.self)
    #expect(
      people == [
        Person(name: "Ann", age: 30, tags: ["a"]), Person(name: "Bob", age: nil, tags: []),
      ])
    let named = try await store.gql(
      "MATCH (p:P) RETURN p.name AS name, p.age AS age, p.tags AS tags ORDER BY name"
    ).decode(Person.self)
    #expect(named == people)
    #expect(try await store.gql("MATCH (p:P) RETURN count(p)").decode(Int.self) == [2])
    #expect(throws: DecodingError.self) {
      try GQLResult(columns: ["x"], rows: [["text"]]).decode(Int.self)
    }
    try await store.close()
  }

  @Test("a budget ends a statement that needs more, and nothing is written")
  func budget() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    var options = GQLSession.Options()
    options.budget = GQLBudget(rows: 100, bytes: 1 << 20, time: .seconds(1))
    let session = GQLSession(store, options: options)
    try await session.run("UNWIND range(1, 40) AS x CREATE (:A {x: x})")
    for text in [
      "MATCH (a), (b) RETURN a.x", "UNWIND range(1, 1000000) AS x RETURN collect(x)",
      "MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)",
      "UNWIND range(1, 1000000) AS x CREATE (:B)", "RETURN size(range(1, 1000000000))",
      "UNWIND range(1, 90) AS i UNWIND [range(1, 9000)] AS l RETURN i, l ORDER BY i LIMIT 90",
      "MATCH (a), (b), (c), (d), (e), (f), (g) WHERE (a)-[:R]->()-[:R]->(b) RETURN count(*)",
    ] {
      let error = await #expect(throws: GQLError.self) { try await session.run(text) }
      #expect(error?.code == .budget, "\(text): \(error!)")
    }
    #expect(try await session.run("MATCH (n) RETURN count(n) AS n").rows == [[40]])
    // A list is given up behind its loop, so that many short ones are no long one.
    let loops = "UNWIND range(1, 100) AS a UNWIND range(1, 1000) AS b RETURN count(b) AS n"
    #expect(try await session.run(loops).rows == [[100_000]])
    try await store.close()
  }

  @Test("an index changes no answer, and a look-up uses it")
  func index() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store)
    try await session.run(
      "UNWIND range(1, 50) AS x CREATE (:A {x: x % 10}), (:B {x: x * 1.0}), (:A {x: toString(x)})")
    let queries = [
      "MATCH (n:A {x: 3}) RETURN n", "MATCH (n {x: 3}) RETURN n",
      "MATCH (n:A) WHERE n.x = '7' RETURN n",
      "MATCH (n:B) WHERE n.x = 3 RETURN n", "MATCH (n:A {x: null}) RETURN n",
      "MATCH (n) WHERE n.x = true RETURN n",
    ]
    var before: [[String]] = []
    for text in queries { before.append(rows(try await session.run(text))) }
    #expect(before.map(\.count) == [5, 6, 1, 1, 0, 0])
    for change in ["CREATE INDEX FOR (n:A) ON (n.x)", "DROP INDEX FOR (n:A) ON (n.x)"] {
      try await session.run(change)
      for (text, wanted) in zip(queries, before) {
        #expect(rows(try await session.run(text)) == wanted, "\(change): \(text)")
      }
      let plan = try await store.read { db in
        try String.fetchOne(
          db, sql: "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '%p_x%'")
      }
      #expect((plan != nil) == change.hasPrefix("CREATE"))
    }
    try await store.close()
  }

  @Test("a cancelled task ends a statement that reads, in the middle")
  func cancelled() async throws {
    let store = try await Store.inMemory()
    try await store.gql("UNWIND range(1, 60) AS x CREATE (:A {x: x})")
    let (rows, begun) = AsyncStream<Void>.makeStream()
    let task = Task {
      let text = "MATCH (a), (b), (c), (d), (e), (f) RETURN a.x"
      return try await GQLSession(store).forEachRow(text) { _ in
        begun.yield()
        return true
      }
    }
    for await _ in rows { break }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    try await store.close()
  }

  @Test("EXPLAIN shows the plan and runs nothing")
  func explain() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.gql("CREATE (:A {x: 1})-[:R]->(:B)")
    let plan = try await store.gql("EXPLAIN MATCH (b:B)<-[:R]-(a:A {x: 1}) SET a.y = 2 RETURN b.x")
    let text = try plan.column("plan").map(\.description).joined(separator: "\n")
    #expect(text.contains("graph_nodes by") && text.contains("p_x") && text.contains("Expand"))
    #expect(try await store.gql("MATCH (n:A) RETURN n.y").rows == [[.null]])
    try await store.close()
  }

  @Test("EXPLAIN shows the SQL of each step, and SQLite takes it")
  func explainedSQL() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write {
      try $0.define(Definition("people", [.text("name"), .integer("age"), .timestamp("at")]))
    }
    try await store.gql("CREATE (:A {x: 1})-[:R {y: 1}]->(:B)-[:R]->(:B), (:people {name: 'Ann'})")
    for (text, count) in [
      ("MATCH (a:A {x: 1})-[r:R]->(b) RETURN b", 2), ("MATCH (a)-[:R]->(b)-[:R]->(c) RETURN c", 3),
      ("MATCH (a:A)-[r]-(b:B) RETURN r.y", 3), ("MATCH (p:people {age: $x}) RETURN p.name", 1),
      ("MATCH (p:people {at: $x, id: $x}) RETURN p.name", 1),
      ("MATCH (a:A), (b:B) MATCH (a)-[r:R]->(b) RETURN r", 3),
      ("MATCH (a:A)-[:R*1..3]->(b) RETURN b", 2),
      ("MATCH p = shortestPath((a:A)-[:R*]->(b:B)) RETURN p", 2),
      ("MATCH (a:A {x: 1}) CREATE (a)-[:R]->(a)", 1), ("MATCH (n:None) RETURN n", 0),
    ] {
      let plan = try await store.gql("EXPLAIN \(text)").column("plan")
      let statements = plan.compactMap { line -> String? in
        guard case .string(let text) = line, text.contains("SELECT") else { return nil }
        return text
      }
      #expect(statements.count == count, "\(text): \(plan)")
      try await store.read { db in for sql in statements { _ = try db.makeStatement(sql: sql) } }
    }
    try await store.close()
  }

  @Test("a rebuilt store has the same graph")
  func rebuild() async throws {
    defer { place.remove() }
    let store = try await place.store("a")
    let all = "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m"
    try await store.gql(
      "CREATE (a:A {x: 1.0, d: date('2020-01-01')})-[:R {y: [1, 2]}]->(:B {s: 'ö'}), (a)-[:R]->(a)")
    let before = rows(try await store.gql(all))
    try await store.rebuild()
    #expect(rows(try await store.gql(all)) == before)
    try await store.close()
  }
}
