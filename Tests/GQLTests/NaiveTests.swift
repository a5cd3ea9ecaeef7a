import Daybook
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookGQL

/// Random queries on random graphs, compared with an evaluator that tries everything.
@Suite struct NaiveTests {
  /// `DAYBOOK_GQL_RUNS` sets how many graphs are tried.
  static let runs =
    ProcessInfo.processInfo.environment["DAYBOOK_GQL_RUNS"].flatMap(Int.init) ?? 400

  static func expected(_ query: RandomQuery, _ graph: ListedGraph) -> [String] {
    query.matches(in: graph).map { nodes in
      nodes.map { "\($0.properties[key: "n"] ?? .null)" }.joined(separator: ",")
    }.sorted()
  }

  static func shown(_ rows: [[GQLValue]]) -> [String] {
    rows.map { $0.map(\.description).joined(separator: ",") }.sorted()
  }

  static func shown(_ rows: [[GQLValue]], of query: RandomClauses) -> [String] {
    let shown = rows.map { $0.map(\.description).joined(separator: ",") }
    return query.page == nil ? shown.sorted() : shown
  }

  /// Some of the planner's rules.
  static func rules(_ random: inout SplitMix64) -> PlanRules {
    PlanRules(rawValue: random.below(PlanRules.all.rawValue + 1))
  }

  @Test("a plan finds what trying everything finds, by all rules and by any of them")
  func plans() throws {
    for seed in 0..<UInt64(Self.runs) {
      var random = SplitMix64(seed: seed)
      var other = SplitMix64(seed: ~seed)
      let graph = ListedGraph()
      for text in RandomScope.graph(&random) { try graph.run(text) }
      for number in 0..<8 {
        let query = RandomQuery(&random)
        let rules = number % 2 == 0 ? .all : Self.rules(&other)
        let have = Self.shown(try graph.run(query.text, rules: rules).rows)
        #expect(have == Self.expected(query, graph), "seed \(seed), \(rules): \(query.text)")
      }
    }
  }

  @Test("a plan of several clauses returns what each clause means, by all rules and by any of them")
  func clauses() throws {
    var tried = 0
    for seed in 0..<UInt64(Self.runs) {
      var random = SplitMix64(seed: 2_000_000 + seed)
      var other = SplitMix64(seed: ~seed)
      let graph = ListedGraph()
      for text in RandomScope.graph(&random) { try graph.run(text) }
      for number in 0..<8 {
        let query = RandomClauses(&random)
        let rules = number % 2 == 0 ? .all : Self.rules(&other)
        guard let expected = NaiveEvaluator(graph: graph).rows(query) else { continue }
        tried += 1
        let have = Self.shown(try graph.run(query.text, rules: rules).rows, of: query)
        #expect(have == expected, "seed \(seed), \(rules): \(query.text)")
      }
    }
    #expect(tried > Self.runs * 4)
  }

