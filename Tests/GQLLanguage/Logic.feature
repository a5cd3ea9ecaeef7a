Feature: Three-valued logic

  Scenario Outline: AND, OR and XOR know true, false and unknown
    Given any graph
    When executing query:
      """
      UNWIND [[<left>, <right>]] AS v
      RETURN v[0] AND v[1] AS conj, v[0] OR v[1] AS disj, v[0] XOR v[1] AS excl
      """
    Then the result should be, in any order:
      | conj   | disj   | excl   |
      | <conj> | <disj> | <excl> |

    Examples:
      | left  | right | conj  | disj  | excl  |
      | true  | true  | true  | true  | false |
      | true  | false | false | true  | true  |
      | true  | null  | null  | true  | null  |
      | false | true  | false | true  | true  |
      | false | false | false | false | false |
      | false | null  | false | null  | null  |
      | null  | true  | null  | true  | null  |
      | null  | false | false | null  | null  |
      | null  | null  | null  | null  | null  |

  Scenario Outline: Literals give what values of rows give
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression          | result |
      | null AND false      | false  |
      | false AND null      | false  |
      | null OR true        | true   |
      | true OR null        | true   |
      | null XOR false      | null   |
      | NOT null            | null   |
      | NOT (null AND true) | null   |
      | NOT (null OR true)  | false  |

  Scenario: NOT of a combination follows De Morgan
    Given any graph
    When executing query:
      """
      UNWIND [true, false, null] AS a UNWIND [true, false, null] AS b
      WITH NOT (a AND b) AS l, NOT a OR NOT b AS r, NOT (a OR b) AS m, NOT a AND NOT b AS s
      RETURN count(*) AS x, sum(CASE WHEN l = r OR l IS NULL AND r IS NULL THEN 1 END) AS y,
        sum(CASE WHEN m = s OR m IS NULL AND s IS NULL THEN 1 END) AS z
      """
    Then the result should be, in any order:
      | x | y | z |
      | 9 | 9 | 9 |

  Scenario Outline: A condition that is unknown keeps no row
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, null] AS n WITH n WHERE <expression> RETURN collect(n) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression         | result |
      | n > 1              | [2]    |
      | NOT n > 1          | [1]    |
      | n > 1 OR n <= 1    | [1, 2] |
      | n = null           | []     |
      | n <> null          | []     |
      | n IN [1, null]     | [1]    |
      | NOT n IN [1, null] | []     |
      | n > 1 OR true      | [1, 2] |
      | null               | []     |
      | n > 1 XOR true     | [1]    |
      | (n > 1) IS NULL    | []     |

  Scenario Outline: A row whose value is null can be kept by IS NULL alone
    Given any graph
    When executing query:
      """
      UNWIND [1, 2, null] AS n WITH n WHERE <expression> RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression         | result |
      | n IS NULL          | 1      |
      | (n > 1) IS NULL    | 1      |
      | n IS NULL OR n = 1 | 2      |
      | NOT n IS NULL      | 2      |
      | n = n              | 2      |
      | coalesce(n, 0) = 0 | 1      |

  Scenario Outline: AND, OR, XOR and NOT take booleans alone
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

    Examples:
      | expression      |
      | 1 AND true      |
      | true AND 'a'    |
      | 'true' OR false |
      | false OR []     |
      | {} XOR true     |
      | true XOR 1.5    |
      | NOT 1           |
      | NOT []          |
      | NOT {}          |
      | null AND 'a'    |
      | false AND 1     |
      | true OR 1       |

  Scenario Outline: Values of rows that are no booleans are errors as well
    Given any graph
    When executing query:
      """
      UNWIND [[1, 'a', []]] AS v RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression    |
      | v[0] AND true |
      | true AND v[1] |
      | v[2] OR false |
      | v[0] XOR true |
      | NOT v[1]      |

  Scenario Outline: A condition must be a boolean
    Given any graph
    When executing query:
      """
      UNWIND [1] AS n WITH n WHERE <expression> RETURN n AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

    Examples:
      | expression |
      | 1          |
      | 'true'     |
      | [true]     |
      | 1 + 1      |
