Feature: MERGE

  Scenario: A node is made if there is none
    Given an empty graph
    When executing query:
      """
      MERGE (n:A {v: 1}) RETURN n
      """
    Then the result should be, in any order:
      | n           |
      | (:A {v: 1}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: A node that is there is found
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1, w: 2}), (:A {v: 2})
      """
    When executing query:
      """
      MERGE (n:A {v: 1}) RETURN n
      """
    Then the result should be, in any order:
      | n                 |
      | (:A {v: 1, w: 2}) |
    And no side effects

  Scenario: A property with another value is no match
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 2}), (:B {v: 1}), (:A)
      """
    When executing query:
      """
      MERGE (n:A {v: 1})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 1 |

  Scenario: All labels have to be there
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 1})
      """
    When executing query:
      """
      MERGE (n:A:B {v: 1})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 1 |

  Scenario: More labels than the pattern has are a match
    Given an empty graph
    And having executed:
      """
      CREATE (:B:A {v: 1})
      """
    When executing query:
      """
      MERGE (n:A {v: 1}) RETURN labels(n) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l          |
      | ['A', 'B'] |
    And no side effects

  Scenario: All matches are returned
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {v: 2})
      """
    When executing query:
      """
      MERGE (n:A) RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 1   |
      | 2   |
    And no side effects

  Scenario: A merge of any node
    Given an empty graph
    And having executed:
      """
      CREATE (:A), ()
      """
    When executing query:
      """
      MERGE (n) RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And no side effects

  Scenario: A merge of any node in an empty graph
    Given an empty graph
    When executing query:
      """
      MERGE (n) RETURN n
      """
    Then the result should be, in any order:
      | n  |
      | () |
    And the side effects should be:
      | +nodes | 1 |

  Scenario: ON CREATE is for what was made
    Given an empty graph
    When executing query:
      """
      MERGE (n:A {v: 1}) ON CREATE SET n.c = true ON MATCH SET n.m = true RETURN n
      """
    Then the result should be, in any order:
      | n                    |
      | (:A {c: true, v: 1}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: ON MATCH is for what was found
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})
      """
    When executing query:
      """
      MERGE (n:A {v: 1}) ON CREATE SET n.c = true ON MATCH SET n.m = true RETURN n
      """
    Then the result should be, in any order:
      | n                    |
      | (:A {m: true, v: 1}) |
    And the side effects should be:
      | +properties | 1 |

  Scenario: ON MATCH may stand first
    Given an empty graph
    When executing query:
      """
      MERGE (n:A) ON MATCH SET n.m = 1 ON CREATE SET n.c = 1, n:New RETURN n
      """
    Then the result should be, in any order:
      | n               |
      | (:A:New {c: 1}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 2 |
      | +properties | 1 |

  Scenario: ON MATCH changes all that was found
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {v: 2})
      """
    When executing query:
      """
      MERGE (n:A) ON MATCH SET n.m = n.v RETURN sum(n.m) AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |
    And the side effects should be:
      | +properties | 2 |

  Scenario: ON CREATE sees the row
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2] AS i MERGE (n:A {v: i}) ON CREATE SET n.w = i * 10 RETURN n.v, n.w
      """
    Then the result should be, in any order:
      | n.v | n.w |
      | 1   | 10  |
      | 2   | 20  |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario: A repeated value under UNWIND is one node
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 1, 1, 2] AS i
      MERGE (n:A {v: i})
      RETURN count(*) AS rows, count(DISTINCT n) AS nodes
      """
    Then the result should be, in any order:
      | rows | nodes |
      | 5    | 2     |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: The first row creates and later ones match
    Given an empty graph
    When executing query:
      """
      UNWIND [7, 7, 7] AS i
      MERGE (n:A {v: i}) ON CREATE SET n.k = 1 ON MATCH SET n.k = n.k + 1
      RETURN DISTINCT n.k AS k
      """
    Then the result should be, in any order:
      | k |
      | 3 |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: Rows of maps
    Given an empty graph
    When executing query:
      """
      UNWIND [{k: 1, s: 'a'}, {k: 2, s: 'b'}, {k: 1, s: 'c'}] AS row
      MERGE (n:A {k: row.k}) SET n.s = row.s
      RETURN DISTINCT n.k, n.s
      """
    Then the result should be, in any order:
      | n.k | n.s |
      | 1   | 'c' |
      | 2   | 'b' |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 4 |

  Scenario: A text and a number are two values
    Given an empty graph
    When executing query:
      """
      UNWIND [1, '1', 1.0] AS v MERGE (n:A {v: v}) RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: An unused row merges the same again
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS unused MERGE (n:A) RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: A relationship between known nodes
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R]->(b) RETURN r
      """
    Then the result should be, in any order:
      | r    |
      | [:R] |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: A relationship that is there
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R]->(b) RETURN r.k
      """
    Then the result should be, in any order:
      | r.k |
      | 1   |
    And no side effects

  Scenario: A relationship the other way is another
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (b)-[r:R]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |

  Scenario: A relationship of another type is another
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:S]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |

  Scenario: A relationship with another value is another
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R {k: 2}]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: Parallel relationships are all found
    Given an empty graph
    And having executed:
      """
      CREATE (a:A)-[:R {k: 1}]->(b:B), (a)-[:R {k: 2}]->(b)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R]->(b) RETURN r.k
      """
    Then the result should be, in any order:
      | r.k |
      | 1   |
      | 2   |
    And no side effects

  Scenario: Without a direction either is found
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (b)-[r:R]-(a) RETURN r.k
      """
    Then the result should be, in any order:
      | r.k |
      | 1   |
    And no side effects

  Scenario: Without a direction both are found
    Given an empty graph
    And having executed:
      """
      CREATE (a:A)-[:R {k: 1}]->(b:B), (b)-[:R {k: 2}]->(a)
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R]-(b) RETURN r.k
      """
    Then the result should be, in any order:
      | r.k |
      | 1   |
      | 2   |
    And no side effects

  Scenario: Without a direction a loop is found once
    Given an empty graph
    And having executed:
      """
      CREATE (a:A)-[:R]->(a)
      """
    When executing query:
      """
      MATCH (a:A) MERGE (a)-[r:R]-(a) RETURN count(r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And no side effects

  Scenario: A loop is made
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) MERGE (a)-[r:R]->(a) RETURN startNode(r) = endNode(r) AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: Two nodes that are the same have one relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:A) MERGE (a)-[r:R]->(b) RETURN count(r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: Each pair of rows has its own relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {v: 2}), (:B {v: 10}), (:B {v: 20})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[r:R]->(b) ON CREATE SET r.s = a.v + b.v RETURN r.s
      """
    Then the result should be, in any order:
      | r.s |
      | 11  |
      | 21  |
      | 12  |
      | 22  |
    And the side effects should be:
      | +relationships | 4 |
      | +properties    | 4 |

  Scenario: A row repeated makes one relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) UNWIND [1, 2, 3] AS i
      MERGE (a)-[r:R]->(b) ON CREATE SET r.i = i
      RETURN DISTINCT r.i
      """
    Then the result should be, in any order:
      | r.i |
      | 1   |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: Values of rows within the map of a relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) UNWIND [1, 2, 1] AS i
      MERGE (a)-[r:R {i: i}]->(b)
      RETURN count(DISTINCT r) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +relationships | 2 |
      | +properties    | 2 |

  Scenario: Each relationship has the value of its own row
    Given an empty graph
    And having executed:
      """
      CREATE (:A), (:B {v: 1}), (:B {v: 2}), (:B {v: 3})
      """
    When executing query:
      """
      UNWIND [[1, 'x'], [2, 'y'], [3, 'z']] AS row
      MATCH (a:A), (b:B {v: row[0]})
      MERGE (a)-[r:R]->(b) SET r.s = row[1]
      WITH 1 AS one
      MATCH ()-[r:R]->(b)
      RETURN DISTINCT b.v, r.s
      """
    Then the result should be, in any order:
      | b.v | r.s |
      | 1   | 'x' |
      | 2   | 'y' |
      | 3   | 'z' |
    And the side effects should be:
      | +relationships | 3 |
      | +properties    | 3 |

  Scenario: A pattern is found as a whole or made as a whole
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MERGE (a:A)-[r:R]->(b:B) RETURN a.v, b.v
      """
    Then the result should be, in any order:
      | a.v  | b.v  |
      | null | null |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |

  Scenario: A whole pattern that is there
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})-[:R]->(:B {v: 2})
      """
    When executing query:
      """
      MERGE (a:A)-[r:R]->(b:B) RETURN a.v, b.v
      """
    Then the result should be, in any order:
      | a.v | b.v |
      | 1   | 2   |
    And no side effects

  Scenario: A known start and a new end
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) MERGE (a)-[:R]->(b:B {v: 2}) RETURN b
      """
    Then the result should be, in any order:
      | b           |
      | (:B {v: 2}) |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: A known start and an end that is there
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B {v: 2, w: 3})
      """
    When executing query:
      """
      MATCH (a:A) MERGE (a)-[:R]->(b:B {v: 2}) RETURN b
      """
    Then the result should be, in any order:
      | b                 |
      | (:B {v: 2, w: 3}) |
    And no side effects

  Scenario: A known end and a new start
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (b:B) MERGE (a:C)-[:R]->(b) RETURN a
      """
    Then the result should be, in any order:
      | a    |
      | (:C) |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: A longer pattern between known nodes
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) MERGE (a)-[:R]->(m:M)<-[:R]-(b) RETURN m
      """
    Then the result should be, in any order:
      | m    |
      | (:M) |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 2 |
      | +labels        | 1 |

  Scenario: A longer pattern is found again
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) UNWIND [1, 2] AS i
      MERGE (a)-[:R]->(m:M)<-[:R]-(b)
      RETURN count(DISTINCT m) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 2 |
      | +labels        | 1 |

  Scenario: MERGE twice in one query
    Given an empty graph
    When executing query:
      """
      MERGE (a:A {v: 1}) MERGE (b:A {v: 1}) RETURN a = b AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: MERGE of nodes and then of their relationship
    Given an empty graph
    When executing query:
      """
      UNWIND [[1, 2], [2, 3], [1, 2]] AS e
      MERGE (a:N {i: e[0]})
      MERGE (b:N {i: e[1]})
      MERGE (a)-[:E]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 2 |
      | +labels        | 1 |
      | +properties    | 3 |

  Scenario: MERGE finds what CREATE has made before
    Given an empty graph
    When executing query:
      """
      CREATE (a:A {v: 1}) MERGE (b:A {v: 1}) RETURN a = b AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: MERGE does not find what was deleted
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})
      """
    When executing query:
      """
      MATCH (a:A) DELETE a MERGE (b:A) RETURN b.v
      """
    Then the result should be, in any order:
      | b.v  |
      | null |
    And the side effects should be:
      | +nodes      | 1 |
      | -nodes      | 1 |
      | -properties | 1 |

  Scenario: MERGE does not find what was changed
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})
      """
    When executing query:
      """
      MATCH (a:A) SET a.v = 2 MERGE (b:A {v: 1}) RETURN a = b AS x
      """
    Then the result should be, in any order:
      | x     |
      | false |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 2 |
      | -properties | 1 |

  Scenario: MERGE finds a label that was set
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1})
      """
    When executing query:
      """
      MATCH (a:A) SET a:B MERGE (b:B) RETURN a = b AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And the side effects should be:
      | +labels | 1 |

  Scenario: MERGE does not find a label that was removed
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      MATCH (a:A) REMOVE a:A MERGE (b:A) RETURN a = b AS x
      """
    Then the result should be, in any order:
      | x     |
      | false |
    And the side effects should be:
      | +nodes | 1 |

  Scenario: A deleted relationship is made again
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A)-[r:R]->(b:B) DELETE r MERGE (a)-[s:R]->(b) RETURN s
      """
    Then the result should be, in any order:
      | s    |
      | [:R] |
    And the side effects should be:
      | +relationships | 1 |
      | -relationships | 1 |
      | -properties    | 1 |

  Scenario: Parameters within the map
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:A {w: 'x'})
      """
    And parameters are:
      | v | 1        |
      | m | {w: 'x'} |
    When executing query:
      """
      MERGE (n:A {v: $v, w: $m.w}) RETURN n
      """
    Then the result should be, in any order:
      | n                   |
      | (:A {v: 1, w: 'x'}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 2 |

  Scenario: A parameter within the map finds
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1, w: 2}), (:A {v: 3})
      """
    And parameters are:
      | v | 1 |
    When executing query:
      """
      MERGE (n:A {v: $v}) RETURN n.w
      """
    Then the result should be, in any order:
      | n.w |
      | 2   |
    And no side effects

  Scenario: A value of another node within the map
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (b:B) MERGE (a:A {v: b.v - 1}) RETURN a
      """
    Then the result should be, in any order:
      | a           |
      | (:A {v: 1}) |
    And no side effects

  Scenario: A list as a value
    Given an empty graph
    When executing query:
      """
      UNWIND [[1, 2], [2, 1], [1, 2]] AS l MERGE (n:A {l: l}) RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: No rows, no merge
    Given an empty graph
    When executing query:
      """
      MATCH (z:Z) MERGE (n:A)
      """
    Then the result should be empty
    And no side effects

  Scenario: MERGE behind an optional match that failed
    Given an empty graph
    When executing query:
      """
      OPTIONAL MATCH (z:Z) MERGE (n:A) RETURN z, n
      """
    Then the result should be, in any order:
      | z    | n    |
      | null | (:A) |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: SET behind MERGE is for both
    Given an empty graph
    And having executed:
      """
      CREATE (:A {i: 1})
      """
    When executing query:
      """
      UNWIND [1, 2] AS i MERGE (n:A {i: i}) SET n.s = true RETURN count(n.s) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 3 |

  Scenario: ON CREATE with a map
    Given an empty graph
    When executing query:
      """
      MERGE (n:A {v: 1}) ON CREATE SET n += {w: 2, x: null} RETURN n
      """
    Then the result should be, in any order:
      | n                 |
      | (:A {v: 1, w: 2}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: ON CREATE replaces everything
    Given an empty graph
    When executing query:
      """
      MERGE (n:A {v: 1}) ON CREATE SET n = {w: 2} RETURN n
      """
    Then the result should be, in any order:
      | n           |
      | (:A {w: 2}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: ON MATCH of a relationship
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R {k: 1}]->(:B)
      """
    When executing query:
      """
      MATCH (a:A), (b:B)
      MERGE (a)-[r:R]->(b) ON MATCH SET r.k = r.k + 1, a.seen = true ON CREATE SET r.k = 0
      RETURN r.k
      """
    Then the result should be, in any order:
      | r.k |
      | 2   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario Outline: Mistakes in MERGE
    Given an empty graph
    And parameters are:
      | p | {v: 1} |
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                   | detail                   |
      | MERGE (a) MERGE (a)                     | VariableAlreadyBound     |
      | MATCH (a) MERGE (a:X)                   | VariableAlreadyBound     |
      | MATCH (a) MERGE (a {v: 1})-[:R]->(b)    | VariableAlreadyBound     |
      | MATCH (a)-[r]->(b) MERGE (a)-[r:R]->(b) | VariableAlreadyBound     |
      | MERGE (a)-[r:R]->(b)-[r:R]->(c)         | *                        |
      | MERGE (a)-->(b)                         | NoSingleRelationshipType |
      | MERGE (a)-[:R\|S]->(b)                  | NoSingleRelationshipType |
      | MERGE (a)-[:R*2]->(b)                   | CreatingVarLength        |
      | MERGE (a)-[:R*]-(b)                     | CreatingVarLength        |
      | MERGE (a {v: x})                        | UndefinedVariable        |
      | MERGE (a) ON CREATE SET x.v = 1         | UndefinedVariable        |
      | MERGE (a) ON MATCH SET x.v = 1          | UndefinedVariable        |
      | MERGE (a) ON DELETE SET a.v = 1         | UnexpectedSyntax         |
      | MERGE (a $p)                            | InvalidParameterUse      |
      | MERGE (a)-[r:R $p]->(b)                 | InvalidParameterUse      |
      | MERGE (a), (b)                          | *                        |
      | MERGE (a:A\|B)                          | *                        |
      | MERGE (a) ON CREATE a.v = 1             | UnexpectedSyntax         |

  Scenario Outline: Merges of null
    Given an empty graph
    And parameters are:
      | p | null |
    When executing query:
      """
      <query>
      """
    Then a SemanticError should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                     | detail             |
      | MERGE (a {v: null})                       | MergeReadOwnWrites |
      | MERGE (a)-[:R {v: null}]->(b)             | MergeReadOwnWrites |
      | UNWIND [1, null] AS v MERGE (a:A {v: v})  | MergeReadOwnWrites |
      | MERGE (a:A {v: $p})                       | MergeReadOwnWrites |
      | OPTIONAL MATCH (z:Z) MERGE (z)-[:R]->(:A) | *                  |
      | OPTIONAL MATCH (z:Z) MERGE (a:A {v: z.v}) | MergeReadOwnWrites |
