import Daybook
import Foundation
import Testing

@testable import DaybookGQL

/// The page about GQL says what the code has.
@Suite struct PageTests {
  private static func page(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
  }

  private struct Person: Codable, Equatable, Sendable {
    var name: String
    var age: Int?
  }

  @Test("the Swift of docs/gql.md runs")
  @MainActor func swift() async throws {
    let store = try await Store.inMemory()
    let (shown, showing) = AsyncStream.makeStream(of: [Person].self)
    @Sendable func show(_ people: [Person]) { showing.yield(people) }
    do {
      let session = GQLSession(store, actor: "ann")
      try await session.run("MERGE (:Person {name: $name})", ["name": "Ann"])
      let people = try await session.run("MATCH (p:Person) RETURN p").decode(Person.self)
      #expect(people == [Person(name: "Ann")])
      try await store.gql("MATCH (p:Person {name: 'Ann'}) SET p.age = 30")
    }
    let loop = Task {
      let people = store.observe(gql: "MATCH (p:Person) RETURN p", as: Person.self)
      for try await people in people { show(people) }
    }
    for await people in shown {
      #expect(people == [Person(name: "Ann", age: 30)])
      break
    }
    loop.cancel()
    let people = LiveQuery(
      store.observe(gql: "MATCH (p:Person) RETURN p", as: Person.self), initially: [])
    while people.isLoading { await Task.yield() }
    #expect(people.value == [Person(name: "Ann", age: 30)])
    var options = GQLSession.Options()
    options.procedures = [
      GQLProcedure("app.times", arguments: [.init("count", .integer)], fields: ["number"]) {
        values in
        guard case .integer(let count) = values[0] else { return [] }
        return (0..<count).map { [.integer($0)] }
      }
    ]
    let session = GQLSession(store, options: options)
    let sum = try await session.run("CALL app.times(4) YIELD number RETURN sum(number)")
    #expect(sum.rows == [[6]])
    try await store.close()
  }

  /// A view's property wrappers are compiled by `SwiftUITests`.
  @Test("each line of Swift of docs/gql.md stands in the test that runs it")
  func swiftLines() throws {
    let own = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
      .split(separator: "\n").map { $0.drop { $0 == " " } }
    let blocks = try Self.page("gql.md").matches(of: /(?s)```swift\n(.*?)```/)
      .map(\.1).filter { !$0.hasPrefix("@Live") }
    #expect(blocks.count == 3)
    for line in blocks.joined().split(separator: "\n") where !line.hasPrefix("@State") {
      let text = line.drop { $0 == " " }
      let isThere = own.contains { $0.hasSuffix(text) }
      #expect(isThere, "no test runs “\(text)”")
    }
  }

  @Test("docs/gql.md has the tables that the registry makes")
  func tables() throws {
    let page = try Self.page("gql.md")
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
    let page = try Self.page("coming-from-neo4j.md")
    let parts = page.components(separatedBy: "```")
    let session = GQLSession(try await Store.inMemory())
    var (run, refused) = (0, 0)
    for part in parts where part.hasPrefix("cypher") {
      let fails = part.hasPrefix("cypher fails")
      let text = part.drop { $0 != "\n" }
      for statement in try GQLScript.statements(String(text)).map(\.text) {
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
