Feature: ORDER BY

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:N {i: 1, a: 2, b: 'x'}), (:N {i: 2, a: 1, b: 'y'}), (:N {i: 3, a: 2, b: 'a'}),
        (:N {i: 4, b: 'b'}),
        (:N {i: 5, a: 1.5, b: 'B'})
      """

  Scenario Outline: Rows come in the order of one or more keys
    When executing query:
      """
      MATCH (n:N) WITH n ORDER BY <keys> RETURN collect(n.i) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | keys                                             | result          |
      | n.a, n.i                                         | [2, 5, 1, 3, 4] |
      | n.a DESC, n.i                                    | [4, 1, 3, 5, 2] |
      | n.a DESC, n.i DESC                               | [4, 3, 1, 5, 2] |
      | n.a ASC, n.b ASC                                 | [2, 5, 3, 1, 4] |
      | n.b                                              | [5, 3, 4, 1, 2] |
      | n.b DESC                                         | [2, 1, 4, 3, 5] |
      | n.b DESCENDING                                   | [2, 1, 4, 3, 5] |
      | n.i ASCENDING                                    | [1, 2, 3, 4, 5] |
      | toLower(n.b), n.i                                | [3, 4, 5, 1, 2] |
      | -n.i                                             | [5, 4, 3, 2, 1] |
      | n.i % 2, n.i                                     | [2, 4, 1, 3, 5] |
      | n.i % 2 DESC, n.i DESC                           | [5, 3, 1, 4, 2] |
      | n.a IS NULL DESC, n.i                            | [4, 1, 2, 3, 5] |
      | n.a = 2, n.i                                     | [2, 5, 1, 3, 4] |
      | coalesce(n.a, 0), n.i DESC                       | [4, 2, 5, 3, 1] |
      | [n.a, n.i]                                       | [2, 5, 1, 3, 4] |
      | CASE n.b WHEN 'x' THEN 0 ELSE n.i END            | [1, 2, 3, 4, 5] |
      | CASE WHEN n.i = 4 THEN 0 ELSE 1 END, n.i         | [4, 1, 2, 3, 5] |
      | 1, n.i DESC                                      | [5, 4, 3, 2, 1] |
      | n.nothing, n.i                                   | [1, 2, 3, 4, 5] |
      | null, n.i DESC                                   | [5, 4, 3, 2, 1] |
      | abs(n.i - 3), n.i                                | [3, 2, 4, 1, 5] |
      | size([x IN range(1, n.i) WHERE x > 3]), n.i DESC | [3, 2, 1, 4, 5] |
      | n.i DESC SKIP 1 LIMIT 2                          | [4, 3]          |
      | n.a, n.i LIMIT 3                                 | [2, 5, 1]       |
      | n.i LIMIT 0                                      | []              |
      | n.a DESC, n.i SKIP 4                             | [2]             |

  Scenario: An alias is a key
    When executing query:
      """
      MATCH (n:N) RETURN n.i * -1 AS k ORDER BY k LIMIT 2
      """
    Then the result should be, in order:
      | k  |
      | -5 |
      | -4 |
    And no side effects

  Scenario: An alias hides a variable of the same name
    When executing query:
      """
      MATCH (n:N) RETURN -n.i AS n ORDER BY n LIMIT 2
      """
    Then the result should be, in order:
      | n  |
      | -5 |
      | -4 |
    And no side effects

  Scenario: A variable is a key that is no column
    When executing query:
      """
      MATCH (n:N) RETURN n.b AS b ORDER BY n.i DESC LIMIT 2
      """
    Then the result should be, in order:
      | b   |
      | 'B' |
      | 'b' |
    And no side effects

  Scenario: An alias and a variable are keys together
    When executing query:
      """
      MATCH (n:N) RETURN n.a AS a, n.i AS i ORDER BY a DESC, n.b
      """
    Then the result should be, in order:
      | a    | i |
      | null | 4 |
      | 2    | 3 |
      | 2    | 1 |
      | 1.5  | 5 |
      | 1    | 2 |
    And no side effects

  Scenario: An expression of aliases
    When executing query:
      """
      MATCH (n:N) WHERE n.a IS NOT NULL RETURN n.a AS a, n.i AS i ORDER BY a * 10 + i
      """
    Then the result should be, in order:
      | a   | i |
      | 1   | 2 |
      | 1.5 | 5 |
      | 2   | 1 |
      | 2   | 3 |
    And no side effects

  Scenario: An expression that is a column
    When executing query:
      """
      MATCH (n:N) RETURN n.i + 1 ORDER BY n.i + 1 DESC LIMIT 2
      """
    Then the result should be, in order:
      | n.i + 1 |
      | 6       |
      | 5       |
    And no side effects

  Scenario: The order of groups
    When executing query:
      """
      MATCH (n:N) RETURN n.a AS a, count(*) AS c ORDER BY c DESC, a
      """
    Then the result should be, in order:
      | a    | c |
      | 2    | 2 |
      | 1    | 1 |
      | 1.5  | 1 |
      | null | 1 |
    And no side effects

  Scenario: An aggregate that is a column is a key
    When executing query:
      """
      MATCH (n:N) RETURN n.a AS a, max(n.i) ORDER BY max(n.i)
      """
    Then the result should be, in order:
      | a    | max(n.i) |
      | 1    | 2        |
      | 2    | 3        |
      | null | 4        |
      | 1.5  | 5        |
    And no side effects

  Scenario: DISTINCT and an order
    When executing query:
      """
      MATCH (n:N) RETURN DISTINCT n.a AS a ORDER BY a DESC
      """
    Then the result should be, in order:
      | a    |
      | null |
      | 2    |
      | 1.5  |
      | 1    |
    And no side effects

  Scenario: DISTINCT and an order of the same expression
    When executing query:
      """
      MATCH (n:N) RETURN DISTINCT n.a ORDER BY n.a
      """
    Then the result should be, in order:
      | n.a  |
      | 1    |
      | 1.5  |
      | 2    |
      | null |
    And no side effects

  Scenario: The order of a list is from its first element
    When executing query:
      """
      UNWIND [[1, 2], [1], [0, 9, 9], [], [1, null]] AS l RETURN l ORDER BY l
      """
    Then the result should be, in order:
      | l         |
      | []        |
      | [0, 9, 9] |
      | [1]       |
      | [1, 2]    |
      | [1, null] |
    And no side effects

  Scenario: Integers and floats are in one order
    When executing query:
      """
      UNWIND [2, 1.5, 1, -0.5, 3.0] AS x RETURN x ORDER BY x
      """
    Then the result should be, in order:
      | x    |
      | -0.5 |
      | 1    |
      | 1.5  |
      | 2    |
      | 3.0  |
    And no side effects

  Scenario: Booleans, false first
    When executing query:
      """
      UNWIND [true, null, false] AS x RETURN x ORDER BY x
      """
    Then the result should be, in order:
      | x     |
      | false |
      | true  |
      | null  |
    And no side effects

  Scenario: Large integers are not rounded
    When executing query:
      """
      UNWIND [9007199254740993, 9007199254740992, 9007199254740994] AS x
      RETURN x ORDER BY x DESC
      """
    Then the result should be, in order:
      | x                |
      | 9007199254740994 |
      | 9007199254740993 |
      | 9007199254740992 |
    And no side effects

  Scenario: Texts are in the order of their characters
    When executing query:
      """
      UNWIND ['b', 'B', 'a', '', 'aa', 'é', '10', '9'] AS x RETURN x ORDER BY x
      """
    Then the result should be, in order:
      | x    |
      | ''   |
      | '10' |
      | '9'  |
      | 'B'  |
      | 'a'  |
      | 'aa' |
      | 'b'  |
      | 'é'  |
    And no side effects

  Scenario: Later clauses may lose the order and not the limit
    When executing query:
      """
      MATCH (n:N) WITH n ORDER BY n.i DESC LIMIT 3 RETURN n.i ORDER BY n.i
      """
    Then the result should be, in order:
      | n.i |
      | 3   |
      | 4   |
      | 5   |
    And no side effects

  Scenario: Dates are in the order of time
    When executing query:
      """
      UNWIND [date('2021-03-01'), date('2020-12-31'), date('2021-02-28')] AS d
      RETURN toString(d) AS d ORDER BY d
      """
    Then the result should be, in order:
      | d            |
      | '2020-12-31' |
      | '2021-02-28' |
      | '2021-03-01' |
    And no side effects

  Scenario Outline: Mistakes in ORDER BY
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                              | detail             |
      | MATCH (n) RETURN DISTINCT n.b AS b ORDER BY n.i    | UndefinedVariable  |
      | MATCH (n) RETURN count(*) AS c ORDER BY n.i        | UndefinedVariable  |
      | MATCH (n) RETURN n.b AS b ORDER BY max(n.i)        | InvalidAggregation |
      | MATCH (n) RETURN n.b AS b ORDER BY m.i             | UndefinedVariable  |
      | MATCH (n) WITH n.b AS b ORDER BY count(*) RETURN b | InvalidAggregation |
      | RETURN 1 AS a ORDER BY                             | UnexpectedSyntax   |
      | RETURN 1 AS a ORDER a                              | UnexpectedSyntax   |
      | MATCH (n) ORDER BY n.i RETURN n                    | *                  |
