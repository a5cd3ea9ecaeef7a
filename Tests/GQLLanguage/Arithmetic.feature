Feature: Arithmetic

  Scenario Outline: Whole numbers divide toward zero, and the rest has the sign of the dividend
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result               |
      | -7 / -2                   | 3                    |
      | 7 / -2                    | -3                   |
      | 7 % -3                    | 1                    |
      | -7 % -3                   | -1                   |
      | 0 / 5                     | 0                    |
      | 0 % 7                     | 0                    |
      | 1 / 2 * 2                 | 0                    |
      | 2 * 1 / 2                 | 1                    |
      | 9223372036854775807 / -1  | -9223372036854775807 |
      | -9223372036854775808 / 2  | -4611686018427387904 |
      | -9223372036854775808 % 10 | -8                   |
      | 9223372036854775807 % 10  | 7                    |

  Scenario Outline: A result that just fits is a whole number
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                 | result               |
      | 9223372036854775806 + 1                    | 9223372036854775807  |
      | -9223372036854775807 - 1                   | -9223372036854775808 |
      | 3037000499 * 3037000499                    | 9223372030926249001  |
      | 4611686018427387904 * -2                   | -9223372036854775808 |
      | 9223372036854775807 + -9223372036854775808 | -1                   |
      | -9223372036854775808 + 9223372036854775807 | -1                   |

  Scenario Outline: A whole number with no room is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: IntegerOverflow

    Examples:
      | expression                |
      | -9223372036854775808 - 1  |
      | 0 - -9223372036854775808  |
      | -9223372036854775808 + -1 |
      | 3037000500 * 3037000500   |
      | -9223372036854775808 * -1 |
      | -1 * -9223372036854775808 |
      | -9223372036854775808 / -1 |
      | 4611686018427387904 * 2   |

  Scenario Outline: Values of rows overflow as literals do
    Given any graph
    When executing query:
      """
      UNWIND [9223372036854775807] AS n RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: IntegerOverflow

    Examples:
      | expression |
      | n + 1      |
      | -n - 2     |
      | n * n      |
      | n - -1     |

  Scenario Outline: Floats follow IEEE 754
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result                |
      | 5 / 2.0                   | 2.5                   |
      | 5.0 / 2                   | 2.5                   |
      | 5.0 % 3                   | 2.0                   |
      | -5.5 % 2                  | -1.5                  |
      | 5.5 % -2                  | 1.5                   |
      | 0.1 + 0.2                 | 0.30000000000000004   |
      | 1e308 * 10                | Infinity              |
      | -1e308 * 10               | -Infinity             |
      | 1.0 / 0                   | Infinity              |
      | 1 / 0.0                   | Infinity              |
      | -1.0 / 0                  | -Infinity             |
      | 1 / -0.0                  | -Infinity             |
      | 0.0 / 0                   | NaN                   |
      | 5.0 % 0                   | NaN                   |
      | 5 % 0.0                   | NaN                   |
      | 1.0 / 0 - 1.0 / 0         | NaN                   |
      | (1.0 / 0) * 0             | NaN                   |
      | 1 / (1.0 / 0)             | 0.0                   |
      | 9007199254740993 + 0.0    | 9007199254740992.0    |
      | 9223372036854775807 + 1.0 | 9223372036854775808.0 |
      | 3 - 3.0                   | 0.0                   |
      | 2 * 0.5                   | 1.0                   |

  Scenario Outline: A whole number divided by zero is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: DivisionByZero

    Examples:
      | expression               |
      | 0 / 0                    |
      | 5 % 0                    |
      | 0 % 0                    |
      | 1 / (2 - 2)              |
      | -9223372036854775808 / 0 |
      | [1, 2 / 0]               |

  Scenario Outline: A division by zero in a row's values is an error
    Given any graph
    When executing query:
      """
      UNWIND [0] AS n RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: DivisionByZero

    Examples:
      | expression |
      | 1 / n      |
      | 1 % n      |
      | {a: 7 / n} |

  Scenario: What no row asks for is not computed
    Given any graph
    When executing query:
      """
      UNWIND [] AS n RETURN 1 / 0 AS x
      """
    Then the result should be empty

  Scenario Outline: A power is a float
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result                |
      | 2 ^ 10     | 1024.0                |
      | 2 ^ 0      | 1.0                   |
      | 0 ^ 0      | 1.0                   |
      | 2 ^ -1     | 0.5                   |
      | 4 ^ 0.5    | 2.0                   |
      | (-2) ^ 3   | -8.0                  |
      | (-8) ^ 0.5 | NaN                   |
      | 0 ^ -1     | Infinity              |
      | 10 ^ 400   | Infinity              |
      | 10 ^ -400  | 0.0                   |
      | 2 ^ 63     | 9223372036854775808.0 |

  Scenario Outline: Null makes any arithmetic null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression   | result |
      | null - 1     | null   |
      | 0 * null     | null   |
      | null / 0     | null   |
      | null % 0     | null   |
      | null ^ 0     | null   |
      | 1 ^ null     | null   |
      | -null        | null   |
      | +null        | null   |
      | 'a' + null   | null   |
      | null + 'a'   | null   |
      | 1 + 2 * null | null   |

  Scenario Outline: Signs stack
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result |
      | 2 - -2     | 4      |
      | 2 - - -2   | 0      |
      | +-1        | -1     |
      | -+1        | -1     |
      | -(-(-1))   | -1     |
      | - -1.5     | 1.5    |
      | 1 - +1     | 0      |
      | -2 * -3    | 6      |
      | 2 * -3     | -6     |

  Scenario Outline: A text and a number make a text
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression  | result |
      | 'a' + 'b'   | 'ab'   |
      | 1 + 2 + 'a' | '3a'   |
      | 'a' + 1 + 2 | 'a12'  |
      | 'a' + 1.5   | 'a1.5' |
      | 1.5 + 'a'   | '1.5a' |
      | 'a' + -1    | 'a-1'  |
      | '' + ''     | ''     |
      | '' + 7      | '7'    |

  Scenario Outline: Other types do not compute
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                              |
      | 'a' - 1                                 |
      | 'a' * 2                                 |
      | 'a' / 'b'                               |
      | '4' % 2                                 |
      | 2 ^ '3'                                 |
      | true + 1                                |
      | true * true                             |
      | {a: 1} + {b: 2}                         |
      | [1] - [1]                               |
      | [1] * 2                                 |
      | -'a'                                    |
      | -true                                   |
      | -[1]                                    |
      | {a: 1} - 1                              |
      | date('2020-01-01') + 1                  |
      | date('2020-01-01') - date('2019-01-01') |
      | duration('P1D') + 1                     |
      | duration('P1D') * duration('P1D')       |
      | 1 / duration('P1D')                     |

  Scenario Outline: Types that are known only from rows do not compute either
    Given any graph
    When executing query:
      """
      UNWIND [[1, 'a', true, {}]] AS v RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression  |
      | v[0] - v[1] |
      | v[1] * v[0] |
      | v[2] + v[0] |
      | -v[1]       |
      | v[3] + v[0] |
      | v[0] % v[2] |
