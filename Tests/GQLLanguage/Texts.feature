Feature: Texts

  Scenario Outline: size counts scalars, not what a reader sees as one
    Given any graph
    When executing query:
      """
      RETURN size(<expression>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result |
      | 'e\\u0301'              | 2      |
      | '\\u00e9'               | 1      |
      | '👨‍👩‍👧'                 | 5      |
      | '👍🏽'                    | 2      |
      | '🇸🇪'                    | 2      |
      | '\\U0001F600'           | 1      |
      | 'a\\u0000b'             | 3      |
      | 'שלום'                  | 4      |
      | '\\u202eabc\\u202c'     | 5      |
      | '\\r\\n'                | 2      |
      | '\\u1100\\u1161\\u11a8' | 3      |
      | ' '                     | 1      |
      | '\\ufeff'               | 1      |

  Scenario Outline: A base letter is a part of a letter with a mark
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                         | result |
      | 'e\\u0301' STARTS WITH 'e'         | true   |
      | 'e\\u0301' CONTAINS '\\u0301'      | true   |
      | 'e\\u0301' ENDS WITH '\\u0301'     | true   |
      | 'ae\\u0301' ENDS WITH 'e\\u0301'   | true   |
      | '\\u00e9' STARTS WITH 'e'          | false  |
      | 'e\\u0301' CONTAINS '\\u00e9'      | false  |
      | '👨‍👩‍👧' CONTAINS '👩'               | true   |
      | '👨‍👩‍👧' ENDS WITH '👧'              | true   |
      | '🇸🇪' STARTS WITH '🇸'               | true   |
      | '👍🏽' STARTS WITH '👍'               | true   |
      | '\\r\\n' CONTAINS '\\n'            | true   |
      | 'a\\r\\n' ENDS WITH '\\n'          | true   |
      | '\\r\\nb' STARTS WITH '\\r'        | true   |
      | 'a\\u0000b' CONTAINS '\\u0000b'    | true   |
      | 'a\\u0000b' STARTS WITH 'a\\u0000' | true   |
      | 'שלום' STARTS WITH 'ש'             | true   |

  Scenario Outline: The tests of parts look at case, spaces and the empty text
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
      | '' STARTS WITH ''       | true   |
      | 'abc' ENDS WITH ''      | true   |
      | '' CONTAINS ''          | true   |
      | '' CONTAINS 'a'         | false  |
      | 'ABC' CONTAINS 'b'      | false  |
      | ' a' STARTS WITH 'a'    | false  |
      | 'ab' STARTS WITH 'abc'  | false  |
      | 'abc' STARTS WITH 'abc' | true   |
      | 'a.c' CONTAINS '.'      | true   |
      | 'abc' CONTAINS '.'      | false  |
      | '50%' ENDS WITH '%'     | true   |
      | 'aab' CONTAINS 'ab'     | true   |
      | NOT 'abc' CONTAINS 'x'  | true   |

  Scenario Outline: The tests of parts are unknown for null and for what is no text
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
      | 'a' STARTS WITH null  | null   |
      | null STARTS WITH 'a'  | null   |
      | null CONTAINS null    | null   |
      | null ENDS WITH ''     | null   |
      | '' CONTAINS null      | null   |
      | 1 CONTAINS 1          | null   |
      | 'a' ENDS WITH 1       | null   |
      | ['a'] STARTS WITH 'a' | null   |
      | true CONTAINS 'r'     | null   |
      | '1' CONTAINS 1        | null   |
      | {} ENDS WITH ''       | null   |

  Scenario Outline: A substring begins at a place from 0 and ends with the text
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                 | result  |
      | substring('hello', 0)                      | 'hello' |
      | substring('hello', 0, 0)                   | ''      |
      | substring('hello', 5)                      | ''      |
      | substring('hello', 4, 1)                   | 'o'     |
      | substring('hello', 2, 100)                 | 'llo'   |
      | substring('hello', 1, 9223372036854775807) | 'ello'  |
      | substring('hello', 9223372036854775807)    | ''      |
      | substring('', 0)                           | ''      |
      | substring('\\U0001F600ab', 1, 1)           | 'a'     |
      | substring('e\\u0301x', 0, 1)               | 'e'     |
      | substring('👨‍👩‍👧', 2, 1)                   | '👩'     |
      | substring('a\\r\\nb', 2)                   | '\\nb'  |

  Scenario Outline: left and right take whole characters, and no more than there are
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                         | result  |
      | left('hello', 0)                   | ''      |
      | right('hello', 0)                  | ''      |
      | left('hello', 99)                  | 'hello' |
      | left('', 3)                        | ''      |
      | right('', 3)                       | ''      |
      | left('e\\u0301', 1)                | 'e'     |
      | right('a\\U0001F600', 1)           | '😀'     |
      | right('\\r\\n', 1)                 | '\\n'   |
      | left('שלום', 1)                    | 'ש'     |
      | right('hello', 5)                  | 'hello' |
      | left('hello', 9223372036854775807) | 'hello' |

  Scenario Outline: A part of null is null
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
      | substring(null, 0)    | null   |
      | substring(null, 0, 1) | null   |
      | left(null, 1)         | null   |
      | right(null, 1)        | null   |
      | left(null, null)      | null   |

  Scenario Outline: A length below zero is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: *

    Examples:
      | expression                |
      | substring('hello', -1)    |
      | substring('hello', 0, -1) |
      | left('hello', -1)         |
      | right('hello', -1)        |

  Scenario Outline: A text is reversed
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
      | reverse('')                                             | ''     |
      | reverse('ab\\U0001F600')                                | '😀ba'  |
      | size(reverse('👨‍👩‍👧'))                                  | 5      |
      | reverse(reverse('e\\u0301\\u0323')) = 'e\\u0301\\u0323' | true   |
      | reverse(null)                                           | null   |

  Scenario Outline: replace takes every part from left to right once
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                       | result |
      | replace('aaa', 'aa', 'b')                        | 'ba'   |
      | replace('abab', 'ab', 'ba')                      | 'baba' |
      | replace('a', 'a', 'aa')                          | 'aa'   |
      | replace('abc', 'abc', '')                        | ''     |
      | replace('abc', 'B', 'x')                         | 'abc'  |
      | replace('', 'a', 'b')                            | ''     |
      | replace('a.b', '.', '-')                         | 'a-b'  |
      | replace('a$1', 'a', '$1')                        | '$1$1' |
      | replace('a\\r\\nb', '\\n', '') = 'a\\rb'         | true   |
      | replace('e\\u0301', 'e', 'a') = 'a\\u0301'       | true   |
      | replace('e\\u0301', '\\u00e9', 'x') = 'e\\u0301' | true   |
      | replace('👨‍👩‍👧', '\\u200d', '') = '👨👩👧'          | true   |
      | replace('aXbxc', 'x', '')                        | 'aXbc' |
      | replace(null, 'a', 'b')                          | null   |
      | replace('a', null, 'b')                          | null   |
      | replace('a', 'a', null)                          | null   |

  Scenario Outline: split keeps empty parts
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                               | result        |
      | split('abc', 'b')                        | ['a', 'c']    |
      | split('abc', 'x')                        | ['abc']       |
      | split('', 'x')                           | ['']          |
      | split('x', 'x')                          | ['', '']      |
      | split(',a,', ',')                        | ['', 'a', ''] |
      | split('aXXb', 'XX')                      | ['a', 'b']    |
      | split('aaa', 'aa')                       | ['', 'a']     |
      | split('a.b', '.')                        | ['a', 'b']    |
      | split('a\|b', '\|')                      | ['a', 'b']    |
      | split('a\\r\\nb', '\\n') = ['a\\r', 'b'] | true          |
      | split('e\\u0301', '\\u0301')             | ['e', '']     |
      | split('a\\u0000b', '\\u0000')            | ['a', 'b']    |
      | size(split('a b  c', ' '))               | 4             |
      | split(null, ',')                         | null          |
      | split('a', null)                         | null          |

  Scenario Outline: trim takes white space off the ends alone
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
      | trim('')                       | ''     |
      | trim('  ')                     | ''     |
      | ltrim('  ')                    | ''     |
      | rtrim('  ')                    | ''     |
      | trim('a')                      | 'a'    |
      | trim('\\t\\na b\\r\\n ')       | 'a b'  |
      | ltrim('\\t a\\t') = 'a\\t'     | true   |
      | rtrim('\\n a\\r\\n') = '\\n a' | true   |
      | size(trim(' \\u0301 '))        | 1      |
      | trim(null)                     | null   |
      | ltrim(null)                    | null   |
      | rtrim(null)                    | null   |

  Scenario Outline: Capitals and small letters follow Unicode
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                             | result    |
      | toUpper('straße')                      | 'STRASSE' |
      | toLower('ÅÄÖ')                         | 'åäö'     |
      | toUpper('\\ufb01')                     | 'FI'      |
      | toLower('\\u0130') = 'i\\u0307'        | true      |
      | toUpper('\\U00010428') = '\\U00010400' | true      |
      | toUpper('e\\u0301') = 'E\\u0301'       | true      |
      | toLower('ABC123!')                     | 'abc123!' |
      | toUpper('')                            | ''        |
      | toUpper(null)                          | null      |
      | toLower(null)                          | null      |

  Scenario Outline: A function of texts takes nothing else
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression             |
      | toUpper(1)             |
      | toLower(true)          |
      | trim(1)                |
      | ltrim([])              |
      | rtrim({})              |
      | replace(1, 'a', 'b')   |
      | replace('a', 1, 'b')   |
      | replace('a', 'a', 1)   |
      | split(1, ',')          |
      | split('a', 1)          |
      | substring(1, 0)        |
      | substring('a', 'b')    |
      | substring('a', 0, 'b') |
      | substring('a', 0.5)    |
      | left(1, 1)             |
      | left('a', '1')         |
      | right('a', true)       |
      | reverse(1)             |
      | reverse({a: 1})        |
      | size(1)                |
      | size(true)             |

  Scenario Outline: Texts are joined without any change
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                    | result |
      | 'e' + '\\u0301' = 'e\\u0301'                  | true   |
      | size('e' + '\\u0301')                         | 2      |
      | size('\\r' + '\\n')                           | 2      |
      | size('🇸' + '🇪')                               | 2      |
      | 'a' \|\| 'b' \|\| 'c'                         | 'abc'  |
      | 'a' \|\| null                                 | null   |
      | 'ab' + 'c' ENDS WITH 'bc'                     | true   |
      | reduce(s = '', w IN ['a', 'b', 'c'] \| w + s) | 'cba'  |

  Scenario Outline: Texts with marks stay apart as values
    Given any graph
    When executing query:
      """
      UNWIND ['\u00e9', 'e\u0301', '\u00e9'] AS t RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | count(DISTINCT t)         | 2      |
      | size(collect(DISTINCT t)) | 2      |
      | sum(size(t))              | 4      |
      | min(t) = 'e\\u0301'       | true   |
      | max(t) = '\\u00e9'        | true   |

  Scenario: Groups are of equal texts, scalar by scalar
    Given any graph
    When executing query:
      """
      UNWIND ['\u00e9', 'e\u0301', '\u00e9'] AS t WITH t, count(*) AS n RETURN size(t) AS x, n
      """
    Then the result should be, in any order:
      | x | n |
      | 1 | 2 |
      | 2 | 1 |

  Scenario Outline: Stored texts keep their scalars
    Given an empty graph
    And having executed:
      """
      CREATE (:T {t: 'e\u0301'}), (:T {t: '\u00e9'}), (:T {t: 'a\u0000b'}), (:T {t: '\r\n'})
      """
    When executing query:
      """
      MATCH (n:T) WHERE <expression> RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | n.t = '\\u00e9'           | 1      |
      | n.t STARTS WITH 'e'       | 1      |
      | n.t CONTAINS '\\u0301'    | 1      |
      | n.t = 'a'                 | 0      |
      | n.t = 'a\\u0000b'         | 1      |
      | n.t ENDS WITH '\\u0000b'  | 1      |
      | size(n.t) = 2             | 2      |
      | n.t ENDS WITH '\\n'       | 1      |
      | n.t < 'f'                 | 3      |
      | n.t IN ['\\u00e9', '\\n'] | 1      |
