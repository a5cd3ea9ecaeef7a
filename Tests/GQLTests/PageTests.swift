import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// The page about GQL says what the code has.
@Suite struct PageTests {
  @Test("docs/gql.md has the tables that the registry makes")
  func tables() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/gql.md"), encoding: .utf8)
    let tables = GQLFeature.tables
    let own = page.hasSuffix(tables)
    #expect(own, "replace what follows “## What there is” in docs/gql.md by:\n\(own ? "" : tables)")
  }

  @Test("every feature that is promised as missing is an error that names it")
  func missing() throws {
    let texts = [
      "CALL { RETURN 1 AS x } RETURN x", "RETURN 'a' =~ 'b'",
      "CREATE INDEX FOR (n:A) ON (n.x)", "USE g MATCH (n) RETURN n",
      "RETURN 1 AS x EXCEPT RETURN 1 AS x", "FOR x IN [1] WITH ORDINALITY i RETURN x",
      "MATCH ACYCLIC (a)-->(b) RETURN a", "MATCH SHORTEST 2 (a)-[*]->(b) RETURN a",
      "MATCH ((a)-[*]->(b)){2} RETURN a", "START TRANSACTION", "RETURN 1 AS x GROUP BY x",
      "PROFILE RETURN 1", "LOAD CSV FROM 'a' AS x RETURN x", "CREATE OR REPLACE GRAPH g",
      "MATCH shortestPath((a)-[r:S* WHERE r.x = 1]->(b)) RETURN a",
      "MATCH (n) RETURN n {.name, x: 1}", "RETURN CAST(1 AS STRING)", "RETURN 1 IS TYPED INTEGER",
      "RETURN 1 IS NOT :: INTEGER", "RETURN VALUE { RETURN 1 AS x }", "MATCH (n) SET n[$x] = 1",
      "MATCH (n) SET n:$($l)", "CREATE FULLTEXT INDEX i FOR (n:A) ON (n.x)", "SHOW INDEXES",
      "BEGIN", "SELECT n FROM g", "CREATE GRAPH TYPE t {}", "RETURN DATE '2020-01-01'",
      "MATCH REPEATABLE ELEMENTS (a)-->(b) RETURN a", "RETURN point({x: 1, y: 2})",
    ]
    for text in texts where !text.hasPrefix("CREATE INDEX") {
      let error = #expect(throws: GQLError.self, "\(text)") {
        guard case .query(let query) = try QueryParser.statement(text) else { return }
        _ = try PreparedQuery(query)
      }
      #expect(
        error?.code == .unsupported && error?.position != nil,
        "\(text): \(String(describing: error))")
    }
  }

  @Test("each statement of the page for users of Neo4j runs, or is refused as the page says")
  func comingFromNeo4j() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "docs/coming-from-neo4j.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "```")
    let session = GQLSession(try await Store.inMemory())
    var (run, refused) = (0, 0)
    for part in parts where part.hasPrefix("cypher") {
      let fails = part.hasPrefix("cypher fails")
      let text = part.drop { $0 != "\n" }
      for statement in try GQLScript.statements(String(text)) {
        do {
          try await session.run(statement)
          #expect(!fails, "\(statement)")
          run += 1
        } catch let error as GQLError {
          #expect(fails && error.code == .unsupported, "\(statement): \(error)")
          refused += 1
        }
      }
    }
    #expect(run > 20 && refused > 5)
    let friends = try await session.run(
      "MATCH (p:Person)-[:KNOWS]->(f) RETURN p.name AS name, f.name AS friend")
    #expect(friends.rows == [["Ann", "Bob"]])
    try await session.store.close()
  }

  @Test("no function has two entries, and each says what it is")
  func functions() {
    let names = GQLFunction.all.map { $0.name.lowercased() }
    #expect(Set(names).count == names.count && names.count > 90)
    #expect(GQLFunction.all.allSatisfy { !$0.summary.isEmpty })
    for name in names { #expect(Aggregate(named: name) == nil) }
    for (_, target) in GQLFunction.aliases { #expect(names.contains(target.lowercased())) }
  }
}
