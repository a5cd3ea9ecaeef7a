Feature: FILTER, LET, NEXT, INSERT and FINISH

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:N {v: 1})-[:R {k: 1}]->(:N {v: 2})-[:R {k: 2}]->(:N {v: 3})
      """

  Scenario Outline: ISO clauses read
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
      | MATCH (n:N) FILTER n.v > 1 RETURN collect(n.v) AS x | [2, 3] |
      | MATCH (n:N) FILTER WHERE n.v > 1 RETURN collect(n.v) AS x | [2, 3] |
      | MATCH (n:N) FILTER n.nothing RETURN count(*) AS x | 0 |
      | MATCH (n:N) FILTER n.v > 1 FILTER n.v < 3 RETURN collect(n.v) AS x | [2] |
      | MATCH (n:N) FILTER (n)-[:R]->() RETURN collect(n.v) AS x | [1, 2] |
      | MATCH (n:N) FILTER NOT EXISTS { (n)-[:R]->() } RETURN collect(n.v) AS x | [3] |
      | MATCH (n:N) OPTIONAL MATCH (n)-[r]->() FILTER r IS NULL RETURN collect(n.v) AS x | [3] |
      | MATCH (n:N) LET d = n.v * 2 RETURN collect(d) AS x | [2, 4, 6] |
      | MATCH (n:N) LET a = n.v, b = n.v + 1 RETURN collect(a * b) AS x | [2, 6, 12] |
      | MATCH (n:N) LET a = n.v LET b = a + 1 FILTER b = 3 RETURN collect(n.v) AS x | [2] |
      | MATCH (n:N) LET a = n.v MATCH (n)-[:R]->(m {v: a + 1}) RETURN collect(m.v) AS x | [2, 3] |
      | LET a = 1 RETURN a AS x | 1 |
      | LET a = 1, b = 2 LET c = a + b RETURN [a, b, c] AS x | [1, 2, 3] |
      | MATCH (n:N) LET l = [(n)-->(m) \| m.v] FILTER size(l) > 0 RETURN collect(l[0]) AS x | [2, 3] |
      | FOR i IN [1, 2, 3] LET s = i * i FILTER s > 1 RETURN collect(s) AS x | [4, 9] |
      | MATCH (n:N) RETURN n.v AS v NEXT RETURN sum(v) AS x | 6 |
      | MATCH (n:N) RETURN n NEXT MATCH (n)-[:R]->(m) RETURN collect(m.v) AS x | [2, 3] |
      | MATCH (n:N) RETURN n.v AS v ORDER BY v DESC LIMIT 2 NEXT RETURN collect(v) AS x | [2, 3] |
      | RETURN 1 AS a NEXT RETURN a + 1 AS b NEXT RETURN b + 1 AS x | 3 |
      | MATCH (n:N) RETURN count(*) AS c NEXT MATCH (m:N {v: c}) RETURN m.v AS x | 3 |
      | MATCH (n:N) RETURN DISTINCT n.v > 1 AS b NEXT RETURN count(*) AS x | 2 |
      | MATCH (n:N) RETURN n.v AS v NEXT FILTER v > 2 RETURN collect(v) AS x | [3] |
      | MATCH (n IS N)-[r IS R]->() RETURN collect(r.k) AS x | [1, 2] |

  Scenario: INSERT makes a pattern
    When executing query:
      """
      INSERT (a:X {v: 1})-[:Q {k: 1}]->(b:Y) RETURN a.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 2 |
      | +properties    | 2 |

  Scenario: INSERT with a known node
    When executing query:
      """
      MATCH (n:N {v: 3}) INSERT (n)-[:R {k: 3}]->(:N {v: 4})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +properties    | 2 |

  Scenario: INSERT for each row
    When executing query:
      """
      FOR i IN [1, 2] INSERT (:X {i: i})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: INSERT with several labels by &
    When executing query:
      """
      INSERT (n:X&Y) RETURN labels(n) AS l
      """
    Then the result should be, in any order:
      | l          |
      | ['X', 'Y'] |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 2 |

  Scenario: A write between two statements
    When executing query:
      """
      INSERT (n:X {v: 1}) RETURN n NEXT SET n.v = 2 RETURN n.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 2 |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: FINISH has no rows
    When executing query:
      """
      MATCH (n:N) FINISH
      """
    Then the result should be empty
    And no side effects

  Scenario: FINISH behind a write
    When executing query:
      """
      MATCH (n:N {v: 1}) SET n.seen = true FINISH
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 1 |

  Scenario: NODETACH DELETE is DELETE
    When executing query:
      """
      MATCH (n:N {v: 1})-[r]->() NODETACH DELETE r, n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 1 |
      | -properties    | 2 |

  Scenario Outline: Mistakes in ISO clauses
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                   | detail                   |
      | FILTER n.v > 1 RETURN 1                 | UndefinedVariable        |
      | MATCH (n) FILTER 1 RETURN n             | InvalidArgumentType      |
      | MATCH (n) FILTER count(*) > 1 RETURN n  | InvalidAggregation       |
      | MATCH (n) LET m = k RETURN n            | UndefinedVariable        |
      | MATCH (n) RETURN n.v AS v NEXT RETURN n | UndefinedVariable        |
      | MATCH (n) NEXT RETURN n                 | UnexpectedSyntax         |
      | RETURN 1 AS a NEXT                      | *                        |
      | MATCH (n) FINISH RETURN n               | InvalidClauseComposition |
      | INSERT (a)-[:A\|B]->(b)                 | NoSingleRelationshipType |
      | MATCH (n) INSERT (n)                    | VariableAlreadyBound     |
