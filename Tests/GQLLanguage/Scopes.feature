Feature: Names within expressions and clauses

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:N {v: 1})-[:R {k: 10}]->(b:N {v: 2})-[:R {k: 20}]->(c:N {v: 3})
      """

  Scenario Outline: An inner name hides an outer one and no longer than its expression
    When executing query:
      """
      <query>
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query | result |
      | WITH 1 AS y RETURN [[y IN [2, 3] \| y], y] AS x | [[2, 3], 1] |
      | WITH [1, 2] AS y RETURN [y IN y \| y + 1] AS x | [2, 3] |
      | WITH 5 AS y RETURN [all(y IN [1] WHERE y = 1), y] AS x | [true, 5] |
      | WITH 5 AS y RETURN [reduce(y = 0, z IN [1, 2] \| y + z), y] AS x | [3, 5] |
      | RETURN [y IN [1, 2] \| [z IN [10, 20] \| y + z]] AS x | [[11, 21], [12, 22]] |
      | RETURN [y IN [1, 2] \| [y IN [10] \| y]] AS x | [[10], [10]] |
      | RETURN [y IN [1, 2, 3] WHERE any(z IN [2, 3] WHERE z = y)] AS x | [2, 3] |
      | MATCH (n {v: 1}) RETURN [n IN [1, 2] \| n] AS x | [1, 2] |
      | MATCH (n {v: 1}) RETURN [[(n)-->(m) \| m.v], [m IN [7] \| m]] AS x | [[2], [7]] |
      | MATCH (n {v: 1}), (m {v: 3}) RETURN [(n)-->(m) \| m.v] AS x | [] |
      | MATCH (n {v: 1}), (m {v: 3}) RETURN [(n)-->(q)-->(m) \| q.v] AS x | [2] |
      | MATCH (n {v: 1}) RETURN [EXISTS { (n)-->(m) WHERE m.v = 2 }, [m IN [n] \| m.v]] AS x | [true, [1]] |
      | MATCH (n {v: 1}) WITH n.v AS n RETURN [n, EXISTS { MATCH (m {v: n}) }] AS x | [1, true] |
      | MATCH (n) WITH collect(n.v) AS n UNWIND n AS m WITH m ORDER BY m RETURN collect(m) AS x | [1, 2, 3] |
      | MATCH (a {v: 1})-[r]->(b) WITH r.k AS a, b MATCH (b)-[r]->(c) RETURN [a, r.k, c.v] AS x | [10, 20, 3] |
      | WITH 1 AS a UNWIND [2, 3] AS b WITH a + b AS a RETURN sum(a) AS x | 7 |
      | WITH {v: 4} AS n RETURN n.v AS x | 4 |
      | WITH [{v: 4}] AS l RETURN [n IN l \| n.v] AS x | [4] |
      | WITH 1 AS a, 2 AS b WITH DISTINCT * WITH *, a + b AS c RETURN [a, b, c] AS x | [1, 2, 3] |
      | MATCH (n) WITH * WHERE n.v > 1 WITH * ORDER BY n.v LIMIT 1 RETURN n.v AS x | 2 |
      | MATCH (n) WITH n.v AS v, n AS n WHERE v > 1 RETURN sum(n.v) AS x | 5 |
      | UNWIND [1, 2] AS i WITH i, [j IN range(1, i) \| i * j] AS l WITH collect(l) AS x RETURN x[0] + x[1] AS x | [1, 2, 4] |
      | MATCH (n) WITH CASE WHEN n.v > 1 THEN n END AS m RETURN count(m) AS x | 2 |
      | MATCH (n) WITH CASE WHEN n.v > 1 THEN n END AS m WITH m WHERE m IS NOT NULL MATCH (m)-->(o) RETURN o.v AS x | 3 |
      | MATCH (n {v: 1}) WITH coalesce(null, n) AS m MATCH (m)-->(o) RETURN o.v AS x | 2 |
      | MATCH (n {v: 1}) WITH [n] AS l WITH l[0] AS m MATCH (m)-->(o) RETURN o.v AS x | 2 |
      | MATCH (n {v: 1}) WITH {k: n} AS l WITH l.k AS m MATCH (m)-->(o) RETURN o.v AS x | 2 |
      | MATCH (n {v: 1})-[r]->() WITH endNode(r) AS m MATCH (m)-->(o) RETURN o.v AS x | 3 |
      | MATCH p = ({v: 1})-[*2]->() WITH nodes(p)[1] AS m MATCH (m)-->(o) RETURN o.v AS x | 3 |
      | MATCH p = ({v: 1})-[*2]->() WITH relationships(p)[1] AS r MATCH (m)-[r]->(o) RETURN m.v + o.v AS x | 5 |
      | MATCH (n) WITH max(n.v) AS m, collect(n) AS l RETURN [q IN l WHERE q.v = m \| q.v] AS x | [3] |
      | MATCH (n) WITH head(collect(n)) AS one MATCH (one) RETURN count(one) AS x | 1 |
      | UNWIND [0.0 / 0.0, 0.0 / 0.0] AS y RETURN count(DISTINCT y) AS x | 1 |
      | UNWIND [0.0, -0.0, 0] AS y RETURN count(DISTINCT y) AS x | 1 |
      | UNWIND [9007199254740993, 9007199254740992.0] AS y RETURN count(DISTINCT y) AS x | 2 |
      | UNWIND [[1, 2.0], [1.0, 2]] AS y RETURN count(DISTINCT y) AS x | 1 |
      | UNWIND [{a: 1}, {a: 1.0}] AS y RETURN count(DISTINCT y) AS x | 1 |
      | UNWIND [date('2020-01-01'), localdatetime('2020-01-01T00:00')] AS y RETURN count(DISTINCT y) AS x | 2 |

  Scenario Outline: Names that are unknown or taken
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                   | detail             |
      | RETURN [y IN [1] \| y] + y                              | UndefinedVariable  |
      | RETURN all(y IN [1] WHERE y = 1) AND y = 1              | UndefinedVariable  |
      | WITH 1 AS a WITH *, 2 AS a RETURN a                     | ColumnNameConflict |
      | MATCH (n) WITH n.v AS v, n.k AS v RETURN v              | ColumnNameConflict |
      | MATCH (n) MATCH p = (n)-->(p) RETURN p                  | *                  |
      | MATCH (a)-[a]->(b) RETURN a                             | *                  |
      | MATCH (n) WITH n AS m WHERE q.v = 1 RETURN m            | UndefinedVariable  |
      | MATCH (n) CREATE (m {v: q.v})                           | UndefinedVariable  |
      | UNWIND [1] AS i WITH i AS j RETURN i                    | UndefinedVariable  |
      | CALL db.labels() YIELD label WITH 1 AS one RETURN label | UndefinedVariable  |
      | MATCH (n) RETURN n.v ORDER BY m.v                       | UndefinedVariable  |
      | MERGE (n) ON CREATE SET n.v = m.v                       | UndefinedVariable  |

  Scenario Outline: a bar behind a condition on labels ends it, but for parentheses
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})-[:R]->(:B {v: 4})
      """
    When executing query:
      """
      WITH 5 AS y MATCH (n:A) RETURN <list> AS l
      """
    Then the result should be, in any order:
      | l        |
      | <result> |
    And no side effects

    Examples:
      | list                                    | result |
      | [x IN [n] WHERE x:A \| y]               | [5]    |
      | [x IN [n] WHERE x:A \| x.v]             | [3]    |
      | [x IN [n] WHERE x:A \| 'a']             | ['a']  |
      | [x IN [n] WHERE (x:B\|A) \| x.v]        | [3]    |
      | [(n)-->(x) WHERE x:B \| x.v]            | [4]    |
      | [(n)-->(x) WHERE NOT x:A \| x.v]        | [4]    |
      | [(n)-->(x:A\|B) WHERE x.v > 3 \| x.v]   | [4]    |

  Scenario: two names that only look the same are two variables
    Given any graph
    When executing query:
      """
      WITH 1 AS `é`, 2 AS `é` RETURN `é` + 10 * `é` AS x
      """
    Then the result should be, in any order:
      | x  |
      | 21 |
    And no side effects

  Scenario: two labels that only look the same are two labels
    Given an empty graph
    And having executed:
      """
      CREATE (n:`é`) SET n:`é`
      """
    When executing query:
      """
      MATCH (n:`é`) REMOVE n:`é` RETURN size(labels(n)) AS s
      """
    Then the result should be, in any order:
      | s |
      | 1 |

  Scenario: a name is not empty
    Given any graph
    When executing query:
      """
      CREATE (n:``)
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

  Scenario: a relationship to a node that the statement has deleted
    Given an empty graph
    And having executed:
      """
      CREATE (:A), (:B)
      """
    When executing query:
      """
      MATCH (n:A), (b:B) DELETE n CREATE (b)-[:R]->(n)
      """
    Then a EntityNotFound should be raised at runtime: DeletedEntityAccess
