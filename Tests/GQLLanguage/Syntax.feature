Feature: Names, words, spaces and comments

  Scenario Outline: Words of the language are read in any case
    Given any graph
    When executing query:
      """
      <query>
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | query                                                           | result |
      | return 1 as x                                                   | 1      |
      | Return 1 As x                                                   | 1      |
      | rEtUrN NOT tRuE aS x                                            | false  |
      | with 1 as n where n > 0 return n as x                           | 1      |
      | unwind [1, 2] as n with n order by n desc limit 1 return n as x | 2      |
      | RETURN 1 in [1] AS x                                            | true   |
      | return 'ab' starts with 'a' AS x                                | true   |
      | return null is not null as x                                    | false  |
      | return true xor false and not true or false as x                | true   |
      | return any(n in [1] where n = 1) as x                           | true   |

  Scenario Outline: Names of functions are read in any case
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                              | result       |
      | TOUPPER('a')                                            | 'A'          |
      | toupper('a')                                            | 'A'          |
      | ToUpper('a')                                            | 'A'          |
      | SIZE([1])                                               | 1            |
      | CoAlEsCe(null, 1)                                       | 1            |
      | DATE('2020-01-01')                                      | '2020-01-01' |
      | Duration.InDays(date('2020-01-01'), date('2020-01-02')) | 'P1D'        |
      | date.TRUNCATE('MONTH', date('2020-01-05'))              | '2020-01-01' |
      | COUNT(*)                                                | 1            |
      | Collect(1)                                              | [1]          |
      | toupper ('a')                                           | 'A'          |

  Scenario: Names of variables differ by case
    Given any graph
    When executing query:
      """
      WITH 1 AS a, 2 AS A RETURN a + A * 10 AS x
      """
    Then the result should be, in any order:
      | x  |
      | 21 |

  Scenario Outline: Variables have names of letters, digits and underscores
    Given any graph
    When executing query:
      """
      WITH 1 AS <name> RETURN <name> + 1 AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | name    | result |
      | _       | 2      |
      | _1      | 2      |
      | a_b_1   | 2      |
      | åäö     | 2      |
      | 名前      | 2      |
      | имя     | 2      |
      | ß       | 2      |
      | `a b`   | 2      |
      | `1a`    | 2      |
      | `match` | 2      |
      | `WITH`  | 2      |
      | `a.b`   | 2      |
      | `'`     | 2      |
      | `//`    | 2      |
      | count   | 2      |
      | any     | 2      |
      | none    | 2      |
      | single  | 2      |
      | filter  | 2      |
      | extract | 2      |

  Scenario: A backtick in a name is written twice
    Given any graph
    When executing query:
      """
      WITH 1 AS `a``b` RETURN `a``b` + 1 AS `c``d`
      """
    Then the result should be, in any order:
      | c`d |
      | 2   |

  Scenario: A function's name may be a variable
    Given any graph
    When executing query:
      """
      WITH 5 AS size, [1, 2] AS head RETURN size + size(head) + head(head) AS x
      """
    Then the result should be, in any order:
      | x |
      | 8 |

  Scenario: A type's name may be a variable, too
    Given any graph
    When executing query:
      """
      WITH date('2020-01-02') AS date, 1 AS duration RETURN date.day + duration AS x
      """
    Then the result should be, in any order:
      | x |
      | 3 |

  Scenario Outline: Labels, types and properties may be any words
    Given an empty graph
    And having executed:
      """
      CREATE (:MATCH {where: 1, null: 2, `a b`: 3, `in`: 4})-[:RETURN {as: 5}]->(:`odd label`:Order)
      """
    When executing query:
      """
      MATCH (a:MATCH)-[r:RETURN]->(b:Order:`odd label`) RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression    | result   |
      | a.where       | 1        |
      | a.null        | 2        |
      | a.`a b`       | 3        |
      | a.in          | 4        |
      | r.as          | 5        |
      | type(r)       | 'RETURN' |
      | a:MATCH       | true     |
      | b:`odd label` | true     |
      | b:odd         | false    |
      | size(keys(a)) | 4        |

  Scenario Outline: A column is named as it is written
    Given any graph
    When executing query:
      """
      RETURN <expression>
      """
    Then the result should be, in any order:
      | <expression> |
      | <result>     |

    Examples:
      | expression                | result |
      | 1 + 2                     | 3      |
      | 1+2                       | 3      |
      | 1  +  2                   | 3      |
      | toUpper( 'a' )            | 'A'    |
      | [1, 2][0]                 | 1      |
      | NOT true                  | false  |
      | {a: 1}.a                  | 1      |
      | count(*)                  | 1      |
      | (1)                       | 1      |
      | -1                        | -1     |
      | CASE WHEN true THEN 1 END | 1      |

  Scenario Outline: Comments are spaces
    Given any graph
    When executing query:
      """
      <query>
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | query                                       | result     |
      | RETURN 1 /* one */ + /* two */ 2 AS x       | 3          |
      | /* first */ RETURN 1 AS x                   | 1          |
      | RETURN 1 AS x // last                       | 1          |
      | RETURN 1 AS x /* last */                    | 1          |
      | RETURN/**/1/**/AS/**/x                      | 1          |
      | RETURN 1 /* // */ AS x                      | 1          |
      | RETURN 1 /* /* */ AS x                      | 1          |
      | RETURN 1 /* 'a */ AS x                      | 1          |
      | RETURN '/* no */' AS x                      | '/* no */' |
      | RETURN '// no' AS x                         | '// no'    |
      | RETURN 4 / /* by */ 2 AS x                  | 2          |
      | RETURN 1 /***/ AS x                         | 1          |
      | RETURN size(/* of */ [1, /* and */ 2]) AS x | 2          |

  Scenario: A comment ends with its line
    Given any graph
    When executing query:
      """
      // RETURN 0 AS x
      RETURN 1 // + 1
        + 2 /* + 4
        + 8 */ + 16 // */
        AS x
      """
    Then the result should be, in any order:
      | x  |
      | 19 |

  Scenario Outline: Spaces of any kind part words
    Given any graph
    When executing query:
      """
      <query>
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | query                                 | result |
      | RETURN	1	AS	x             | 1      |
      | RETURN 1 AS x          | 1      |
      | RETURN 1 AS x                | 1      |
      | RETURN(1)AS x                         | 1      |
      | RETURN[1,2][1]AS x                    | 2      |
      | RETURN'a'AS x                         | 'a'    |
      | RETURN-1 AS x                         | -1     |
      | RETURN   1   AS   x                   | 1      |
      | RETURN{a:1}.a AS x                    | 1      |
      | RETURN 1 AS x;                        | 1      |
      | RETURN 1 AS x ;                       | 1      |
      | RETURN CASE WHEN(true)THEN(1)END AS x | 1      |

  Scenario: A query may stand on many lines
    Given any graph
    When executing query:
      """
      RETURN
      
        1
        +
        2
        AS
        x
      """
    Then the result should be, in any order:
      | x |
      | 3 |

  Scenario Outline: What is no query is an error
    Given any graph
    When executing query:
      """
      <expression>
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax

    Examples:
      | expression               |
      | RETRUN 1 AS x            |
      | RETURN                   |
      | RETURN 1 AS              |
      | RETURN 1 2               |
      | RETURN (1                |
      | RETURN 1)                |
      | RETURN ]                 |
      | RETURN 1 +               |
      | RETURN * 2               |
      | RETURN 1 AS 2            |
      | RETURN 1 AS x,           |
      | RETURN , 1               |
      | RETURN NOT               |
      | RETURN 1 = = 1           |
      | RETURN 1 == 1            |
      | RETURN true && false     |
      | RETURN 1 IS 1            |
      | RETURN 'a' STARTS 'a'    |
      | RETURN [x IN [1] \|]     |
      | RETURN [x IN]            |
      | RETURN {a: }             |
      | RETURN all(x IN [1])     |
      | RETURN a.                |
      | RETURN f(,)              |
      | RETURN 1 AS x;; RETURN 2 |
      | RETURN !true             |
      | 1                        |
      | WHERE true RETURN 1      |

  Scenario Outline: A comment or a name without an end is an error
    Given any graph
    When executing query:
      """
      <expression>
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | expression              |
      | RETURN 1 AS x /* no end |
      | RETURN 1 AS x /*/       |
      | RETURN 1 AS `x          |
      | WITH 1 AS a RETURN `a   |

  Scenario Outline: A character that the language does not know is an error
    Given any graph
    When executing query:
      """
      <expression>
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | expression        |
      | RETURN 1 AS x ?   |
      | RETURN 1 # 2 AS x |
      | RETURN “a” AS x   |
      | RETURN ‘a’ AS x   |
      | RETURN 1 − 1 AS x |
      | RETURN 2 × 2 AS x |
      | RETURN \\1 AS x   |
      | RETURN @a AS x    |
