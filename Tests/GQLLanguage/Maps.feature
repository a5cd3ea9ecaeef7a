Feature: Maps

  Scenario Outline: A key gives its value, and a missing one null
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
      | {a: 1}.a                | 1      |
      | {a: 1}.A                | null   |
      | {}.a                    | null   |
      | {a: null}.a             | null   |
      | {a: null}.a.b           | null   |
      | {a: {b: null}}.a.b.c    | null   |
      | {a: {b: {c: 3}}}.a.b.c  | 3      |
      | {a: 1}.b.c              | null   |
      | {a: [1, {b: 2}]}.a[1].b | 2      |
      | [{a: 1}][0].a           | 1      |
      | {a: [1, 2]}.a[-1]       | 2      |
      | {a: 1, b: 2}['b']       | 2      |
      | {a: {b: 2}}['a']['b']   | 2      |
      | {a: {b: 2}}['a'].b      | 2      |
      | {ab: 1}['a' + 'b']      | 1      |
      | {a: 1}['x']             | null   |
      | {a: 1}[null]            | null   |
      | null['a']               | null   |
      | null.a.b                | null   |
      | {a: 1}[toLower('A')]    | 1      |

  Scenario Outline: A key in backticks may be anything
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression          | result  |
      | {`a b`: 1}.`a b`    | 1       |
      | {`a b`: 1}['a b']   | 1       |
      | {`1`: 'one'}['1']   | 'one'   |
      | {`a``b`: 1}['a`b']  | 1       |
      | {`a``b`: 1}.`a``b`  | 1       |
      | {`a.b`: 1}['a.b']   | 1       |
      | {`$x`: 1}.`$x`      | 1       |
      | {`//`: 1}['//']     | 1       |
      | {`å`: 1}.å          | 1       |
      | {ö_1: 1}['ö_1']     | 1       |
      | keys({`a b`: 1})    | ['a b'] |
      | {`'`: 1}["'"]       | 1       |
      | {`\\n`: 1}['\\\\n'] | 1       |

  Scenario Outline: Words of the language are keys without backticks
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
      | {null: 1}.null                           | 1      |
      | {true: 2}.true                           | 2      |
      | {and: 1}.and                             | 1      |
      | {MATCH: 1, match: 2}.match               | 2      |
      | {in: 1}.in                               | 1      |
      | {case: {when: {then: 5}}}.case.when.then | 5      |
      | {count: 1}.count                         | 1      |
      | {exists: 1, all: 2}.all                  | 2      |
      | {RETURN: 1}['RETURN']                    | 1      |
      | {as: 1}.as                               | 1      |
      | {order: 1}.order + 1                     | 2      |

  Scenario Outline: Keys differ scalar by scalar
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                    | result |
      | size(keys({`é`: 1, `é`: 2})) | 2      |
      | {`é`: 1}['e\\u0301']          | null   |
      | {`é`: 1}['e\\u0301']         | 1      |
      | {`é`: 1, `é`: 2}['\\u00e9']  | 1      |
      | {`é`: 1}.`é`                 | null   |

  Scenario Outline: The keys of a map are in keys, whatever their values
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order (ignoring element order for lists):
      | x        |
      | <result> |

    Examples:
      | expression                          | result          |
      | keys({})                            | []              |
      | keys({b: 1, a: null})               | ['a', 'b']      |
      | keys(null)                          | null            |
      | size(keys({a: 1, b: 2, c: {d: 4}})) | 3               |
      | 'a' IN keys({a: null})              | true            |
      | 'd' IN keys({c: {d: 4}})            | false           |
      | properties({a: 1, b: null})         | {a: 1, b: null} |
      | properties(null)                    | null            |
      | isEmpty({})                         | true            |
      | isEmpty({a: null})                  | false           |

  Scenario: A map can be gone through by its keys
    Given any graph
    When executing query:
      """
      WITH {a: 1, b: 2, c: 3} AS m
      RETURN reduce(s = 0, k IN keys(m) | s + m[k]) AS sum, size([k IN keys(m) WHERE m[k] > 1]) AS many
      """
    Then the result should be, in any order:
      | sum | many |
      | 6   | 2    |

  Scenario Outline: Values of a map may be computed
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                       | result         |
      | {a: 1 + 1, b: [i IN [1] \| i]}   | {a: 2, b: [1]} |
      | {a: {b: 1}.b}                    | {a: 1}         |
      | {a: CASE WHEN true THEN 1 END}.a | 1              |
      | {a: 1}.a + {a: 2}.a              | 3              |
      | -{a: 1}.a                        | -1             |
      | {a: 2}.a ^ 2                     | 4.0            |
      | NOT {a: true}.a                  | false          |
      | {a: 1}.a IN [1]                  | true           |
      | {a: 'abc'}.a STARTS WITH 'a'     | true           |
      | {a: null}.a IS NULL              | true           |

  Scenario Outline: A map by something that is no text is an error
    Given any graph
    When executing query:
      """
      WITH {a: 1} AS m, <expression> AS k RETURN m[k] AS x
      """
    Then a TypeError should be raised at runtime: MapElementAccessByNonString

    Examples:
      | expression |
      | 0          |
      | 1.5        |
      | true       |

  Scenario Outline: What is no map has no keys
    Given any graph
    When executing query:
      """
      WITH [<expression>] AS l RETURN l[0].a AS x
      """
    Then a TypeError should be raised at runtime: PropertyAccessOnNonMap

    Examples:
      | expression |
      | 1          |
      | 1.5        |
      | 'text'     |
      | true       |
      | [1]        |

  Scenario Outline: keys and properties take maps and elements of the graph alone
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression           |
      | keys(1)              |
      | keys('a')            |
      | keys([1])            |
      | properties(1)        |
      | properties('a')      |
      | properties([{a: 1}]) |

  Scenario: Maps in rows keep their own keys
    Given any graph
    When executing query:
      """
      UNWIND [{a: 1}, {b: 2}, {}, null] AS m RETURN m.a AS a, m['b'] AS b
      """
    Then the result should be, in any order:
      | a    | b    |
      | 1    | null |
      | null | 2    |
      | null | null |
      | null | null |

  Scenario: Maps are grouped by keys and values
    Given any graph
    When executing query:
      """
      UNWIND [{a: 1, b: 2}, {b: 2, a: 1}, {a: 1}, {a: 1, b: null}] AS m WITH DISTINCT m
      RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x |
      | 3 |
