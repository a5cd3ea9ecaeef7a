Feature: Order of values

  Scenario Outline: Values of all types have an order, and null is last
    Given any graph
    When executing query:
      """
      UNWIND <list> AS v WITH v ORDER BY v RETURN collect(coalesce(v, 'NULL')) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | list | result |
      | [null, 2, 'a', true, [1], {a: 1}] | [{a: 1}, [1], 'a', true, 2, 'NULL'] |
      | [1, '1', true] | ['1', true, 1] |
      | [0.0 / 0, 1.0 / 0, -1.0 / 0, 0, null] | [-Infinity, 0, Infinity, NaN, 'NULL'] |
      | [true, null, false] | [false, true, 'NULL'] |
      | [2, 1.5, 1, -1, 10] | [-1, 1, 1.5, 2, 10] |
      | [9007199254740993, 9007199254740992.0, 9007199254740991] | [9007199254740991, 9007199254740992.0, 9007199254740993] |
      | ['b', 'B', 'a', '', 'aa'] | ['', 'B', 'a', 'aa', 'b'] |
      | ['10', '9', '1'] | ['1', '10', '9'] |
      | [[], [2], [1, 3], [1]] | [[], [1], [1, 3], [2]] |
      | [[1], ['a'], [null], [true]] | [['a'], [true], [1], [null]] |
      | [[1, 'b'], [1, 'a'], [0, 'c']] | [[0, 'c'], [1, 'a'], [1, 'b']] |
      | [[[2]], [[1, 1]], [[1]]] | [[[1]], [[1, 1]], [[2]]] |
      | ['z', duration('P1D'), 1] | ['P1D', 'z', 1] |
      | [[1], date('2020-01-01'), 'a'] | [[1], '2020-01-01', 'a'] |
      | [{}, []] | [{}, []] |

  Scenario Outline: The opposite order is the whole order backward
    Given any graph
    When executing query:
      """
      UNWIND <list> AS v WITH v ORDER BY v DESC RETURN collect(coalesce(v, 'NULL')) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | list                              | result                              |
      | [null, 2, 'a', true, [1], {a: 1}] | ['NULL', 2, true, 'a', [1], {a: 1}] |
      | [0.0 / 0, 1, null]                | ['NULL', NaN, 1]                    |
      | [false, true]                     | [true, false]                       |
      | ['a', 'aa', '']                   | ['aa', 'a', '']                     |
      | [[1], [1, 0], []]                 | [[1, 0], [1], []]                   |

  Scenario: Texts are sorted by scalars
    Given any graph
    When executing query:
      """
      UNWIND ['\U0001F600', '\ufffd', 'z', '\u00e9', 'e\u0301', 'f'] AS t WITH t ORDER BY t
      RETURN [c IN collect(t) | size(c)] AS sizes, collect(t)[5] = '\U0001F600' AS emoji,
        collect(t)[4] = '\ufffd' AS before, collect(t)[0] = 'e\u0301' AS first
      """
    Then the result should be, in any order:
      | sizes              | emoji | before | first |
      | [2, 1, 1, 1, 1, 1] | true  | true   | true  |

  Scenario: Temporal kinds stand in their own order before texts
    Given any graph
    When executing query:
      """
      UNWIND ['a', localtime('10:00'), duration('P1D'), date('2020-01-01'), time('10:00Z'),
        datetime('2020-01-01T00:00Z'), localdatetime('2020-01-01T00:00'), [1]] AS v
      WITH v ORDER BY v RETURN collect(v) AS x
      """
    Then the result should be, in any order:
      | x |
      | [[1], '2020-01-01T00:00Z', '2020-01-01T00:00', '2020-01-01', '10:00Z', '10:00', 'P1D', 'a'] |

  Scenario: Elements of the graph stand between maps and lists, and paths behind lists
    Given an empty graph
    And having executed:
      """
      CREATE (:A {k: 1})-[:R]->(:B)
      """
    When executing query:
      """
      MATCH p = (a:A)-[r:R]->() UNWIND ['t', p, [1], r, a, {m: 1}] AS v WITH v ORDER BY v RETURN v
      """
    Then the result should be, in order:
      | v                        |
      | {m: 1}                   |
      | (:A {k: 1})              |
      | [:R]                     |
      | [1]                      |
      | <(:A {k: 1})-[:R]->(:B)> |
      | 't'                      |

  Scenario Outline: Several keys sort one after the other
    Given any graph
    When executing query:
      """
      UNWIND [[2, 'a'], [1, 'b'], [1, 'a'], [2, 'b']] AS v WITH v[0] AS n, v[1] AS t
      ORDER BY <keys> RETURN collect(t + n) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | keys                                    | result                   |
      | n, t                                    | ['a1', 'b1', 'a2', 'b2'] |
      | n DESC, t                               | ['a2', 'b2', 'a1', 'b1'] |
      | n, t DESC                               | ['b1', 'a1', 'b2', 'a2'] |
      | t, n                                    | ['a1', 'a2', 'b1', 'b2'] |
      | t DESC, n DESC                          | ['b2', 'b1', 'a2', 'a1'] |
      | n ASC, t ASC                            | ['a1', 'b1', 'a2', 'b2'] |
      | n ASCENDING, t DESCENDING               | ['b1', 'a1', 'b2', 'a2'] |
      | -n, t                                   | ['a2', 'b2', 'a1', 'b1'] |
      | n % 2, t DESC                           | ['b2', 'a2', 'b1', 'a1'] |
      | t + n DESC                              | ['b2', 'b1', 'a2', 'a1'] |
      | n = 1, t                                | ['a2', 'b2', 'a1', 'b1'] |
      | [n, t]                                  | ['a1', 'b1', 'a2', 'b2'] |
      | {n: n}.n DESC, t                        | ['a2', 'b2', 'a1', 'b1'] |
      | CASE WHEN n = 2 THEN null ELSE n END, t | ['a1', 'b1', 'a2', 'b2'] |

  Scenario Outline: A key may be a column's name or what it was made of
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 2] AS n RETURN n * 10 AS m ORDER BY <keys> LIMIT 1
      """
    Then the result should be, in any order:
      | m        |
      | <result> |

    Examples:
      | keys          | result |
      | m             | 10     |
      | m DESC        | 30     |
      | n             | 10     |
      | n DESC        | 30     |
      | n * 10        | 10     |
      | -m            | 30     |
      | n + m DESC    | 30     |
      | abs(n - 2), n | 20     |

  Scenario: A new name hides the old one in the order
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS n RETURN -n AS n ORDER BY n
      """
    Then the result should be, in order:
      | n  |
      | -3 |
      | -2 |
      | -1 |

  Scenario Outline: SKIP and LIMIT count rows in the order
    Given any graph
    When executing query:
      """
      UNWIND [5, 3, null, 1, 4] AS n WITH n ORDER BY n <part> RETURN collect(coalesce(n, 0)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | part                      | result          |
      | LIMIT 2                   | [1, 3]          |
      | SKIP 3                    | [5, 0]          |
      | SKIP 1 LIMIT 2            | [3, 4]          |
      | LIMIT 0                   | []              |
      | SKIP 9                    | []              |
      | SKIP 0 LIMIT 9            | [1, 3, 4, 5, 0] |
      | LIMIT 1 + 1               | [1, 3]          |
      | SKIP toInteger('4')       | [0]             |
      | DESC LIMIT 1              | [0]             |
      | DESC SKIP 1 LIMIT 1       | [5]             |
      | LIMIT 9223372036854775807 | [1, 3, 4, 5, 0] |
      | SKIP 9223372036854775807  | []              |

  Scenario Outline: A number of rows is a whole number from 0, and depends on no row
    Given any graph
    When executing query:
      """
      UNWIND [1] AS n RETURN n AS x <expression>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | expression | detail                  |
      | LIMIT -1   | NegativeIntegerArgument |
      | SKIP -1    | NegativeIntegerArgument |
      | LIMIT 1.5  | InvalidArgumentType     |
      | LIMIT n    | NonConstantExpression   |
      | SKIP n + 1 | NonConstantExpression   |

  Scenario: A sum of sorted groups
    Given any graph
    When executing query:
      """
      UNWIND [[1, 'a'], [2, 'b'], [3, 'a']] AS v
      RETURN v[1] AS k, sum(v[0]) AS s ORDER BY s DESC, k
      """
    Then the result should be, in order:
      | k   | s |
      | 'a' | 4 |
      | 'b' | 2 |

  Scenario: Distinct rows are sorted by their columns
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 3, 2, null, null] AS n RETURN DISTINCT n ORDER BY n DESC
      """
    Then the result should be, in order:
      | n    |
      | null |
      | 3    |
      | 2    |
      | 1    |
