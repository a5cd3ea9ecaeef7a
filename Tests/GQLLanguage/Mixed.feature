Feature: Clauses that work together

  Scenario: A deleted node stays in its row
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})
      """
    When executing query:
      """
      MATCH (n:A) DELETE n RETURN n IS NULL AS gone
      """
    Then the result should be, in any order:
      | gone  |
      | false |
    And the side effects should be:
      | -nodes      | 1 |
      | -labels     | 1 |
      | -properties | 1 |

  Scenario: A deleted node is matched no more
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      MATCH (n:A) DELETE n WITH n MATCH (n) RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 0 |
    And the side effects should be:
      | -nodes  | 1 |
      | -labels | 1 |

  Scenario: The ends of a deleted relationship are there
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})-[:R {k: 8}]->(:A {v: 4})
      """
    When executing query:
      """
      MATCH (:A)-[r:R {k: 8}]->() DELETE r RETURN startNode(r).v, endNode(r).v
      """
    Then the result should be, in any order:
      | startNode(r).v | endNode(r).v |
      | 3              | 4            |
    And the side effects should be:
      | -relationships | 1 |
      | -properties    | 1 |

  Scenario: A deleted node takes no property
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      MATCH (n:A) DELETE n SET n.x = 1
      """
    Then an EntityNotFound should be raised at runtime: DeletedEntityAccess
    And no side effects

  Scenario: A deleted node takes no relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A), (:B)
      """
    When executing query:
      """
      MATCH (n:A), (b:B) DELETE n CREATE (b)-[:R]->(n)
      """
    Then an error should be raised at runtime: *
    And no side effects

  Scenario: MERGE without a direction for all pairs
    Given an empty graph
    And having executed:
      """
      CREATE (:A), (:B), (:C)
      """
    When executing query:
      """
      MATCH (a), (b) MERGE (a)-[r:R]-(b) RETURN count(DISTINCT r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 6 |
    And the side effects should be:
      | +relationships | 6 |

  Scenario: MERGE uses one relationship once
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B)
      """
    When executing query:
      """
      MERGE (a:A)-[:R]->(b:B)<-[:R]-(c:A) WITH 1 AS one MATCH (n) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 5 |
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 2 |

  Scenario: MERGE of a loop at an unknown node
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:A)
      """
    When executing query:
      """
      MERGE (a:A)-[:R]->(a) WITH 1 AS one MATCH (n) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |

  Scenario: CREATE behind a path does not make it longer
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:A)-[:R]->(:A)
      """
    When executing query:
      """
      MATCH (a)-[:R*]->(b)
      CREATE (b)-[:R]->(:X)
      WITH count(*) AS rows
      MATCH (n)
      RETURN rows, count(n) AS c
      """
    Then the result should be, in any order:
      | rows | c |
      | 3    | 6 |
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 3 |
      | +labels        | 1 |

  Scenario: All rows are matched before the first is deleted
    Given an empty graph
    And having executed:
      """
      CREATE (:N)
      """
    When executing query:
      """
      UNWIND [1, 2] AS i
      MATCH (n:N) DETACH DELETE n
      CREATE (:N)
      WITH count(*) AS rows
      MATCH (n:N)
      RETURN rows, count(n) AS c
      """
    Then the result should be, in any order:
      | rows | c |
      | 2    | 2 |
    And the side effects should be:
      | +nodes | 2 |
      | -nodes | 1 |

  Scenario: A procedure after REMOVE
    Given an empty graph
    And having executed:
      """
      CREATE (:A), (:B)
      """
    When executing query:
      """
      MATCH (n:A) REMOVE n:A WITH 1 AS one CALL db.labels() YIELD label RETURN label
      """
    Then the result should be, in any order:
      | label |
      | 'B'   |
    And the side effects should be:
      | -labels | 1 |

  Scenario: A created node keeps the value that it was given
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})
      """
    When executing query:
      """
      MATCH (a:A) CREATE (a)-[:R]->(b:B {v: a.v}) SET a.v = 2 RETURN a.v, b.v
      """
    Then the result should be, in any order:
      | a.v | b.v |
      | 2   | 3   |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 2 |
      | -properties    | 1 |

  Scenario: Properties move along a relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})-[:R {k: 8}]->(:A {v: 4})
      """
    When executing query:
      """
      MATCH (a)-[r]->(b) SET a += properties(r), r = {} RETURN a, r
      """
    Then the result should be, in any order:
      | a                 | r    |
      | (:A {k: 8, v: 3}) | [:R] |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: DISTINCT and an order of its expression
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a) RETURN DISTINCT a.v AS w ORDER BY w + 1 DESC
      """
    Then the result should be, in order:
      | w |
      | 4 |
      | 3 |
    And no side effects

  Scenario: DISTINCT nodes in the order of a property
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a), (b) RETURN DISTINCT a ORDER BY a.v DESC
      """
    Then the result should be, in order:
      | a           |
      | (:A {v: 4}) |
      | (:A {v: 3}) |
    And no side effects

  Scenario: Groups in the order of a property of their key
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a) WITH a AS b, count(*) AS c ORDER BY b.v DESC RETURN collect(b.v) AS l
      """
    Then the result should be, in any order:
      | l      |
      | [4, 3] |
    And no side effects

  Scenario: A node with a property that equals itself
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A)
      """
    When executing query:
      """
      MATCH (a {v: a.v}) RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 3   |
    And no side effects

  Scenario: A condition on the first relationship of a path
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->()-[:R]->()
      """
    When executing query:
      """
      MATCH (a)-[r*0..1]->(b) WHERE r[0].k IS NULL RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 4 |
    And no side effects

  Scenario: A relationship is looked for in a path
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->()-[:R]->()
      """
    When executing query:
      """
      MATCH (a:A)-[r*1..2]->(b) MATCH (b)<-[q]-() WHERE q IN r RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And no side effects

  Scenario: The greatest by a subquery
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a) WHERE NOT EXISTS { MATCH (b) WHERE b.v > a.v } RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 4   |
    And no side effects

  Scenario: A subquery within an aggregate
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})-[:R {k: 8}]->(:A {v: 4})
      """
    When executing query:
      """
      MATCH (a) RETURN sum(CASE WHEN EXISTS { (a)-->() } THEN 1 ELSE 0 END) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And no side effects

  Scenario: A subquery is a key of groups
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:A), (:A)
      """
    When executing query:
      """
      MATCH (a) RETURN EXISTS { (a)-->() } AS e, count(*) AS c
      """
    Then the result should be, in any order:
      | e     | c |
      | true  | 1 |
      | false | 2 |
    And no side effects

  Scenario: Two SET in a row
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})
      """
    When executing query:
      """
      MATCH (a:A {v: 3}) SET a.v = a.v + 1 SET a.v = a.v * 2 RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 8   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A map that adds comes before the next item
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})
      """
    When executing query:
      """
      MATCH (a:A) SET a += {v: a.v + 1}, a.w = a.v RETURN a.v, a.w
      """
    Then the result should be, in any order:
      | a.v | a.w |
      | 4   | 4   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario: Two nodes do not swap by SET
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a:A {v: 3}), (b:A {v: 4}) SET a = b, b = a RETURN a.v, b.v
      """
    Then the result should be, in any order:
      | a.v | b.v |
      | 4   | 4   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A filter behind FOREACH
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3}), (:A {v: 4})
      """
    When executing query:
      """
      MATCH (a:A) FOREACH (x IN [1] | SET a.v = a.v + x) WITH a WHERE a.v = 4 RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 4   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: Pairs of what was just created
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      UNWIND [1, 2, 3] AS x
      CREATE (n:Z {x: x})
      WITH collect(n) AS l UNWIND l AS a UNWIND l AS b
      WITH a, b WHERE a.x < b.x
      CREATE (a)-[r:R]->(b)
      RETURN count(r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 3 |
      | +labels        | 1 |
      | +properties    | 3 |

  Scenario: Sets of labels are compared without an order
    Given an empty graph
    And having executed:
      """
      CREATE (:A:B), (:B:A), (:A)
      """
    When executing query:
      """
      MATCH (n) RETURN count(DISTINCT labels(n)) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And no side effects

  Scenario: A label condition in a comprehension
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 3})
      """
    When executing query:
      """
      MATCH (n) RETURN [x IN [n] WHERE (x:A) | x.v] AS l
      """
    Then the result should be, in any order:
      | l   |
      | [3] |
    And no side effects

  Scenario: A relationship list that is known
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B)-[:R]->(:C)
      """
    When executing query:
      """
      MATCH (:A)-[l:R*]->() WITH l MATCH (x)-[l*]->(y) RETURN size(l) AS s, x:A AS a
      """
    Then the result should be, in any order:
      | s | a    |
      | 1 | true |
      | 2 | true |
    And no side effects
