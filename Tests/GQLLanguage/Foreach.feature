Feature: FOREACH

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {v: 1})-[:R {k: 1}]->(b:A {v: 2})-[:R {k: 2}]->(c:A {v: 3})
      """

  Scenario: A node for each element
    When executing query:
      """
      FOREACH (i IN [1, 2, 3] | CREATE (:N {i: i}))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: Nothing for an empty list
    When executing query:
      """
      FOREACH (i IN [] | CREATE (:N))
      """
    Then the result should be empty
    And no side effects

  Scenario: Nothing for null
    When executing query:
      """
      FOREACH (i IN null | CREATE (:N))
      """
    Then the result should be empty
    And no side effects

  Scenario: An element that is null
    When executing query:
      """
      FOREACH (i IN [null, 1] | CREATE (:N {i: i}))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: For each row
    When executing query:
      """
      MATCH (a:A) FOREACH (i IN range(1, a.v) | CREATE (:N {of: a.v}))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 6 |
      | +labels     | 1 |
      | +properties | 6 |

  Scenario: Rows go on as they were
    When executing query:
      """
      MATCH (a:A) FOREACH (i IN [1, 2] | SET a.s = i) RETURN a.v, a.s
      """
    Then the result should be, in any order:
      | a.v | a.s |
      | 1   | 2   |
      | 2   | 2   |
      | 3   | 2   |
    And the side effects should be:
      | +properties | 3 |

  Scenario: Several changes in turn
    When executing query:
      """
      FOREACH (i IN [1, 2] | CREATE (n:N {i: i}) SET n.j = n.i * 2 CREATE (n)-[:Q]->(:M))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 4 |
      | +relationships | 2 |
      | +labels        | 2 |
      | +properties    | 4 |

  Scenario: Nested lists
    When executing query:
      """
      FOREACH (l IN [[1, 2], [], [3]] | FOREACH (i IN l | CREATE (:N {i: i})))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: A nested change sees both elements
    When executing query:
      """
      FOREACH (i IN [1, 2] | FOREACH (j IN [10, 20] | CREATE (:N {s: i + j})))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 4 |
      | +labels     | 1 |
      | +properties | 4 |
    When executing control query:
      """
      MATCH (n:N) RETURN n.s
      """
    Then the result should be, in any order:
      | n.s |
      | 11  |
      | 21  |
      | 12  |
      | 22  |

  Scenario: MERGE makes one of equal elements
    When executing query:
      """
      FOREACH (i IN [1, 2, 1, 2] | MERGE (:N {i: i}))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: MERGE finds what is there
    When executing query:
      """
      FOREACH (i IN [1, 2, 9] | MERGE (n:A {v: i}) ON CREATE SET n.new = true ON MATCH SET
        n.old = true)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 4 |

  Scenario: Relationships to a known node
    When executing query:
      """
      MATCH (a:A {v: 1}) FOREACH (i IN [1, 2] | CREATE (a)-[:Q {i: i}]->(:N))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 2 |
      | +labels        | 1 |
      | +properties    | 2 |

  Scenario: Nodes of a path
    When executing query:
      """
      MATCH p = (:A {v: 1})-[*2]->() FOREACH (n IN nodes(p) | SET n.on = true)
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 3 |

  Scenario: Relationships of a path
    When executing query:
      """
      MATCH p = (:A {v: 1})-[*2]->() FOREACH (r IN relationships(p) | SET r.k = r.k * 10)
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: Deleted elements
    When executing query:
      """
      MATCH ()-[r:R]->() WITH collect(r) AS l FOREACH (r IN l | DELETE r)
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 2 |
      | -properties    | 2 |

  Scenario: Removed properties and labels
    When executing query:
      """
      MATCH (a:A) WITH collect(a) AS l FOREACH (n IN l | REMOVE n.v, n:A)
      """
    Then the result should be empty
    And the side effects should be:
      | -labels     | 1 |
      | -properties | 3 |

  Scenario: A change only if there is a condition
    When executing query:
      """
      MATCH (a:A) FOREACH (x IN CASE WHEN a.v > 1 THEN [1] ELSE [] END | SET a.big = true)
      """
    Then the result should be empty
    And the side effects should be:
      | +properties | 2 |

  Scenario: A change only if an optional match was found
    When executing query:
      """
      MATCH (a:A)
      OPTIONAL MATCH (a)-[r]->()
      FOREACH (x IN CASE WHEN r IS NULL THEN [1] ELSE [] END | CREATE (a)-[:END]->(:E))
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: The next MATCH sees the changes
    When executing query:
      """
      FOREACH (i IN [1, 2] | CREATE (:N {i: i}))
      WITH 1 AS one
      MATCH (n:N)
      RETURN sum(n.i) AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A name may be used again behind it
    When executing query:
      """
      FOREACH (i IN [1] | CREATE (n:N)) WITH 5 AS i, 6 AS n RETURN i, n
      """
    Then the result should be, in any order:
      | i | n |
      | 5 | 6 |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: A list of maps
    And parameters are:
      | rows | [{v: 1, w: 'x'}, {v: 7, w: 'y'}] |
    When executing query:
      """
      FOREACH (row IN $rows | MERGE (n:A {v: row.v}) SET n += row)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 3 |

  Scenario Outline: Mistakes in FOREACH
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                 | detail                   |
      | FOREACH (i IN [1] \| MATCH (n) SET n.v = 1)           | InvalidClauseComposition |
      | FOREACH (i IN [1] \| RETURN i)                        | InvalidClauseComposition |
      | FOREACH (i IN [1] \| UNWIND [1] AS j CREATE ({j: j})) | InvalidClauseComposition |
      | FOREACH (i IN [1] \| CREATE ({v: j}))                 | UndefinedVariable        |
      | FOREACH (i IN [1] \| CREATE (n)) CREATE (m {i: i})    | UndefinedVariable        |
      | MATCH (i) FOREACH (i IN [1] \| CREATE ())             | VariableAlreadyBound     |
      | FOREACH (i IN [1] \|)                                 | *                        |
      | FOREACH (i IN [1] CREATE ())                          | UnexpectedSyntax         |
      | FOREACH (i IN j \| CREATE ())                         | UndefinedVariable        |
      | MATCH (n) FOREACH (i IN [1] \| CREATE (n))            | VariableAlreadyBound     |

  Scenario Outline: FOREACH that stops leaves nothing
    When executing query:
      """
      <query>
      """
    Then an error should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                           | detail              |
      | FOREACH (i IN [1, {a: 1}] \| CREATE ({v: i}))   | InvalidPropertyType |
      | FOREACH (i IN [2, 1, 0] \| CREATE ({v: 2 / i})) | DivisionByZero      |
      | MATCH (a:A) FOREACH (i IN a.v \| CREATE ())     | InvalidArgumentType |
      | MATCH (a:A) FOREACH (n IN [a] \| DELETE n)      | DeleteConnectedNode |
      | FOREACH (v IN [1, null] \| MERGE (:N {v: v}))   | MergeReadOwnWrites  |
