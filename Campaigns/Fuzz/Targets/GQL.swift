import DaybookGQL

extension FuzzTarget {
  /// Statements of GQL.
  ///
  /// Any text is a statement with a plan, or an error that says where it is wrong.
  static let gql = FuzzTarget("gql") {
    [
      "MATCH (a:A {x: $x})-[r:R|S*1..3 {y: 2}]->(b), p = shortestPath((a)-[*]-(b)) WHERE a.x > 1 "
        + "AND NOT (a)-->() OR b.name STARTS WITH 'o' RETURN DISTINCT a, count(*) AS c "
        + "ORDER BY c DESC SKIP 1 LIMIT 2",
      "UNWIND [1, 2.5e3, 0x1F, 'a\\u00e9', \"b\", null, true] AS x WITH x, x + 1 AS y WHERE y > 1 "
        + "CREATE (:A:B {x: x})-[:R]->(n {y: [x]}) SET n.z = {a: 1}.a, n += {b: 2}, n:C "
        + "REMOVE n.y, n:C DETACH DELETE n",
      "MERGE (a:A {x: 1}) ON CREATE SET a.y = 1 ON MATCH SET a.y = 2 "
        + "FOREACH (x IN range(1, 3) | MERGE (a)-[:R {x: x}]->(:B))",
      "OPTIONAL MATCH (a) RETURN CASE a.x WHEN 1 THEN 'a' ELSE 'b' END, "
        + "[x IN [1] WHERE x > 0 | x], "
        + "[(a)-->(b) | b.x], all(x IN [1] WHERE x), reduce(s = 0, x IN [1] | s + x), "
        + "EXISTS { MATCH (a)-->(c) WHERE c.x = 1 RETURN c }, a.x[0], a.x[1..2], a['x'], "
        + "-1 ^ 2 % 3",
      "RETURN date({year: 2020}) AS d UNION ALL RETURN duration('P1D') AS d",
      "CALL store.search('a', 1) YIELD node AS n, score WHERE score > 1 RETURN n",
      "AT TIME date('2020-01-01') MATCH (n) RETURN n", "EXPLAIN MATCH (n) RETURN n",
      "MATCH (a)-[r:R]->{1,3}(b WHERE b.x = 1) FILTER a.x LET y = 1 FOR z IN [1] RETURN z NEXT "
        + "RETURN 1 AS x // end\n/* a */",
      "CREATE GRAPH IF NOT EXISTS /a/b; SESSION SET GRAPH b; CREATE INDEX FOR (n:A) ON (n.x)",
      "MATCH (`a b`:`c``d`) RETURN `a b`.`e.f` AS `ä\t`",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(GQLError) { try GQLSession.check(text) } catch {
      let needsPlace = error.code == .syntax || error.code == .unsupported
      try require(!needsPlace || error.position != nil, "“\(error)” has no place")
      try require(!error.explanation(in: text).isEmpty, "an error says nothing")
    }
    // The statements of a script are parts of it, and each by itself is one statement.
    guard let statements = try? GQLScript.statements(text) else { return }
    for one in statements {
      try require(
        (try? GQLScript.statements(one.text))?.count == 1, "a statement of a script is several")
    }
  }
}
