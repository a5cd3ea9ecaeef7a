Feature: WHERE

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:V {i: 1, a: 1, b: true, s: 'ann'}), (:V {i: 2, a: 2, b: false, s: 'Bob'}),
        (:V {i: 3}),
        (:V {i: 4, a: 'x'}), (:V {i: 5, a: 2.0, b: true})
      """

  Scenario Outline: A row stays if its condition is true, and not if it is null
    When executing query:
      """
      MATCH (v:V) WHERE <condition> RETURN collect(v.i) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | condition                              | result          |
      | v.a = 2                                | [2, 5]          |
      | v.a <> 2                               | [1, 4]          |
      | NOT v.a = 2                            | [1, 4]          |
      | v.a < 2                                | [1]             |
      | NOT v.a < 2                            | [2, 5]          |
      | v.a >= 1 OR v.a < 1                    | [1, 2, 5]       |
      | v.b                                    | [1, 5]          |
      | NOT v.b                                | [2]             |
      | NOT NOT v.b                            | [1, 5]          |
      | v.b IS NULL                            | [3, 4]          |
      | v.b IS NOT NULL                        | [1, 2, 5]       |
      | NOT v.b IS NULL                        | [1, 2, 5]       |
      | v.b = null                             | []              |
      | v.b <> null                            | []              |
      | NOT v.b = null                         | []              |
      | null                                   | []              |
      | NOT null                               | []              |
      | true                                   | [1, 2, 3, 4, 5] |
      | null OR true                           | [1, 2, 3, 4, 5] |
      | NOT (null AND false)                   | [1, 2, 3, 4, 5] |
      | null XOR true                          | []              |
      | v.b OR v.a = 'x'                       | [1, 4, 5]       |
      | v.b AND v.a = 2                        | [5]             |
      | v.b XOR v.a = 2                        | [1, 2]          |
      | v.b XOR true                           | [2]             |
      | NOT (v.b AND v.a = 1)                  | [2, 4, 5]       |
      | NOT (v.b OR v.a = 1)                   | [2]             |
      | v.b AND v.b OR v.i = 3                 | [1, 3, 5]       |
      | v.i = 3 OR v.b AND v.i = 5             | [3, 5]          |
      | (v.i = 3 OR v.b) AND v.i = 5           | [5]             |
      | NOT v.i = 3 AND v.i < 3                | [1, 2]          |
      | NOT (v.i = 3 AND v.i < 3)              | [1, 2, 3, 4, 5] |
      | v.a IN [1, 'x']                        | [1, 4]          |
      | v.a IN [1, null]                       | [1]             |
      | NOT v.a IN [1, null]                   | []              |
      | NOT v.a IN [1]                         | [2, 4, 5]       |
      | v.a IN []                              | []              |
      | NOT v.a IN []                          | [1, 2, 3, 4, 5] |
      | v.a IN null                            | []              |
      | 1 <= v.a <= 2                          | [1, 2, 5]       |
      | 1 < v.a < 3                            | [2, 5]          |
      | 3 > v.a > 1 <= v.i                     | [2, 5]          |
      | v.i = v.a = 2                          | [2]             |
      | v.s STARTS WITH 'a'                    | [1]             |
      | NOT v.s STARTS WITH 'a'                | [2]             |
      | v.s CONTAINS ''                        | [1, 2]          |
      | v.s ENDS WITH null                     | []              |
      | v.a STARTS WITH 'x'                    | [4]             |
      | NOT v.a STARTS WITH 'x'                | []              |
      | v.s < 'a'                              | [2]             |
      | v.s > 1                                | []              |
      | exists(v.b)                            | [1, 2, 5]       |
      | NOT exists(v.b)                        | [3, 4]          |
      | CASE WHEN v.b THEN true ELSE false END | [1, 5]          |
      | CASE v.b WHEN false THEN true END      | [2]             |
      | coalesce(v.b, true)                    | [1, 3, 4, 5]    |
      | (v.b IS NULL) = (v.a IS NULL)          | [1, 2, 3, 5]    |
      | v.b = v.b                              | [1, 2, 5]       |
      | v.b <> v.b                             | []              |
      | v = v                                  | [1, 2, 3, 4, 5] |
      | all(x IN [v.b] WHERE x)                | [1, 5]          |
      | any(x IN [v.a, null] WHERE x = 2)      | [2, 5]          |
      | none(x IN [v.a] WHERE x = 2)           | [1, 4]          |
      | single(x IN [v.a, 2] WHERE x = 2)      | [1, 4]          |
      | all(x IN [] WHERE x)                   | [1, 2, 3, 4, 5] |
      | [v.a] = [2]                            | [2, 5]          |
      | [v.a, 0] = [2, 1]                      | []              |
      | NOT [v.a, 0] = [2, 1]                  | [1, 2, 3, 4, 5] |
      | {k: v.a} = {k: 2}                      | [2, 5]          |
      | v:V AND v.i < 3                        | [1, 2]          |
      | NOT v:W                                | [1, 2, 3, 4, 5] |
      | v:V:W                                  | []              |
      | v:W OR v.b                             | [1, 5]          |
      | v.a + 1 = 3                            | [2, 5]          |
      | v['i'] = 4                             | [4]             |
      | size(v.s) = 3                          | [1, 2]          |
      | v.i % 2 = 1 AND v.b IS NULL            | [3]             |

  Scenario Outline: Conditions that are no booleans
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                          | detail              |
      | MATCH (v) WHERE 1 RETURN v                     | InvalidArgumentType |
      | MATCH (v) WHERE 'true' RETURN v                | InvalidArgumentType |
      | MATCH (v) WHERE v.i AND 1 RETURN v             | InvalidArgumentType |
      | MATCH (v) WHERE count(*) > 1 RETURN v          | InvalidAggregation  |
      | MATCH (v) WHERE w.i = 1 RETURN v               | UndefinedVariable   |
      | MATCH (v) WHERE v.i = 1 AND RETURN v           | UnexpectedSyntax    |
      | MATCH (v) WHERE v.i = 1 WHERE v.i = 2 RETURN v | *                   |
      | UNWIND [1] AS x WHERE x > 0 RETURN x           | *                   |

  Scenario Outline: Conditions that are found to be no booleans
    When executing query:
      """
      <query>
      """
    Then a TypeError should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                 | detail              |
      | MATCH (v:V) WHERE v.i RETURN v        | InvalidArgumentType |
      | MATCH (v:V) WHERE NOT v.s RETURN v    | InvalidArgumentType |
      | MATCH (v:V) WHERE v.s OR v.s RETURN v | InvalidArgumentType |
