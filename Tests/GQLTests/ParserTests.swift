import DaybookOpenGraph
import Testing

@testable import DaybookGQL

/// What the parser makes of texts, and what it says about those that are no query.
@Suite struct ParserTests {
  @Test(
    "a text that is no query is an error with its place",
    arguments: [
      ("MATCH (n RETURN n", 1, 10), ("MATCH (n)\nRETURN", 2, 7), ("RETURN 'oat", 1, 8),
      ("RETURN 1 +", 1, 11), ("RETURN 9223372036854775808", 1, 8), ("RETURN 0x", 1, 8),
      ("", 1, 1), ("RETURN 'ö', §", 1, 13), ("MATCH (a)-[*-1]->(b) RETURN a", 1, 13),
      ("RETURN 1 /* and on", 1, 10), ("RETURN `a", 1, 8), ("RETURN $", 1, 8),
      ("RETURN [1, 2", 1, 13), ("RETURN {a 1}", 1, 11), ("RETURN CASE END", 1, 13),
      ("MATCH (a)-[r]>(b) RETURN a", 1, 14), ("FOO", 1, 1), ("RETURN 1 RETURN 2 3", 1, 19),
    ])
  func places(text: String, line: Int, column: Int) throws {
    let error = #expect(throws: GQLError.self) { try QueryParser.statement(text) }
    #expect(error?.position?.line == line && error?.position?.column == column, "\(error!)")
  }

  @Test(
    "a misspelled clause gets a suggestion, and what EXPLAIN does not do is named",
    arguments: [
      ("MATCH (n) RETRUN n", "Did you mean RETURN?"), ("MACTH (n) RETURN n", "Did you mean MATCH?"),
      ("MATCH (n) WEHRE n.x RETURN n", "Did you mean WHERE?"),
      ("EXPLAIN AT TIME 0 MATCH (n) RETURN n", "EXPLAIN of a query of the past"),
    ])
  func misspelled(text: String, part: String) {
    let error = #expect(throws: GQLError.self) { try QueryParser.statement(text) }
    #expect(error?.description.contains(part) == true, "\(error!)")
    let other = #expect(throws: GQLError.self) { try QueryParser.statement("RETURN 1 `RETRUN`") }
    #expect(other?.hint == nil)
  }

  @Test("an error shows its line with a mark below the place")
  func explanation() throws {
    let text = "MATCH (n)\nRETURN n.\n"
    let error = #expect(throws: GQLError.self) { try QueryParser.statement(text) }
    let lines = try #require(error).explanation(in: "MATCH (n)\nRETURN n..x").split(separator: "\n")
    #expect(lines.count <= 3)
    let marked = #expect(throws: GQLError.self) { try QueryParser.statement("RETURN (1") }
    #expect(marked?.explanation(in: "RETURN (1").hasSuffix("\n  RETURN (1\n           ^") ?? false)
  }

  @Test(
    "nesting of 10,000 is an error",
    arguments: [
      ("(", ")"), ("[", "]"), ("{a: ", "}"), ("size(", ")"), ("CASE WHEN true THEN ", " END"),
      ("[x IN ", "]"), ("EXISTS { MATCH (n) WHERE ", " }"), ("coalesce(1, ", ")"), ("a[", "]"),
      ("[(a {x: ", "})-->() | 1]"), ("(a {x: ", "})-->()"), ("reduce(s = 0, x IN ", " | s)"),
      ("all(x IN [1] WHERE ", ")"), ("[p = (a {x: ", "})-->() | 1]"), ("COUNT { (a {x: ", "}) }"),
    ])
  func nesting(open: String, close: String) {
    let text =
      "RETURN " + String(repeating: open, count: 10_000) + "1"
      + String(repeating: close, count: 10_000)
    let error = #expect(throws: GQLError.self) { try QueryParser.statement(text) }
    #expect(error?.detail == "NestingTooDeep", "\(error!)")
    // As deep as is allowed, it is read, and quickly.
    let depth = 100
    let shallow =
      "RETURN " + String(repeating: open, count: depth) + "1"
      + String(repeating: close, count: depth)
    _ = try? QueryParser.statement(shallow)
  }

  @Test(
    "chains of 100,000 are read without depth, and taken apart again",
    arguments: [
      (" + 1", "1"), (" - 1", "1"), (" * 1", "1"), (" ^ 1", "1"), (" AND true", "true"),
      (" OR true", "true"), (" XOR true", "true"), (" < 1", "1"), (" IN []", "1"),
      (" IS NULL", "1"), (".a", "a"), ("[0]", "a"), (", 1", "1"),
    ])
  func chains(part: String, first: String) throws {
    let text = "RETURN " + first + String(repeating: part, count: 100_000)
    _ = try QueryParser.statement(text)
  }

