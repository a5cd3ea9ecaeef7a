Feature: Lists

  Scenario Outline: An index counts from the beginning, or from the end if it is negative
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
      | [1, 2, 3][0]              | 1      |
      | [1, 2, 3][2]              | 3      |
      | [1, 2, 3][3]              | null   |
      | [1, 2, 3][-3]             | 1      |
      | [1, 2, 3][-4]             | null   |
      | [1][-0]                   | 1      |
      | [][0]                     | null   |
      | [][-1]                    | null   |
      | [1][9223372036854775807]  | null   |
      | [1][-9223372036854775808] | null   |
      | [[1, 2], [3]][0][1]       | 2      |
      | [1, 2, 3][1 + 1]          | 3      |
      | [1, 2, 3][[0, 2][1]]      | 3      |
      | [null][0]                 | null   |
      | null[0]                   | null   |
      | null[null]                | null   |
      | range(10, 20)[5]          | 15     |

  Scenario Outline: A slice takes what lies between its ends
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                        | result    |
      | [1, 2, 3][..]                                     | [1, 2, 3] |
      | [1, 2, 3][0..0]                                   | []        |
      | [1, 2, 3][..0]                                    | []        |
      | [1, 2, 3][3..]                                    | []        |
      | [1, 2, 3][-1..]                                   | [3]       |
      | [1, 2, 3][..-3]                                   | []        |
      | [1, 2, 3][1..-1]                                  | [2]       |
      | [1, 2, 3][-2..-1]                                 | [2]       |
      | [1, 2, 3][2..-2]                                  | []        |
      | [1, 2, 3][-10..10]                                | [1, 2, 3] |
      | [1, 2, 3][-10..-5]                                | []        |
      | [1, 2, 3][5..10]                                  | []        |
      | [1, 2, 3][2..1]                                   | []        |
      | [1, 2][-9223372036854775808..9223372036854775807] | [1, 2]    |
      | [][0..5]                                          | []        |
      | [1, 2, 3, 4][1..][1..]                            | [3, 4]    |
      | [1, 2, 3][1..][0]                                 | 2         |
      | [1, 2, 3][1+0..1+1]                               | [2]       |
      | [1, null, 3][1..]                                 | [null, 3] |

  Scenario Outline: A slice whose list or end is null is null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression            | result |
      | null[0..1]            | null   |
      | null[..]              | null   |
      | [1, 2, 3][null..]     | null   |
      | [1, 2, 3][..null]     | null   |
      | [1, 2, 3][0..null]    | null   |
      | [1, 2, 3][null..null] | null   |
      | [][null..]            | null   |

  Scenario Outline: An index that is no whole number is an error
    Given any graph
    When executing query:
      """
      WITH [1, 2] AS l, <expression> AS i RETURN l[i] AS x
      """
    Then a TypeError should be raised at runtime: ListElementAccessByNonInteger

    Examples:
      | expression |
      | 1.0        |
      | '0'        |
      | true       |
      | [0]        |

  Scenario Outline: Only lists have a place by number
    Given any graph
    When executing query:
      """
      WITH <expression> AS l RETURN l[0] AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression |
      | 1          |
      | 1.5        |
      | true       |
      | 'abc'      |

  Scenario Outline: Only lists have parts
    Given any graph
    When executing query:
      """
      WITH [<expression>] AS l RETURN l[0][0..1] AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression |
      | 1          |
      | 'abc'      |
      | {a: 1}     |

  Scenario Outline: + joins lists, and adds one value at either end
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result       |
      | [] + []                 | []           |
      | [1] + [[2]]             | [1, [2]]     |
      | [[1]] + 2               | [[1], 2]     |
      | [1] + 'a'               | [1, 'a']     |
      | 'a' + [1]               | ['a', 1]     |
      | [1] + {a: 2}            | [1, {a: 2}]  |
      | 1 + [] + 2              | [1, 2]       |
      | [1] + [2] + 3           | [1, 2, 3]    |
      | 1 + 2 + [3]             | [3, 3]       |
      | [3] + 1 + 2             | [3, 1, 2]    |
      | [null] + [null]         | [null, null] |
      | [1] + true              | [1, true]    |
      | null + null             | null         |
      | [1] \|\| [2]            | [1, 2]       |
      | size([1] + [2, 3] + []) | 3            |

  Scenario Outline: The first, the last and the others
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                 | result            |
      | head([null, 1])            | null              |
      | last([1, null])            | null              |
      | head([[1], 2])             | [1]               |
      | last([])                   | null              |
      | tail([1])                  | []                |
      | tail([null, null])         | [null]            |
      | head(tail([1, 2, 3]))      | 2                 |
      | head(null)                 | null              |
      | last(null)                 | null              |
      | tail(null)                 | null              |
      | reverse([])                | []                |
      | reverse([[1, 2], 3, null]) | [null, 3, [1, 2]] |
      | reverse(range(1, 3))       | [3, 2, 1]         |
      | size([])                   | 0                 |
      | size([null])               | 1                 |
      | size([[], [1, 2]])         | 2                 |
      | isEmpty([])                | true              |
      | isEmpty([null])            | false             |
      | isEmpty(null)              | null              |

  Scenario Outline: A range goes by its step, and both ends may be in it
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
      | range(0, 0) | [0] |
      | range(5, 1, -2) | [5, 3, 1] |
      | range(6, 1, -2) | [6, 4, 2] |
      | range(-3, 3, 3) | [-3, 0, 3] |
      | range(1, 5, -1) | [] |
      | range(5, 1, 1) | [] |
      | range(1, 0) | [] |
      | range(0, 1, 9223372036854775807) | [0] |
      | range(0, -1, -9223372036854775808) | [0] |
      | range(9223372036854775805, 9223372036854775807, 2) | [9223372036854775805, 9223372036854775807] |
      | range(9223372036854775806, 9223372036854775807, 5) | [9223372036854775806] |
      | range(-9223372036854775807, -9223372036854775808, -1) | [-9223372036854775807, -9223372036854775808] |
      | range(-9223372036854775807, -9223372036854775808, -3) | [-9223372036854775807] |
      | range(-9223372036854775808, 9223372036854775807, 9223372036854775807) | [-9223372036854775808, -1, 9223372036854775806] |
      | size(range(1, 1000)) | 1000 |

  Scenario Outline: A range is of whole numbers
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression       |
      | range(1.0, 2)    |
      | range(1, 2.5)    |
      | range(1, 5, 1.0) |
      | range('1', 2)    |
      | range(true, 2)   |
      | range([1], 2)    |

  Scenario Outline: A step of zero is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: NumberOutOfRange

    Examples:
      | expression     |
      | range(1, 5, 0) |
      | range(5, 1, 0) |
      | range(1, 1, 0) |

  Scenario Outline: A comprehension filters, and then projects
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                           | result          |
      | [i IN range(1, 6) WHERE i % 2 = 1]                   | [1, 3, 5]       |
      | [i IN range(1, 6) WHERE i % 2 = 1 \| i * i]          | [1, 9, 25]      |
      | [i IN [1, 2] \| null]                                | [null, null]    |
      | [i IN [1, null, 3] WHERE i IS NULL \| 0]             | [0]             |
      | [i IN [1, null, 3] WHERE NOT i = 1]                  | [3]             |
      | [i IN [true, false, null] WHERE i]                   | [true]          |
      | [i IN [] \| 1 / 0]                                   | []              |
      | [i IN [1, 2] WHERE false \| 1 / 0]                   | []              |
      | [i IN [[1, 2], [], null] \| size(i)]                 | [2, 0, null]    |
      | [i IN [1, 2, 3] WHERE i IN [1, 3] \| i + 0.5]        | [1.5, 3.5]      |
      | [i IN [1, 2] \| [j IN [i, i * 10] WHERE j > 1 \| j]] | [[10], [2, 20]] |
      | [i IN [3, 1, 2] \| i][0]                             | 3               |
      | [i IN [{a: 1}, {b: 2}, null] \| i.a]                 | [1, null, null] |
      | [i IN [1, 2, 3] WHERE i > 1 AND i < 3]               | [2]             |
      | [`odd name` IN [1] \| `odd name` + 1]                | [2]             |
      | size([i IN range(1, 10) WHERE i > 7])                | 3               |
      | [i IN null WHERE true]                               | null            |
      | [i IN [1, 2] \| i IN [1]]                            | [true, false]   |
      | [i IN [1, 2] \| CASE i WHEN 1 THEN 'a' END]          | ['a', null]     |

  Scenario: The variable of a comprehension hides the outer one within it alone
    Given any graph
    When executing query:
      """
      WITH 10 AS i RETURN [i IN [1, 2] | i] AS l, i, [j IN [1] | i + j] AS m
      """
    Then the result should be, in any order:
      | l      | i  | m    |
      | [1, 2] | 10 | [11] |

  Scenario: A comprehension has its own variable in each row
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS n RETURN n, [k IN range(1, n) | k * n] AS x
      """
    Then the result should be, in any order:
      | n | x         |
      | 1 | [1]       |
      | 2 | [2, 4]    |
      | 3 | [3, 6, 9] |

  Scenario Outline: The variable of a comprehension is not known outside
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: UndefinedVariable

    Examples:
      | expression                     |
      | [i IN [1]] + i                 |
      | [i IN [i] \| 1]                |
      | any(i IN [1] WHERE true) AND i |
      | reduce(s = s, i IN [1] \| s)   |
      | reduce(s = 0, i IN [i] \| s)   |
      | [i IN [1] WHERE j = 1]         |

  Scenario Outline: all holds if no element fails
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                         | result |
      | all(i IN [] WHERE 1 / 0 = 1)                       | true   |
      | all(i IN [null] WHERE i IS NULL)                   | true   |
      | all(i IN [null] WHERE i = 1)                       | null   |
      | all(i IN [2, null] WHERE i = 1)                    | false  |
      | all(i IN [null, 2] WHERE i = 1)                    | false  |
      | all(i IN [1, null] WHERE i = 1)                    | null   |
      | all(i IN [1, 2] WHERE null)                        | null   |
      | all(i IN null WHERE true)                          | null   |
      | all(i IN [[1], [2]] WHERE all(j IN i WHERE j > 0)) | true   |

  Scenario Outline: any holds if one element does
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                        | result |
      | any(i IN [null] WHERE i IS NULL)                  | true   |
      | any(i IN [1, null] WHERE i = 1)                   | true   |
      | any(i IN [null, 1] WHERE i = 1)                   | true   |
      | any(i IN [2, null] WHERE i = 1)                   | null   |
      | any(i IN [1, 2] WHERE null)                       | null   |
      | any(i IN [] WHERE null)                           | false  |
      | any(i IN null WHERE true)                         | null   |
      | any(i IN [[], [1]] WHERE any(j IN i WHERE j = 1)) | true   |

  Scenario Outline: none holds if every element fails
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
      | none(i IN [] WHERE true)         | true   |
      | none(i IN [null] WHERE i = 1)    | null   |
      | none(i IN [2, null] WHERE i = 1) | null   |
      | none(i IN [1, null] WHERE i = 1) | false  |
      | none(i IN [null, 1] WHERE i = 1) | false  |
      | none(i IN [2, 3] WHERE i = 1)    | true   |
      | none(i IN null WHERE false)      | null   |

  Scenario Outline: single holds if just one element does
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                            | result |
      | single(i IN [] WHERE true)            | false  |
      | single(i IN [1, 2] WHERE i = 1)       | true   |
      | single(i IN [1, 1] WHERE i = 1)       | false  |
      | single(i IN [2, 3] WHERE i = 1)       | false  |
      | single(i IN [1, null] WHERE i = 1)    | null   |
      | single(i IN [null] WHERE i = 1)       | null   |
      | single(i IN [2, null] WHERE i = 1)    | null   |
      | single(i IN [1, 1, null] WHERE i = 1) | false  |
      | single(i IN [null, 1, 1] WHERE i = 1) | false  |
      | single(i IN null WHERE true)          | null   |

  Scenario Outline: reduce goes through the list with what it has so far
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                              | result    |
      | reduce(p = 1, i IN [2, 3, 4] \| p * i)                                  | 24        |
      | reduce(l = [], i IN [1, 2, 3] \| [i] + l)                               | [3, 2, 1] |
      | reduce(s = 0, i IN [1, null] \| s + i)                                  | null      |
      | reduce(s = 0, i IN [1, null, 2] \| s + coalesce(i, 0))                  | 3         |
      | reduce(s = 5, i IN [] \| 1 / 0)                                         | 5         |
      | reduce(s = null, i IN [1, 2] \| coalesce(s, 0) + i)                     | 3         |
      | reduce(s = 0, i IN [[1, 2], [3]] \| s + reduce(t = 0, j IN i \| t + j)) | 6         |
      | reduce(m = 0, i IN [3, 9, 2] \| CASE WHEN i > m THEN i ELSE m END)      | 9         |
      | reduce(s = true, i IN [1, 2] \| s AND i > 0)                            | true      |
      | reduce(s = 0.5, i IN [1, 2] \| s + i)                                   | 3.5       |
      | reduce(s = '', i IN ['a', 'b'] \| s + i)                                | 'ab'      |

  Scenario Outline: A function of lists takes nothing else
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                 |
      | head(1)                    |
      | head('abc')                |
      | last({a: 1})               |
      | tail(true)                 |
      | tail('abc')                |
      | [i IN 1 \| i]              |
      | [i IN 'abc' \| i]          |
      | all(i IN 1 WHERE true)     |
      | any(i IN 'a' WHERE true)   |
      | reduce(s = 0, i IN 5 \| s) |

  Scenario Outline: UNWIND makes a row of each element
    Given any graph
    When executing query:
      """
      UNWIND <expression> AS n RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression     | result |
      | []             | 0      |
      | null           | 0      |
      | [null]         | 1      |
      | [[1, 2]]       | 1      |
      | [1, [2], null] | 3      |
      | range(1, 4)    | 4      |
      | [[], []]       | 2      |
      | {a: 1}.b       | 0      |
