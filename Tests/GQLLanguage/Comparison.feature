Feature: Comparison and equality

  Scenario Outline: Whole numbers and floats compare by their exact values
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                    | result |
      | 1 < 1.0                                       | false  |
      | 1 <= 1.0                                      | true   |
      | 9223372036854775807 < 9223372036854775808.0   | true   |
      | 9223372036854775807 = 9223372036854775807.0   | false  |
      | -9223372036854775808 = -9223372036854775808.0 | true   |
      | 0.1 + 0.2 = 0.3                               | false  |
      | 9007199254740993 <> 9007199254740992.0        | true   |
      | 9007199254740992 >= 9007199254740993          | false  |
      | 1.0 / 0 > 9223372036854775807                 | true   |
      | -1.0 / 0 < -9223372036854775808               | true   |
      | 1.0 / 0 = 1.0 / 0                             | true   |

  Scenario Outline: NaN is unequal to all, and neither less nor greater
    Given any graph
    When executing query:
      """
      WITH 0.0 / 0 AS nan RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                       | result |
      | nan = nan                        | false  |
      | nan <> nan                       | true   |
      | nan = 1                          | false  |
      | nan <> 1                         | true   |
      | nan >= nan                       | false  |
      | nan <= 1.0 / 0                   | false  |
      | 1 < nan                          | false  |
      | NOT nan < 1                      | true   |
      | nan > 'a'                        | null   |
      | nan = 'a'                        | false  |
      | nan = null                       | null   |
      | nan IN [nan]                     | false  |
      | [nan] = [nan]                    | false  |
      | {a: nan} = {a: nan}              | false  |
      | nan = nan OR nan < 0 OR nan >= 0 | false  |

  Scenario Outline: Texts compare by their scalars
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                            | result |
      | 'a' < 'aa'                            | true   |
      | '' < 'a'                              | true   |
      | 'Z' < 'a'                             | true   |
      | '10' < '9'                            | true   |
      | 'a' <= 'a'                            | true   |
      | '\\u00e9' > 'z'                       | true   |
      | 'a\\u0000' > 'a'                      | true   |
      | '\\u00e9' = 'e\\u0301'                | false  |
      | '\\u00e9' <> 'e\\u0301'               | true   |
      | 'e\\u0301' < 'f'                      | true   |
      | '\\u00e9' < 'f'                       | false  |
      | '\\u00c5' = '\\u212b'                 | false  |
      | '\\ufffd' < '\\U0001F600'             | true   |
      | '\\ufb01' = 'fi'                      | false  |
      | '\\uac00' = '\\u1100\\u1161'          | false  |
      | 'a\\u0301\\u0323' = 'a\\u0323\\u0301' | false  |
      | 'a' = 'A'                             | false  |
      | 'a ' = 'a'                            | false  |

  Scenario Outline: Booleans are ordered, false first
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression     | result |
      | true > false   | true   |
      | false >= false | true   |
      | true < true    | false  |
      | true = 1       | false  |
      | true <> 1      | true   |
      | 'true' = true  | false  |

  Scenario Outline: Values of different types are unequal, and have no order
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                        | result |
      | 1 < '1'                           | null   |
      | 'a' >= 1                          | null   |
      | true < 1                          | null   |
      | [1] < 1                           | null   |
      | {} < 1                            | null   |
      | {a: 1} < {a: 2}                   | null   |
      | [1] = 1                           | false  |
      | {} = []                           | false  |
      | '' = []                           | false  |
      | [] <> {}                          | true   |
      | 1 = [1]                           | false  |
      | date('2020-01-01') = '2020-01-01' | false  |
      | date('2020-01-01') < 1            | null   |
      | duration('P1D') = 'P1D'           | false  |

  Scenario Outline: Lists are equal element by element, and null makes it unknown
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                         | result |
      | [] = []                            | true   |
      | [1, 2] = [1.0, 2.0]                | true   |
      | [1, 2] = [2, 1]                    | false  |
      | [[null]] = [[null]]                | null   |
      | [null] = [1]                       | null   |
      | [1, null, 3] = [1, 2, 4]           | false  |
      | [null, 1] = [2, 3]                 | false  |
      | [null] = []                        | false  |
      | [null] = [null, null]              | false  |
      | [1, [2, null]] = [1, [2, null, 3]] | false  |
      | ['a'] = [1]                        | false  |
      | [null] <> [null]                   | null   |
      | [1, null] <> [2, null]             | true   |
      | [] = null                          | null   |

  Scenario Outline: Lists are ordered by the first elements that differ
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression            | result |
      | [] < [1]              | true   |
      | [1] < []              | false  |
      | [2] > [1, 9]          | true   |
      | [1, 2] <= [1, 2]      | true   |
      | [1, null] < [2, null] | true   |
      | [3, null] < [1, 2]    | false  |
      | [null] < [1]          | null   |
      | [1, null] < [1, 2]    | null   |
      | [1, 'a'] < [1, 2]     | null   |
      | [1, null] < [1]       | false  |
      | [1] < [1, null]       | true   |
      | [[1]] < [[2]]         | true   |
      | ['a', 2] > ['a', 1.5] | true   |

  Scenario Outline: Maps are equal if their keys and values are
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                        | result |
      | {} = {}                           | true   |
      | {a: 1, b: 2} = {b: 2, a: 1}       | true   |
      | {a: 1} = {a: 1.0}                 | true   |
      | {a: 1} = {A: 1}                   | false  |
      | {a: null} = {b: null}             | false  |
      | {a: null} = {}                    | false  |
      | {a: {b: null}} = {a: {b: null}}   | null   |
      | {a: 1, b: null} = {a: 2, b: null} | false  |
      | {a: 1, b: null} = {a: 1, b: 2}    | null   |
      | {a: 1} <> {a: 1}                  | false  |
      | {a: null} <> {a: 1}               | null   |
      | {a: [1, null]} = {a: [2, null]}   | false  |
      | {`é`: 1} = {`é`: 1}              | false  |

  Scenario Outline: A chain of comparisons holds if each of them does
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression          | result |
      | 1 < 2 <= 2 < 3      | true   |
      | 1 = 1 = 1           | true   |
      | 1 = 1 = true        | false  |
      | 1 < 2 = 2           | true   |
      | 1 < 2 = true        | false  |
      | 2 <> 1 <> 2         | true   |
      | 1 < 2 > 1           | true   |
      | 3 > 2 >= 2 > 1 <> 3 | true   |
      | 5 > 1 < 'a'         | null   |
      | 1 > 2 < 'a'         | false  |
      | 3 < 1 < null        | false  |
      | 3 < null < 1        | null   |
      | null < 1 < 0        | false  |
      | 1 < 1.5 < 2         | true   |
      | 'a' < 'b' < 'c'     | true   |
      | 1 < 2 AND 2 < 1     | false  |
      | (1 < 2) = (2 < 1)   | false  |

  Scenario: The value in the middle of a chain is one value
    Given any graph
    When executing query:
      """
      UNWIND [1, 5, 10] AS n WITH n WHERE 1 < n * 2 - 1 <= 9 RETURN n AS x
      """
    Then the result should be, in any order:
      | x |
      | 5 |

  Scenario Outline: IN compares as = does
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                           | result |
      | 1 IN [1.0]                                           | true   |
      | null IN [null]                                       | null   |
      | null IN null                                         | null   |
      | 1 IN [null, 2]                                       | null   |
      | 2 IN [null, 2]                                       | true   |
      | [] IN [[]]                                           | true   |
      | [] IN []                                             | false  |
      | [1] IN [1]                                           | false  |
      | 1 IN [[1]]                                           | false  |
      | [1, null] IN [[1, null]]                             | null   |
      | [1, null] IN [[1, 2]]                                | null   |
      | [1, null] IN [[2, 1]]                                | false  |
      | [null] IN [[1, 2]]                                   | false  |
      | [null] IN [[]]                                       | false  |
      | [[1], null] IN [null]                                | null   |
      | {a: 1} IN [{a: 1.0}]                                 | true   |
      | {a: null} IN [{a: 1}]                                | null   |
      | '\\u00e9' IN ['e\\u0301']                            | false  |
      | '1' IN [1, 1.0]                                      | false  |
      | NOT 4 IN [null]                                      | null   |
      | 1 IN [2] = false                                     | true   |
      | 2 IN range(1, 3)                                     | true   |
      | date('2020-02-01') IN [date({year: 2020, month: 2})] | true   |
      | null IN [] OR false                                  | false  |

  Scenario Outline: IS NULL is never unknown
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression             | result |
      | null IS NULL           | true   |
      | null IS NOT NULL       | false  |
      | [null] IS NULL         | false  |
      | {}.a IS NULL           | true   |
      | [1][5] IS NOT NULL     | false  |
      | (null = null) IS NULL  | true   |
      | (null IS NULL) IS NULL | false  |
      | 0.0 / 0 IS NULL        | false  |
      | '' IS NULL             | false  |