  @Test("prefixes of 100,000 are read without depth")
  func prefixes() throws {
    for prefix in ["NOT ", "-", "+", "- + "] {
      _ = try QueryParser.statement(
        "RETURN " + String(repeating: prefix, count: 100_000) + (prefix == "NOT " ? "true" : "1"))
    }
  }

  @Test("a query of 10 MB is read, or is an error")
  func large() throws {
    let list = "RETURN [" + String(repeating: "'abcdefgh', ", count: 900_000) + "1]"
    #expect(list.utf8.count > 10_000_000)
    _ = try QueryParser.statement(list)
    let clauses = String(repeating: "MATCH (n) ", count: 1_000_000) + "RETURN n"
    var error = #expect(throws: GQLError.self) { try QueryParser.statement(clauses) }
    #expect(error?.detail == "TooManyClauses")
    let changes = String(repeating: "CREATE () ", count: QueryParser.changeCountMax + 1)
    error = #expect(throws: GQLError.self) { try QueryParser.statement(changes) }
    #expect(error?.detail == "TooManyClauses")
    let pattern = "MATCH (n)" + String(repeating: "-->()", count: 2_000_000) + " RETURN n"
    #expect(throws: GQLError.self) { try QueryParser.statement(pattern) }
    let comment = "RETURN 1 AS x //" + String(repeating: "x", count: 10_000_000)
    _ = try QueryParser.statement(comment)
  }

  @Test("thousands of changes in one statement run one after the other")
  func manyChanges() throws {
    let graph = ListedGraph()
    let text = (0..<5_000).map { "CREATE (n\($0):N {x: \($0)}) " }.joined()
    let rows = try graph.run(text + "WITH 1 AS one MATCH (n:N) RETURN count(n), sum(n.x)").rows
    #expect(rows == [[5_000, 12_497_500]])
    #expect(throws: GQLError.self) {
      try graph.run(String(repeating: "MATCH (n) ", count: 1_001) + "RETURN 1 AS x")
    }
  }

  @Test("every beginning of a query is a query or an error")
  func beginnings() {
    let texts = Scenario.all.map(\.query) + [Scenario.people]
    for text in texts {
      let scalars = Array(text.unicodeScalars)
      for count in scalars.indices {
        var beginning = String.UnicodeScalarView()
        beginning.append(contentsOf: scalars[..<count])
        _ = try? QueryParser.statement(String(beginning))
      }
    }
  }

  @Test("a text of several statements is divided at semicolons, not at those of texts")
  func scripts() throws {
    let statements = try GQLScript.statements(
      "RETURN 1; ; RETURN ';' /* ; */ AS `;`;\n// the end ;\n")
    #expect(statements.map(\.text) == ["RETURN 1", " RETURN ';' /* ; */ AS `;`"])
    #expect(
      statements.map(\.start) == [
        GQLPosition(line: 1, column: 1, offset: 0), GQLPosition(line: 1, column: 12, offset: 11),
      ])
  }

  @Test("names of fields follow from names in queries, and back")
  func names() throws {
    let names = [
      "name", "Name", "NAME", "firstName", "first_name", "KNOWS", "HAS_CREATOR", "A", "a1", "1a",
      "_", "__x", "X_", "ABc", "ö", "a b", "a.\"b'`c", "日本", "_1", "_0", "p", "Ab", "aB",
    ]
    var fields: Set<String> = []
    for name in names {
      let field = try GraphSpelling.propertyField(name)
      #expect(field.utf8.allSatisfy { $0 < 0x80 } && field == field.lowercased())
      #expect(GraphSpelling.meaning(ofField: field) == .property(name), "\(name) as \(field)")
      fields.insert(field)
    }
    #expect(fields.count == names.count)
    #expect(try GraphSpelling.labelField("Person") == "l__person")
    #expect(try GraphSpelling.propertyField("firstName") == "p_first_name")
    let nodes = GraphCollections.main.nodes
    #expect(
      try GraphCollections.main.relationships("KNOWS", from: nodes, to: nodes) == "graph_r__1knows")
    #expect(GraphCollections.main.type(of: "graph_r__1knows") == "KNOWS")
    #expect(GraphSpelling.meaning(ofField: "p__") == nil)
    #expect(throws: GQLError.self) {
      try GraphSpelling.propertyField(String(repeating: "x", count: 62))
    }
  }
}
