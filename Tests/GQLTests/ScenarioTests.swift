import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// The scenarios of the language, on a list of nodes and on a store.
@Suite struct ScenarioTests {
  private static func shown(_ rows: [[GQLValue]], _ query: String) -> [String] {
    Scenario.shown(rows.map { $0.map(\.description).joined(separator: " | ") }, of: query)
  }

  private static func expected(_ rows: [String], _ query: String) -> [String] {
    Scenario.shown(rows, of: query)
  }

  private static func check(
    _ scenario: Scenario, _ run: (String) async throws -> [[GQLValue]]
  ) async throws {
    for text in scenario.graph.components(separatedBy: ";\n") where !text.isEmpty {
      _ = try await run(text)
    }
    switch scenario.outcome {
    case .rows(let rows):
      let have = shown(try await run(scenario.query), scenario.query)
      #expect(have == expected(rows, scenario.query), "\(scenario.query)")
    case .error(let detail):
      do {
        let have = shown(try await run(scenario.query), scenario.query)
        Issue.record("\(scenario.query) returned \(have)")
      } catch let error as GQLError {
        #expect(error.detail == detail, "\(scenario.query): \(error)")
      }
    }
    guard let after = scenario.after else { return }
    #expect(shown(try await run(after.query), after.query) == expected(after.rows, after.query))
  }

  @Test("a query returns what the scenario says on a list of nodes", arguments: Scenario.all)
  func list(scenario: Scenario) async throws {
    let graph = ListedGraph()
    try await Self.check(scenario) { try graph.run($0).rows }
  }

  @Test("a query returns what the scenario says on a store")
  func store() async throws {
    let place = try GraphPlace()
    defer { place.remove() }
    let store = try await place.store("a")
    let session = GQLSession(store)
    for (number, scenario) in Scenario.all.enumerated() {
      // A graph of its own for each that writes; the others share the empty main graph.
      let needsGraph =
        !scenario.graph.isEmpty || scenario.query.contains("CREATE")
        || scenario.query.contains("MERGE") || scenario.query.contains("INSERT")
      if needsGraph {
        try await session.run("CREATE GRAPH g\(number)")
        try await session.run("SESSION SET GRAPH g\(number)")
      } else {
        try await session.run("SESSION RESET")
      }
      try await Self.check(scenario) { try await session.run($0).rows }
      if needsGraph {
        try await session.run("SESSION RESET")
        try await session.run("DROP GRAPH g\(number)")
      }
    }
    try await store.close()
  }
}
