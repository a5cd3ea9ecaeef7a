Feature: Literals

  Scenario Outline: A whole number is written in base ten, eight or sixteen
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                  | result                                      |
      | -0                                          | 0                                           |
      | 0x0                                         | 0                                           |
      | 0xFFFFFFFF                                  | 4294967295                                  |
      | 0xCAFEbabe                                  | 3405691582                                  |
      | 0x7FFFFFFFFFFFFFFF                          | 9223372036854775807                         |
      | -0x7fffffffffffffff                         | -9223372036854775807                        |
      | 0o10                                        | 8                                           |
      | 0o777777777777777777777                     | 9223372036854775807                         |
      | -0o1000000000000000000000                   | -9223372036854775808                        |
      | - 9223372036854775808                       | -9223372036854775808                        |
      | [-9223372036854775808, 9223372036854775807] | [-9223372036854775808, 9223372036854775807] |

  Scenario Outline: A whole number that needs more than 64 bits is an error before anything runs
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: IntegerOverflow

    Examples:
      | expression                                   |
      | -9223372036854775809                         |
      | 99999999999999999999999999                   |
      | 1-9223372036854775808                        |
      | -(9223372036854775808)                       |
      | 0x10000000000000000                          |
      | -0x8000000000000001                          |
      | 0o1000000000000000000000                     |
      | -0o1000000000000000000001                    |
      | [1, 9223372036854775808]                     |
      | {a: {b: -9223372036854775809}}               |
      | CASE WHEN false THEN 9223372036854775808 END |

  Scenario Outline: A number with a fraction or an exponent is a float
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result                  |
      | -.5                     | -0.5                    |
      | 1e0                     | 1.0                     |
      | .1e1                    | 1.0                     |
      | 12.5e-1                 | 1.25                    |
      | 1E2                     | 100.0                   |
      | 0.1                     | 0.1                     |
      | 1e-7                    | 0.0000001               |
      | -1.7976931348623157e308 | -1.7976931348623157e308 |
      | 4.9e-324                | 4.9e-324                |
      | 1e-400                  | 0.0                     |
      | 9007199254740993.0      | 9007199254740992.0      |
      | 100000000000000000000.0 | 1e20                    |

  Scenario Outline: A float beyond the greatest is an error before anything runs
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: FloatingPointOverflow

    Examples:
      | expression |
      | 1e309      |
      | -1e309     |
      | 1.8e308    |
      | .1e310     |
      | [1e99999]  |

  Scenario Outline: A number that goes on with letters is no number
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidNumberLiteral

    Examples:
      | expression |
      | 0x         |
      | 0xFG       |
      | 0o         |
      | 0o18       |
      | 12abc      |
      | 1.5x       |

  Scenario Outline: The words of literals are read in any case
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression          | result              |
      | nULL                | null                |
      | True                | true                |
      | fALSE               | false               |
      | [TRUE, False, Null] | [true, false, null] |

  Scenario Outline: A text is quoted either way, and knows escapes
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression       | result          |
      | ""               | ''              |
      | "it's"           | 'it\\'s'        |
      | 'say "hi"'       | 'say "hi"'      |
      | "\\""            | '"'             |
      | '\\''            | '\\''           |
      | '\\\\\\\\'       | '\\\\\\\\'      |
      | '\\\\n'          | '\\\\n'         |
      | '\\u0041\\u00e4' | 'Aä'            |
      | '\\U0001F600'    | '😀'             |
      | '// no comment'  | '// no comment' |
      | '/* none */'     | '/* none */'    |
      | '$x `y` {z}'     | '$x `y` {z}'    |

  Scenario Outline: Each escape is one character
    Given any graph
    When executing query:
      """
      RETURN size(<expression>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression       | result |
      | '\\t'            | 1      |
      | '\\b\\f\\r\\n'   | 4      |
      | '\\u0000'        | 1      |
      | '\\U0001F600'    | 1      |
      | '\\u0065\\u0301' | 2      |
      | "\\\\"           | 1      |
      | "\\'\\""         | 2      |

  Scenario: A text may run over several lines
    Given any graph
    When executing query:
      """
      RETURN 'one
      two' AS x
      """
    Then the result should be, in any order:
      | x           |
      | 'one\\ntwo' |

  Scenario Outline: An escape without its digits is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidUnicodeLiteral

    Examples:
      | expression   |
      | '\\u'        |
      | '\\u12'      |
      | '\\u12G4'    |
      | '\\U0001F60' |
      | "a\\uZZZZ"   |

  Scenario Outline: A text without an end is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | expression |
      | 'abc       |
      | "abc'      |
      | 'abc\\'    |

  Scenario Outline: Lists and maps hold any values
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                         | result                             |
      | [[]]                               | [[]]                               |
      | [ ]                                | []                                 |
      | [1, 'a', null, true, 1.5, {a: []}] | [1, 'a', null, true, 1.5, {a: []}] |
      | { }                                | {}                                 |
      | {a: {b: {c: [1, {d: null}]}}}      | {a: {b: {c: [1, {d: null}]}}}      |
      | [[[[[[1]]]]]]                      | [[[[[[1]]]]]]                      |
      | {a: 1, A: 2}                       | {A: 2, a: 1}                       |
      | [1 + 1, 'a' + 'b', NOT true]       | [2, 'ab', false]                   |

  Scenario Outline: A literal that is not well formed is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

    Examples:
      | expression |
      | [1,]       |
      | [,1]       |
      | [1 2]      |
      | {a: 1,}    |
      | {a 1}      |
      | {'a': 1}   |
      | {1: 1}     |
      | {a: 1      |
      | (1         |
      | [1         |
      | 1.         |
