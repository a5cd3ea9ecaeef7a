Feature: Precedence of operators

  Scenario Outline: Signs come before powers, powers before products, products before sums
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression        | result |
      | -2 ^ 2            | 4.0    |
      | 2 ^ -2            | 0.25   |
      | 2 * 3 ^ 2         | 18.0   |
      | 2 ^ 3 * 2         | 16.0   |
      | 2 ^ 2 ^ 3         | 64.0   |
      | 2 ^ (2 ^ 3)       | 256.0  |
      | 1 + 2 * 3 - 4 / 2 | 5      |
      | 7 - 2 - 1         | 4      |
      | 7 - (2 - 1)       | 6      |
      | 12 / 3 * 2        | 8      |
      | 12 / (3 * 2)      | 2      |
      | 12 % 7 * 2        | 10     |
      | 2 * 12 % 7        | 3      |
      | 12 / 5 % 2        | 0      |
      | 10 - 4 + 2        | 8      |
      | -2 + 3            | 1      |
      | -(2 + 3)          | -5     |
      | 3 - -2 * 2        | 7      |
      | -3 % 2            | -1     |

  Scenario Outline: Access comes before signs and powers
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                   | result |
      | -{a: 2}.a                    | -2     |
      | 2 ^ [3][0]                   | 8.0    |
      | -[1, 2][1]                   | -2     |
      | [1, 2][0] + [3][0]           | 4      |
      | {a: [1, 2]}.a[1] * 2         | 4      |
      | [[1, 2], [3]][0][1] ^ 2      | 4.0    |
      | NOT [true][0]                | false  |
      | [1, 2, 3][1..][0] * 2        | 4      |
      | date('2020-05-01').month + 1 | 6      |
      | (1 + 2) * {a: 3}.a           | 9      |

  Scenario Outline: Sums come before the tests of texts, lists and null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | 'a' + 'b' STARTS WITH 'a' | true   |
      | 'ab' CONTAINS 'a' + 'b'   | true   |
      | 'abc' ENDS WITH 'b' + 'c' | true   |
      | 1 + 2 IN [3]              | true   |
      | [1] IN [[1]] + [[2]]      | true   |
      | 2 * 2 IN [1 + 3]          | true   |
      | null + 1 IS NULL          | true   |
      | 1 + 1 IS NOT NULL         | true   |
      | -1 IN [-1]                | true   |
      | 2 ^ 2 IN [4.0]            | true   |
      | 2 IN [1] + [2]            | true   |

  Scenario Outline: The tests of texts, lists and null come before comparisons
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                 | result |
      | 1 IN [2] = false           | true   |
      | false = 1 IN [2]           | true   |
      | 'a' STARTS WITH 'a' = true | true   |
      | true <> 'a' CONTAINS 'b'   | true   |
      | null IS NULL = true        | true   |
      | true = null IS NULL        | true   |
      | false < 1 IN [1]           | true   |
      | 1 = null IS NULL           | false  |

  Scenario Outline: Comparisons come before NOT, and NOT before AND
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result |
      | NOT 1 = 2               | true   |
      | NOT 1 < 2               | false  |
      | NOT 1 IN [1]            | false  |
      | NOT null IS NULL        | false  |
      | NOT 'a' STARTS WITH 'b' | true   |
      | NOT false AND false     | false  |
      | NOT (false AND false)   | true   |
      | NOT true OR true        | true   |
      | NOT NOT NOT true        | false  |
      | NOT true XOR true       | true   |
      | true AND NOT false      | true   |
      | NOT 1 + 1 = 3           | true   |

  Scenario Outline: AND comes before XOR, and XOR before OR
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                       | result |
      | true OR true AND false           | true   |
      | (true OR true) AND false         | false  |
      | true XOR true AND false          | true   |
      | (true XOR true) AND false        | false  |
      | true OR true XOR true            | true   |
      | (true OR true) XOR true          | false  |
      | false AND true OR true           | true   |
      | true XOR true OR true            | true   |
      | true XOR (true OR true)          | false  |
      | true OR false XOR true AND false | true   |
      | false XOR false AND true OR true | true   |
      | null OR true AND null            | null   |
      | true AND null OR true            | true   |

  Scenario Outline: Comparisons of sums
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | 1 + 1 = 2                 | true   |
      | 1 + 1 < 2 * 2             | true   |
      | 2 = 1 + 1 = true          | false  |
      | 1 < 1 + 1 < 3             | true   |
      | 3 > 2 AND 2 > 1 OR false  | true   |
      | 1 = 1 AND 2 = 2 XOR false | true   |
      | 1 < 2 = true AND true     | false  |

  Scenario Outline: A minus without spaces is a minus
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result  |
      | 5-2        | 3       |
      | 5--2       | 7       |
      | 5-2-1      | 2       |
      | 5 -2       | 3       |
      | [5-2]      | [3]     |
      | [5, -2]    | [5, -2] |
      | 2*-3       | -6      |
      | 1-.5       | 0.5     |
      | 1.5-1      | 0.5     |
