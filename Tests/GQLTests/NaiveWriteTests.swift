import Daybook
import DaybookSimulation
import Foundation
import Testing

@testable import DaybookGQL

/// Random statements that write, compared with changes to a list that are made match by match; and
/// queries of the same graph with indexes, without them, and in the past.
@Suite struct NaiveWriteTests {
  /// `DAYBOOK_GQL_RUNS` sets how many graphs are tried.
  private static let runs =
    ProcessInfo.processInfo.environment["DAYBOOK_GQL_RUNS"].flatMap(Int.init) ?? 200

  private static func contents(_ graph: ListedGraph) throws -> [String] {
    RandomWrite.shown(try RandomWrite.everything.map { try graph.run($0).rows })
  }

  private static func contents(_ store: Store) async throws -> [String] {
    var results: [[[GQLValue]]] = []
    for text in RandomWrite.everything { results.append(try await store.gql(text).rows) }
    return RandomWrite.shown(results)
  }

  @Test("a statement leaves what its matches leave one by one")
  func plans() throws {
    for seed in 0..<UInt64(Self.runs) {
      var random = SplitMix64(seed: 2_000_000 + seed)
      let (graph, expected) = (ListedGraph(), ListedGraph())
      for text in RandomScope.graph(&random) {
        try graph.run(text)
        try expected.run(text)
      }
      var other = SplitMix64(seed: ~seed)
      for number in 0..<6 {
        let write = RandomWrite(&random)
        if write.isTooMuch(for: expected) { continue }
        let rules = number % 2 == 0 ? .all : NaiveTests.rules(&other)
        try graph.run(write.text, rules: rules)
        write.apply(to: expected)
        let have = try Self.contents(graph)
        let wanted = try Self.contents(expected)
        #expect(have == wanted, "seed \(seed), \(rules): \(write.text)")
        guard have == wanted else { break }
      }
    }
  }

  @Test("a store is left with the same, is undone and redone, and its past stays as it was")
  func store() async throws {
    let store = try await Store.inMemory()
    for seed in 0..<UInt64(max(Self.runs / 20, 4)) {
      var random = SplitMix64(seed: 3_000_000 + seed)
      let expected = ListedGraph()
      try await store.gql("MATCH (n) DETACH DELETE n")
      for text in RandomScope.graph(&random) {
        try expected.run(text)
        try await store.gql(text)
      }
      for number in 0..<4 {
        let write = RandomWrite(&random)
        if write.isTooMuch(for: expected) { continue }
        let before = try await Self.contents(store)
        let event = try await store.gql(write.text).event
        write.apply(to: expected)
        let after = try Self.contents(expected)
        #expect(try await Self.contents(store) == after, "seed \(seed): \(write.text)")
        guard let event else { continue }
        try await store.undo(event)
        #expect(try await Self.contents(store) == before, "seed \(seed): \(write.text) undone")
        try await store.redo(event)
        #expect(try await Self.contents(store) == after, "seed \(seed): \(write.text) redone")
        guard number == 0 else { continue }
        var options = GQLSession.Options()
        options.position = .event(event)
        let past = GQLSession(store, options: options)
        var results: [[[GQLValue]]] = []
        for text in RandomWrite.everything { results.append(try await past.run(text).rows) }
        #expect(RandomWrite.shown(results) == after, "seed \(seed): \(write.text) in the past")
      }
    }
    try await store.close()
  }

  @Test("an index changes no answer")
  func indexes() async throws {
    let store = try await Store.inMemory()
    for seed in 0..<UInt64(max(Self.runs / 20, 4)) {
      var random = SplitMix64(seed: 4_000_000 + seed)
      try await store.gql("MATCH (n) DETACH DELETE n")
      for text in RandomScope.graph(&random) { try await store.gql(text) }
      let queries = (0..<12).map { number in
        number % 2 == 0 ? RandomQuery(&random).text : RandomClauses(&random).text
      }
      var plain: [[String]] = []
      for text in queries { plain.append(RandomWrite.shown([try await store.gql(text).rows])) }
      for property in RandomScope.properties {
        try await store.gql("CREATE INDEX FOR (n:A) ON (n.\(property))")
      }
      for (text, before) in zip(queries, plain) {
        let rows = try await store.gql(text).rows
        #expect(RandomWrite.shown([rows]) == before, "seed \(seed): \(text)")
      }
      for property in RandomScope.properties {
        try await store.gql("DROP INDEX FOR (n:A) ON (n.\(property))")
      }
    }
    try await store.close()
  }
}
