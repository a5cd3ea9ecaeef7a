Feature: CASE

  Scenario Outline: The simple form compares as = does
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                   | result  |
      | CASE 1 WHEN 1.0 THEN 'same' ELSE 'other' END                 | 'same'  |
      | CASE '1' WHEN 1 THEN 'same' ELSE 'other' END                 | 'other' |
      | CASE [1, 2] WHEN [1, 2] THEN 'same' END                      | 'same'  |
      | CASE {a: 1} WHEN {a: 1} THEN 'same' END                      | 'same'  |
      | CASE true WHEN 1 < 2 THEN 'same' END                         | 'same'  |
      | CASE 1 + 1 WHEN 3 - 1 THEN 'same' END                        | 'same'  |
      | CASE date('2020-02-01') WHEN date('2020-02') THEN 'same' END | 'same'  |
      | CASE 'e\\u0301' WHEN '\\u00e9' THEN 'same' ELSE 'other' END  | 'other' |
      | CASE 5 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END                   | null    |
      | CASE 2 WHEN 2 THEN 'first' WHEN 2 THEN 'second' END          | 'first' |
      | CASE 2 WHEN 2 THEN null ELSE 'other' END                     | null    |
      | CASE 1 WHEN null THEN 'null' ELSE 'other' END                | 'other' |
      | CASE null WHEN 1 THEN 'one' ELSE 'other' END                 | 'other' |
      | CASE [null] WHEN [1] THEN 'same' ELSE 'other' END            | 'other' |
      | CASE false WHEN null THEN 'null' WHEN false THEN 'false' END | 'false' |

  Scenario Outline: The general form takes the first condition that is true
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                | result |
      | CASE WHEN 1 = 1 THEN 'a' WHEN true THEN 'b' END           | 'a'    |
      | CASE WHEN null THEN 'a' ELSE 'b' END                      | 'b'    |
      | CASE WHEN NOT null THEN 'a' ELSE 'b' END                  | 'b'    |
      | CASE WHEN null IS NULL THEN 'a' END                       | 'a'    |
      | CASE WHEN false THEN 'a' END                              | null   |
      | CASE WHEN 1 > 2 THEN 'a' WHEN 2 > 1 THEN 'b' ELSE 'c' END | 'b'    |
      | CASE WHEN 1 < 'a' THEN 'a' ELSE 'b' END                   | 'b'    |
      | CASE WHEN true THEN 1 ELSE 'text' END                     | 1      |
      | CASE WHEN false THEN 1 ELSE null END                      | null   |

  Scenario Outline: What is not chosen is not computed
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                              | result |
      | CASE WHEN false THEN 1 / 0 ELSE 2 END                   | 2      |
      | CASE WHEN true THEN 1 ELSE 1 / 0 END                    | 1      |
      | CASE 1 WHEN 1 THEN 'a' WHEN 1 / 0 THEN 'b' END          | 'a'    |
      | CASE WHEN false THEN 9223372036854775807 + 1 ELSE 0 END | 0      |
      | CASE WHEN null THEN date('none') ELSE 0 END             | 0      |
      | CASE 1 WHEN 2 THEN toUpper('a') + 1 / 0 ELSE 'b' END    | 'b'    |

  Scenario: CASE guards the rows that an expression does not fit
    Given any graph
    When executing query:
      """
      UNWIND [0, 2, null] AS n
      RETURN n, CASE WHEN n <> 0 THEN 10 / n ELSE -1 END AS x
      """
    Then the result should be, in any order:
      | n    | x  |
      | 0    | -1 |
      | 2    | 5  |
      | null | -1 |

  Scenario Outline: CASE stands within other expressions
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                           | result   |
      | 1 + CASE WHEN true THEN 1 END                                        | 2        |
      | CASE WHEN true THEN 1 END + 1                                        | 2        |
      | CASE WHEN true THEN {a: 1} END.a                                     | 1        |
      | CASE WHEN true THEN [1, 2] END[1]                                    | 2        |
      | CASE CASE 1 WHEN 1 THEN 2 END WHEN 2 THEN 'in' END                   | 'in'     |
      | CASE WHEN CASE WHEN true THEN false END THEN 1 ELSE 2 END            | 2        |
      | [i IN [1, 2] \| CASE i WHEN 1 THEN 'a' ELSE i END]                   | ['a', 2] |
      | NOT CASE WHEN true THEN false END                                    | true     |
      | CASE WHEN 1 IN [1] THEN CASE WHEN 2 IN [1] THEN 'x' ELSE 'y' END END | 'y'      |
      | case when true then 1 else 2 end                                     | 1        |

  Scenario Outline: CASE takes an aggregate, and an aggregate takes CASE
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS n RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                               | result  |
      | sum(CASE WHEN n > 1 THEN n ELSE 0 END)                   | 5       |
      | count(CASE WHEN n > 1 THEN 1 END)                        | 2       |
      | CASE WHEN count(*) > 2 THEN 'many' ELSE 'few' END        | 'many'  |
      | CASE count(*) WHEN 3 THEN 'three' END                    | 'three' |
      | collect(CASE n WHEN 2 THEN null ELSE n END)              | [1, 3]  |
      | CASE WHEN count(n) = 0 THEN 0 ELSE sum(n) / count(n) END | 2       |

  Scenario: CASE sorts rows
    Given any graph
    When executing query:
      """
      UNWIND ['b', 'a', 'c'] AS t
      RETURN t ORDER BY CASE t WHEN 'c' THEN 0 ELSE 1 END, t
      """
    Then the result should be, in order:
      | t   |
      | 'c' |
      | 'a' |
      | 'b' |

  Scenario Outline: CASE that is not whole is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

    Examples:
      | expression                                    |
      | CASE END                                      |
      | CASE 1 END                                    |
      | CASE ELSE 1 END                               |
      | CASE WHEN true THEN 1                         |
      | CASE WHEN true 1 END                          |
      | CASE WHEN THEN 1 END                          |
      | CASE WHEN true THEN END                       |
      | CASE WHEN true THEN 1 ELSE END                |
      | CASE 1 WHEN 1 THEN 2 ELSE 3 ELSE 4 END        |
      | CASE 1 WHEN 1 THEN 2 ELSE 3 WHEN 2 THEN 4 END |
