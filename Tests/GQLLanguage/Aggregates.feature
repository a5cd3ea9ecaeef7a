Feature: Aggregates

  Scenario Outline: An aggregate of no rows
    Given any graph
    When executing query:
      """
      UNWIND [] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression               | result |
      | count(*)                 | 0      |
      | count(n)                 | 0      |
      | count(DISTINCT n)        | 0      |
      | sum(n)                   | 0      |
      | avg(n)                   | null   |
      | min(n)                   | null   |
      | max(n)                   | null   |
      | collect(n)               | []     |
      | collect(DISTINCT n)      | []     |
      | stDev(n)                 | 0.0    |
      | stDevP(n)                | 0.0    |
      | percentileCont(n, 0.5)   | null   |
      | percentileDisc(n, 0.5)   | null   |
      | count(n) + 1             | 1      |
      | sum(n) / 1               | 0      |
      | size(collect(n))         | 0      |
      | coalesce(max(n), 'none') | 'none' |

  Scenario: With a key there are no groups of no rows
    Given any graph
    When executing query:
      """
      UNWIND [] AS n RETURN n, count(*) AS x
      """
    Then the result should be empty

  Scenario Outline: An aggregate passes over null
    Given any graph
    When executing query:
      """
      UNWIND [null, 3, null, 1] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression             | result                     |
      | count(*)               | 4                          |
      | count(n)               | 2                          |
      | count(null)            | 0                          |
      | sum(n)                 | 4                          |
      | avg(n)                 | 2.0                        |
      | min(n)                 | 1                          |
      | max(n)                 | 3                          |
      | collect(n)             | [3, 1]                     |
      | stDevP(n)              | 1.0                        |
      | percentileDisc(n, 1.0) | 3                          |
      | percentileCont(n, 0.5) | 2.0                        |
      | collect([n])           | [[null], [3], [null], [1]] |
      | count(n > 1)           | 2                          |
      | count(n IS NULL)       | 4                          |
      | count(coalesce(n, 0))  | 4                          |
      | sum(null)              | 0                          |
      | avg(null)              | null                       |
      | max(null)              | null                       |
      | collect(null)          | []                         |

  Scenario Outline: Rows of null alone are as no rows
    Given any graph
    When executing query:
      """
      UNWIND [null, null] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression             | result |
      | count(*)               | 2      |
      | count(DISTINCT n)      | 0      |
      | sum(n)                 | 0      |
      | avg(n)                 | null   |
      | min(n)                 | null   |
      | collect(n)             | []     |
      | percentileDisc(n, 0.5) | null   |

  Scenario Outline: DISTINCT looks at equal values once
    Given any graph
    When executing query:
      """
      UNWIND [1, 1.0, 2, 2, null] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                  | result |
      | count(DISTINCT n)           | 2      |
      | sum(DISTINCT n) = 3         | true   |
      | avg(DISTINCT n)             | 1.5    |
      | size(collect(DISTINCT n))   | 2      |
      | count(DISTINCT n > 1)       | 2      |
      | count(DISTINCT 'a')         | 1      |
      | count(DISTINCT n % 2)       | 2      |
      | size(collect(DISTINCT [n])) | 3      |
      | count(DISTINCT {a: n})      | 3      |

  Scenario Outline: DISTINCT takes NaN for one value, and null for none
    Given any graph
    When executing query:
      """
      UNWIND [0.0 / 0, 0.0 / 0, 0.0, -0.0, 0] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | count(DISTINCT n)         | 2      |
      | size(collect(DISTINCT n)) | 2      |
      | count(DISTINCT [n])       | 2      |
      | count(n)                  | 5      |

  Scenario Outline: Sums are whole while all values are
    Given any graph
    When executing query:
      """
      UNWIND <list> AS n RETURN sum(n) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | list                                        | result              |
      | [1, 2, 3]                                   | 6                   |
      | [1, 2.0]                                    | 3.0                 |
      | [0.5, 0.5]                                  | 1.0                 |
      | [-1, 1]                                     | 0                   |
      | [9223372036854775807, -1]                   | 9223372036854775806 |
      | [9223372036854775807, -9223372036854775808] | -1                  |
      | [1.0 / 0, 1]                                | Infinity            |
      | [0.0 / 0, 1]                                | NaN                 |
      | [1e308, 1e308]                              | Infinity            |
      | [null, 1.5]                                 | 1.5                 |
      | [duration('P1D'), duration('PT1H')]         | 'P1DT1H'            |

  Scenario Outline: A sum with no room is an error
    Given any graph
    When executing query:
      """
      UNWIND <expression> AS n RETURN sum(n) AS x
      """
    Then a ArithmeticError should be raised at runtime: IntegerOverflow

    Examples:
      | expression                                 |
      | [9223372036854775807, 1]                   |
      | [-9223372036854775808, -1]                 |
      | [4611686018427387904, 4611686018427387904] |

  Scenario Outline: A mean is a float
    Given any graph
    When executing query:
      """
      UNWIND <list> AS n RETURN avg(n) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | list                                       | result                |
      | [1, 2]                                     | 1.5                   |
      | [2, 2]                                     | 2.0                   |
      | [1, null, 3]                               | 2.0                   |
      | [-1, 1]                                    | 0.0                   |
      | [0.1, 0.2]                                 | 0.15000000000000002   |
      | [9223372036854775806, 9223372036854775806] | 9223372036854775806.0 |
      | [duration('PT1H'), duration('PT3H')]       | 'PT2H'                |

  Scenario Outline: The least and the greatest go by the order of all values
    Given any graph
    When executing query:
      """
      UNWIND <list> AS n RETURN min(n) AS low, max(n) AS high
      """
    Then the result should be, in any order:
      | low   | high   |
      | <low> | <high> |

    Examples:
      | list                                     | low          | high         |
      | [2, 1, 3]                                | 1            | 3            |
      | [1, 1.5, 0.5]                            | 0.5          | 1.5          |
      | ['b', 'a', 'B']                          | 'B'          | 'b'          |
      | [1, 'a']                                 | 'a'          | 1            |
      | [1, 'a', true]                           | 'a'          | 1            |
      | ['a', [1]]                               | [1]          | 'a'          |
      | [[2], [1, 5], []]                        | []           | [2]          |
      | [true, false]                            | false        | true         |
      | [1, 0.0 / 0, 2]                          | 1            | NaN          |
      | ['9', '10']                              | '10'         | '9'          |
      | [date('2020-01-02'), date('2019-12-31')] | '2019-12-31' | '2020-01-02' |
      | [duration('P1M'), duration('P31D')]      | 'P1M'        | 'P31D'       |
      | ['', 'a']                                | ''           | 'a'          |
      | [[1], [null], ['a']]                     | ['a']        | [null]       |

  Scenario Outline: collect keeps the order of the rows, and duplicates
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 3] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                              | result                   |
      | collect(n)                              | [3, 1, 3]                |
      | collect(DISTINCT n)                     | [3, 1]                   |
      | collect(n)[0]                           | 3                        |
      | collect(n)[1..]                         | [1, 3]                   |
      | size(collect(n))                        | 3                        |
      | [i IN collect(n) \| i * 2]              | [6, 2, 6]                |
      | collect({v: n})                         | [{v: 3}, {v: 1}, {v: 3}] |
      | reverse(collect(n))                     | [3, 1, 3]                |
      | collect(n) + [9]                        | [3, 1, 3, 9]             |
      | head(collect(n)) + last(collect(n))     | 6                        |
      | 3 IN collect(n)                         | true                     |
      | reduce(s = 0, i IN collect(n) \| s + i) | 7                        |

  Scenario: collect after a sort is sorted
    Given any graph
    When executing query:
      """
      UNWIND [3, 1, 2] AS n WITH n ORDER BY n DESC RETURN collect(n) AS x
      """
    Then the result should be, in any order:
      | x         |
      | [3, 2, 1] |

  Scenario Outline: Deviations of a sample and of all
    Given any graph
    When executing query:
      """
      UNWIND <list> AS n RETURN round(stDev(n), 6) AS s, round(stDevP(n), 6) AS p
      """
    Then the result should be, in any order:
      | s   | p   |
      | <s> | <p> |

    Examples:
      | list                                 | s        | p        |
      | [5]                                  | 0.0      | 0.0      |
      | [2, 4, 4, 4, 5, 5, 7, 9]             | 2.13809  | 2.0      |
      | [1, 2, 3, 4]                         | 1.290994 | 1.118034 |
      | [1, 1, 1]                            | 0.0      | 0.0      |
      | [-1, 1]                              | 1.414214 | 1.0      |
      | [1000000001, 1000000002, 1000000003] | 1.0      | 0.816497 |
      | [null, 3, 5]                         | 1.414214 | 1.0      |
      | [0.5, 1.5]                           | 0.707107 | 0.5      |

  Scenario Outline: A continuous percentile lies between its neighbors
    Given any graph
    When executing query:
      """
      UNWIND [10, 20, 30, 40] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                    | result |
      | percentileCont(n, 0)          | 10.0   |
      | percentileCont(n, 0.0)        | 10.0   |
      | percentileCont(n, 0.5)        | 25.0   |
      | percentileCont(n, 0.25)       | 17.5   |
      | percentileCont(n, 1)          | 40.0   |
      | percentileCont(n / 10.0, 0.5) | 2.5    |
      | percentileCont(-n, 0.25)      | -32.5  |

  Scenario Outline: A discrete percentile is one of the values
    Given any graph
    When executing query:
      """
      UNWIND [40, 10, 30, 20] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                   | result |
      | percentileDisc(n, 0)         | 10     |
      | percentileDisc(n, 0.0)       | 10     |
      | percentileDisc(n, 0.25)      | 10     |
      | percentileDisc(n, 0.26)      | 20     |
      | percentileDisc(n, 0.5)       | 20     |
      | percentileDisc(n, 0.51)      | 30     |
      | percentileDisc(n, 1.0)       | 40     |
      | percentileDisc(n * 1.0, 0.5) | 20.0   |

  Scenario Outline: A percentile outside of 0 to 1 is an error
    Given any graph
    When executing query:
      """
      UNWIND [1, 2] AS n RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: NumberOutOfRange

    Examples:
      | expression              |
      | percentileCont(n, 1.1)  |
      | percentileCont(n, -0.1) |
      | percentileDisc(n, 2)    |
      | percentileDisc(n, -1)   |

  Scenario Outline: Numbers alone have sums, means, deviations and percentiles
    Given any graph
    When executing query:
      """
      UNWIND <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                               |
      | ['a'] AS n RETURN sum(n)                 |
      | [true] AS n RETURN sum(n)                |
      | [1, 'a'] AS n RETURN sum(n)              |
      | [[1]] AS n RETURN sum(n)                 |
      | ['a'] AS n RETURN avg(n)                 |
      | [{a: 1}] AS n RETURN avg(n)              |
      | ['a'] AS n RETURN stDev(n)               |
      | [true] AS n RETURN stDevP(n)             |
      | ['a'] AS n RETURN percentileCont(n, 0.5) |
      | [date('2020-01-01')] AS n RETURN sum(n)  |

  Scenario: Groups follow from the columns without an aggregate
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, 3, 4, null] AS n RETURN n % 2 AS k, count(*) AS c, collect(n) AS l
      """
    Then the result should be, in any order:
      | k    | c | l      |
      | 1    | 2 | [1, 3] |
      | 0    | 2 | [2, 4] |
      | null | 1 | []     |

  Scenario Outline: Groups of keys that are equal are one
    Given any graph
    When executing query:
      """
      UNWIND <list> AS n WITH n, count(*) AS c RETURN count(*) AS groups, max(c) AS most
      """
    Then the result should be, in any order:
      | groups   | most   |
      | <groups> | <most> |

    Examples:
      | list                                                 | groups | most |
      | [1, 1.0, 1]                                          | 1      | 3    |
      | [null, null]                                         | 1      | 2    |
      | [0.0 / 0, 0.0 / 0]                                   | 1      | 2    |
      | [[1], [1.0], [null], [null]]                         | 2      | 2    |
      | [{a: 1}, {a: 1.0}, {a: null}, {}]                    | 3      | 2    |
      | ['a', 'A']                                           | 2      | 1    |
      | [true, 'true', 1]                                    | 3      | 1    |
      | [0.0, -0.0]                                          | 1      | 2    |
      | [date('2020-01-01'), date('20200101'), '2020-01-01'] | 2      | 2    |

  Scenario Outline: An aggregate may be a part of an expression
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                  | result |
      | count(*) * 2 + 1            | 7      |
      | sum(n) * 1.0 / count(n)     | 2.0    |
      | max(n) - min(n)             | 2      |
      | 'n=' + count(n)             | 'n=3'  |
      | [min(n), max(n)]            | [1, 3] |
      | {least: min(n)}.least       | 1      |
      | -sum(n)                     | -6     |
      | sum(n) > 5 AND count(*) = 3 | true   |
      | count(*) IN [3]             | true   |
      | sum(n ^ 2)                  | 14.0   |
      | sum(-n)                     | -6     |
      | max(n % 2)                  | 1      |
      | avg(n) IS NULL              | false  |
      | abs(sum(n) - 10)            | 4      |
      | toString(count(*))          | '3'    |

  Scenario: A key and an aggregate in one expression
    Given any graph
    When executing query:
      """
      UNWIND [1, 1, 2] AS n WITH n AS k RETURN k, k + count(*) AS x
      """
    Then the result should be, in any order:
      | k | x |
      | 1 | 3 |
      | 2 | 3 |

  Scenario Outline: An aggregate does not stand where rows are chosen or within another
    Given any graph
    When executing query:
      """
      UNWIND [1] AS n <expression>
      """
    Then a SyntaxError should be raised at compile time: <detail>

    Examples:
      | expression                                              | detail                         |
      | WITH n WHERE count(n) > 0 RETURN n                      | InvalidAggregation             |
      | RETURN [i IN [1] WHERE count(*) > 0] AS x               | InvalidAggregation             |
      | RETURN any(i IN [1] WHERE count(i) = 1) AS x            | InvalidAggregation             |
      | RETURN reduce(s = 0, i IN [1] \| s + count(i)) AS x     | InvalidAggregation             |
      | RETURN sum(count(*)) AS x                               | NestedAggregation              |
      | RETURN count(1 + max(n)) AS x                           | NestedAggregation              |
      | RETURN collect([sum(n)]) AS x                           | NestedAggregation              |
      | RETURN n + n + count(*) AS x                            | AmbiguousAggregationExpression |
      | RETURN n AS m, n * count(*) + n * 2 AS x LIMIT count(*) | *                              |
      | UNWIND collect(n) AS m RETURN m                         | InvalidAggregation             |

  Scenario: WITH after an aggregate filters groups
    Given any graph
    When executing query:
      """
      UNWIND ['a', 'b', 'a', 'c', 'a', 'b'] AS t WITH t, count(*) AS c WHERE c > 1 RETURN t, c
      """
    Then the result should be, in any order:
      | t   | c |
      | 'a' | 3 |
      | 'b' | 2 |
