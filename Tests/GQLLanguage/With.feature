Feature: WITH

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:N {v: 1, g: 'x'}), (b:N {v: 2, g: 'x'}), (c:N {v: 3, g: 'y'}), (d:N {v: 4}),
        (a)-[:R]->(b), (b)-[:R]->(c), (c)-[:R]->(d)
      """

  Scenario Outline: Names, filters and limits between two parts of a query
    When executing query:
      """
      <query>
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query | result |
      | MATCH (n:N) WITH n.v AS v WHERE v > 2 RETURN collect(v) AS x | [3, 4] |
      | MATCH (n:N) WITH n AS m RETURN collect(m.v) AS x | [1, 2, 3, 4] |
      | MATCH (n:N)-[:R]->(m) WITH m AS n, n AS m RETURN collect(10 * n.v + m.v) AS x | [21, 32, 43] |
      | WITH 1 AS a, 2 AS b WITH a + b AS a, b RETURN [a, b] AS x | [3, 2] |
      | WITH 1 AS a WITH a, a + 1 AS b WITH a, b, a + b AS c RETURN [a, b, c] AS x | [1, 2, 3] |
      | WITH 1 AS a WITH *, 2 AS b WITH *, 3 AS c RETURN [a, b, c] AS x | [1, 2, 3] |
      | WITH {k: 1} AS m WITH m.k AS m RETURN m AS x | 1 |
      | MATCH (n:N) WITH DISTINCT n.g AS g RETURN count(*) AS x | 3 |
      | MATCH (n:N) WITH DISTINCT n.g AS g RETURN count(g) AS x | 2 |
      | MATCH (n:N) WITH DISTINCT n.g AS g, n.v > 1 AS o RETURN count(*) AS x | 4 |
      | MATCH (n:N) WITH DISTINCT n.g AS g WHERE g IS NOT NULL RETURN collect(g) AS x | ['x', 'y'] |
      | MATCH (n:N) WITH n.g AS g, count(*) AS c WHERE c > 1 RETURN collect([g, c]) AS x | [['x', 2]] |
      | MATCH (n:N) WITH n.g AS g, sum(n.v) AS s WHERE s >= 3 RETURN collect(s) AS x | [3, 3, 4] |
      | MATCH (n:N) WITH count(*) AS c WHERE c > 9 RETURN count(*) AS x | 0 |
      | MATCH (n:N) WITH n ORDER BY n.v DESC LIMIT 2 RETURN collect(n.v) AS x | [3, 4] |
      | MATCH (n:N) WITH n ORDER BY n.v LIMIT 2 MATCH (n)-[:R]->(m) RETURN collect(m.v) AS x | [2, 3] |
      | MATCH (n:N) WITH n ORDER BY n.v SKIP 2 MATCH (n)-[:R]->(m) RETURN collect(m.v) AS x | [4] |
      | MATCH (n:N) WITH n ORDER BY n.v SKIP 1 LIMIT 2 WHERE n.v <> 2 RETURN collect(n.v) AS x | [3] |
      | MATCH (n:N) WITH n LIMIT 0 MATCH (m) RETURN count(*) AS x | 0 |
      | MATCH (n:N) WITH n LIMIT 0 RETURN count(*) AS x | 0 |
      | MATCH (n:N) WITH count(n) AS c MATCH (m:N) WHERE m.v = c RETURN collect(m.v) AS x | [4] |
      | MATCH (n:N) WITH max(n.v) AS top MATCH (m:N {v: top}) RETURN m.v AS x | 4 |
      | MATCH (n:N) WITH collect(n) AS l UNWIND l AS m WITH m WHERE m.v % 2 = 0 RETURN collect(m.v) AS x | [2, 4] |
      | MATCH (n:N) WITH n, n.v AS v MATCH (n)-[:R]->(m) WHERE m.v = v + 1 RETURN collect(v) AS x | [1, 2, 3] |
      | MATCH (n:N) WITH n.v AS n MATCH (m:N {v: n}) RETURN collect(m.v) AS x | [1, 2, 3, 4] |
      | MATCH (n:N) WITH n.v AS v MATCH (n:N {v: 1}) RETURN collect(n.v + v) AS x | [2, 3, 4, 5] |
      | MATCH (n {v: 1}) WITH n AS m MATCH (n)-[:R]->() RETURN count(*) AS x | 3 |
      | MATCH (n:N) WITH n WHERE n.g = 'x' WITH n WHERE n.v = 2 RETURN collect(n.v) AS x | [2] |
      | MATCH (n:N) WITH n.g AS g WITH g, count(*) AS c RETURN collect(c) AS x | [2, 1, 1] |
      | MATCH (n:N) WITH n.g AS g, n WITH g, collect(n.v) AS vs RETURN collect(size(vs)) AS x | [2, 1, 1] |
      | MATCH (a:N)-[r:R]->(b) WITH a, count(r) AS c, collect(b.v) AS l RETURN sum(c) + size(collect(l)) AS x | 6 |
      | WITH 1 AS x WITH x AS y, x AS z RETURN [y, z] AS x | [1, 1] |
      | WITH [1, 2] AS l WITH l, size(l) AS s WHERE s = 2 RETURN l[s - 1] AS x | 2 |
      | WITH null AS a WITH a WHERE a IS NULL RETURN count(*) AS x | 1 |
      | WITH 1 AS `a b` WITH `a b` AS `c.d` RETURN `c.d` AS x | 1 |
      | MATCH (n:N) WITH n, 1 AS one WITH one, n.g AS g RETURN sum(one) AS x | 4 |
      | MATCH (n:N) WITH n.v AS v ORDER BY v DESC WITH collect(v) AS l RETURN head(l) AS x | 4 |
      | MATCH (n:N) WITH n.v AS v ORDER BY -v WITH collect(v) AS l RETURN last(l) AS x | 1 |
      | MATCH p = (:N {v: 1})-[:R*]->(m) WITH m, length(p) AS d WHERE d > 1 RETURN collect(m.v) AS x | [3, 4] |

  Scenario Outline: What WITH leaves behind is unknown
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                        | detail                   |
      | MATCH (n) WITH n.v AS v RETURN n.v                           | UndefinedVariable        |
      | MATCH (n)-[r]->(m) WITH n, m RETURN r                        | UndefinedVariable        |
      | WITH 1 AS a WITH 2 AS b RETURN a                             | UndefinedVariable        |
      | WITH 1 AS a, a + 1 AS b RETURN b                             | UndefinedVariable        |
      | MATCH (n) WITH n.v AS v ORDER BY v RETURN n                  | UndefinedVariable        |
      | MATCH (n) WITH count(*) AS c RETURN n                        | UndefinedVariable        |
      | MATCH (n) WITH DISTINCT n.v AS v MATCH (m {v: n.v}) RETURN m | UndefinedVariable        |
      | MATCH (n) WITH n.v RETURN 1                                  | NoExpressionAlias        |
      | MATCH (n) WITH n, count(*) RETURN n                          | NoExpressionAlias        |
      | MATCH (n) WITH n AS a, n AS a RETURN a                       | ColumnNameConflict       |
      | MATCH (n) WITH n AS a, 1 AS n, 2 AS n RETURN a               | ColumnNameConflict       |
      | MATCH (n) WITH n                                             | InvalidClauseComposition |
      | MATCH (n) WITH n WHERE count(n) > 1 RETURN n                 | InvalidAggregation       |
      | WITH 1 AS n MATCH (n) RETURN n                               | VariableTypeConflict     |
      | WITH 'r' AS r MATCH ()-[r]->() RETURN r                      | VariableTypeConflict     |
      | MATCH (n) WITH n LIMIT n.v RETURN n                          | NonConstantExpression    |
