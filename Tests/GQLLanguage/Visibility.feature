Feature: What a statement sees of its own changes

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})-[:R]->(:B {v: 2})
      """

  Scenario: MATCH is not fed by the CREATE behind it
    When executing query:
      """
      MATCH (a:A) CREATE (:A {v: a.v + 1})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 1 |

  Scenario: Relationships that are made are not matched by the same clause
    When executing query:
      """
      MATCH (x)-[r:R]->(y) CREATE (y)-[:R]->(x)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |

  Scenario: A second MATCH sees them
    When executing query:
      """
      MATCH (x)-[r:R]->(y)
      CREATE (y)-[:R]->(x)
      WITH 1 AS one
      MATCH ()-[s:R]->()
      RETURN count(s) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: A second MATCH sees a path over old and new
    When executing query:
      """
      MATCH (b:B)
      CREATE (b)-[:R]->(:C)
      WITH 1 AS one
      MATCH p = (:A)-[:R*2]->(:C)
      RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 2 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: Each row sees what is there when all rows of the CREATE are done
    When executing query:
      """
      UNWIND [1, 2] AS i CREATE (:N {i: i}) WITH i MATCH (n:N) RETURN i, count(n) AS c
      """
    Then the result should be, in any order:
      | i | c |
      | 1 | 2 |
      | 2 | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A MATCH in a later row does not feed the first one
    When executing query:
      """
      UNWIND [1, 2] AS i MATCH (a:A) CREATE (:A {v: 10 + i})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 2 |
      | +properties | 2 |

  Scenario: An optional MATCH in a later row
    When executing query:
      """
      UNWIND [1, 2] AS i OPTIONAL MATCH (n:N) CREATE (:N {i: i}) RETURN i, n
      """
    Then the result should be, in any order:
      | i | n    |
      | 1 | null |
      | 2 | null |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A SET does not change which rows there are
    When executing query:
      """
      MATCH (n) WHERE n.v < 3 SET n.v = 5 RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A SET of what the pattern asks
    When executing query:
      """
      MATCH (n {v: 1}) SET n.v = 2 WITH n MATCH (m {v: 2}) RETURN count(m) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A condition on an expression reads the new value
    When executing query:
      """
      MATCH (a:A) SET a.v = 100 RETURN a.v > 50 AS x, a.v AS v
      """
    Then the result should be, in any order:
      | x    | v   |
      | true | 100 |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A value of WITH is the old one
    When executing query:
      """
      MATCH (a:A) WITH a, a.v AS old SET a.v = 100 RETURN old, a.v
      """
    Then the result should be, in any order:
      | old | a.v |
      | 1   | 100 |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A node in a list is the changed one
    When executing query:
      """
      MATCH (a:A) WITH a, [a] AS l SET a.v = 100 RETURN l[0].v AS v
      """
    Then the result should be, in any order:
      | v   |
      | 100 |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: COUNT sees what was made
    When executing query:
      """
      MATCH (b:B) CREATE (b)-[:S]->(:C) RETURN COUNT { (b)-->() } AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: EXISTS sees what was deleted
    When executing query:
      """
      MATCH (a:A)-[r]->() DELETE r RETURN EXISTS { (a)-->() } AS x
      """
    Then the result should be, in any order:
      | x     |
      | false |
    And the side effects should be:
      | -relationships | 1 |

  Scenario: A pattern comprehension sees what was made
    When executing query:
      """
      MATCH (b:B)
      CREATE (b)-[:S]->(:C {v: 7}), (b)-[:S]->(:C {v: 8})
      RETURN [(b)-[:S]->(c) | c.v] AS l
      """
    Then the result should be (ignoring element order for lists):
      | l      |
      | [7, 8] |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 2 |
      | +labels        | 1 |
      | +properties    | 2 |

  Scenario: labels() sees a label that was set
    When executing query:
      """
      MATCH (a:A) SET a:Z REMOVE a:A RETURN labels(a) AS l
      """
    Then the result should be, in any order:
      | l     |
      | ['Z'] |
    And the side effects should be:
      | +labels | 1 |
      | -labels | 1 |

  Scenario: A returned node is as it is at the end
    When executing query:
      """
      MATCH (a:A) WITH a AS before, a SET a.v = 9 RETURN before
      """
    Then the result should be, in any order:
      | before      |
      | (:A {v: 9}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: An order by a value that was set
    When executing query:
      """
      MATCH (n) SET n.o = -n.v RETURN n.v ORDER BY n.o
      """
    Then the result should be, in order:
      | n.v |
      | 2   |
      | 1   |
    And the side effects should be:
      | +properties | 2 |

  Scenario: A sum of what was set
    When executing query:
      """
      MATCH (n) SET n.v = n.v * 10 RETURN sum(n.v) AS s
      """
    Then the result should be, in any order:
      | s  |
      | 30 |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A limit after a write writes everything
    When executing query:
      """
      MATCH (n) SET n.seen = true RETURN n.v ORDER BY n.v LIMIT 1
      """
    Then the result should be, in any order:
      | n.v |
      | 1   |
    And the side effects should be:
      | +properties | 2 |

  Scenario: A shortest path over new relationships
    When executing query:
      """
      MATCH (a:A), (b:B)
      CREATE (b)-[:R]->(c:C)
      WITH a, c
      MATCH p = shortestPath((a)-[*]->(c))
      RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l |
      | 2 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: Two writes and two reads in turn
    When executing query:
      """
      CREATE (:N {i: 1})
      WITH 1 AS x
      MATCH (n:N)
      CREATE (:N {i: n.i + 1})
      WITH DISTINCT 1 AS y
      MATCH (n:N)
      CREATE (:N {i: n.i + 10})
      WITH DISTINCT 1 AS z
      MATCH (n:N)
      RETURN n.i
      """
    Then the result should be, in any order:
      | n.i |
      | 1   |
      | 2   |
      | 11  |
      | 12  |
    And the side effects should be:
      | +nodes      | 4 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario: A copy of the graph
    When executing query:
      """
      MATCH (x)-[r]->(y) CREATE (p)-[q:COPY]->(s) SET p = x, s = y, p:K, s:K RETURN p, s
      """
    Then the result should be, in any order:
      | p           | s           |
      | (:K {v: 1}) | (:K {v: 2}) |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 2 |

  Scenario: MERGE sees a relationship of the row before
    When executing query:
      """
      MATCH (a:A), (b:B) UNWIND [1, 2, 3] AS i
      MERGE (a)-[r:S]->(b) ON CREATE SET r.c = 1 ON MATCH SET r.c = r.c + 1
      RETURN DISTINCT r.c
      """
    Then the result should be, in any order:
      | r.c |
      | 3   |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |
