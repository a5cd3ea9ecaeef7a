Feature: UNWIND and FOR

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:K {k: 1, l: [1, 2]}), (:K {k: 2, l: [3]}), (:K {k: 3}), (:K {k: 4, l: []})
      """

  Scenario Outline: Each element is a row
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
      | UNWIND [1, 2, 3] AS u RETURN collect(u) AS x | [1, 2, 3] |
      | UNWIND [] AS u RETURN count(*) AS x | 0 |
      | UNWIND null AS u RETURN count(*) AS x | 0 |
      | UNWIND [null] AS u RETURN count(*) AS x | 1 |
      | UNWIND [null, 1] AS u RETURN count(u) AS x | 1 |
      | UNWIND [[1, 2], [], [3]] AS u RETURN collect(size(u)) AS x | [2, 0, 1] |
      | UNWIND [[1, 2], [], null, [3]] AS u UNWIND u AS w RETURN collect(w) AS x | [1, 2, 3] |
      | UNWIND [1, 1, 1] AS u RETURN count(*) AS x | 3 |
      | UNWIND [1, 'a', true, null, [1], {k: 1}] AS u RETURN count(*) AS x | 6 |
      | UNWIND range(1, 4) AS u RETURN sum(u) AS x | 10 |
      | UNWIND range(4, 1) AS u RETURN count(u) AS x | 0 |
      | UNWIND range(4, 1, -1) AS u RETURN collect(u) AS x | [4, 3, 2, 1] |
      | UNWIND [1, 2] AS a UNWIND [10, 20] AS b RETURN collect(a + b) AS x | [11, 21, 12, 22] |
      | UNWIND [1, 2] AS a UNWIND range(1, a) AS b RETURN collect(10 * a + b) AS x | [11, 21, 22] |
      | UNWIND [1, 2] AS a UNWIND [] AS b RETURN count(*) AS x | 0 |
      | UNWIND [] AS a UNWIND [1] AS b RETURN count(*) AS x | 0 |
      | UNWIND [1] + [2, 3] AS u RETURN collect(u) AS x | [1, 2, 3] |
      | UNWIND [x IN [1, 2, 3] WHERE x > 1] AS u RETURN collect(u) AS x | [2, 3] |
      | UNWIND [{a: 1}, {a: 2}, {b: 3}] AS u RETURN collect(u.a) AS x | [1, 2] |
      | MATCH (n:K) UNWIND n.l AS u RETURN collect(u) AS x | [1, 2, 3] |
      | MATCH (n:K) UNWIND n.l AS u RETURN collect(n.k) AS x | [1, 1, 2] |
      | MATCH (n:K) WITH collect(n) AS l UNWIND l AS m RETURN collect(m.k) AS x | [1, 2, 3, 4] |
      | MATCH (n:K) WITH collect(n) AS l UNWIND l AS a UNWIND l AS b WITH a, b WHERE a.k < b.k RETURN count(*) AS x | 6 |
      | UNWIND [1, 3, 9] AS u MATCH (n:K {k: u}) RETURN collect(n.k) AS x | [1, 3] |
      | UNWIND [1, 3, 9] AS u OPTIONAL MATCH (n:K {k: u}) RETURN collect([u, n.k]) AS x | [[1, 1], [3, 3], [9, null]] |
      | UNWIND [1, 1] AS u MATCH (n:K) RETURN count(*) AS x | 8 |
      | MATCH (n:K) UNWIND [1, 2] AS u RETURN sum(n.k) AS x | 20 |
      | UNWIND keys({a: 1, b: 2}) AS u RETURN collect(u) AS x | ['a', 'b'] |
      | MATCH (n:K {k: 2}) UNWIND keys(n) AS u RETURN collect(u) AS x | ['k', 'l'] |
      | MATCH (n:K {k: 1}) UNWIND labels(n) AS u RETURN collect(u) AS x | ['K'] |
      | WITH [1, 2] AS l UNWIND l AS u WITH l, u RETURN collect(l[0] + u) AS x | [2, 3] |
      | UNWIND [3, 1, 2] AS u WITH u ORDER BY u LIMIT 2 RETURN collect(u) AS x | [1, 2] |
      | UNWIND [[[1]], [[2]]] AS a UNWIND a AS b UNWIND b AS c RETURN collect(c) AS x | [1, 2] |
      | UNWIND split('a,b', ',') AS u RETURN collect(u) AS x | ['a', 'b'] |
      | FOR u IN [1, 2, 3] RETURN collect(u) AS x | [1, 2, 3] |
      | FOR u IN [] RETURN count(*) AS x | 0 |
      | FOR u IN null RETURN count(*) AS x | 0 |
      | FOR a IN [1, 2] FOR b IN [a, a] RETURN collect(b) AS x | [1, 1, 2, 2] |
      | MATCH (n:K) FOR u IN n.l FILTER u > 1 RETURN collect(u) AS x | [2, 3] |

  Scenario: A row for each element creates a node
    When executing query:
      """
      UNWIND [{k: 7}, {k: 8}] AS row CREATE (n:M) SET n = row RETURN n
      """
    Then the result should be, in any order:
      | n           |
      | (:M {k: 7}) |
      | (:M {k: 8}) |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A map of a row in a pattern of CREATE
    When executing query:
      """
      UNWIND [{k: 7, s: 'a'}, {k: 8}] AS row CREATE (n:M {k: row.k, s: row.s}) RETURN n
      """
    Then the result should be, in any order:
      | n                   |
      | (:M {k: 7, s: 'a'}) |
      | (:M {k: 8})         |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: A row for each element changes its own node
    When executing query:
      """
      UNWIND [[1, 'a'], [2, 'b'], [9, 'c']] AS row
      MATCH (n:K {k: row[0]}) SET n.s = row[1]
      RETURN n.k, n.s
      """
    Then the result should be, in any order:
      | n.k | n.s |
      | 1   | 'a' |
      | 2   | 'b' |
    And the side effects should be:
      | +properties | 2 |

  Scenario: A row for each element merges
    When executing query:
      """
      UNWIND [1, 5, 5, 1, 6] AS k MERGE (n:K {k: k}) RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | +nodes      | 2 |
      | +properties | 2 |

  Scenario: Rows of null create nothing
    When executing query:
      """
      UNWIND null AS x CREATE (:M)
      """
    Then the result should be empty
    And no side effects

  Scenario: Rows of a parameter
    And parameters are:
      | rows | [{a: 1, b: 'x'}, {a: 2}] |
    When executing query:
      """
      UNWIND $rows AS row RETURN row.a AS a, row.b AS b
      """
    Then the result should be, in any order:
      | a | b    |
      | 1 | 'x'  |
      | 2 | null |
    And no side effects

  Scenario: A parameter that is null has no rows
    And parameters are:
      | rows | null |
    When executing query:
      """
      UNWIND $rows AS row RETURN row
      """
    Then the result should be empty
    And no side effects

  Scenario: Elements that are deleted
    When executing query:
      """
      MATCH (n:K) WITH collect(n) AS l UNWIND l AS m WITH m WHERE m.k > 2 DELETE m
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes      | 2 |
      | -properties | 3 |

  Scenario: An aggregate of no rows is one row
    When executing query:
      """
      UNWIND [] AS u RETURN count(u) AS c, sum(u) AS s, collect(u) AS l, max(u) AS m
      """
    Then the result should be, in any order:
      | c | s | l  | m    |
      | 0 | 0 | [] | null |
    And no side effects

  Scenario Outline: Mistakes in UNWIND
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                    | detail                   |
      | UNWIND [1] AS x UNWIND [2] AS x RETURN x | VariableAlreadyBound     |
      | MATCH (n) UNWIND [1] AS n RETURN n       | VariableAlreadyBound     |
      | UNWIND x AS x RETURN x                   | UndefinedVariable        |
      | UNWIND [1] RETURN 1                      | UnexpectedSyntax         |
      | UNWIND [1] AS x                          | InvalidClauseComposition |
      | UNWIND [count(*)] AS x RETURN x          | InvalidAggregation       |
      | FOR x IN [1] FOR x IN [2] RETURN x       | VariableAlreadyBound     |
      | FOR x [1] RETURN x                       | UnexpectedSyntax         |
      | FOR x IN [1] WITH ORDINALITY i RETURN i  | UnsupportedFeature       |
      | UNWIND [1] AS x RETURN y                 | UndefinedVariable        |
