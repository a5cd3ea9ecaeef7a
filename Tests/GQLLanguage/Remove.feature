Feature: REMOVE

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A:B {v: 1, w: 2})-[:R {k: 1}]->(:C {v: 3})
      """

  Scenario: A property is gone
    When executing query:
      """
      MATCH (a:A) REMOVE a.v RETURN a
      """
    Then the result should be, in any order:
      | a             |
      | (:A:B {w: 2}) |
    And the side effects should be:
      | -properties | 1 |

  Scenario: A property that is not there
    When executing query:
      """
      MATCH (a:A) REMOVE a.no RETURN a
      """
    Then the result should be, in any order:
      | a                   |
      | (:A:B {v: 1, w: 2}) |
    And no side effects

  Scenario: Several properties
    When executing query:
      """
      MATCH (a:A) REMOVE a.v, a.w, a.no RETURN a, keys(a)
      """
    Then the result should be, in any order:
      | a      | keys(a) |
      | (:A:B) | []      |
    And the side effects should be:
      | -properties | 2 |

  Scenario: A label is gone
    When executing query:
      """
      MATCH (a:A) REMOVE a:A RETURN labels(a)
      """
    Then the result should be, in any order:
      | labels(a) |
      | ['B']     |
    And the side effects should be:
      | -labels | 1 |

  Scenario: Several labels
    When executing query:
      """
      MATCH (a:A) REMOVE a:A:B RETURN labels(a)
      """
    Then the result should be, in any order:
      | labels(a) |
      | []        |
    And the side effects should be:
      | -labels | 2 |

  Scenario: A label that is not there
    When executing query:
      """
      MATCH (a:A) REMOVE a:C:Z RETURN a:A AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And no side effects

  Scenario: A label and a property
    When executing query:
      """
      MATCH (a:A) REMOVE a:B, a.v RETURN a
      """
    Then the result should be, in any order:
      | a           |
      | (:A {w: 2}) |
    And the side effects should be:
      | -labels     | 1 |
      | -properties | 1 |

  Scenario: A property of a relationship
    When executing query:
      """
      MATCH ()-[r]->() REMOVE r.k RETURN r
      """
    Then the result should be, in any order:
      | r    |
      | [:R] |
    And the side effects should be:
      | -properties | 1 |

  Scenario: A node without labels stays
    When executing query:
      """
      MATCH (a:A) REMOVE a:A, a:B WITH 1 AS one MATCH (n) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | -labels | 2 |

  Scenario: What is removed is not matched
    When executing query:
      """
      MATCH (a:A) REMOVE a.v WITH 1 AS one MATCH (n {v: 1}) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 0 |
    And the side effects should be:
      | -properties | 1 |

  Scenario: A label that is removed is not matched
    When executing query:
      """
      MATCH (a:A) REMOVE a:B WITH 1 AS one MATCH (n:B) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 0 |
    And the side effects should be:
      | -labels | 1 |

  Scenario: null has nothing to remove
    When executing query:
      """
      OPTIONAL MATCH (z:Z) REMOVE z.v, z:Z RETURN z
      """
    Then the result should be, in any order:
      | z    |
      | null |
    And no side effects

  Scenario: A row removes once and all rows see it
    When executing query:
      """
      UNWIND [1, 2] AS i MATCH (a:A) REMOVE a.v RETURN i, a.v
      """
    Then the result should be, in any order:
      | i | a.v  |
      | 1 | null |
      | 2 | null |
    And the side effects should be:
      | -properties | 1 |

  Scenario: REMOVE and SET again
    When executing query:
      """
      MATCH (a:A) REMOVE a.v SET a.v = 9 RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 9   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: SET and REMOVE again
    When executing query:
      """
      MATCH (a:A) SET a.n = 1, a:N REMOVE a.n, a:N RETURN a
      """
    Then the result should be, in any order:
      | a                   |
      | (:A:B {v: 1, w: 2}) |
    And no side effects

  Scenario: A property with a dot in its name
    When executing query:
      """
      MATCH (a:A) SET a.`v.w` = 1 REMOVE a.`v.w` RETURN a.`v.w` IS NULL AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And no side effects

  Scenario Outline: Mistakes in REMOVE
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                    | detail            |
      | MATCH (a) REMOVE b.v     | UndefinedVariable |
      | MATCH (a) REMOVE b:A     | UndefinedVariable |
      | MATCH (a) REMOVE a       | *                 |
      | MATCH (a) REMOVE a.v = 1 | *                 |
      | REMOVE                   | *                 |
      | MATCH (a) REMOVE 1       | *                 |
