Feature: SKIP, OFFSET and LIMIT

  Scenario Outline: A part of the rows
    Given an empty graph
    And parameters are:
      | two | 2      |
      | m   | {k: 3} |
      | l   | [1, 9] |
    When executing query:
      """
      UNWIND [3, 1, 5, 2, 4] AS i WITH i ORDER BY i <part> RETURN collect(i) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | part                                               | result          |
      | LIMIT 0                                            | []              |
      | LIMIT 1                                            | [1]             |
      | LIMIT 100                                          | [1, 2, 3, 4, 5] |
      | SKIP 0                                             | [1, 2, 3, 4, 5] |
      | SKIP 5                                             | []              |
      | SKIP 100                                           | []              |
      | SKIP 4                                             | [5]             |
      | SKIP 1 LIMIT 2                                     | [2, 3]          |
      | OFFSET 3                                           | [4, 5]          |
      | OFFSET 1 LIMIT 1                                   | [2]             |
      | SKIP 2 LIMIT 0                                     | []              |
      | LIMIT 1 + 1                                        | [1, 2]          |
      | SKIP 10 % 4 LIMIT 6 / 3                            | [3, 4]          |
      | LIMIT toInteger('3')                               | [1, 2, 3]       |
      | LIMIT size([1, 2])                                 | [1, 2]          |
      | LIMIT toInteger(ceil(1.7))                         | [1, 2]          |
      | LIMIT 9223372036854775807                          | [1, 2, 3, 4, 5] |
      | SKIP 9223372036854775807                           | []              |
      | SKIP 4 LIMIT 9223372036854775807                   | [5]             |
      | SKIP 9223372036854775807 LIMIT 9223372036854775807 | []              |
      | LIMIT $two                                         | [1, 2]          |
      | SKIP $two LIMIT $two                               | [3, 4]          |
      | SKIP $two + 1 LIMIT $two * 2                       | [4, 5]          |
      | LIMIT $m.k                                         | [1, 2, 3]       |
      | LIMIT $l[0]                                        | [1]             |
      | LIMIT CASE WHEN $two > 1 THEN 1 ELSE 2 END         | [1]             |

  Scenario: Skipping all groups
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2] AS x RETURN x % 2 AS k, count(*) AS c SKIP 2
      """
    Then the result should be empty
    And no side effects

  Scenario: LIMIT counts groups and not rows
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 1, 1, 2, 2, 3] AS x RETURN x, count(*) AS c ORDER BY x LIMIT 2
      """
    Then the result should be, in order:
      | x | c |
      | 1 | 3 |
      | 2 | 2 |
    And no side effects

  Scenario: LIMIT counts rows that are distinct
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 1, 1, 2, 2, 3] AS x RETURN DISTINCT x ORDER BY x LIMIT 2
      """
    Then the result should be, in order:
      | x |
      | 1 |
      | 2 |
    And no side effects

  Scenario: LIMIT 0 of an aggregate
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2] AS x RETURN count(*) AS c LIMIT 0
      """
    Then the result should be empty
    And no side effects

  Scenario: Two limits, one after the other
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 9) AS x
      WITH x ORDER BY x DESC LIMIT 5
      WITH x ORDER BY x LIMIT 2
      RETURN x
      """
    Then the result should be, in any order:
      | x |
      | 5 |
      | 6 |
    And no side effects

  Scenario: LIMIT 0 still writes what came before
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i CREATE (:N {i: i}) RETURN i LIMIT 0
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: SKIP behind a write keeps the write
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i CREATE (n:N {i: i}) RETURN n.i AS i ORDER BY i SKIP 2
      """
    Then the result should be, in any order:
      | i |
      | 3 |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: LIMIT of an aggregate behind a write
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i CREATE (n:N {i: i}) RETURN sum(n.i) AS s LIMIT 1
      """
    Then the result should be, in any order:
      | s |
      | 6 |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: LIMIT in WITH limits the writes behind it
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i WITH i ORDER BY i LIMIT 2 CREATE (:N {i: i})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: LIMIT 0 in WITH writes nothing behind it
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i WITH i LIMIT 0 CREATE (:N {i: i})
      """
    Then the result should be empty
    And no side effects

  Scenario: LIMIT in WITH and a write before it
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS i
      CREATE (n:N {i: i})
      WITH n ORDER BY n.i LIMIT 1 SET n.first = true
      RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 1   |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario: A limit of deleted rows
    Given an empty graph
    And having executed:
      """
      CREATE (:N), (:N), (:N)
      """
    When executing query:
      """
      MATCH (n:N) DETACH DELETE n RETURN 1 AS one LIMIT 1
      """
    Then the result should be, in any order:
      | one |
      | 1   |
    And the side effects should be:
      | -nodes  | 3 |
      | -labels | 1 |

  Scenario: Only the first rows are deleted
    Given an empty graph
    And having executed:
      """
      UNWIND [1, 2, 3] AS i CREATE (:N {i: i})
      """
    When executing query:
      """
      MATCH (n:N) WITH n ORDER BY n.i LIMIT 2 DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes      | 2 |
      | -properties | 2 |
    When executing control query:
      """
      MATCH (n:N) RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 3   |

  Scenario Outline: Bad limits that are seen before
    Given an empty graph
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                   | detail                  |
      | RETURN 1 LIMIT -1                       | NegativeIntegerArgument |
      | RETURN 1 SKIP -1                        | NegativeIntegerArgument |
      | RETURN 1 OFFSET -1                      | NegativeIntegerArgument |
      | RETURN 1 LIMIT 1.5                      | InvalidArgumentType     |
      | RETURN 1 SKIP 1.0                       | InvalidArgumentType     |
      | UNWIND [1] AS x RETURN x LIMIT x        | NonConstantExpression   |
      | UNWIND [1] AS x RETURN x SKIP x         | NonConstantExpression   |
      | UNWIND [1] AS x WITH x LIMIT x RETURN x | NonConstantExpression   |
      | RETURN 1 AS a LIMIT a                   | NonConstantExpression   |
      | RETURN 1 LIMIT                          | UnexpectedSyntax        |
      | RETURN 1 SKIP                           | UnexpectedSyntax        |
      | MATCH (n) RETURN n LIMIT count(n)       | *                       |
      | MATCH (n) WITH n LIMIT -1 RETURN n      | NegativeIntegerArgument |

  Scenario Outline: Limits of another type
    Given an empty graph
    When executing query:
      """
      <query>
      """
    Then a TypeError should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query               | detail              |
      | RETURN 1 LIMIT 'a'  | InvalidArgumentType |
      | RETURN 1 SKIP true  | InvalidArgumentType |
      | RETURN 1 LIMIT null | InvalidArgumentType |
      | RETURN 1 LIMIT [1]  | InvalidArgumentType |

  Scenario: A negative parameter as LIMIT
    Given an empty graph
    And parameters are:
      | p | -1 |
    When executing query:
      """
      UNWIND [1] AS x RETURN x LIMIT $p
      """
    Then a SyntaxError should be raised at runtime: NegativeIntegerArgument
    And no side effects

  Scenario: A negative parameter as SKIP
    Given an empty graph
    And parameters are:
      | p | -1 |
    When executing query:
      """
      UNWIND [1] AS x RETURN x SKIP $p
      """
    Then a SyntaxError should be raised at runtime: NegativeIntegerArgument
    And no side effects

  Scenario: A parameter with a fraction as LIMIT
    Given an empty graph
    And parameters are:
      | p | 1.5 |
    When executing query:
      """
      UNWIND [1] AS x RETURN x LIMIT $p
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType
    And no side effects

  Scenario: A text as SKIP
    Given an empty graph
    And parameters are:
      | p | '1' |
    When executing query:
      """
      UNWIND [1] AS x RETURN x SKIP $p
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType
    And no side effects

  Scenario: A bad limit behind a write leaves nothing
    Given an empty graph
    And parameters are:
      | p | -1 |
    When executing query:
      """
      CREATE (n:N) RETURN n LIMIT $p
      """
    Then an error should be raised at runtime: *
    And no side effects
