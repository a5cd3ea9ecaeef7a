import Daybook
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookGQL

/// Random queries on random graphs, compared with an evaluator that tries everything.
@Suite struct NaiveTests {
  /// `DAYBOOK_GQL_RUNS` sets how many graphs are tried.
  private static let runs =
    ProcessInfo.processInfo.environment["DAYBOOK_GQL_RUNS"].flatMap(Int.init) ?? 400

  private static func expected(_ query: RandomQuery, _ graph: ListedGraph) -> [String] {
    NaiveEvaluator(graph: graph).matches(
      query.patterns, query.condition, variables: query.variables
    ).map { nodes in
      nodes.map { "\($0.properties[key: "n"] ?? .null)" }.joined(separator: ",")
    }.sorted()
  }

  private static func shown(_ rows: [[GQLValue]]) -> [String] {
    rows.map { $0.map(\.description).joined(separator: ",") }.sorted()
  }

  @Test("a plan finds what trying everything finds")
  func plans() throws {
    for seed in 0..<UInt64(Self.runs) {
      var random = SplitMix64(seed: seed)
      let graph = ListedGraph()
      for text in RandomQuery.graph(&random) { try graph.run(text) }
      for _ in 0..<8 {
        let query = RandomQuery(&random)
        let have = Self.shown(try graph.run(query.text).rows)
        #expect(have == Self.expected(query, graph), "seed \(seed): \(query.text)")
      }
    }
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
      for text in RandomQuery.graph(&random) {
        try graph.run(text)
        try await store.gql(text)
      }
      for _ in 0..<8 {
        let query = RandomQuery(&random)
        let have = Self.shown(try await store.gql(query.text).rows)
        #expect(have == Self.expected(query, graph), "seed \(seed): \(query.text)")
      }
    }
    try await store.close()
  }
}
