Feature: RETURN

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1, w: 'p'})-[:R {k: 5}]->(:B {v: 2})
      """

  Scenario: An unnamed column has the text of its expression
    When executing query:
      """
      MATCH (a:A) RETURN a.v, a . v, a.v+1, count( * ), 'it', [1,2], toUpper(a.w)
      """
    Then the result should be, in any order:
      | a.v | a . v | a.v+1 | count( * ) | 'it' | [1,2]  | toUpper(a.w) |
      | 1   | 1     | 2     | 1          | 'it' | [1, 2] | 'P'          |
    And no side effects

  Scenario: The case of a function is kept in a column
    When executing query:
      """
      RETURN COALESCE(null, 1), coalesce(null, 1), 1 IN [1] AND TRUE
      """
    Then the result should be, in any order:
      | COALESCE(null, 1) | coalesce(null, 1) | 1 IN [1] AND TRUE |
      | 1                 | 1                 | true              |
    And no side effects

  Scenario: An alias with a space and quotes
    When executing query:
      """
      RETURN 1 AS `a b`, 2 AS `it's`, 3 AS `x.y`
      """
    Then the result should be, in any order:
      | a b | it's | x.y |
      | 1   | 2    | 3   |
    And no side effects

  Scenario: A star returns variables in the order of their names
    When executing query:
      """
      MATCH (b:A)-[r:R]->(a:B) RETURN *
      """
    Then the result should be, in any order:
      | a           | b                   | r           |
      | (:B {v: 2}) | (:A {v: 1, w: 'p'}) | [:R {k: 5}] |
    And no side effects

  Scenario: A star and more columns
    When executing query:
      """
      WITH 1 AS z, 2 AS y RETURN *, z + y AS x
      """
    Then the result should be, in any order:
      | y | z | x |
      | 2 | 1 | 3 |
    And no side effects

  Scenario: A star holds no anonymous element
    When executing query:
      """
      MATCH (a:A)-[:R]->() RETURN *
      """
    Then the result should be, in any order:
      | a                   |
      | (:A {v: 1, w: 'p'}) |
    And no side effects

  Scenario: A star holds paths and lists of relationships
    When executing query:
      """
      MATCH p = (:A)-[r*]->() RETURN *
      """
    Then the result should be, in any order:
      | p                                              | r             |
      | <(:A {v: 1, w: 'p'})-[:R {k: 5}]->(:B {v: 2})> | [[:R {k: 5}]] |
    And no side effects

  Scenario: A star with an order and a limit
    When executing query:
      """
      UNWIND [3, 1, 2] AS x RETURN * ORDER BY x DESC LIMIT 2
      """
    Then the result should be, in order:
      | x |
      | 3 |
      | 2 |
    And no side effects

  Scenario: DISTINCT with a star
    When executing query:
      """
      UNWIND [1, 1, 2] AS x RETURN DISTINCT *
      """
    Then the result should be, in any order:
      | x |
      | 1 |
      | 2 |
    And no side effects

  Scenario: DISTINCT looks at whole rows
    When executing query:
      """
      UNWIND [[1, 2], [1, 2], [1, 3]] AS l RETURN DISTINCT l[0] AS a, l[1] AS b
      """
    Then the result should be, in any order:
      | a | b |
      | 1 | 2 |
      | 1 | 3 |
    And no side effects

  Scenario: DISTINCT of nodes is not of their properties
    When executing query:
      """
      CREATE (:T {v: 1}), (:T {v: 1})
      WITH 1 AS one
      MATCH (t:T)
      RETURN count(DISTINCT t) AS n, count(DISTINCT t.v) AS v
      """
    Then the result should be, in any order:
      | n | v |
      | 2 | 1 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: DISTINCT takes null for one value
    When executing query:
      """
      UNWIND [null, 1, null] AS x RETURN DISTINCT x
      """
    Then the result should be, in any order:
      | x    |
      | null |
      | 1    |
    And no side effects

  Scenario: DISTINCT of maps and lists with null
    When executing query:
      """
      UNWIND [{a: null}, {a: null}, {}, [null], [null]] AS x RETURN DISTINCT x
      """
    Then the result should be, in any order:
      | x         |
      | {a: null} |
      | {}        |
      | [null]    |
    And no side effects

  Scenario: DISTINCT of numbers and texts
    When executing query:
      """
      UNWIND [1, '1', 1.0, true, 'true'] AS x RETURN count(DISTINCT x) AS c
      """
    Then the result should be, in any order:
      | c |
      | 4 |
    And no side effects

  Scenario: The same expression under two names
    When executing query:
      """
      MATCH (a:A) RETURN a.v AS x, a.v AS y
      """
    Then the result should be, in any order:
      | x | y |
      | 1 | 1 |
    And no side effects

  Scenario: A column may have the name of a variable
    When executing query:
      """
      MATCH (a:A) RETURN a.v AS a
      """
    Then the result should be, in any order:
      | a |
      | 1 |
    And no side effects

  Scenario: Names of columns may swap
    When executing query:
      """
      MATCH (a:A)-->(b) RETURN a.v AS b, b.v AS a
      """
    Then the result should be, in any order:
      | b | a |
      | 1 | 2 |
    And no side effects

  Scenario: A missing property is null
    When executing query:
      """
      MATCH (a:A) RETURN a.nothing, a['no'], properties(a).no
      """
    Then the result should be, in any order:
      | a.nothing | a['no'] | properties(a).no |
      | null      | null    | null             |
    And no side effects

  Scenario: Maps and lists of elements
    When executing query:
      """
      MATCH (a:A)-[r]->(b) RETURN {from: a, all: [r, b.v]} AS m
      """
    Then the result should be, in any order:
      | m                                                  |
      | {all: [[:R {k: 5}], 2], from: (:A {v: 1, w: 'p'})} |
    And no side effects

  Scenario: Columns without any MATCH
    When executing query:
      """
      RETURN 1, 1 + 1, null, [], {}
      """
    Then the result should be, in any order:
      | 1 | 1 + 1 | null | [] | {} |
      | 1 | 2     | null | [] | {} |
    And no side effects

  Scenario: A column keeps its own spaces and no comments around it
    When executing query:
      """
      RETURN /* one */ 1  +  1 /* two */ AS a, 2  *  3
      """
    Then the result should be, in any order:
      | a | 2  *  3 |
      | 2 | 6       |
    And no side effects

  Scenario: Parentheses are a part of the name
    When executing query:
      """
      RETURN (1 + 2) * 3
      """
    Then the result should be, in any order:
      | (1 + 2) * 3 |
      | 9           |
    And no side effects

  Scenario Outline: Mistakes in RETURN
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                        | detail                   |
      | RETURN *                     | NoVariablesInScope       |
      | MATCH () RETURN *            | NoVariablesInScope       |
      | RETURN a                     | UndefinedVariable        |
      | RETURN 1 AS a, 2 AS a        | ColumnNameConflict       |
      | MATCH (n) RETURN n.v, n.v    | ColumnNameConflict       |
      | MATCH (n) RETURN n.w AS n, n | ColumnNameConflict       |
      | RETURN 1 AS a RETURN 2 AS b  | InvalidClauseComposition |
      | RETURN                       | UnexpectedSyntax         |
      | RETURN 1,                    | UnexpectedSyntax         |
      | RETURN 1 AS                  | UnexpectedSyntax         |
      | RETURN 1 WHERE true          | *                        |
      | RETURN DISTINCT              | UnexpectedSyntax         |
      | MATCH (n) RETURN n AS 'a'    | UnexpectedSyntax         |
      | RETURN 1 AS a, a + 1 AS b    | UndefinedVariable        |
      | RETURN foo(1) AS a           | UnknownFunction          |
      | RETURN 1 LIMIT 1 SKIP 1      | *                        |
      | RETURN [1, 2                 | UnexpectedSyntax         |
      | RETURN {a 1}                 | UnexpectedSyntax         |
