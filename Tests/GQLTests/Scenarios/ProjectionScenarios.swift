extension Scenario {
  static let projections: [Scenario] = [
    returns("names of columns", "RETURN 1 + 1, 'a' AS `x y`", ["2 | 'a'"]),
    returns("all variables", "WITH 1 AS b, 2 AS a RETURN *", ["2 | 1"]),
    returns("all variables and one more", "WITH 1 AS b RETURN *, b + 1 AS c", ["1 | 2"]),
    returns("two variables swap", "WITH 1 AS a, 2 AS b WITH b AS a, a AS b RETURN a, b", ["2 | 1"]),
    returns("WHERE after WITH", "UNWIND [1, 2, 3] AS x WITH x WHERE x > 1 RETURN x", ["2", "3"]),
    returns(
      "DISTINCT", "UNWIND [1, 1.0, null, null, 'a'] AS x RETURN DISTINCT x", ["'a'", "1", "null"]),
    returns(
      "DISTINCT lists", "UNWIND [[1], [1], [null], [null]] AS x RETURN DISTINCT x",
      ["[1]", "[null]"]),
    returns("ORDER BY", "UNWIND [3, 1, 2] AS x RETURN x ORDER BY x", ["1", "2", "3"]),
    returns(
      "ORDER BY down", "UNWIND [3, 1, null] AS x RETURN x ORDER BY x DESC", ["null", "3", "1"]),
    returns(
      "ORDER BY two", "UNWIND [[1, 2], [1, 1], [0, 9]] AS x RETURN x ORDER BY x[0] DESC, x[1]",
      ["[1, 1]", "[1, 2]", "[0, 9]"]),
    returns(
      "ORDER BY of all types",
      "UNWIND [null, 1, true, 'a', [1], {a: 1}, 0.0 / 0.0, 0.5] AS x RETURN x ORDER BY x",
      ["{a: 1}", "[1]", "'a'", "true", "0.5", "1", "NaN", "null"]),
    returns(
      "ORDER BY of lists",
      "UNWIND [[2], [1, 2], [1], [], [null], ['a']] AS x RETURN x ORDER BY x",
      ["[]", "['a']", "[1]", "[1, 2]", "[2]", "[null]"]),
    returns(
      "ORDER BY what is not returned", "MATCH (n:Person) RETURN n.name ORDER BY n.age",
      ["'Bob'", "'Ann'", "'Cid'"],
      on: people),
    returns(
      "ORDER BY an alias that hides a variable",
      "UNWIND [1, 2] AS x RETURN -x AS x ORDER BY x", ["-2", "-1"]),
    returns(
      "ORDER BY after DISTINCT",
      "MATCH (n:Person) RETURN DISTINCT n.name ORDER BY n.name DESC LIMIT 1", ["'Cid'"],
      on: people),
    returns(
      "SKIP and LIMIT", "UNWIND range(1, 9) AS x RETURN x ORDER BY x SKIP 2 LIMIT 3",
      ["3", "4", "5"]),
    returns("LIMIT 0", "UNWIND [1, 2] AS x RETURN x LIMIT 0", []),
    returns(
      "LIMIT of an expression",
      "UNWIND [1, 2, 3] AS x RETURN x ORDER BY x LIMIT 1 + "
        + "1", ["1", "2"]),
    returns(
      "LIMIT in the middle",
      "UNWIND [1, 2, 3] AS x WITH x ORDER BY x DESC LIMIT 2 RETURN sum(x) AS s", ["5"]),
    returns("OFFSET is SKIP", "UNWIND [1, 2] AS x RETURN x ORDER BY x OFFSET 1", ["2"]),
    returns("UNWIND of null", "UNWIND null AS x RETURN x", []),
    returns("UNWIND of nothing", "UNWIND [] AS x RETURN x", []),
    returns("UNWIND twice", "UNWIND [[1, 2], [3]] AS x UNWIND x AS y RETURN y", ["1", "2", "3"]),
    returns(
      "an UNWIND that nothing uses", "UNWIND [1, 2] AS x MATCH (n:City) RETURN n.name",
      ["'Oslo'", "'Oslo'"],
      on: people),
    returns("UNION", "RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x", ["1", "2"]),
    returns("UNION ALL", "RETURN 1 AS x UNION ALL RETURN 1 AS x", ["1", "1"]),
    returns(
      "LET and FILTER", "UNWIND [1, 2, 3] AS x LET y = x * 2 FILTER y > 2 RETURN y", ["4", "6"]),
    returns("FOR", "FOR x IN [1, 2] RETURN x", ["1", "2"]),
    returns("NEXT", "UNWIND [1, 2] AS x RETURN x + 1 AS y NEXT RETURN sum(y) AS s", ["5"]),
    returns("FINISH", "MATCH (n) FINISH", [], on: people),
    returns("a semicolon", "RETURN 1 AS x;", ["1"]),
    returns("comments", "/* a */ RETURN // b\n1 AS x", ["1"]),
    returns("keywords in any case", "uNwInD [1] As x rEtUrN x", ["1"]),
    returns(
      "a keyword as a label and a property", "CREATE (n:Match {return: 1}) RETURN n.return", ["1"]),
  ]

  static let aggregates: [Scenario] = [
    returns(
      "count of no rows",
      "MATCH (n) RETURN count(*), count(n), sum(n.x), avg(n.x), collect(n.x), min(n.x)",
      ["0 | 0 | 0 | null | [] | null"]),
    returns("a group of no rows", "MATCH (n) RETURN n.x, count(*)", []),
    returns(
      "nulls do not count",
      "UNWIND [1, null, 3] AS x RETURN count(x), count(*), sum(x), avg(x), collect(x)",
      ["2 | 3 | 4 | 2.0 | [1, 3]"]),
    returns(
      "min and max of all types", "UNWIND [1, 'a', null, [1], 0.5] AS x RETURN min(x), max(x)",
      ["[1] | 1"]),
    returns(
      "DISTINCT",
      "UNWIND [1, 1, 2, null] AS x RETURN count(DISTINCT x), sum(DISTINCT x), collect(DISTINCT x)",
      ["2 | 3 | [1, 2]"]),
    returns(
      "groups", "UNWIND [[1, 'a'], [2, 'b'], [3, 'a']] AS p RETURN p[1] AS k, sum(p[0]) AS s",
      ["'a' | 4", "'b' | 2"]),
    returns(
      "a group of nulls", "UNWIND [null, null, 1] AS x RETURN x, count(*)", ["1 | 1", "null | 2"]),
    returns(
      "groups of nodes", "MATCH (p)-[:LIVES]->(c) RETURN c, count(p)",
      ["(:City {name: 'Oslo'}) | 2"], on: people),
    returns(
      "an expression around an aggregate", "UNWIND [1, 2] AS x RETURN 10 * count(x) + 1 AS n",
      ["21"]),
    returns(
      "a key within an expression",
      "MATCH (n:Person) RETURN n.name AS name, n.name + count(*) AS s",
      ["'Ann' | 'Ann1'", "'Bob' | 'Bob1'", "'Cid' | 'Cid1'"], on: people),
    returns(
      "a variable that is a key",
      "MATCH (n:Person) WITH n, count(*) + size(n.name) AS s RETURN n.name, s",
      ["'Ann' | 4", "'Bob' | 4", "'Cid' | 4"], on: people),
    returns(
      "an aggregate of a condition",
      "UNWIND [1, 2, 3] AS x RETURN count(CASE WHEN x > 1 THEN 1 END) AS n", ["2"]),
    returns(
      "ORDER BY an aggregate",
      "UNWIND ['a', 'b', 'a'] AS x RETURN x, count(*) AS c ORDER BY count(*) DESC",
      ["'a' | 2", "'b' | 1"]),
    fails(
      "ORDER BY an aggregate that is no column",
      "UNWIND [[1, 9], [2, 5]] AS p WITH p[0] AS k, count(*) AS c ORDER BY max(p[1]) RETURN k",
      "UndefinedVariable"),
    returns("integers stay integers", "UNWIND [1, 2] AS x RETURN sum(x)", ["3"]),
    returns("a sum with a float", "UNWIND [1, 2.5] AS x RETURN sum(x)", ["3.5"]),
    returns(
      "standard deviations", "UNWIND [2, 4] AS x RETURN stDevP(x), round(stDev(x), 3)",
      ["1.0 | 1.414"]),
    returns(
      "percentiles",
      "UNWIND [10, 20, 30] AS x RETURN percentileDisc(x, 0.5), percentileCont(x, 0.25)",
      ["20 | 15.0"]),
    returns(
      "durations", "UNWIND [duration('P1D'), duration('P3D')] AS x RETURN sum(x), avg(x)",
      ["'P4D' | 'P2D'"]),
    returns(
      "aggregates one after the other",
      "UNWIND [1, 1, 2] AS x WITH x, count(*) AS c RETURN max(c) AS m", ["2"]),
  ]
}
