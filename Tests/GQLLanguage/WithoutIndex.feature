Feature: The same answers without an index

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {i: 1, x: 1}), (:A {i: 2, x: 1.0}), (:A {i: 3, x: '1'}), (:A {i: 4,
        x: true}), (:A {i: 5}),
        (:A {i: 6, x: [1]}), (:A {i: 7, x: 2}), (:A {i: 8, x: 9007199254740993}),
        (:A {i: 9, x: 9007199254740992.0}), (:A {i: 10, x: 'a'}), (:A {i: 11,
        x: date('2020-01-01')}),
        (:A {i: 12, x: 0.0 / 0.0}), (:B {i: 13, x: 1}), ({i: 14, x: 1})
      """

  Scenario Outline: Conditions on a property without an index
    When executing query:
      """
      MATCH <part> RETURN collect(n.i) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | part                                       | result                           |
      | (n:A {x: 1})                               | [1, 2]                           |
      | (n:A {x: 1.0})                             | [1, 2]                           |
      | (n:A {x: '1'})                             | [3]                              |
      | (n:A {x: true})                            | [4]                              |
      | (n:A {x: [1]})                             | [6]                              |
      | (n:A {x: [1.0]})                           | [6]                              |
      | (n:A {x: null})                            | []                               |
      | (n {x: 1})                                 | [1, 2, 13, 14]                   |
      | (n:B {x: 1})                               | [13]                             |
      | (n:A\|B {x: 1})                            | [1, 2, 13]                       |
      | (n:!A {x: 1})                              | [13, 14]                         |
      | (n:A) WHERE n.x IS NULL                    | [5]                              |
      | (n:A) WHERE n.x = null                     | []                               |
      | (n:A) WHERE n.x > 1                        | [7, 8, 9]                        |
      | (n:A) WHERE n.x >= 1                       | [1, 2, 7, 8, 9]                  |
      | (n:A) WHERE n.x < 2                        | [1, 2]                           |
      | (n:A) WHERE 1 < n.x < 3                    | [7]                              |
      | (n:A) WHERE n.x > '0'                      | [3, 10]                          |
      | (n:A) WHERE n.x >= 'a'                     | [10]                             |
      | (n:A) WHERE n.x STARTS WITH '1'            | [3]                              |
      | (n:A) WHERE n.x STARTS WITH ''             | [3, 10]                          |
      | (n:A) WHERE n.x IN [1, 'a', null]          | [1, 2, 10]                       |
      | (n:A) WHERE n.x IN []                      | []                               |
      | (n:A) WHERE n.x IN [[1]]                   | [6]                              |
      | (n:A) WHERE NOT n.x IN [1, 'a']            | [3, 4, 6, 7, 8, 9, 11, 12]       |
      | (n:A) WHERE n.x <> 1                       | [3, 4, 6, 7, 8, 9, 10, 11, 12]   |
      | (n:A) WHERE n.x = 9007199254740993         | [8]                              |
      | (n:A) WHERE n.x = 9007199254740992         | [9]                              |
      | (n:A) WHERE n.x > 9007199254740992         | [8]                              |
      | (n:A) WHERE n.x <= true                    | [4]                              |
      | (n:A) WHERE n.x < true                     | []                               |
      | (n:A) WHERE n.x = date('2020-01-01')       | [11]                             |
      | (n:A) WHERE n.x < date('2021-01-01')       | [11]                             |
      | (n:A) WHERE n.x = '2020-01-01'             | []                               |
      | (n:A) WHERE n.x = n.x                      | [1, 2, 3, 4, 6, 7, 8, 9, 10, 11] |
      | (n:A) WHERE n.x <> n.x                     | [12]                             |
      | (n:A) WHERE n.x = 0.0 / 0.0                | []                               |
      | (n:A) WHERE n.x > 0.0 / 0.0                | []                               |
      | (n:A) WHERE n.x >= 1 AND n.x <= 1          | [1, 2]                           |
      | (n:A) WHERE n.x = 1 OR n.x = 'a'           | [1, 2, 10]                       |
      | (n:A) WHERE n.x = 1 AND n.x = '1'          | []                               |
      | (n:A) WHERE n.x = 1 AND n.i = 2            | [2]                              |
      | (n:A) WHERE NOT n.x = 1                    | [3, 4, 6, 7, 8, 9, 10, 11, 12]   |
      | (m:B), (n:A {x: m.x})                      | [1, 2]                           |
      | (m:A), (n:A) WHERE m.x = n.x AND m.i < n.i | [2]                              |
      | (m:A {i: 5}), (n:A {x: m.x})               | []                               |

  Scenario: The order of all types without an index
    When executing query:
      """
      MATCH (n:A) RETURN n.i ORDER BY n.x, n.i
      """
    Then the result should be, in order:
      | n.i |
      | 6   |
      | 11  |
      | 3   |
      | 10  |
      | 4   |
      | 1   |
      | 2   |
      | 7   |
      | 9   |
      | 8   |
      | 12  |
      | 5   |
    And no side effects

  Scenario: An index may be made after the nodes
    Given an empty graph
    And having executed:
      """
      CREATE INDEX FOR (n:A) ON (n.x)
      """
    When executing query:
      """
      MATCH (n:A {x: 1}) RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 1   |
      | 2   |
    And no side effects
