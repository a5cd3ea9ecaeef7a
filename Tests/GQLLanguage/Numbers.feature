Feature: Functions of numbers

  Scenario Outline: abs and sign keep whole numbers whole
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                 | result              |
      | abs(0)                     | 0                   |
      | abs(-7)                    | 7                   |
      | abs(-9223372036854775807)  | 9223372036854775807 |
      | abs(-1.5)                  | 1.5                 |
      | abs(-0.0)                  | 0.0                 |
      | abs(-1.0 / 0)              | Infinity            |
      | abs(0.0 / 0)               | NaN                 |
      | sign(0)                    | 0                   |
      | sign(5)                    | 1                   |
      | sign(-9223372036854775808) | -1                  |
      | sign(0.0)                  | 0                   |
      | sign(-0.5)                 | -1                  |
      | sign(1.0 / 0)              | 1                   |
      | abs(null)                  | null                |
      | sign(null)                 | null                |

  Scenario: abs of the least whole number has no room
    Given any graph
    When executing query:
      """
      RETURN abs(-9223372036854775808) AS x
      """
    Then a ArithmeticError should be raised at runtime: IntegerOverflow

  Scenario Outline: ceil and floor are floats
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression     | result   |
      | ceil(1)        | 1.0      |
      | ceil(0.1)      | 1.0      |
      | ceil(-0.1)     | 0.0      |
      | ceil(-1.5)     | -1.0     |
      | ceil(2.0)      | 2.0      |
      | floor(1)       | 1.0      |
      | floor(0.9)     | 0.0      |
      | floor(-0.1)    | -1.0     |
      | floor(-1.0)    | -1.0     |
      | floor(1e300)   | 1e300    |
      | ceil(1.0 / 0)  | Infinity |
      | floor(0.0 / 0) | NaN      |
      | ceil(null)     | null     |
      | floor(null)    | null     |

  Scenario Outline: round goes to the nearest, and a tie up
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result             |
      | round(1)                  | 1.0                |
      | round(0.5)                | 1.0                |
      | round(-0.5)               | 0.0                |
      | round(1.5)                | 2.0                |
      | round(2.5)                | 3.0                |
      | round(-1.5)               | -1.0               |
      | round(-1.6)               | -2.0               |
      | round(4503599627370497.5) | 4503599627370498.0 |
      | round(9007199254740993.0) | 9007199254740992.0 |
      | round(1e300)              | 1e300              |
      | round(-1.0 / 0)           | -Infinity          |
      | round(0.0 / 0)            | NaN                |
      | round(null)               | null               |

  Scenario Outline: round to digits goes to the nearest number with so many
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression         | result |
      | round(3.14159, 2)  | 3.14   |
      | round(3.14159, 4)  | 3.1416 |
      | round(-3.14159, 3) | -3.142 |
      | round(0.125, 2)    | 0.13   |
      | round(2.5, 0)      | 3.0    |
      | round(-1.5, 0)     | -1.0   |
      | round(7, 2)        | 7.0    |
      | round(1.1, 20)     | 1.1    |
      | round(1.005, 1)    | 1.0    |
      | round(null, 1)     | null   |
      | round(1.5, null)   | null   |

  Scenario Outline: Roots, powers and logarithms
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression    | result    |
      | sqrt(0)       | 0.0       |
      | sqrt(2.25)    | 1.5       |
      | sqrt(-1)      | NaN       |
      | sqrt(1.0 / 0) | Infinity  |
      | sqrt(null)    | null      |
      | exp(0)        | 1.0       |
      | exp(1) = e()  | true      |
      | exp(1000)     | Infinity  |
      | exp(-1000)    | 0.0       |
      | exp(null)     | null      |
      | log(1)        | 0.0       |
      | log(e())      | 1.0       |
      | log(0)        | -Infinity |
      | log(-1)       | NaN       |
      | log(null)     | null      |
      | log10(1000)   | 3.0       |
      | log10(0.01)   | -2.0      |
      | log10(0)      | -Infinity |
      | log10(-1)     | NaN       |
      | log10(null)   | null      |

  Scenario Outline: Angles are in radians
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression               | result   |
      | sin(0)                   | 0.0      |
      | cos(0)                   | 1.0      |
      | tan(0)                   | 0.0      |
      | round(sin(pi() / 6), 10) | 0.5      |
      | round(cos(pi() / 3), 10) | 0.5      |
      | round(tan(pi() / 4), 10) | 1.0      |
      | round(cot(pi() / 4), 10) | 1.0      |
      | cot(0)                   | Infinity |
      | sin(1.0 / 0)             | NaN      |
      | round(sin(pi()), 10)     | 0.0      |
      | cos(pi())                | -1.0     |
      | sin(null)                | null     |
      | cos(null)                | null     |
      | tan(null)                | null     |
      | cot(null)                | null     |

  Scenario Outline: Angles of sides
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                               | result |
      | asin(0)                                  | 0.0    |
      | acos(1)                                  | 0.0    |
      | atan(0)                                  | 0.0    |
      | asin(1) = pi() / 2                       | true   |
      | acos(-1) = pi()                          | true   |
      | round(atan(1) * 4, 10) = round(pi(), 10) | true   |
      | asin(2)                                  | NaN    |
      | acos(-1.1)                               | NaN    |
      | atan(1.0 / 0) = pi() / 2                 | true   |
      | atan2(0, 0)                              | 0.0    |
      | atan2(1, 0) = pi() / 2                   | true   |
      | atan2(0, -1) = pi()                      | true   |
      | atan2(-1, 0) = -pi() / 2                 | true   |
      | asin(null)                               | null   |
      | acos(null)                               | null   |
      | atan(null)                               | null   |
      | atan2(null, 1)                           | null   |
      | atan2(1, null)                           | null   |

  Scenario Outline: Degrees and radians
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                     | result |
      | degrees(0)                     | 0.0    |
      | round(degrees(pi() / 2), 8)    | 90.0   |
      | round(degrees(-pi()), 8)       | -180.0 |
      | radians(0)                     | 0.0    |
      | radians(180) = pi()            | true   |
      | round(radians(360) / pi(), 10) | 2.0    |
      | round(degrees(radians(37)), 8) | 37.0   |
      | haversin(0)                    | 0.0    |
      | round(haversin(pi()), 10)      | 1.0    |
      | round(haversin(pi() / 2), 10)  | 0.5    |
      | degrees(null)                  | null   |
      | radians(null)                  | null   |
      | haversin(null)                 | null   |

  Scenario Outline: Hyperbolic functions, mod, power and ln
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                           | result |
      | sinh(0)                              | 0.0    |
      | cosh(0)                              | 1.0    |
      | tanh(0)                              | 0.0    |
      | tanh(1000)                           | 1.0    |
      | round(cosh(1) ^ 2 - sinh(1) ^ 2, 10) | 1.0    |
      | mod(7, 3)                            | 1      |
      | mod(-7, 3)                           | -1     |
      | mod(7.5, 2)                          | 1.5    |
      | power(2, 3)                          | 8.0    |
      | power(9, 0.5)                        | 3.0    |
      | ln(1)                                | 0.0    |
      | ln(e()) = log(e())                   | true   |
      | mod(null, 2)                         | null   |
      | power(2, null)                       | null   |

  Scenario Outline: Constants and random numbers
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                    | result     |
      | round(pi(), 8)                                | 3.14159265 |
      | round(e(), 8)                                 | 2.71828183 |
      | pi() = pi()                                   | true       |
      | all(i IN range(1, 200) WHERE 0 <= rand() < 1) | true       |
      | size([i IN range(1, 5) \| rand()])            | 5          |

  Scenario: A random number is another in each row
    Given any graph
    When executing query:
      """
      UNWIND range(1, 50) AS i WITH rand() AS r RETURN count(DISTINCT r) > 40 AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |

  Scenario Outline: A function of numbers takes nothing else
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression      |
      | abs('1')        |
      | abs(true)       |
      | sign('a')       |
      | ceil('1.5')     |
      | floor([1])      |
      | round({})       |
      | round(1.5, '1') |
      | sqrt('4')       |
      | exp(true)       |
      | log('1')        |
      | log10([])       |
      | sin('0')        |
      | cos(true)       |
      | tan([])         |
      | asin('a')       |
      | atan2('a', 1)   |
      | atan2(1, 'a')   |
      | degrees('180')  |
      | radians(true)   |
      | haversin('0')   |

  Scenario Outline: round goes to the nearest whole number, and from a half up
    Given any graph
    When executing query:
      """
      RETURN round(<number>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | number              | result             |
      | 0.49999999999999994 | 0.0                |
      | 4503599627370497.0  | 4503599627370497.0 |
      | 4503599627370499.0  | 4503599627370499.0 |
      | -0.5                | 0.0                |
      | -1.5                | -1.0               |

  Scenario Outline: round with digits goes by the written digits, and from a half away from zero
    Given any graph
    When executing query:
      """
      RETURN round(<number>, <digits>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | number               | digits | result               |
      | 123456789012345680.0 | 2      | 123456789012345680.0 |
      | -0.125               | 2      | -0.13                |
      | -0.375               | 2      | -0.38                |
      | 0.285                | 2      | 0.29                 |
      | 9.996                | 2      | 10.0                 |
      | 0.0004               | 3      | 0.0                  |
      | 1e-300               | 5      | 0.0                  |
      | 1.25                 | 400    | 1.25                 |
