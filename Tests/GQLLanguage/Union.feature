Feature: UNION

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {v: 2}), (:B {v: 2}), (:B {v: 3})
      """

  Scenario: UNION removes equal rows of all parts
    When executing query:
      """
      MATCH (a:A) RETURN a.v AS v UNION MATCH (b:B) RETURN b.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
      | 2 |
      | 3 |
    And no side effects

  Scenario: UNION ALL keeps equal rows
    When executing query:
      """
      MATCH (a:A) RETURN a.v AS v UNION ALL MATCH (b:B) RETURN b.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
      | 2 |
      | 2 |
      | 3 |
    And no side effects

  Scenario: UNION removes equal rows within one part
    When executing query:
      """
      UNWIND [1, 1, 2] AS x RETURN x UNION RETURN 2 AS x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
    And no side effects

  Scenario: UNION DISTINCT is UNION
    When executing query:
      """
      RETURN 1 AS x UNION DISTINCT RETURN 1 AS x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
    And no side effects

  Scenario: UNION takes nulls for equal
    When executing query:
      """
      RETURN null AS x UNION RETURN null AS x
      """
    Then the result should be, in any order:
      | x    |
      | null |
    And no side effects

  Scenario: UNION takes 1 and 1.0 for equal
    When executing query:
      """
      RETURN 1 AS x UNION RETURN 1.0 AS x UNION RETURN '1' AS x
      """
    Then the result should be, in any order:
      | x   |
      | 1   |
      | '1' |
    And no side effects

  Scenario: Three parts
    When executing query:
      """
      RETURN 1 AS x UNION ALL RETURN 2 AS x UNION ALL RETURN 1 AS x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
      | 1 |
    And no side effects

  Scenario: Parts have variables of their own
    When executing query:
      """
      MATCH (n:A) RETURN n.v AS v UNION MATCH (n:B) RETURN n.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
      | 2 |
      | 3 |
    And no side effects

  Scenario: Nodes of two parts are equal if they are the same
    When executing query:
      """
      MATCH (n {v: 2}) RETURN n UNION MATCH (n:A) RETURN n
      """
    Then the result should be, in any order:
      | n           |
      | (:A {v: 2}) |
      | (:B {v: 2}) |
      | (:A {v: 1}) |
    And no side effects

  Scenario: An order and a limit belong to their part
    When executing query:
      """
      MATCH (a:A)
      RETURN a.v AS v ORDER BY v DESC LIMIT 1
      UNION ALL
      MATCH (b:B)
      RETURN b.v AS v ORDER BY v LIMIT 1
      """
    Then the result should be, in any order:
      | v |
      | 2 |
      | 2 |
    And no side effects

  Scenario: An aggregate belongs to its part
    When executing query:
      """
      MATCH (a:A) RETURN sum(a.v) AS v UNION ALL MATCH (b:B) RETURN sum(b.v) AS v
      """
    Then the result should be, in any order:
      | v |
      | 3 |
      | 5 |
    And no side effects

  Scenario: A part without rows
    When executing query:
      """
      MATCH (a:Z) RETURN a.v AS v UNION MATCH (b:B) RETURN b.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 2 |
      | 3 |
    And no side effects

  Scenario: A part without rows and one that counts
    When executing query:
      """
      MATCH (a:Z) RETURN count(a) AS v UNION ALL MATCH (b:Z) RETURN b AS v
      """
    Then the result should be, in any order:
      | v |
      | 0 |
    And no side effects

  Scenario: Columns of several values are compared as rows
    When executing query:
      """
      RETURN 1 AS x, 2 AS y UNION RETURN 1 AS x, 3 AS y UNION RETURN 1 AS x, 2 AS y
      """
    Then the result should be, in any order:
      | x | y |
      | 1 | 2 |
      | 1 | 3 |
    And no side effects

  Scenario: Names of unnamed columns are equal
    When executing query:
      """
      MATCH (n:A) RETURN n.v UNION MATCH (n:B) RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 1   |
      | 2   |
      | 3   |
    And no side effects

  Scenario: A star in each part
    When executing query:
      """
      MATCH (n:A) RETURN * UNION MATCH (n:B {v: 3}) RETURN *
      """
    Then the result should be, in any order:
      | n           |
      | (:A {v: 1}) |
      | (:A {v: 2}) |
      | (:B {v: 3}) |
    And no side effects

  Scenario: Lists and maps of two parts
    When executing query:
      """
      RETURN [1, {a: null}] AS x UNION RETURN [1, {a: null}] AS x
      """
    Then the result should be, in any order:
      | x              |
      | [1, {a: null}] |
    And no side effects

  Scenario: Each part writes
    When executing query:
      """
      CREATE (n:C {v: 1}) RETURN n.v AS v UNION ALL CREATE (n:C {v: 1}) RETURN n.v AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
      | 1 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A later part sees what an earlier one wrote
    When executing query:
      """
      CREATE (n:C {v: 5}) RETURN n.v AS v UNION ALL MATCH (n:C) RETURN n.v + 1 AS v
      """
    Then the result should be, in any order:
      | v |
      | 5 |
      | 6 |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: UNION of writes removes rows and no nodes
    When executing query:
      """
      CREATE (n:C) RETURN 1 AS v UNION CREATE (n:C) RETURN 1 AS v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
    And the side effects should be:
      | +nodes  | 2 |
      | +labels | 1 |

  Scenario: A parameter in each part
    And parameters are:
      | p | 1 |
    When executing query:
      """
      RETURN $p AS x UNION ALL RETURN $p + 1 AS x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
    And no side effects

  Scenario: UNWIND in each part
    When executing query:
      """
      UNWIND [1, 2] AS x RETURN x UNION UNWIND [2, 3] AS x RETURN x
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
      | 3 |
    And no side effects

  Scenario Outline: Mistakes with UNION
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                     | detail                   |
      | RETURN 1 AS a UNION RETURN 1 AS b                         | DifferentColumnsInUnion  |
      | RETURN 1 AS a UNION RETURN 1 AS a, 2 AS b                 | DifferentColumnsInUnion  |
      | RETURN 1 UNION ALL RETURN 2                               | DifferentColumnsInUnion  |
      | RETURN 1 AS a UNION ALL RETURN 1 AS a UNION RETURN 1 AS a | InvalidClauseComposition |
      | RETURN 1 AS a UNION                                       | UnexpectedSyntax         |
      | UNION RETURN 1 AS a                                       | UnexpectedSyntax         |
      | MATCH (n) UNION RETURN 1 AS a                             | *                        |
      | MATCH (n) RETURN n UNION MATCH (m) RETURN n               | UndefinedVariable        |
      | RETURN 1 AS a UNION WITH 1 AS a MATCH (n)                 | *                        |
      | RETURN 1 AS a EXCEPT RETURN 1 AS a                        | UnsupportedFeature       |
      | RETURN 1 AS a INTERSECT RETURN 1 AS a                     | UnsupportedFeature       |
