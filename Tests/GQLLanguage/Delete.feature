Feature: DELETE and DETACH DELETE

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {v: 1}), (b:B {v: 2}), (:Alone), (a)-[:R {k: 1}]->(b),
        (b)-[:R {k: 2}]->(b), (b)-[:S]->(a)
      """

  Scenario: A node without relationships
    When executing query:
      """
      MATCH (n:Alone) DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |
    When executing control query:
      """
      MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN labels(n) AS l, count(r) AS c
      """
    Then the result should be, in any order:
      | l     | c |
      | ['A'] | 1 |
      | ['B'] | 2 |

  Scenario: A relationship
    When executing query:
      """
      MATCH ()-[r:S]->() DELETE r
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 1 |

  Scenario: A loop
    When executing query:
      """
      MATCH (n)-[r]->(n) DELETE r
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 1 |
      | -properties    | 1 |

  Scenario: All relationships either way
    When executing query:
      """
      MATCH ()-[r]-() DELETE r
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 3 |
      | -properties    | 2 |

  Scenario: All nodes with their relationships
    When executing query:
      """
      MATCH (n) DETACH DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 3 |
      | -relationships | 3 |
      | -labels        | 3 |
      | -properties    | 4 |

  Scenario: One node with its relationships
    When executing query:
      """
      MATCH (b:B) DETACH DELETE b
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 3 |
      | -labels        | 1 |
      | -properties    | 3 |
    When executing control query:
      """
      MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN labels(n) AS l, count(r) AS c
      """
    Then the result should be, in any order:
      | l         | c |
      | ['A']     | 0 |
      | ['Alone'] | 0 |

  Scenario: Nodes and relationships in one clause
    When executing query:
      """
      MATCH (a:A)-[r]-(b) MATCH (b)-[l]->(b) DELETE a, r, l
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 3 |
      | -labels        | 1 |
      | -properties    | 3 |

  Scenario: A node before its relationship
    When executing query:
      """
      MATCH (a:A)-[r:R]->(), (a)<-[s]-() DELETE a, r, s
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 2 |
      | -labels        | 1 |
      | -properties    | 2 |

  Scenario: The same node in every row
    When executing query:
      """
      UNWIND [1, 2, 3] AS i MATCH (n:Alone) DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: The same relationship twice
    When executing query:
      """
      MATCH ()-[r:S]->() DELETE r, r DELETE r
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 1 |

  Scenario: DELETE in two clauses
    When executing query:
      """
      MATCH (b:B)-[r]-() DELETE r WITH DISTINCT b DELETE b
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 3 |
      | -labels        | 1 |
      | -properties    | 3 |

  Scenario: null is nothing to delete
    When executing query:
      """
      OPTIONAL MATCH (z:Z) DELETE z
      """
    Then the result should be empty
    And no side effects

  Scenario: null beside a node
    When executing query:
      """
      MATCH (n:Alone) OPTIONAL MATCH (n)-[r]->() DELETE r, n
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: A list element
    When executing query:
      """
      MATCH (n:Alone) WITH [n] AS l DELETE l[0]
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: A map entry
    When executing query:
      """
      MATCH (n:Alone) WITH {k: n} AS m DELETE m.k
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: A list entry of a map
    When executing query:
      """
      MATCH ()-[r]->() WITH {l: collect(r)} AS m DELETE m.l[0], m.l[1], m.l[2]
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 3 |
      | -properties    | 2 |

  Scenario: A path
    When executing query:
      """
      MATCH p = (:A)-[:R]->(:B) DETACH DELETE p
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 2 |
      | -relationships | 3 |
      | -labels        | 2 |
      | -properties    | 4 |

  Scenario: A path that holds all relationships of its nodes
    When executing query:
      """
      MATCH p = (:A)-[:R]->(b)-[:R]->(b)-[:S]->() DELETE p
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 2 |
      | -relationships | 3 |
      | -labels        | 2 |
      | -properties    | 4 |

  Scenario: A start of a relationship
    When executing query:
      """
      MATCH ()-[r:S]->() DETACH DELETE startNode(r)
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 3 |
      | -labels        | 1 |
      | -properties    | 3 |

  Scenario: All relationships of a path
    When executing query:
      """
      MATCH (:A)-[l*2]->() UNWIND l AS r WITH DISTINCT r DELETE r
      """
    Then the result should be empty
    And the side effects should be:
      | -relationships | 3 |
      | -properties    | 2 |

  Scenario: Rows stay after DELETE
    When executing query:
      """
      MATCH (n:Alone) DELETE n RETURN 1 AS one
      """
    Then the result should be, in any order:
      | one |
      | 1   |
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: Values that were read before stay
    When executing query:
      """
      MATCH (a:A) WITH a, a.v AS v DETACH DELETE a RETURN v
      """
    Then the result should be, in any order:
      | v |
      | 1 |
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 2 |
      | -labels        | 1 |
      | -properties    | 2 |

  Scenario: A count of what was deleted
    When executing query:
      """
      MATCH (n) DETACH DELETE n RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | -nodes         | 3 |
      | -relationships | 3 |
      | -labels        | 3 |
      | -properties    | 4 |

  Scenario: A count of rows that deleted
    When executing query:
      """
      MATCH (n) DETACH DELETE n RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | -nodes         | 3 |
      | -relationships | 3 |
      | -labels        | 3 |
      | -properties    | 4 |

  Scenario: The next MATCH does not see it
    When executing query:
      """
      MATCH (n:Alone) DELETE n WITH 1 AS one MATCH (m) RETURN count(m) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: The next MATCH does not see its relationships
    When executing query:
      """
      MATCH (a:A) DETACH DELETE a WITH 1 AS one MATCH ()-[r]->() RETURN count(r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 2 |
      | -labels        | 1 |
      | -properties    | 2 |

  Scenario: The type of a deleted relationship
    When executing query:
      """
      MATCH ()-[r:S]->() DELETE r RETURN type(r)
      """
    Then the result should be, in any order:
      | type(r) |
      | 'S'     |
    And the side effects should be:
      | -relationships | 1 |

  Scenario: DELETE and CREATE of the same pattern
    When executing query:
      """
      MATCH (n:Alone) DELETE n CREATE (m:Alone) RETURN m
      """
    Then the result should be, in any order:
      | m        |
      | (:Alone) |
    And the side effects should be:
      | +nodes | 1 |
      | -nodes | 1 |

  Scenario: A created node is deleted
    When executing query:
      """
      CREATE (n:New {v: 1}) DELETE n
      """
    Then the result should be empty
    And no side effects

  Scenario: A created relationship is deleted
    When executing query:
      """
      MATCH (a:A), (n:Alone) CREATE (a)-[r:R]->(n) DELETE r
      """
    Then the result should be empty
    And no side effects

  Scenario: A created pattern is deleted with DETACH
    When executing query:
      """
      CREATE (n:New)-[:R]->(m:New) DETACH DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: A node of a deleted relationship stays connected by others
    When executing query:
      """
      MATCH (a:A)-[r:R]->(b) DELETE r WITH a MATCH (a)--(x) RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | -relationships | 1 |
      | -properties    | 1 |

  Scenario: A node is deleted when its last relationship is
    When executing query:
      """
      MATCH (a:A)-[r]-() DELETE r, a
      """
    Then the result should be empty
    And the side effects should be:
      | -nodes         | 1 |
      | -relationships | 2 |
      | -labels        | 1 |
      | -properties    | 2 |

  Scenario Outline: Nodes that are still connected
    When executing query:
      """
      <query>
      """
    Then a ConstraintVerificationFailed should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                                   | detail              |
      | MATCH (a:A) DELETE a                                    | DeleteConnectedNode |
      | MATCH (n) DELETE n                                      | DeleteConnectedNode |
      | MATCH (a:A)-[r:R]->() DELETE r, a                       | DeleteConnectedNode |
      | MATCH (a:A)-[r]->() DELETE a, r                         | DeleteConnectedNode |
      | MATCH (n:Alone) CREATE (n)-[:R]->(:B) DELETE n          | DeleteConnectedNode |
      | MATCH p = (:A)-[:R]->(:B) DELETE p                      | DeleteConnectedNode |
      | MATCH (n:Alone) SET n.v = 1 WITH n MATCH (b:B) DELETE b | DeleteConnectedNode |

  Scenario Outline: What is deleted has no values any more
    When executing query:
      """
      <query>
      """
    Then an EntityNotFound should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                         | detail              |
      | MATCH (n:Alone) DELETE n RETURN n.v           | DeletedEntityAccess |
      | MATCH (n:Alone) DELETE n RETURN labels(n)     | DeletedEntityAccess |
      | MATCH ()-[r:R]->() DELETE r RETURN r.k        | DeletedEntityAccess |
      | MATCH (a:A) DETACH DELETE a RETURN a.v        | DeletedEntityAccess |
      | MATCH (n:Alone) DELETE n RETURN keys(n)       | DeletedEntityAccess |
      | MATCH (n:Alone) DELETE n RETURN properties(n) | DeletedEntityAccess |

  Scenario Outline: Mistakes in DELETE
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                | detail              |
      | MATCH (n) DELETE m   | UndefinedVariable   |
      | MATCH (n) DELETE n:A | InvalidDelete       |
      | DELETE 1             | InvalidArgumentType |
      | MATCH (n) DELETE 'n' | InvalidArgumentType |
      | MATCH (n) DELETE     | *                   |
      | MATCH (n) DETACH n   | *                   |
