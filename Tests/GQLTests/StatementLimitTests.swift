import Daybook
import Testing

@testable import DaybookGQL

/// What a statement may use up, and what a value may hold.
@Suite struct StatementLimitTests {
  /// Runs a statement on an empty graph, and returns the error with which it ends.
  private static func error(_ text: String, _ budget: GQLBudget = GQLBudget()) async throws
    -> GQLError?
  {
    let store = try await Store.inMemory()
    var options = GQLSession.Options()
    options.budget = budget
    let session = GQLSession(store, options: options)
    var found: GQLError?
    do { try await session.run(text) } catch let error as GQLError { found = error }
    #expect(try await store.gql("MATCH (n) RETURN count(n)").rows == [[0]])
    try await store.close()
    return found
  }

  @Test(
    "a value that is nested too deep is an error, and nothing is written",
    arguments: [
      "RETURN reduce(t = [1], x IN range(1, 200000) | [t]) AS x",
      "RETURN reduce(t = [1], x IN range(1, 200000) | {k: t}) AS x",
      "RETURN reduce(t = [1], x IN range(1, 200000) | [y IN [1] | t]) AS x",
      "RETURN reduce(t = [1], x IN range(1, 200000) | [[]] + [t]) AS x",
      "CREATE (n:Deep {x: reduce(t = [1], x IN range(1, 90) | [t])})",
      "CREATE (:Boom) RETURN reduce(t = [1], x IN range(1, 200000) | [t])",
      "RETURN reduce(t = [1], x IN range(1, 99) | [t]) = reduce(t = [1], x IN range(1, 99) | [t])",
    ])
  func depth(text: String) async throws {
    let error = try await Self.error(text)
    #expect(error?.detail == "NestingTooDeep" && error?.hint != nil, "\(String(describing: error))")
  }

