import Daybook
import DaybookEventCore
import DaybookOpenGraph
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookGQL

/// Open relationships at nodes of typed collections, and labels that become typed collections.
@Suite struct PromotionTests {
  private func rows(_ result: GQLResult) -> [String] {
    result.rows.map { $0.map(\.description).joined(separator: " | ") }.sorted()
  }

  private func typed() async throws -> Store {
    let store = try await Store.inMemory()
    try await store.write { tx in
      try tx.define(Definition("people", [.text("name"), .integer("age")]))
    }
    return store
  }

  private func defineFollows(_ store: Store) async throws {
    try await store.write { tx in
      try tx.define(Definition("follows", [.integer("since")]).connecting("people", to: "people"))
    }
  }

  // MARK: - Open relationships at typed nodes

  private static let graph = """
    CREATE (a:people {id: 'a', name: 'Ann'}), (b:people {id: 'b', name: 'Bob'}),
      (t:Topic {name: 'Tea'}), (a)-[:LIKES {x: 1}]->(t), (t)-[:LIKES]->(b), (a)-[:LIKES]->(b),
      (a)-[:LIKES {x: 2}]->(a), (:Topic {name: 'Oat'})-[:LIKES]->(t)
    """

  @Test("a relationship of any type joins nodes of collections and open ones")
  func mixed() async throws {
    let store = try await typed()
    try await store.gql(Self.graph)
    for (text, wanted) in [
      (
        "MATCH (p)-[r:LIKES]->(q) RETURN p.name, q.name, r.x",
        [
          "'Ann' | 'Ann' | 2", "'Ann' | 'Bob' | null", "'Ann' | 'Tea' | 1", "'Oat' | 'Tea' | null",
          "'Tea' | 'Bob' | null",
        ]
      ),
      ("MATCH (:Topic {name: 'Oat'})-[:LIKES*2..3]->(p:people) RETURN DISTINCT p.id", ["'b'"]),
      (
        "MATCH (p:people {id: 'b'})<-[r]-(q) RETURN q.name, type(r)",
        ["'Ann' | 'LIKES'", "'Tea' | 'LIKES'"]
      ),
      ("MATCH ()-[r:LIKES {x: 1}]-() SET r.x = 5, r.y = 'new' RETURN DISTINCT r.y", ["'new'"]),
      ("MATCH (a {id: 'a'})-[r {x: 5}]->() RETURN r.y", ["'new'"]),
      ("MATCH p = shortestPath((:Topic {name: 'Oat'})-[*]->({id: 'b'})) RETURN length(p)", ["2"]),
      ("CALL db.relationshipTypes()", ["'LIKES'"]),
      ("MATCH ({id: 'a'})-[r {x: 5}]->() DELETE r", []),
      ("MATCH (p)-[r:LIKES]->(q:Topic) RETURN p.name", ["'Oat'"]),
    ] {
      #expect(rows(try await store.gql(text)) == wanted, "\(text)")
    }
    let kept = await #expect(throws: GQLError.self) {
      try await store.gql("MATCH (p:people) DELETE p")
    }
    #expect(kept?.detail == "DeleteConnectedNode")
    try await store.gql("MATCH (p:people) DETACH DELETE p")
    #expect(rows(try await store.gql("MATCH (p)-->(q) RETURN p.name, q.name")) == ["'Oat' | 'Tea'"])
    try await store.close()
  }

  @Test("an index of a type's property is one for all ends, and so is dropping the graph")
  func catalog() async throws {
    let store = try await typed()
    let session = GQLSession(store)
    try await session.run("CREATE GRAPH /g")
    try await session.run("SESSION SET GRAPH /g")
    try await session.run(Self.graph)
    try await session.run("CREATE INDEX FOR ()-[r:LIKES]-() ON (r.x)")
    #expect(try await session.run("MATCH ()-[r:LIKES {x: 1}]->() RETURN r").rows.count == 1)
    #expect(try await store.gql("MATCH (:people)-[r]->() RETURN r").rows.isEmpty)
    try await store.gql("DROP GRAPH /g")
    #expect(!(try await store.schema().sorted.contains { $0.name.contains("_r_") }))
    try await store.close()
  }

  @Test("two replicas that MERGE a relationship at a typed node apart have it once afterwards")
  func merge() async throws {
    let (a, b) = (try await typed(), try await typed())
    let text = """
      MERGE (p:people {id: 'p'}) MERGE (t:Topic {name: 'Tea'}) MERGE (p)-[r:LIKES {x: 1}]->(t)
      """
    try await a.gql("\(text) SET r.left = 1")
    try await b.gql("\(text) SET r.right = 2")
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      let all = "MATCH (p)-[r]->(t) RETURN p.id, r.left, r.right, t.name"
      #expect(rows(try await store.gql(all)) == ["'p' | 1 | 2 | 'Tea'"])
    }
    #expect(try await a.digest().digest == b.digest().digest)
    try await a.close()
    try await b.close()
  }

  @Test("a type is told from the mark of its ends, however it is named")
  func names() throws {
    let graph = GraphCollections.main
    let types = [
      "T", "LIKES", "likes", "a_2", "_2", "a_2000000000000", "A_2000000000000", "", "é", "__", "x_",
    ]
    var seen: Set<String> = []
    for type in types {
      for ends in [(graph.nodes, graph.nodes), ("people", graph.nodes), (graph.nodes, "people")] {
        let name = try graph.relationships(type, from: ends.0, to: ends.1)
        #expect(graph.type(of: name)?.isSame(as: type) == true, "\(name)")
        #expect(seen.insert(name).inserted && GraphCollections.owns(name), "\(name)")
      }
    }
    #expect(throws: GQLError.self) {
      try graph.relationships(String(repeating: "x", count: 50), from: "people", to: "people")
    }
  }

  // MARK: - Promotion

  private static let cities = """
    CREATE (a:Person {name: 'Ann', age: 30}), (b:Person {name: 'Bob', age: 1.5}),
      (o:City {name: 'Oslo'}), (a)-[:KNOWS {since: 1}]->(b), (a)-[:KNOWS]->(b), (a)-[:KNOWS]->(a),
      (a)-[:IN]->(o), (o)-[:IN]->(b)
    """

  @Test("a label becomes a collection with a field for each property, and is undone and redone")
  func inferred() async throws {
    let store = try await Store.inMemory()
    try await store.gql(Self.cities)
    let all = "MATCH (n)-[r]->(m) RETURN id(n), n.name, n.age + 0.0, type(r), r.since, id(m), id(r)"
    let before = rows(try await store.gql(all))
    let result = try await store.gql("CALL store.promote('Person', 'people')")
    #expect(result.columns == ["nodes", "relationships"] && result.rows == [[2, 5]])
    #expect(rows(try await store.gql(all)) == before)
    #expect(
      rows(try await store.gql("MATCH (p:people) RETURN p.name, p.age, labels(p)")) == [
        "'Ann' | 30.0 | ['people']", "'Bob' | 1.5 | ['people']",
      ])
    #expect(try await store.gql("MATCH (p:Person) RETURN p").rows.isEmpty)
    let schema = try await store.schema()
    #expect(schema["people"]?[field: "age"]?.type == .real)
    #expect(schema["people"]?[field: "name"]?.type == .text)
    let event = try #require(result.event)
    let undo = try #require(try await store.undo(event))
    #expect(rows(try await store.gql(all)) == before)
    #expect(try await store.gql("MATCH (p:Person) RETURN p").rows.count == 2)
    try await store.undo(undo)
    #expect(rows(try await store.gql(all)) == before)
    #expect(try await store.gql("MATCH (p:people) RETURN p").rows.count == 2)
    try await store.close()
  }

  @Test("a declared collection takes nodes, and a declared relationship collection their types")
  func declared() async throws {
    let store = try await typed()
    try await store.gql(
      """
      CREATE (a:Person {id: 'a', name: 'Ann'}), (b:Person {name: 'Bob', age: 7}), (t:Topic),
        (a)-[:follows {since: 1}]->(b), (a)-[:LIKES]->(t)
      """)
    try await defineFollows(store)
    let moved = try await store.gql(
      "CALL store.promote('Person', 'people') YIELD nodes RETURN nodes + 1 AS more")
    #expect(moved.rows == [[3]] && moved.counts.relationshipsDeleted == 2)
    #expect(try await store.fetch("people", "a")?["name"] == .text("Ann"))
    #expect(
      rows(try await store.gql("MATCH (a:people)-[r]->(b) RETURN a.id, type(r), b.age, r.since"))
        == ["'a' | 'LIKES' | null | null", "'a' | 'follows' | 7 | 1"])
    let follows = try await store.gql("MATCH ()-[r:follows]->() RETURN elementId(r) AS id")
    #expect(rows(follows).allSatisfy { $0.hasPrefix("'follows") })
    // What comes later is moved by the next call, and what is typed already stays.
    try await store.gql("CREATE (:Person {id: 'c'})")
    #expect(try await store.gql("CALL store.promote('Person', 'people')").rows == [[1, 0]])
    #expect(try await store.gql("CALL store.promote('Person', 'people')").rows == [[0, 0]])
    #expect(try await store.gql("MATCH (p:people) RETURN p").rows.count == 3)
    try await store.close()
  }

  @Test("what a collection cannot hold is an error that names the node, and nothing is moved")
  func refusals() async throws {
    let store = try await typed()
    let cases = [
      ("CREATE (:X:Other)", "also has the labels Other"), ("CREATE (:X {age: 'old'})", "the node "),
      ("CREATE (:X {nickname: 'A'})", "no field “nickname”"), ("CREATE (:X {id: 7})", "STRING"),
      ("CREATE (:X {age: 1}), (:X {id: 'a', age: 1}), (:X {id: 'a'})", "“a”"),
    ]
    try await store.gql("CREATE (:F)-[:follows {since: 'x'}]->(:F)")
    try await defineFollows(store)
    let unfit = await #expect(throws: GQLError.self) {
      try await store.gql("CALL store.promote('F', 'people')")
    }
    #expect(unfit?.message.hasPrefix("the relationship ") == true, "\(unfit as Any)")
    for (text, part) in cases {
      try await store.gql(text)
      let before = try await store.digest().digest
      let error = await #expect(throws: (any Error).self, "\(text)") {
        try await store.gql("CALL store.promote('X', 'people')")
      }
      #expect("\(error as Any)".contains(part), "\(text): \(error as Any)")
      #expect(try await store.digest().digest == before, "\(text)")
      try await store.gql("MATCH (n:X) DETACH DELETE n")
    }
    for (value, name) in [
      ("date('2026-01-01')", "DATE"), ("datetime('2026-01-01T00:00:00.000000001Z')", "cannot hold"),
      ("datetime('2026-01-01T00:00:00+02:00')", "cannot hold"),
    ] {
      try await store.gql("CREATE (:Y {at: \(value)})")
      let error = await #expect(throws: GQLError.self, "\(value)") {
        try await store.gql("CALL store.promote('Y', 'moments')")
      }
      #expect(error?.description.contains(name) == true && error?.hint != nil, "\(error as Any)")
      #expect(try await store.schema()["moments"] == nil)
      try await store.gql("MATCH (n:Y) DETACH DELETE n")
    }
    try await store.gql("CREATE (:Z {big: 9007199254740993}), (:Z {big: 0.5})")
    await #expect(throws: GQLError.self) { try await store.gql("CALL store.promote('Z', 'zs')") }
    for (text, part) in [
      ("CREATE (:V {Name: 1, name: 2})", "by case only"),
      ("CREATE (:V {`my prop`: 1})", "`my prop`"),
      ("CREATE (:V {at: time('10:00')})", "toString(n.at)"),
    ] {
      try await store.gql(text)
      let error = await #expect(throws: GQLError.self, "\(text)") {
        try await store.gql("CALL store.promote('V', 'vs')")
      }
      #expect(error?.description.contains(part) == true, "\(error as Any)")
      try await store.gql("MATCH (n:V) DETACH DELETE n")
    }
    for target in ["follows", "graph_nodes", "graph_r_x", "gql_catalog", ""] {
      await #expect(throws: (any Error).self, "\(target)") {
        try await store.gql(
          "CALL store.promote($label, $to)", ["label": "Z", "to": .string(target)])
      }
    }
    let nothing = try await store.gql("CALL store.promote('Nothing', 'things')")
    #expect(nothing.rows == [[0, 0]] && nothing.notes.count == 1)
    #expect(try await store.schema()["things"] == nil)
    try await store.close()
  }

  @Test("what would be attached to another entity, or bring back a dropped one, is an error")
  func mistaken() async throws {
    let store = try await Store.inMemory()
    try await store.gql("CREATE (:X {id: 'a'})-[:likes]->(:X {id: 'b'})")
    try await store.write { tx in
      try tx.define(Definition("firms", [.text("name")]))
      try tx.define(Definition("old", [.text("name")]))
      try tx.define(Definition("likes").relationship())
      try tx.insert("firms", "a")
      try tx.insert("old", "z")
    }
    try await store.write { tx in try tx.drop(collection: "old") }
    let before = try await store.digest().digest
    for (target, part) in [("people", "which collections its ends are in"), ("old", "“old”")] {
      let error = await #expect(throws: GQLError.self, "\(target)") {
        try await store.gql("CALL store.promote('X', $to)", ["to": .string(target)])
      }
      #expect(error?.description.contains(part) == true, "\(error as Any)")
      #expect(try await store.digest().digest == before)
    }
    let subquery = await #expect(throws: GQLError.self) {
      try await store.gql(
        """
        CREATE (x:T) WITH x WHERE EXISTS { CALL store.promote('X', 'xs') YIELD nodes RETURN nodes }
        RETURN x
        """)
    }
    #expect(subquery?.detail == "InvalidClauseComposition")
    try await store.close()
  }

  @Test("a session that only reads refuses it, and so does the past")
  func readOnly() async throws {
    let store = try await Store.inMemory()
    try await store.gql(Self.cities)
    var options = GQLSession.Options()
    options.isReadOnly = true
    let call = "CALL store.promote('Person', 'people')"
    for (session, text) in [
      (GQLSession(store, options: options), call),
      (GQLSession(store), "AT TIME 0 \(call) YIELD nodes RETURN nodes"),
    ] {
      let error = await #expect(throws: GQLError.self) { try await session.run(text) }
      #expect(error?.code == .readOnly, "\(error as Any)")
    }
    #expect(try await store.gql("MATCH (p:Person) RETURN p").rows.count == 2)
    try await store.close()
  }

  @Test("what was written meanwhile, without knowing of it, is a conflict and loses nothing else")
  func apart() async throws {
    let (a, b) = (try await Store.inMemory(), try await Store.inMemory())
    try await a.gql(Self.cities)
    try await b.syncOnce(with: StorePeer(a))
    try await a.gql("CALL store.promote('Person', 'people')")
    try await b.gql("MATCH (p:Person {name: 'Bob'}) SET p.age = 9")
    try await b.gql("MATCH (c:City) SET c.size = 1 CREATE (:Person {name: 'Cid'})-[:IN]->(c)")
    try await b.syncOnce(with: StorePeer(a))
    for store in [a, b] {
      #expect(try await store.gql("CALL store.promote('Person', 'people')").rows.count == 1)
      let all = "MATCH (p:people)-[:IN]->(c:City {size: 1}) RETURN p.name"
      #expect(rows(try await store.gql(all)) == ["'Ann'", "'Cid'"])
      try await b.syncOnce(with: StorePeer(a))
    }
    #expect(try await a.digest().digest == b.digest().digest)
    #expect(try await a.conflicts().contains { $0.collection == "graph_nodes" })
    try await a.close()
    try await b.close()
  }

  @Test("queries find in promoted graphs what trying everything finds")
  func random() async throws {
    for seed in 0..<UInt64(NaiveTests.runs / 10) {
      var random = SplitMix64(seed: 4_000_000 + seed)
      let graph = ListedGraph()
      let store = try await Store.inMemory()
      var statements = RandomScope.graph(&random)
      let single = "REMOVE n:B, n:`Big One`"
      statements += ["MATCH (n:A) \(single)", "MATCH (n:B) REMOVE n:`Big One`"]
      for text in statements {
        try graph.run(text)
        try await store.gql(text)
      }
      for label in RandomScope.labels.prefix(Int.random(in: 1...2, using: &random)) {
        try await store.gql("CALL store.promote('\(label)', '\(label)')")
      }
      for _ in 0..<6 {
        let query = RandomQuery(&random)
        let have = NaiveTests.shown(try await store.gql(query.text).rows)
        #expect(have == NaiveTests.expected(query, graph), "seed \(seed): \(query.text)")
      }
      try await store.close()
    }
  }
}
