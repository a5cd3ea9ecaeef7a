Feature: Parameters

  Scenario Outline: A parameter has a value of any type
    Given any graph
    And parameters are:
      | p | <value> |
    When executing query:
      """
      RETURN $p AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | value | result |
      | 1 | 1 |
      | -9223372036854775808 | -9223372036854775808 |
      | 1.0 | 1.0 |
      | 0.0 / 0 | NaN |
      | '' | '' |
      | 'it\\'s' | 'it\\'s' |
      | null | null |
      | true | true |
      | [] | [] |
      | [1, [null, 'a'], {a: []}] | [1, [null, 'a'], {a: []}] |
      | {} | {} |
      | {a: {b: [1]}, c: null} | {a: {b: [1]}, c: null} |
      | date('2020-02-29') | '2020-02-29' |
      | time('10:00+01:00') | '10:00+01:00' |
      | localtime('10:00') | '10:00' |
      | localdatetime('2020-02-29T10:00') | '2020-02-29T10:00' |
      | datetime('2020-07-01T10:00[Europe/Stockholm]') | '2020-07-01T10:00+02:00[Europe/Stockholm]' |
      | duration('P1M-2DT0.5S') | 'P1M-2DT0.5S' |

  Scenario Outline: A parameter stands where a value does
    Given any graph
    And parameters are:
      | n | 2                              |
      | t | 'abc'                          |
      | l | [10, 20, 30]                   |
      | m | {a: {b: [1, 2]}, `odd key`: 3} |
      | z | null                           |
      | d | date('2020-01-31')             |
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                       | result          |
      | $n + 1                           | 3               |
      | -$n                              | -2              |
      | $n ^ $n                          | 4.0             |
      | $t + $n                          | 'abc2'          |
      | $t STARTS WITH 'a'               | true            |
      | substring($t, $n)                | 'c'             |
      | $l[$n]                           | 30              |
      | $l[1..$n]                        | [20]            |
      | $l[..-$n]                        | [10]            |
      | $m.a.b[1]                        | 2               |
      | $m['a']['b']                     | [1, 2]          |
      | $m.`odd key`                     | 3               |
      | $m.x                             | null            |
      | $z                               | null            |
      | $z.a                             | null            |
      | $z + 1                           | null            |
      | $z IS NULL                       | true            |
      | $n IN [1, $n]                    | true            |
      | 20 IN $l                         | true            |
      | [i IN $l WHERE i > 10 \| i / $n] | [10, 15]        |
      | any(i IN $l WHERE i = 10 * $n)   | true            |
      | reduce(s = $n, i IN $l \| s + i) | 62              |
      | CASE $n WHEN 2 THEN 'two' END    | 'two'           |
      | {a: $n, b: $z}                   | {a: 2, b: null} |
      | [$n, $t, [$n]]                   | [2, 'abc', [2]] |
      | size($l) + size($t)              | 6               |
      | coalesce($z, $n)                 | 2               |
      | 1 < $n <= 2                      | true            |
      | range(0, $n)                     | [0, 1, 2]       |
      | $d + duration({months: $n})      | '2020-03-31'    |
      | $d.year                          | 2020            |
      | date({year: $d.year, month: $n}) | '2020-02-01'    |
      | round(1.2345, $n)                | 1.23            |
      | keys($m.a)                       | ['b']           |

  Scenario: The text of a parameter is never read as the language
    Given an empty graph
    And having executed:
      """
      CREATE (:A {name: 'kept'})
      """
    And parameters are:
      | p | "'}) DETACH DELETE n // $q" |
    When executing query:
      """
      MATCH (n:A) WHERE n.name <> $p RETURN n.name + size($p) AS x
      """
    Then the result should be, in any order:
      | x        |
      | 'kept25' |

  Scenario Outline: Parameters have names of letters, digits or anything in backticks
    Given any graph
    And parameters are:
      | 1        | 'one'    |
      | a1       | 'letter' |
      | odd name | 'odd'    |
      | match    | 'word'   |
      | å        | 'ring'   |
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression  | result   |
      | $1          | 'one'    |
      | $a1         | 'letter' |
      | $`odd name` | 'odd'    |
      | $match      | 'word'   |
      | $å          | 'ring'   |
      | $`1`        | 'one'    |

  Scenario: Names of parameters differ by case, and are no variables
    Given any graph
    And parameters are:
      | p | 1 |
      | P | 2 |
    When executing query:
      """
      WITH 3 AS p RETURN p AS a, $p AS b, $P AS c
      """
    Then the result should be, in any order:
      | a | b | c |
      | 3 | 1 | 2 |

  Scenario: SKIP and LIMIT take parameters
    Given any graph
    And parameters are:
      | s | 1 |
      | l | 2 |
    When executing query:
      """
      UNWIND range(1, 5) AS n WITH n ORDER BY n SKIP $s LIMIT $l RETURN collect(n) AS x
      """
    Then the result should be, in any order:
      | x      |
      | [2, 3] |

  Scenario Outline: A number of rows that a parameter cannot be is an error
    Given any graph
    And parameters are:
      | p | <value> |
    When executing query:
      """
      UNWIND [1] AS n RETURN n LIMIT $p
      """
    Then a SyntaxError should be raised at runtime: <detail>

    Examples:
      | value | detail                  |
      | -1    | NegativeIntegerArgument |
      | 1.5   | InvalidArgumentType     |
      | '1'   | InvalidArgumentType     |
      | true  | InvalidArgumentType     |
      | [1]   | InvalidArgumentType     |

  Scenario: Rows come from a parameter
    Given any graph
    And parameters are:
      | rows | [{name: 'a', n: 1}, {name: 'b'}, null] |
    When executing query:
      """
      UNWIND $rows AS row RETURN row.name AS name, row.n AS n
      """
    Then the result should be, in any order:
      | name | n    |
      | 'a'  | 1    |
      | 'b'  | null |
      | null | null |

  Scenario Outline: UNWIND of a parameter that is null or empty makes no rows
    Given any graph
    And parameters are:
      | p | <value> |
    When executing query:
      """
      UNWIND $p AS n RETURN n
      """
    Then the result should be empty

    Examples:
      | value |
      | null  |
      | []    |

  Scenario: A parameter gives the properties of a new node
    Given an empty graph
    And having executed:
      """
      CREATE (:Other)
      """
    And parameters are:
      | p | {a: 1, b: 'x', c: [1, 2], d: date('2020-01-01'), e: null} |
    When executing query:
      """
      CREATE (n:A $p) RETURN size(keys(n)) AS x, n.c AS c, n.d AS d
      """
    Then the result should be, in any order:
      | x | c      | d            |
      | 4 | [1, 2] | '2020-01-01' |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario Outline: Properties are found by parameters
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {v: 1.0}), (:A {v: '1'}), (:A {v: true}), (:A)
      """
    And parameters are:
      | i | 1        |
      | t | '1'      |
      | z | null     |
      | l | [1, '1'] |
    When executing query:
      """
      MATCH (n:A) WHERE <expression> RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                 | result |
      | n.v = $i                   | 2      |
      | n.v = $t                   | 1      |
      | n.v = $z                   | 0      |
      | n.v IN $l                  | 3      |
      | n.v IN [$z]                | 0      |
      | $z IS NULL AND n.v IS NULL | 1      |
      | n.v > $i                   | 0      |
      | n.v >= $i                  | 2      |
      | n[$z] IS NULL              | 5      |

  Scenario Outline: A pattern's map takes parameters
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1, w: 'x'}), (:A {v: 2, w: 'x'})
      """
    And parameters are:
      | i | 2    |
      | z | null |
    When executing query:
      """
      MATCH (n:A <map>) RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | map                 | result |
      | {v: $i}             | 1      |
      | {w: 'x', v: $i - 1} | 1      |
      | {v: $z}             | 0      |
      | {v: $i, w: $z}      | 0      |

  Scenario Outline: A parameter without a value is an error before anything runs
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ParameterMissing should be raised at compile time: MissingParameter

    Examples:
      | expression                  |
      | $p                          |
      | $p + 1                      |
      | [1, $p]                     |
      | {a: $p}                     |
      | CASE WHEN false THEN $p END |
      | coalesce(1, $p)             |
      | [i IN [] \| $p]             |
      | false AND $p                |

  Scenario Outline: A parameter must be named
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: *

    Examples:
      | expression |
      | $          |
      | $ + 1      |
      | $.a        |
      | $$p        |
      | {p}        |

  Scenario Outline: A parameter of a wrong type is an error when it is used
    Given any graph
    And parameters are:
      | t | 'a' |
      | n | 1   |
      | l | [1] |
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression  |
      | -$t         |
      | NOT $n      |
      | $n AND true |
      | $t * $n     |
      | 1 IN $n     |
      | head($t)    |
      | toUpper($n) |
      | $l - $n     |
      | date($n)    |

  Scenario Outline: Texts of parameters keep their scalars
    Given any graph
    And parameters are:
      | a | 'e\\u0301'        |
      | b | '\\u00e9'         |
      | c | 'a\\u0000b\\r\\n' |
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression         | result |
      | $a = $b            | false  |
      | $a = 'e\\u0301'    | true   |
      | size($a)           | 2      |
      | size($c)           | 5      |
      | $c CONTAINS '\\n'  | true   |
      | $a STARTS WITH 'e' | true   |
      | [$a] = [$b]        | false  |
