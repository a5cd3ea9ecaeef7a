Feature: Functions of the graph

  Scenario Outline: Functions of nodes and relationships
    Given an empty graph
    And having executed:
      """
      CREATE (:A:B {x: 1, y: null, z: [1, 2]})-[:R {w: 2}]->(:C)
      """
    When executing query:
      """
      MATCH p = (a:A)-[r:R]->(c) RETURN <expression> AS x
      """
    Then the result should be, in any order (ignoring element order for lists):
      | x        |
      | <result> |

    Examples:
      | expression                                 | result            |
      | labels(a)                                  | ['A', 'B']        |
      | labels(c)                                  | ['C']             |
      | type(r)                                    | 'R'               |
      | keys(a)                                    | ['x', 'z']        |
      | keys(c)                                    | []                |
      | keys(r)                                    | ['w']             |
      | properties(a)                              | {x: 1, z: [1, 2]} |
      | properties(c)                              | {}                |
      | properties(r)                              | {w: 2}            |
      | startNode(r) = a                           | true              |
      | endNode(r) = c                             | true              |
      | startNode(r).x                             | 1                 |
      | labels(endNode(r))                         | ['C']             |
      | length(p)                                  | 1                 |
      | nodes(p) = [a, c]                          | true              |
      | relationships(p) = [r]                     | true              |
      | size(nodes(p))                             | 2                 |
      | head(nodes(p)).x                           | 1                 |
      | last(nodes(p)) = c                         | true              |
      | [n IN nodes(p) \| size(labels(n))]         | [2, 1]            |
      | [q IN relationships(p) \| type(q)]         | ['R']             |
      | id(a) = id(a)                              | true              |
      | id(a) = id(c)                              | false             |
      | elementId(a) <> elementId(c)               | true              |
      | a = startNode(r) AND a <> c                | true              |
      | a IN nodes(p)                              | true              |
      | r IN relationships(p)                      | true              |
      | a = r                                      | false             |
      | a.y IS NULL                                | true              |
      | a['x']                                     | 1                 |
      | a['x' + '']                                | 1                 |
      | a[null]                                    | null              |
      | a.nothing.more                             | null              |
      | r['w'] + 1                                 | 3                 |
      | exists(a.x)                                | true              |
      | exists(a.y)                                | false             |
      | exists(a.`odd`)                            | false             |
      | a:A                                        | true              |
      | a:A:B                                      | true              |
      | a:A:C                                      | false             |
      | c:A OR c:C                                 | true              |
      | NOT a:C                                    | true              |
      | 'x' IN keys(a)                             | true              |
      | any(k IN keys(a) WHERE k = 'z')            | true              |
      | size(a.z)                                  | 2                 |
      | a.z[1]                                     | 2                 |
      | properties(a).x                            | 1                 |
      | properties(a)['z'][0]                      | 1                 |
      | coalesce(a.y, c.x, 'none')                 | 'none'            |
      | [a, r, p][0] = a                           | true              |
      | {n: a}.n.x                                 | 1                 |
      | {n: a}.n:B                                 | true              |
      | [a, c][1]:C                                | true              |
      | CASE a WHEN c THEN 'c' WHEN a THEN 'a' END | 'a'               |

  Scenario Outline: Functions of null are null
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
      | type(null)          | null   |
      | labels(null)        | null   |
      | keys(null)          | null   |
      | properties(null)    | null   |
      | id(null)            | null   |
      | elementId(null)     | null   |
      | startNode(null)     | null   |
      | endNode(null)       | null   |
      | length(null)        | null   |
      | nodes(null)         | null   |
      | relationships(null) | null   |

  Scenario Outline: What OPTIONAL MATCH does not find is null everywhere
    Given an empty graph
    And having executed:
      """
      CREATE (:A)
      """
    When executing query:
      """
      MATCH (a:A) OPTIONAL MATCH p = (a)-[r:NO]->(b) RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression         | result |
      | b                  | null   |
      | r                  | null   |
      | p                  | null   |
      | b.x                | null   |
      | b['x']             | null   |
      | labels(b)          | null   |
      | type(r)            | null   |
      | startNode(r)       | null   |
      | length(p)          | null   |
      | nodes(p)           | null   |
      | b:A                | null   |
      | b = b              | null   |
      | b = a              | null   |
      | b IS NULL          | true   |
      | [b]                | [null] |
      | count(b)           | 0      |
      | collect(p)         | []     |
      | coalesce(b, a) = a | true   |
      | exists(b.x)        | false  |
      | size(keys(b))      | null   |

  Scenario: Paths of any length
    Given an empty graph
    And having executed:
      """
      CREATE (:N {i: 0})-[:R {j: 1}]->(:N {i: 1})<-[:R {j: 2}]-(:N {i: 2})
      """
    When executing query:
      """
      MATCH p = (:N {i: 0})-[:R*0..2]-() WITH p ORDER BY length(p)
      RETURN [n IN nodes(p) | n.i] AS n, [r IN relationships(p) | r.j] AS r, length(p) AS l
      """
    Then the result should be, in order:
      | n         | r      | l |
      | [0]       | []     | 0 |
      | [0, 1]    | [1]    | 1 |
      | [0, 1, 2] | [1, 2] | 2 |

  Scenario Outline: startNode and endNode do not depend on how the pattern is read
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B)
      """
    When executing query:
      """
      MATCH <pattern> RETURN labels(startNode(r)) + labels(endNode(r)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | pattern        | result     |
      | (:A)-[r]->(:B) | ['A', 'B'] |
      | (:B)<-[r]-(:A) | ['A', 'B'] |
      | (:B)-[r]-(:A)  | ['A', 'B'] |
      | (:A)-[r]-(:B)  | ['A', 'B'] |

  Scenario Outline: A loop begins and ends at one node
    Given an empty graph
    And having executed:
      """
      CREATE (a:A)-[:R]->(a)
      """
    When executing query:
      """
      MATCH p = (a)-[r]->(b) RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                | result |
      | startNode(r) = endNode(r) | true   |
      | length(p)                 | 1      |
      | size(nodes(p))            | 2      |
      | nodes(p)[0] = nodes(p)[1] | true   |
      | a = b                     | true   |
      | size(collect(DISTINCT a)) | 1      |

  Scenario Outline: Elements are equal if they are the same, not if they look the same
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1}), (:A {x: 1})
      """
    When executing query:
      """
      MATCH (a:A), (b:A) RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                     | result |
      | sum(CASE WHEN a = b THEN 1 ELSE 0 END)                         | 2      |
      | sum(CASE WHEN a <> b THEN 1 ELSE 0 END)                        | 2      |
      | sum(CASE WHEN properties(a) = properties(b) THEN 1 ELSE 0 END) | 4      |
      | count(DISTINCT a)                                              | 2      |
      | count(DISTINCT a.x)                                            | 1      |
      | count(DISTINCT properties(a))                                  | 1      |
      | count(DISTINCT [a, b])                                         | 4      |
      | sum(CASE WHEN a IN [b] THEN 1 ELSE 0 END)                      | 2      |

  Scenario Outline: Patterns are values in conditions and comprehensions
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {x: 1})-[:R]->(:B {y: 2}), (a)-[:R]->(:B {y: 3}), (:A {x: 4})
      """
    When executing query:
      """
      MATCH (a:A) WITH a ORDER BY a.x RETURN collect(<expression>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                          | result           |
      | size([(a)-->(b) \| b])                              | [2, 0]           |
      | size([(a)-->(b) WHERE b.y > 2 \| b.y])              | [1, 0]           |
      | reduce(s = 0, y IN [(a)-[:R]->(b) \| b.y] \| s + y) | [5, 0]           |
      | exists((a)-->())                                    | [true, false]    |
      | [(a)-->(b:B {y: a.x + 1}) \| b.y]                   | [[2], []]        |
      | size([p = (a)-->() \| p]) + a.x                     | [3, 4]           |
      | CASE WHEN (a)-->() THEN 'out' ELSE 'alone' END      | ['out', 'alone'] |

  Scenario Outline: A property of a wrong element is an error before anything runs
    Given an empty graph
    And having executed:
      """
      CREATE (:A)-[:R]->(:B)
      """
    When executing query:
      """
      MATCH p = (a)-[r]->() RETURN <expression> AS x
      """
    Then a SyntaxError should be raised at compile time: InvalidArgumentType

    Examples:
      | expression       |
      | type(a)          |
      | type(p)          |
      | labels(r)        |
      | labels(p)        |
      | length(a)        |
      | length(r)        |
      | size(a)          |
      | size(p)          |
      | nodes(a)         |
      | relationships(r) |
      | startNode(a)     |
      | endNode(p)       |
      | p.x              |
      | -r               |
      | NOT a            |

  Scenario Outline: A wrong value is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression         |
      | type(1)            |
      | type('R')          |
      | labels('A')        |
      | labels({a: 1})     |
      | length('abc')      |
      | length([1])        |
      | nodes([1])         |
      | nodes(1)           |
      | relationships('p') |
      | startNode(1)       |
      | endNode({})        |
      | id(1)              |
      | id({id: 1})        |
      | elementId('a')     |
