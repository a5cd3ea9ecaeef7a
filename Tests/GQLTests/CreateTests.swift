import Daybook
import DaybookEventCore
import Testing

@testable import DaybookGQL

/// `CREATE`, alone and with a `SET` behind it, by the planner's rules and without them.
@Suite struct CreateTests {
  /// What a store has after a statement, and what the statement said.
  private static func outcome(_ text: String, _ rules: PlanRules) async throws -> [String] {
    let store = try await Store.inMemory()
    try await store.write { transaction in
      try transaction.define(Definition("people", [.text("name"), .integer("age")]))
      try transaction.define(Definition("tags", [.text("name").unique(), .integer("size")]))
    }
    try await store.gql("CREATE (:Old {a: 1, b: [2], n: 'é'})-[:R {since: 3}]->(:Old)")
    let session = GQLSession(store, .init(), plans: PlanCache(procedures: [], rules: rules))
    var lines: [String] = []
    do {
      let result = try await session.run(text, ["rows": [["a": 1, "b": .null], ["a": 2.5]]])
      lines.append("\(result.counts)")
      lines += result.rows.map { "\($0)" }
    } catch { lines.append("\(error)") }
    for all in [
      "MATCH (n) RETURN labels(n), properties(n), n.id IS NULL",
      "MATCH (n)-[r]->(m) RETURN properties(n), type(r), properties(r), properties(m)",
    ] {
      lines += try await store.gql(all).rows.map { "\($0)" }.sorted()
    }
    try await store.close()
    return lines
  }

  @Test(
    "a statement that creates leaves and says the same by each rule and by none",
    arguments: [
      "UNWIND $rows AS row CREATE (n:A) SET n = row",
      "UNWIND $rows AS row CREATE (n:A {c: 1}) SET n = row, n.d = row.a + 1, n += {c: null, d: 3}",
      "UNWIND $rows AS row CREATE (n:A {c: 1}) SET n += row, n.c = 1, n.e = null RETURN n, n.c",
      "CREATE (n:A)-[r:R {x: 1}]->(m:B) SET r.x = 2, r.y = [1], m.z = 1 RETURN r, m",
      "CREATE (n:A {a: 1}), (m:B) SET m.x = n.a, n.a = 2 RETURN m.x, n.a",
      "CREATE (n:A)-[r:R {x: 1}]->(m:B) SET m = r, n = r",
      "MATCH (o:Old)-[q]->() CREATE (n:A)-[r:T]->(o) SET n = o, r += q, n.k = size(keys(o))",
      "UNWIND [1, 2] AS i CREATE (n:A) SET n.count = COUNT { MATCH (:A) }, n.i = i",
      "CREATE p = (n:A)-[:R]->() SET n.length = length(p)",
      "CREATE (n:A) SET n:B, n.x = 1", "CREATE (n:A) SET n.x = 1, n:B, n.y = 2 RETURN labels(n)",
      "MATCH (o:Old {a: 1}) CREATE (n:A) SET o.a = 5, n.x = o.a, n.y = 1",
      "CREATE (n:A) SET n = null", "CREATE (n:A) SET n += null RETURN n", "CREATE (n) SET n = 1",
      "CREATE (n:A) SET n.x = {a: 1}", "CREATE (n:A) SET n.ok = 1, n = {x: [null]}",
      "CREATE (n:A) SET n.x = 1 / 0", "UNWIND [1, 0] AS i CREATE (n:A) SET n.x = 1 / i",
      "CREATE (n:people {id: 'p'}) SET n.name = 'Ann', n.age = 7 RETURN n",
      "CREATE (n:people) SET n = {id: 'x', name: 'Ann'}", "CREATE (n:people) SET n.other = 1",
      "CREATE (n:people:A) SET n.name = 'Ann'", "MERGE (n:A) SET n.x = 1 RETURN n",
      "CREATE (n:A) WITH n SET n.x = 1 RETURN n", "CREATE (n:A) DELETE n SET n.x = 1",
      "CREATE (n:A) SET n.x = 1 DELETE n RETURN 1 AS one",
      "FOREACH (i IN [1, 2] | CREATE (n:A) SET n.i = i)",
      "MATCH (a:Old), (b:Old) CREATE (a)-[s:S]->(b) SET s.x = a.n RETURN count(*), count(s.x)",
      "MATCH (a:Old) CREATE (:Old {of: a.a})", "MATCH (a), (b) CREATE (a)-[:R]->(:Old)-[:R]->(b)",
      "MATCH (a:Old)-[r]->(b) CREATE (a)-[:R]->(b), (b)-[:R]->(a)",
      "MATCH (a:Old) ((x)-[:R]->(y)){1,2} (b) CREATE (b)-[:R]->(a)",
      "UNWIND [1, 2] AS i CREATE (n:A {i: i}) WITH n MATCH (m:A) RETURN count(*), sum(m.i)",
      "MATCH (a:Old), (b:Old) WHERE NOT (a)-[:S]->(:Old) CREATE (a)-[:S]->(b)",
      "MATCH (a:Old), (b) WHERE COUNT { (b)-[]->() } < 2 CREATE (a)-[:S]->(b)",
      "CALL store.labels() YIELD label CREATE (:Twin {of: label})",
      "MATCH (a:Old) WITH a LIMIT 1 CREATE (a)-[:S]->(a) WITH a LIMIT 0 RETURN a",
      "MATCH (a:Old) CREATE (a)-[:S]->(a) UNION MATCH (a)-[:S]->(b) RETURN a",
      "OPTIONAL MATCH (a:None) CREATE (a)-[:S]->(a)",
      "MATCH (c:Old {a: 1}) UNWIND [1, 2, 3] AS i CREATE (n:N) SET n.no = c.a, c.a = c.a + 1",
      "MATCH (c:Old {a: 1}) UNWIND [1, 2] AS i CREATE (n:N) SET n.no = c.a SET c.a = c.a + 1",
      "CREATE (a:A {x: 1}), (b:B {y: a.x}) SET a.x = 5",
      "CREATE (a:A {x: 1})-[r:R {w: a.x}]->(b:B) SET a = {}, b.y = 1",
      "UNWIND [1, 2] AS i CREATE (a:A {x: 1, n: COUNT { MATCH (:A {x: 5}) }}) SET a.x = 5",
      "UNWIND [1, 2] AS i CREATE (n:people {id: 'p' + i, name: 'x'}) SET n.name = 'x' + i RETURN n",
      "UNWIND [1, 2] AS i CREATE (n:tags {id: 't' + i, name: 'x'}) SET n.name = 'x' + i",
      "UNWIND [1, 2] AS i CREATE (n:A)-[:R]->(t:tags {id: 't' + i}) SET n.i = i, t.size = i",
      "UNWIND [1, 2] AS i CREATE (n:A) SET n.i = i SET n.i = n.i + 1 RETURN n.i",
      "MATCH (o:Old) DETACH DELETE o CREATE (n:Old {a: 1}) SET n.b = 2",
      "MERGE (m:M {k: 1}) DELETE m MERGE (n:M {k: 1}) SET n.x = 1 RETURN n.x",
      "UNWIND [1, 2, 1, 2, 1] AS x MERGE (n:K {k: x}) ON MATCH SET n.n = coalesce(n.n, 0) + 1 "
        + "RETURN n.k, n.n",
      "UNWIND [1, 2, 1, 2] AS x MERGE (n:K {k: x}) ON CREATE SET n.k = 2 RETURN n.k",
      "UNWIND [1, 2, 1, 1] AS x MERGE (n:Old {a: x}) ON MATCH SET n.a = 9 RETURN n.a",
      "UNWIND [1, 2, 1, 1] AS x MATCH (a:Old {a: x}) CREATE (a)-[:S {x: x}]->(a)",
      "UNWIND [1, 1, 1] AS x MATCH (a:Old {a: x}) CREATE (a)-[:S]->(b:Old {a: x}) RETURN b.a",
      "UNWIND [1, 1, 1] AS x MATCH (a:Old {a: x}) SET a.a = a.a + 1 RETURN a",
      "UNWIND [1, 1, 1, 1] AS x OPTIONAL MATCH (a:Old {a: x}) DELETE a RETURN x",
      "FOREACH (x IN [1, 2, 1, 1, 9, 9] | MERGE (n:Old {a: x}) SET n.a = 9)",
      "UNWIND [1, 1, 1.0, '1', 1, null] AS x MATCH (a:Old {a: x}) RETURN x, a.n, a",
      "UNWIND ['t', 't', 't'] AS x MERGE (n:tags {name: x}) ON MATCH SET n.size = 1 RETURN n",
      "UNWIND [1, 1, 1] AS x MATCH p = (a:Old {a: x})-[r]->(b) CREATE q = (b)-[:S]->(a) "
        + "RETURN p, q, a, b",
      "MATCH (a:Old {a: 1})-[r]->(b) CREATE (b)-[s:S {of: a.n}]->(a) SET b.k = a.a RETURN r, s",
      "MATCH (a:Old {a: 1}) MATCH (b:Old {a: 1}) SET a.k = 1 CREATE (b)-[:S]->(a) RETURN b.k, b",
    ])
  func same(text: String) async throws {
    let plain = PlanRules.all.subtracting([.whole, .stream, .recall, .columns])
    let wanted = try await Self.outcome(text, plain)
    let others: [PlanRules] = [.whole, .stream, [.whole, .stream], [.values, .recall], .columns]
    for rules in [.all] + others {
      #expect(try await Self.outcome(text, rules) == wanted, "\(rules)")
    }
  }

