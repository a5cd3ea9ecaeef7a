Feature: Mistakes in expressions

  Scenario Outline: A function takes so many arguments
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidNumberOfArguments

    Examples:
      | expression                           |
      | abs()                                |
      | abs(1, 2)                            |
      | size()                               |
      | head([1], 2)                         |
      | coalesce()                           |
      | toInteger()                          |
      | toString(1, 2)                       |
      | range(1)                             |
      | range(1, 2, 3, 4)                    |
      | substring('a')                       |
      | substring('a', 0, 1, 2)              |
      | replace('a', 'b')                    |
      | split('a')                           |
      | left('a')                            |
      | right('a', 1, 2)                     |
      | trim('a', 'b', 'c')                  |
      | rand(1)                              |
      | pi(1)                                |
      | atan2(1)                             |
      | round()                              |
      | date('2020-01-01', 1)                |
      | duration()                           |
      | duration.between(date('2020-01-01')) |
      | date.truncate()                      |
      | timestamp(1)                         |
      | count()                              |
      | count(1, 2)                          |
      | sum(1, 2)                            |
      | collect()                            |
      | percentileDisc(1)                    |
      | percentileCont(1, 0.5, 2)            |
      | keys()                               |
      | id()                                 |
      | exists()                             |

  Scenario Outline: A function that there is not is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UnknownFunction

    Examples:
      | expression                                               |
      | nothing()                                                |
      | toUpperCase('a')                                         |
      | `to upper`('a')                                          |
      | len([1])                                                 |
      | date.nothing(1)                                          |
      | duration.inYears(date('2020-01-01'), date('2021-01-01')) |
      | [nothing(1)]                                             |
      | CASE WHEN false THEN nothing() END                       |
      | size(nothing([1]))                                       |
      | true OR nothing()                                        |
      | math.abs(1)                                              |

  Scenario Outline: A variable that there is not is an error wherever it stands
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UndefinedVariable

    Examples:
      | expression                       |
      | a                                |
      | a + 1                            |
      | a.b                              |
      | a[0]                             |
      | [a]                              |
      | {b: a}                           |
      | size(a)                          |
      | NOT a                            |
      | a:A                              |
      | a IN [1]                         |
      | 1 IN a                           |
      | [1][a]                           |
      | [1][a..]                         |
      | CASE a WHEN 1 THEN 1 END         |
      | CASE WHEN true THEN 1 ELSE a END |
      | [i IN [1] \| a]                  |
      | [i IN [1] WHERE a]               |
      | all(i IN a WHERE true)           |
      | reduce(s = a, i IN [1] \| s)     |
      | count(a)                         |
      | coalesce(1, a)                   |
      | 'a' STARTS WITH a                |
      | a IS NULL                        |

  Scenario Outline: Literals of a wrong type are errors before anything runs
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

    Examples:
      | expression  |
      | NOT 'true'  |
      | 1 AND 2     |
      | 1 IN 2      |
      | 1 IN 'a'    |
      | 1 IN {a: 1} |
      | 1 IN true   |
      | -'1'        |
      | -true       |
      | [] - []     |
      | {} * 2      |
      | 1 IN 1.5    |

  Scenario Outline: Errors of values end a statement that writes without a trace
    Given any graph
    When executing query:
      """
      UNWIND [2, 1, 0] AS n CREATE (:A {x: <expression>})
      """
    Then a ArithmeticError should be raised at runtime: *
    And no side effects

    Examples:
      | expression              |
      | 2 / n                   |
      | 9223372036854775806 + n |
      | 4611686018427387904 * n |
      | 10 % n                  |

  Scenario Outline: A number with no room is an error in each function
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: IntegerOverflow

    Examples:
      | expression                                                 |
      | abs(-9223372036854775808)                                  |
      | 9223372036854775807 + 1 - 1                                |
      | -(-9223372036854775808)                                    |
      | reduce(p = 1, i IN range(1, 21) \| p * i)                  |
      | reduce(s = 9223372036854775800, i IN range(1, 8) \| s + 1) |
      | size([1]) + 9223372036854775807                            |
      | toInteger('9223372036854775807') + 1                       |
      | [i IN [9223372036854775807] \| i + 1]                      |
      | CASE WHEN true THEN 9223372036854775807 * 9 END            |
      | {a: -9223372036854775808 - 1}                              |

  Scenario Outline: A name of a property that is no name is an error
    Given any graph
    When executing query:
      """
      WITH {a: 1} AS m RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

    Examples:
      | expression |
      | m.1        |
      | m.'a'      |
      | m.$p       |
      | m.         |
      | m..a       |
      | m[]        |
      | m.(a)      |

  Scenario Outline: Quantifiers and comprehensions are written whole
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

    Examples:
      | expression               |
      | any(i IN [1] WHERE)      |
      | any(i [1] WHERE true)    |
      | all(IN [1] WHERE true)   |
      | none(i IN [1] \| true)   |
      | reduce(s, i IN [1] \| s) |
      | reduce(s = 0 \| s)       |
      | reduce(s = 0, i IN [1])  |
      | [i IN [1] WHERE]         |
      | [i IN [1] \| ]           |
      | [1..2]                   |

  Scenario Outline: Two columns do not have one name
    Given any graph
    When executing query:
      """
      RETURN <expression>
      """
    Then a SyntaxError should be raised at compile time: ColumnNameConflict

    Examples:
      | expression             |
      | 1 AS a, 2 AS a         |
      | 1, 1                   |
      | 1 AS `a b`, 2 AS `a b` |
      | size([1]), size([1])   |
      | 1 AS a, 2 AS `a`       |
