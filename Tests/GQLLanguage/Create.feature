Feature: CREATE

  Scenario: Three patterns that share nodes make two nodes
    Given an empty graph
    When executing query:
      """
      CREATE (a), (b), (a)-[:R]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |

  Scenario: A relationship before its nodes are named elsewhere
    Given an empty graph
    When executing query:
      """
      CREATE (a:A)-[:R]->(b:B), (b)-[:S]->(c:C), (c)-[:T]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 3 |
      | +labels        | 3 |

  Scenario: Relationships of both directions in one pattern
    Given an empty graph
    When executing query:
      """
      CREATE (a:A)-[:R]->(b:B)<-[:S]-(c:C)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 2 |
      | +labels        | 3 |
    When executing control query:
      """
      MATCH (x)-[r]->(y) RETURN labels(x), type(r), labels(y)
      """
    Then the result should be, in any order:
      | labels(x) | type(r) | labels(y) |
      | ['A']     | 'R'     | ['B']     |
      | ['C']     | 'S'     | ['B']     |

  Scenario: An arrow to the left
    Given an empty graph
    When executing query:
      """
      CREATE (a:A)<-[r:R]-(b:B) RETURN startNode(r), endNode(r)
      """
    Then the result should be, in any order:
      | startNode(r) | endNode(r) |
      | (:B)         | (:A)       |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 2 |

  Scenario: A loop
    Given an empty graph
    When executing query:
      """
      CREATE (a:A)-[:R]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: Parallel relationships
    Given an empty graph
    When executing query:
      """
      CREATE (a)-[:R]->(b), (a)-[:R]->(b), (b)-[:R]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 3 |

  Scenario: A known node is not made again
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) CREATE (a)-[:R {k: 1}]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: A known node at the end of a new pattern
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) CREATE (:C)-[:R]->(:C)-[:R]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 2 |
      | +labels        | 1 |

  Scenario: A pattern for each row
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (n) CREATE (n)-[:R]->(:C {from: n.v})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 2 |
      | +labels        | 1 |
      | +properties    | 2 |

  Scenario: A pattern for each pair
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (x), (y) CREATE (x)-[:R]->(y)
      """
    Then the result should be empty
    And the side effects should be:
      | +relationships | 4 |

  Scenario: No rows, no nodes
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (n:Nothing) CREATE (:C)
      """
    Then the result should be empty
    And no side effects

  Scenario: A row of nulls is a row
    Given an empty graph
    When executing query:
      """
      OPTIONAL MATCH (n:Nothing) CREATE (c:C) RETURN c
      """
    Then the result should be, in any order:
      | c    |
      | (:C) |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: Rows that were not used
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2, 3] AS unused CREATE (:C)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes  | 3 |
      | +labels | 1 |

  Scenario: A variable of WITH is a known node
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) WITH a AS z CREATE (z)-[:R]->(c:C) RETURN c
      """
    Then the result should be, in any order:
      | c    |
      | (:C) |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: A name that WITH has left behind is free
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) WITH a.v AS v CREATE (a:C {v: v + 10}) RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 11  |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: Two clauses share a variable
    Given an empty graph
    When executing query:
      """
      CREATE (a:A) CREATE (a)-[:R]->(b:B) CREATE (b)-[:S]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 2 |
      | +labels        | 2 |

  Scenario: Nodes without names are all different
    Given an empty graph
    When executing query:
      """
      CREATE (), (), ()-[:R]->()
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 4 |
      | +relationships | 1 |

  Scenario: Labels by colons and by &
    Given an empty graph
    When executing query:
      """
      CREATE (n:A:B&C) RETURN labels(n) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l               |
      | ['A', 'B', 'C'] |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 3 |

  Scenario: A label that is given twice is one
    Given an empty graph
    When executing query:
      """
      CREATE (n:A:A) RETURN labels(n) AS l
      """
    Then the result should be, in any order:
      | l     |
      | ['A'] |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |

  Scenario: Names that need quotes
    Given an empty graph
    When executing query:
      """
      CREATE (n:`A:B` {`a.b`: 1, `it's`: 2})-[r:`x:y` {`k k`: 3}]->(n)
      RETURN labels(n) AS l, n.`a.b` + n.`it's` AS s, type(r) AS t, r.`k k` AS k
      """
    Then the result should be, in any order:
      | l       | s | t     | k |
      | ['A:B'] | 3 | 'x:y' | 3 |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 3 |

  Scenario: Words of the language as names
    Given an empty graph
    When executing query:
      """
      CREATE (n:Match:Return {where: 1, order: 2})-[r:CREATE {set: 3}]->(n)
      RETURN n.where + n.order + r.set AS s, type(r) AS t
      """
    Then the result should be, in any order:
      | s | t        |
      | 6 | 'CREATE' |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 2 |
      | +properties    | 3 |

  Scenario: Properties named id, label and type
    Given an empty graph
    When executing query:
      """
      CREATE (n:A {id: 1, label: 2, labels: 3})-[r:R {id: 4, type: 5}]->(n)
      RETURN n.id, n.label, n.labels, r.id, r.type
      """
    Then the result should be, in any order:
      | n.id | n.label | n.labels | r.id | r.type |
      | 1    | 2       | 3        | 4    | 5      |
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 5 |

  Scenario: A map with null leaves the property out
    Given an empty graph
    When executing query:
      """
      CREATE (n {a: null, b: 1}) RETURN n, keys(n)
      """
    Then the result should be, in any order:
      | n        | keys(n) |
      | ({b: 1}) | ['b']   |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 1 |

  Scenario: An empty list, an empty text and false are values
    Given an empty graph
    When executing query:
      """
      CREATE (n {a: [], b: '', c: false}) RETURN n
      """
    Then the result should be, in any order:
      | n                          |
      | ({a: [], b: '', c: false}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 3 |

  Scenario: A map with expressions
    Given an empty graph
    When executing query:
      """
      UNWIND [1, 2] AS i CREATE (n {a: i * 2, b: 'x' + i, c: [i, i]}) RETURN n
      """
    Then the result should be, in any order:
      | n                            |
      | ({a: 2, b: 'x1', c: [1, 1]}) |
      | ({a: 4, b: 'x2', c: [2, 2]}) |
    And the side effects should be:
      | +nodes      | 2 |
      | +properties | 6 |

  Scenario: A property from a matched node
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A) CREATE (c:C {v: a.v + 1, w: labels(a)}) RETURN c
      """
    Then the result should be, in any order:
      | c                     |
      | (:C {v: 2, w: ['A']}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A property of a relationship from both ends
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (a:A), (b:B) CREATE (a)-[r:R {s: a.v + b.v}]->(b) RETURN r
      """
    Then the result should be, in any order:
      | r           |
      | [:R {s: 3}] |
    And the side effects should be:
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: A parameter is all properties
    Given an empty graph
    And parameters are:
      | map | {a: 1, b: 'x'} |
    When executing query:
      """
      CREATE (n:A $map) RETURN n
      """
    Then the result should be, in any order:
      | n                   |
      | (:A {a: 1, b: 'x'}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: A parameter is all properties of a relationship
    Given an empty graph
    And parameters are:
      | map | {a: 1, b: null} |
    When executing query:
      """
      CREATE ()-[r:R $map]->() RETURN r
      """
    Then the result should be, in any order:
      | r           |
      | [:R {a: 1}] |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +properties    | 1 |

  Scenario: Parameters within a map
    Given an empty graph
    And parameters are:
      | a | 1      |
      | m | {b: 2} |
      | l | [0, 3] |
    When executing query:
      """
      CREATE (n:A {a: $a, b: $m.b, c: $l[1]}) RETURN n
      """
    Then the result should be, in any order:
      | n                       |
      | (:A {a: 1, b: 2, c: 3}) |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: Created elements are matched by the next clause
    Given an empty graph
    When executing query:
      """
      CREATE (:C {v: 1}), (:C {v: 2}) WITH 1 AS one MATCH (c:C) RETURN sum(c.v) AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 1 |
      | +properties | 2 |

  Scenario: MATCH is finished before CREATE begins
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1}), (:B {v: 2})
      """
    When executing query:
      """
      MATCH (n) CREATE (:A)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes | 2 |

  Scenario: CREATE and RETURN of a relationship and its ends
    Given an empty graph
    When executing query:
      """
      CREATE (a:A {v: 1})-[r:R {k: 2}]->(b:B) RETURN a, r, b, type(r), a.v + r.k AS s
      """
    Then the result should be, in any order:
      | a           | r           | b    | type(r) | s |
      | (:A {v: 1}) | [:R {k: 2}] | (:B) | 'R'     | 3 |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 2 |
      | +properties    | 2 |

  Scenario: A created node in a list
    Given an empty graph
    When executing query:
      """
      CREATE (a:A), (b:B)
      WITH [a, b] AS l UNWIND l AS n SET n.seen = true
      RETURN count(n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And the side effects should be:
      | +nodes      | 2 |
      | +labels     | 2 |
      | +properties | 2 |

  Scenario: A long chain
    Given an empty graph
    When executing query:
      """
      CREATE (a)-[:R]->()-[:R]->()-[:R]->()-[:R]->()-[:R]->(a)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 5 |
      | +relationships | 5 |

  Scenario Outline: Mistakes in CREATE
    Given an empty graph
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                 | detail                       |
      | CREATE (a), (a)                       | VariableAlreadyBound         |
      | CREATE (a:A), (a:B)                   | VariableAlreadyBound         |
      | CREATE (a)-[:R]->(b), (b:B)           | VariableAlreadyBound         |
      | CREATE (a)-[r:R]->(b), (b)-[r:R]->(a) | VariableAlreadyBound         |
      | MATCH (a) CREATE (a {v: 1})           | VariableAlreadyBound         |
      | MATCH (a) CREATE (a:X)-[:R]->(b)      | VariableAlreadyBound         |
      | MATCH (a) CREATE (b)-[:R]->(a {v: 1}) | VariableAlreadyBound         |
      | CREATE (a)-[]->(b)                    | NoSingleRelationshipType     |
      | CREATE (a)-[r]->(b)                   | NoSingleRelationshipType     |
      | CREATE (a)-[:R\|S]->(b)               | NoSingleRelationshipType     |
      | CREATE (a)--(b)                       | *                            |
      | CREATE (a)-[:R]-(b)                   | RequiresDirectedRelationship |
      | CREATE (a)<-[:R]->(b)                 | RequiresDirectedRelationship |
      | CREATE (a)-[:R*2]->(b)                | CreatingVarLength            |
      | CREATE (a)-[:R]->{2}(b)               | CreatingVarLength            |
      | CREATE (a {v: b.v})                   | UndefinedVariable            |
      | CREATE (a:A\|B)                       | *                            |
      | CREATE (a:!A)                         | *                            |
      | CREATE (a:%)                          | *                            |
      | CREATE (a WHERE a.v = 1)              | *                            |
      | CREATE a                              | UnexpectedSyntax             |
      | CREATE (a                             | UnexpectedSyntax             |
      | CREATE (a)-[:R]->                     | UnexpectedSyntax             |
      | CREATE (r)-[r:R]->(b)                 | *                            |
      | WITH 1 AS a CREATE (a)-[:R]->(b)      | VariableTypeConflict         |
      | CREATE (a:)                           | UnexpectedSyntax             |

  Scenario Outline: Values that are no properties
    Given an empty graph
    When executing query:
      """
      <query>
      """
    Then a TypeError should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                   | detail              |
      | CREATE ({v: {a: 1}})                    | InvalidPropertyType |
      | CREATE ({v: [{a: 1}]})                  | InvalidPropertyType |
      | CREATE (a) CREATE ({v: a})              | InvalidPropertyType |
      | CREATE ()-[:R {v: {a: 1}}]->()          | InvalidPropertyType |
      | UNWIND [1, {a: 1}] AS v CREATE ({v: v}) | InvalidPropertyType |