  @Test("each rule changes the plan of some query, and none its rows")
  func eachRule() async throws {
    let store = try await Store.inMemory()
    try await store.gql(
      """
      UNWIND range(1, 9) AS i
      CREATE (:A {x: i})-[:R {y: i}]->(:B {x: i % 3, y: -i})-[:S]->(:C {z: i})
      """)
    let queries = [
      "MATCH (a)-[r:R]->(b:B {x: 1}) WHERE a.x > 2 RETURN a.x, b.y ORDER BY a.x",
      "MATCH (:A {x: 1})-[r]->() WITH r MATCH (a)-[r]->(b) RETURN a.x, b.x",
      "MATCH (:A {x: 1})-[r:R]->(b) WITH r, b MATCH (b)-[r]-(a) RETURN a.x, b.y",
      "MATCH (a:A {x: 1})-[:R]->(b)-[:S]->(c) RETURN a.x, c.z",
      "MATCH (a:A {x: 4}), (b:B {y: -4}) WHERE a.x = -b.y RETURN a.x, b.y",
    ]
    func run(_ text: String, _ rules: PlanRules) async throws -> [[GQLValue]] {
      let plans = PlanCache(procedures: [], rules: rules)
      return try await GQLSession(store, .init(), plans: plans).run(text).rows
    }
    var differ: PlanRules = []
    for text in queries {
      let (rows, plan) = (
        try await run(text, .all), try await run("EXPLAIN " + text, .all)
      )
      #expect(!rows.isEmpty, "\(text)")
      for bit in 0..<PlanRules.all.rawValue.nonzeroBitCount {
        let rule = PlanRules(rawValue: 1 << bit)
        #expect(try await run(text, .all.subtracting(rule)) == rows, "\(text) without \(rule)")
        #expect(try await run(text, rule) == rows, "\(text) by \(rule)")
        if try await run("EXPLAIN " + text, .all.subtracting(rule)) != plan {
          differ.formUnion(rule)
        }
      }
      #expect(try await run(text, []) == rows, "\(text) by no rule")
    }
    // Two are for writing, and what is kept of look-ups is not in the plan.
    #expect(differ == .all.subtracting([.whole, .stream, .recall]))
    try await store.close()
  }

  @Test("a pattern within a loop over the same pattern finds what it finds by itself")
  func nested() async throws {
    let store = try await Store.inMemory()
    let graph = ListedGraph()
    for text in [
      "UNWIND range(0, 9) AS i CREATE (:A {n: i})",
      """
      MATCH (a:A), (b:A) WHERE b.n = (a.n * 3 + 1) % 10 OR b.n = a.n + 2 AND a.n % 2 = 0
      CREATE (a)-[:R]->(b)
      """,
    ] {
      try await store.gql(text)
      try graph.run(text)
    }
    for text in [
      """
      MATCH (a)-[:R]->(b) WHERE EXISTS { (b)-[:R]->(c) WHERE EXISTS { (c)-[:R]->(a) } }
      RETURN a.n
      """,
      "MATCH (a)-[:R]->(b)-[:R]->(c) RETURN a.n, size([(c)-[:R]->()-[:R]->(e) | e]) AS size",
      "MATCH (a)-[:R]->(b) MATCH (b)-[:R]->(c) MATCH (c)-[:R]->(d) RETURN a.n, d.n",
      "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(a) RETURN a.n, b.n, c.n",
    ] {
      let rows = Self.shown(try await store.gql(text).rows)
      #expect(rows == Self.shown(try graph.run(text).rows) && !rows.isEmpty, "\(text)")
    }
    try await store.close()
  }

  @Test("a store finds what trying everything finds")
  func store() async throws {
    let place = try GraphPlace()
    defer { place.remove() }
    let store = try await place.store("a")
    for seed in 0..<UInt64(Self.runs / 20) {
      var random = SplitMix64(seed: 1_000_000 + seed)
      let graph = ListedGraph()
      try await store.gql("MATCH (n) DETACH DELETE n")
      for text in RandomScope.graph(&random) {
        try graph.run(text)
        try await store.gql(text)
      }
      var other = SplitMix64(seed: ~seed)
      let plans = PlanCache(procedures: [], rules: Self.rules(&other))
      let session = GQLSession(store, .init(), plans: plans)
      for number in 0..<16 {
        let query = RandomQuery(&random)
        let have = Self.shown(
          try await number % 2 == 0 ? store.gql(query.text).rows : session.run(query.text).rows)
        #expect(have == Self.expected(query, graph), "seed \(seed): \(query.text)")
      }
      for number in 0..<16 {
        let query = RandomClauses(&random)
        guard let expected = NaiveEvaluator(graph: graph).rows(query) else { continue }
        let rows =
          try await number % 2 == 0 ? store.gql(query.text).rows : session.run(query.text).rows
        #expect(Self.shown(rows, of: query) == expected, "seed \(seed): \(query.text)")
      }
    }
    try await store.close()
  }
}
