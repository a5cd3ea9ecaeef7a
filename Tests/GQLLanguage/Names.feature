Feature: Names of labels, types, properties and variables

  Scenario: Labels differ by case
    Given an empty graph
    And having executed:
      """
      CREATE (:Ab {v: 1}), (:aB {v: 2}), (:AB {v: 3}), (:ab {v: 4})
      """
    When executing query:
      """
      MATCH (n:Ab) RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 1   |
    And no side effects

  Scenario: A node with labels that differ by case
    Given an empty graph
    When executing query:
      """
      CREATE (n:Ab:aB:AB) RETURN labels(n) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l                  |
      | ['AB', 'Ab', 'aB'] |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 3 |

  Scenario: Removing one of two labels that differ by case
    Given an empty graph
    And having executed:
      """
      CREATE (:Ab:AB)
      """
    When executing query:
      """
      MATCH (n) REMOVE n:AB RETURN labels(n) AS l
      """
    Then the result should be, in any order:
      | l      |
      | ['Ab'] |
    And the side effects should be:
      | -labels | 1 |

  Scenario: Types differ by case
    Given an empty graph
    And having executed:
      """
      CREATE (a)-[:Knows {k: 1}]->(b), (a)-[:KNOWS {k: 2}]->(b)
      """
    When executing query:
      """
      MATCH ()-[r:Knows]->() RETURN type(r), r.k
      """
    Then the result should be, in any order:
      | type(r) | r.k |
      | 'Knows' | 1   |
    And no side effects

  Scenario: Properties differ by case
    Given an empty graph
    And having executed:
      """
      CREATE ({name: 1, Name: 2, NAME: 3})
      """
    When executing query:
      """
      MATCH (n) RETURN n.name, n.Name, n.NAME, size(keys(n)) AS c
      """
    Then the result should be, in any order:
      | n.name | n.Name | n.NAME | c |
      | 1      | 2      | 3      | 3 |
    And no side effects

  Scenario: A map in a pattern takes the case of names
    Given an empty graph
    And having executed:
      """
      CREATE ({i: 1, Name: 2, name: 1}), ({i: 2, name: 2})
      """
    When executing query:
      """
      MATCH (n {name: 2}) RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 2   |
    And no side effects

  Scenario: One of two properties that differ by case is changed
    Given an empty graph
    And having executed:
      """
      CREATE ({name: 1, Name: 2})
      """
    When executing query:
      """
      MATCH (n) SET n.NAME = 5, n.name = null RETURN n
      """
    Then the result should be, in any order:
      | n                    |
      | ({NAME: 5, Name: 2}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: Case beyond ASCII
    Given an empty graph
    When executing query:
      """
      CREATE (n:Ä:ä {ö: 1, Ö: 2}) RETURN size(labels(n)) AS l, n.ö AS a, n.Ö AS b
      """
    Then the result should be, in any order:
      | l | a | b |
      | 2 | 1 | 2 |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 2 |
      | +properties | 2 |

  Scenario: Names of properties that look the same by other characters
    Given an empty graph
    When executing query:
      """
      CREATE (n {`é`: 1, `é`: 2}) RETURN size(keys(n)) AS k, n.`é` AS a, n.`é` AS b
      """
    Then the result should be, in any order:
      | k | a | b |
      | 2 | 1 | 2 |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 2 |

  Scenario: Texts that look the same by other characters
    Given an empty graph
    When executing query:
      """
      UNWIND ['é', 'e\u0301', '\u00e9'] AS t RETURN t = 'é' AS same, count(*) AS c
      """
    Then the result should be, in any order:
      | same  | c |
      | true  | 2 |
      | false | 1 |
    And no side effects

  Scenario: DISTINCT takes such texts apart
    Given an empty graph
    When executing query:
      """
      UNWIND ['é', 'e\u0301', '\u00e9'] AS t RETURN count(DISTINCT t) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And no side effects

  Scenario: MERGE takes such texts apart
    Given an empty graph
    When executing query:
      """
      UNWIND ['é', 'e\u0301', '\u00e9'] AS t MERGE (n:N {t: t}) RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A pattern takes such texts apart
    Given an empty graph
    And having executed:
      """
      CREATE (:N {i: 1, t: '\u00e9'}), (:N {i: 2, t: 'e\u0301'})
      """
    When executing query:
      """
      MATCH (n:N {t: 'é'}) RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 1   |
    And no side effects

  Scenario: Map keys take such names apart
    Given an empty graph
    When executing query:
      """
      WITH {`é`: 1, `é`: 2} AS m RETURN size(keys(m)) AS c, m.`é` AS a, m['e\u0301'] AS b
      """
    Then the result should be, in any order:
      | c | a | b |
      | 2 | 1 | 2 |
    And no side effects

  Scenario: Variables differ by case
    Given an empty graph
    When executing query:
      """
      WITH 1 AS a, 2 AS A RETURN a, A
      """
    Then the result should be, in any order:
      | a | A |
      | 1 | 2 |
    And no side effects

  Scenario: A new line of two characters is no new line of one
    Given an empty graph
    When executing query:
      """
      UNWIND ['a\r\nb', 'a\nb', 'a\r\nb'] AS t
      RETURN count(DISTINCT t) AS c, max(size(t)) AS s
      """
    Then the result should be, in any order:
      | c | s |
      | 2 | 4 |
    And no side effects

  Scenario Outline: Odd names of properties
    Given an empty graph
    When executing query:
      """
      CREATE (n:T {`<name>`: 1})
      WITH 1 AS one
      MATCH (m:T {`<name>`: 1}) WHERE m.`<name>` = 1
      RETURN [m.`<name>`, size(keys(m)), properties(m).`<name>`] AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

    Examples:
      | name    | result    |
      | rowid   | [1, 1, 1] |
      | oid     | [1, 1, 1] |
      | _rowid_ | [1, 1, 1] |
      | _id     | [1, 1, 1] |
      | id      | [1, 1, 1] |
      | from    | [1, 1, 1] |
      | select  | [1, 1, 1] |
      | order   | [1, 1, 1] |
      | a"b     | [1, 1, 1] |
      | a'b     | [1, 1, 1] |
      | a;b     | [1, 1, 1] |
      | a--b    | [1, 1, 1] |
      | a/*b    | [1, 1, 1] |
      | a b     | [1, 1, 1] |
      | a.b     | [1, 1, 1] |
      | a:b     | [1, 1, 1] |
      | %       | [1, 1, 1] |
      | ?1      | [1, 1, 1] |
      | $x      | [1, 1, 1] |
      | 💡       | [1, 1, 1] |
      | 1       | [1, 1, 1] |
      | null    | [1, 1, 1] |
      | [a]     | [1, 1, 1] |
      | {a}     | [1, 1, 1] |
      | x,y     | [1, 1, 1] |
      | source  | [1, 1, 1] |
      | target  | [1, 1, 1] |
      | type    | [1, 1, 1] |
      | label   | [1, 1, 1] |
      | labels  | [1, 1, 1] |
      | deleted | [1, 1, 1] |
      | a``b    | [1, 1, 1] |

  Scenario Outline: Odd names of labels and types
    Given an empty graph
    When executing query:
      """
      CREATE (n:`<name>`)-[:`<name>`]->(n)
      WITH 1 AS one
      MATCH (m:`<name>`)-[r:`<name>`]->(m)
      RETURN [m:`<name>`, type(r) = labels(m)[0], size(labels(m))] AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

    Examples:
      | name          | result          |
      | rowid         | [true, true, 1] |
      | from          | [true, true, 1] |
      | a"b           | [true, true, 1] |
      | a'b           | [true, true, 1] |
      | a;b           | [true, true, 1] |
      | a--b          | [true, true, 1] |
      | a b           | [true, true, 1] |
      | a.b           | [true, true, 1] |
      | a:b           | [true, true, 1] |
      | a\|b          | [true, true, 1] |
      | a&b           | [true, true, 1] |
      | !a            | [true, true, 1] |
      | %             | [true, true, 1] |
      | 💡             | [true, true, 1] |
      | 1             | [true, true, 1] |
      | null          | [true, true, 1] |
      | Node          | [true, true, 1] |
      | nodes         | [true, true, 1] |
      | relationships | [true, true, 1] |
      | [a]           | [true, true, 1] |
      | {a}           | [true, true, 1] |
      | x,y           | [true, true, 1] |
      | label         | [true, true, 1] |
      | a``b          | [true, true, 1] |
      | A/B           | [true, true, 1] |
      | a=b           | [true, true, 1] |
      | (a)           | [true, true, 1] |

  Scenario Outline: Names that are none
    Given an empty graph
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query               | detail           |
      | CREATE (n:`a)       | *                |
      | CREATE (1n)         | *                |
      | MATCH (n) RETURN n. | UnexpectedSyntax |
      | CREATE (n:a-b)      | *                |
      | CREATE (n:'a')      | *                |
      | CREATE (n {'a': 1}) | *                |