  @Test("a value as deep as is allowed is kept, and read again")
  func deepest() async throws {
    let store = try await Store.inMemory()
    let depth = GQLValue.depthMax
    let text =
      String(repeating: "[", count: depth) + "date('2020-02-02')"
      + String(repeating: "]", count: depth)
    let made = try await store.gql("CREATE (n:Deep {x: \(text)}) RETURN n.x AS x").rows
    let read = try await store.gql("MATCH (n:Deep) RETURN n.x AS x").rows
    #expect(made == read && "\(read[0][0])".hasPrefix("[[["))
    await #expect(throws: GQLError.self) { try await store.gql("RETURN [\(text)] AS x") }
    var nested = GQLValue.list([1])
    for _ in 1..<2_000 { nested = .list([nested]) }
    let deep = nested
    let error = await #expect(throws: GQLError.self) {
      try await store.gql("CREATE (:A {x: $x})", ["x": deep])
    }
    #expect(error?.detail == "NestingTooDeep")
    try await store.close()
  }

  @Test(
    "what an expression makes has a budget of memory",
    arguments: [
      "RETURN size(reduce(t = 'aaaaaaaaaaaaaaaa', x IN range(1, 40) | t + t)) AS n",
      "RETURN size(reduce(t = ['a'], x IN range(1, 40) | t + t)) AS n",
      "RETURN size(reduce(t = ['a'], x IN range(1, 40) | t || t)) AS n",
      "RETURN reduce(t = [1], x IN range(1, 30) | [t, t]) AS n",
      "RETURN reduce(t = {k: 1}, x IN range(1, 30) | {k: t, l: t}) AS n",
      "RETURN reduce(t = [1], x IN range(1, 30) | [y IN [1, 2] | t]) AS n",
      "WITH reduce(t = 'ab', x IN range(1, 20) | t + t) AS t RETURN size(replace(t, 'a', t)) AS n",
      "CREATE (:Boom) RETURN size(reduce(t = 'aaaaaaaaaaaaaaaa', x IN range(1, 40) | t + t))",
    ])
  func memory(text: String) async throws {
    let error = try await Self.error(text, GQLBudget(bytes: 1 << 24))
    #expect(error?.code == .budget && error?.hint != nil, "\(String(describing: error))")
  }

  @Test("a list that grows by one element is made without looking at all of it each time")
  func growing() async throws {
    let store = try await Store.inMemory()
    let rows = try await store.gql(
      "RETURN size(reduce(t = [], x IN range(1, 5000) | t + [{k: x}])) AS n"
    ).rows
    #expect(rows == [[5000]])
    try await store.close()
  }

  @Test(
    "unbounded paths and products end by the steps of the budget",
    arguments: [
      "UNWIND range(1, 10) AS a MATCH (x), (y), (z), (u) RETURN count(*)",
      "MATCH (a)-[*]->(b) RETURN count(*)", "MATCH (a)((x)-[r]->(y))+(b) RETURN count(*)",
      "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN count(*)",
    ])
  func steps(text: String) async throws {
    let store = try await Store.inMemory()
    try await store.gql("UNWIND range(1, 14) AS i CREATE (:N {i: i})")
    try await store.gql("MATCH (a:N), (b:N) WHERE a.i < b.i CREATE (a)-[:R]->(b), (b)-[:R]->(a)")
    var options = GQLSession.Options()
    options.budget = GQLBudget(steps: 200_000)
    let session = GQLSession(store, options: options)
    let error = await #expect(throws: GQLError.self) { try await session.run(text) }
    #expect(error?.code == .budget && error?.message.contains("steps") == true, "\(error!)")
    #expect(GQLBudget().steps < .max)
    try await store.close()
  }

  @Test("long statements are planned and run, and longer ones are refused with the place")
  func long() async throws {
    let store = try await Store.inMemory()
    let names = (0..<900).map { "(n\($0))" }.joined(separator: ", ")
    #expect(try await store.gql("MATCH \(names) RETURN count(*) AS n").rows == [[0]])
    let more = (0..<1_100).map { "(n\($0))" }.joined(separator: ", ")
    let error = await #expect(throws: GQLError.self) { try await store.gql("MATCH \(more) FINISH") }
    #expect(error?.detail == "TooManyClauses" && error?.position != nil)
    let columns = (0..<20_000).map { "\($0) AS c\($0)" }.joined(separator: ", ")
    #expect(try await store.gql("RETURN \(columns)").rows[0].count == 20_000)
    let keys = (0..<5_000).map { "k\($0): \($0)" }.joined(separator: ", ")
    #expect(try await store.gql("MATCH (n {\(keys)}) RETURN n").rows.isEmpty)
    let list = "RETURN size([" + String(repeating: "'abcdefgh', ", count: 900_000) + "1]) AS n"
    #expect(try await store.gql(list).rows == [[900_001]])
    try await store.close()
  }

  @Test("a typed timestamp takes what it can hold, and refuses the rest")
  func timestamps() async throws {
    let store = try await Store.inMemory()
    try await store.write {
      try $0.define(Definition("notes", [.text("title"), .timestamp("at")]))
    }
    for text in [
      "MERGE (n:notes {at: datetime('2021-01-01T00:00:00.5555555Z')})",
      "CREATE (:notes {at: datetime('2021-01-01T00:00:00.000000001Z')})",
      "CREATE (:notes {at: datetime('+999999999-01-01T00:00:00Z')})",
      "CREATE (:notes {at: datetime('-999999999-01-01T00:00:00Z')})",
    ] {
      let error = await #expect(throws: GQLError.self, "\(text)") { try await store.gql(text) }
      #expect(error?.detail == "InvalidPropertyType", "\(error!)")
    }
    try await store.gql("CREATE (:notes {title: 'now', at: datetime()})")
    let kept = try await store.gql(
      """
      CREATE (n:notes {title: 'then', at: datetime('2021-01-01T02:00:00.123+02:00')})
      RETURN n.at = datetime('2021-01-01T00:00:00.123Z') AS same
      """)
    #expect(kept.rows == [[true]])
    for _ in 0..<2 { try await store.gql("MERGE (n:notes {at: datetime('2022-01-01T00:00:00Z')})") }
    #expect(try await store.gql("MATCH (n:notes) RETURN count(n)").rows == [[3]])
    try await store.close()
  }

  @Test("an index that is not there cannot be dropped, unless that may be")
  func noIndex() async throws {
    let store = try await Store.inMemory()
    try await store.gql("CREATE (:A {x: 1})")
    let count = try await store.gql("MATCH (n) RETURN count(n)").rows
    let error = await #expect(throws: GQLError.self) {
      try await store.gql("DROP INDEX FOR (n:A) ON (n.y)")
    }
    #expect(error?.code == .notFound && error?.position != nil)
    #expect(try await store.gql("DROP INDEX IF EXISTS FOR (n:A) ON (n.y)").event == nil)
    try await store.gql("CREATE INDEX FOR (n:A) ON (n.x)")
    #expect(try await store.gql("DROP INDEX FOR (n:A) ON (n.x)").event != nil)
    #expect(try await store.gql("MATCH (n) RETURN count(n)").rows == count)
    try await store.close()
  }

  @Test("statements that have no plan or no past are refused by what they are")
  func wrongPlaces() async throws {
    let store = try await Store.inMemory()
    for (text, code) in [
      ("AT TIME datetime() CREATE GRAPH g", GQLError.Code.readOnly),
      ("EXPLAIN CREATE GRAPH g", .unsupported),
      ("EXPLAIN DROP INDEX FOR (n:A) ON (n.x)", .unsupported),
    ] {
      let error = await #expect(throws: GQLError.self) { try await store.gql(text) }
      #expect(error?.code == code && error?.position != nil, "\(text): \(error!)")
    }
    let session = GQLSession(store)
    try await session.run("SESSION RESET ALL CHARACTERISTICS")
    let same = try await session.run("MATCH DIFFERENT EDGES (a)-->(b), DIFFERENT = (c) RETURN a")
    #expect(same.rows.isEmpty)
    try await store.close()
  }
}
