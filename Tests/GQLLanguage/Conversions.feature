Feature: Conversions

  Scenario Outline: toInteger reads a text, and cuts off a fraction
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                        | result               |
      | toInteger('0')                    | 0                    |
      | toInteger('-42')                  | -42                  |
      | toInteger('2.9')                  | 2                    |
      | toInteger('-2.9')                 | -2                   |
      | toInteger('0.5')                  | 0                    |
      | toInteger('1e3')                  | 1000                 |
      | toInteger('007')                  | 7                    |
      | toInteger('9223372036854775807')  | 9223372036854775807  |
      | toInteger('-9223372036854775808') | -9223372036854775808 |
      | toInteger('')                     | null                 |
      | toInteger('abc')                  | null                 |
      | toInteger('1a')                   | null                 |
      | toInteger('1 2')                  | null                 |
      | toInteger('one')                  | null                 |
      | toInteger('1,5')                  | null                 |
      | toInteger('--1')                  | null                 |
      | toInteger('true')                 | null                 |
      | toInteger('٣')                    | null                 |
      | toInteger('1\\u0301')             | null                 |
      | toInteger(null)                   | null                 |

  Scenario Outline: toInteger of a number cuts off its fraction
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                        | result               |
      | toInteger(7)                      | 7                    |
      | toInteger(1.9)                    | 1                    |
      | toInteger(-0.9)                   | 0                    |
      | toInteger(-1.9)                   | -1                   |
      | toInteger(9007199254740993.0)     | 9007199254740992     |
      | toInteger(1e18)                   | 1000000000000000000  |
      | toInteger(-9223372036854775808.0) | -9223372036854775808 |
      | toInteger(-9223372036854775807)   | -9223372036854775807 |

  Scenario Outline: toFloat reads what a float may be
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
      | toFloat('1.5')            | 1.5                |
      | toFloat('-.5')            | -0.5               |
      | toFloat('3')              | 3.0                |
      | toFloat('1e-3')           | 0.001              |
      | toFloat('-1E2')           | -100.0             |
      | toFloat(3)                | 3.0                |
      | toFloat(1.5)              | 1.5                |
      | toFloat(9007199254740993) | 9007199254740992.0 |
      | toFloat('')               | null               |
      | toFloat('abc')            | null               |
      | toFloat('1.5.2')          | null               |
      | toFloat('1,5')            | null               |
      | toFloat('e3')             | null               |
      | toFloat('true')           | null               |
      | toFloat(null)             | null               |

  Scenario Outline: toBoolean reads true and false in any case
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
      | toBoolean('true')  | true   |
      | toBoolean('False') | false  |
      | toBoolean('tRuE')  | true   |
      | toBoolean(true)    | true   |
      | toBoolean(false)   | false  |
      | toBoolean('')      | null   |
      | toBoolean('t')     | null   |
      | toBoolean('1')     | null   |
      | toBoolean('truee') | null   |
      | toBoolean('no')    | null   |
      | toBoolean(null)    | null   |

  Scenario Outline: toString writes each value as it is read
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                     | result                 |
      | toString('')                                   | ''                     |
      | toString('a\\'b')                              | 'a\\'b'                |
      | toString(0)                                    | '0'                    |
      | toString(-9223372036854775808)                 | '-9223372036854775808' |
      | toString(1.5)                                  | '1.5'                  |
      | toString(-2.0)                                 | '-2.0'                 |
      | toString(0.1)                                  | '0.1'                  |
      | toString(false)                                | 'false'                |
      | toString(1 < 2)                                | 'true'                 |
      | toString(date('2020-02-03'))                   | '2020-02-03'           |
      | toString(localtime('10:20:30.123'))            | '10:20:30.123'         |
      | toString(time('10:20+02:00'))                  | '10:20+02:00'          |
      | toString(localdatetime('2020-02-03T10:20:30')) | '2020-02-03T10:20:30'  |
      | toString(datetime('2020-02-03T10:20:30Z'))     | '2020-02-03T10:20:30Z' |
      | toString(duration('P1DT2H'))                   | 'P1DT2H'               |
      | toString(null)                                 | null                   |

  Scenario Outline: What is written is read again
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                            | result        |
      | toInteger(toString(-17))                                              | -17           |
      | toFloat(toString(0.30000000000000004)) = 0.1 + 0.2                    | true          |
      | toFloat(toString(1e-300)) = 1e-300                                    | true          |
      | toFloat(toString(4.9e-324)) = 4.9e-324                                | true          |
      | toBoolean(toString(true))                                             | true          |
      | date(toString(date('2020-02-29'))) = date('2020-02-29')               | true          |
      | duration(toString(duration('P1M-2DT3.5S'))) = duration('P1M-2DT3.5S') | true          |
      | toFloat(toString(123456789.125))                                      | 123456789.125 |

  Scenario Outline: A text and a number meet only by conversion
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                   | result  |
      | '1' = 1                      | false   |
      | toInteger('1') = 1           | true    |
      | toString(1) = '1'            | true    |
      | '1' + 1                      | '11'    |
      | toInteger('1') + 1           | 2       |
      | toString(1) + toString(true) | '1true' |
      | size(toString(12345))        | 5       |
      | toFloat('2') / 4             | 0.5     |

  Scenario Outline: Types without a conversion are errors
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression      |
      | toInteger([])   |
      | toInteger({})   |
      | toFloat([1.5])  |
      | toFloat({a: 1}) |
      | toFloat(true)   |
      | toBoolean([])   |
      | toBoolean({})   |
      | toBoolean(1.5)  |
      | toString([])    |
      | toString({})    |

  Scenario Outline: Elements of the graph are not converted
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B)
      """
    When executing query:
      """
      MATCH p = (a:A)-[r:R]->() RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression   |
      | toString(a)  |
      | toString(r)  |
      | toString(p)  |
      | toInteger(a) |
      | toInteger(r) |
      | toFloat(r)   |
      | toBoolean(p) |
      | toBoolean(a) |

  Scenario: A conversion in each row
    Given any graph
    When executing query:
      """
      UNWIND ['1', 2, 3.9, 'x', null] AS v RETURN collect(toInteger(v)) AS x
      """
    Then the result should be, in any order:
      | x         |
      | [1, 2, 3] |

  Scenario Outline: coalesce and nullIf
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                      | result |
      | coalesce(1)                     | 1      |
      | coalesce(null, null)            | null   |
      | coalesce(null, false, true)     | false  |
      | coalesce(null, [], 1)           | []     |
      | coalesce(null, {}.a, '')        | ''     |
      | coalesce([null], 1)             | [null] |
      | coalesce(null + 1, 7)           | 7      |
      | coalesce([1][5], {a: 1}.b, 'z') | 'z'    |
      | nullIf(1, 1.0)                  | null   |
      | nullIf('a', 'A')                | 'a'    |
      | nullIf(null, 1)                 | null   |
      | nullIf(1, null)                 | 1      |
      | nullIf([1], [1])                | null   |
      | nullIf({a: 1}, {a: 2})          | {a: 1} |