  @Test("what is set of a new element is a part of the operation that makes it")
  func operations() async throws {
    let store = try await Store.inMemory()
    for (text, count) in [
      ("UNWIND range(1, 3) AS i CREATE (n:A) SET n = {i: i}, n.k = i", 3),
      ("CREATE (n:A)-[r:R]->(m) SET n.x = 1, r.x = 1, m.x = 1", 3),
      ("CREATE (n:A) SET n.x = COUNT { MATCH (:A) }", 2), ("CREATE (n:A), (m) SET n.x = id(m)", 3),
    ] {
      let event = try await store.gql(text).event
      var operations = 0
      for try await logged in store.events(EventQuery()) where logged.id == event {
        operations = logged.event.body?.operations.count ?? 0
      }
      #expect(operations == count, "\(text)")
    }
    try await store.close()
  }

  @Test("what takes the id of something that a cascade has deleted is changed by SET")
  func cascade() async throws {
    let store = try await Store.inMemory()
    try await store.write { transaction in
      try transaction.define(Definition("folders", [.text("name")]))
      try transaction.define(
        Definition(
          "notes", [.text("title"), .text("folder").references("folders").onDelete(.cascade)]))
    }
    try await store.gql(
      "CREATE (:folders {id: 'f'}), (:notes {id: 'n', title: 'old', folder: 'f'})")
    let rows = try await store.gql(
      """
      MATCH (f:folders {id: 'f'}), (n:notes {id: 'n'}) DELETE f
      CREATE (m:notes {id: 'n', title: 'new'}) SET n.title = 'old' RETURN n.title
      """
    ).rows
    #expect(rows == [["old"]])
    #expect(try await store.gql("MATCH (n:notes) RETURN n.title").rows == [["old"]])
    try await store.close()
  }
}
