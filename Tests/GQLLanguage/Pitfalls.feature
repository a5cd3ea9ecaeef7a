Feature: Where other engines have gone wrong

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:P {v: 1, g: 'x'}), (b:P {v: 2, g: 'x'}), (c:P {v: 3, g: 'y'}), (:P {v: 1.0}),
        (:P {g: 'z'}),
        (a)-[:R {k: 1, g: 'x'}]->(b), (b)-[:R {k: 2, g: 'y'}]->(c), (c)-[:R {k: 3}]->(a),
        (a)-[:R {k: 1}]->(a)
      """

  Scenario Outline: Values of rows in patterns, joins and repeated clauses
    When executing query:
      """
      <query>
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query | result |
      | UNWIND [1, 2, 3] AS unused MATCH (n:P {g: 'y'}) RETURN count(n) AS x | 3 |
      | UNWIND [1, 2, 3] AS unused MATCH (n:P {g: 'y'}) RETURN count(DISTINCT n) AS x | 1 |
      | UNWIND [1, 2, 3] AS unused RETURN count(*) AS x | 3 |
      | UNWIND [1, 2] AS unused MATCH (n:P) RETURN sum(n.v) AS x | 14.0 |
      | UNWIND [1, 2] AS unused WITH 1 AS one RETURN count(*) AS x | 2 |
      | UNWIND [1, 2] AS unused WITH DISTINCT 1 AS one RETURN count(*) AS x | 1 |
      | UNWIND [1, 2] AS u MATCH ()-[r:R {k: u}]->(m) RETURN collect(r.k) AS x | [1, 1, 2] |
      | UNWIND ['x', 'y'] AS g MATCH (n:P {g: g})-[r {g: g}]->() RETURN collect(n.v) AS x | [1] |
      | UNWIND [1, 3] AS u MATCH (n:P {v: u})-[:R]->(m) RETURN collect([u, m.v]) AS x | [[1, 2], [1, 1], [3, 1]] |
      | UNWIND [1, 2] AS u MATCH p = (n:P {v: u})-[:R* {k: u}]->(m) RETURN collect([u, length(p)]) AS x | [[1, 1], [1, 1], [1, 2], [2, 1]] |
      | UNWIND [{v: 1, k: 3}, {v: 3, k: 3}] AS row MATCH (n:P {v: row.v})<-[r:R {k: row.k}]-(m) RETURN collect(m.v) AS x | [3] |
      | UNWIND [1, 2] AS k MATCH (n:P {v: 1}), (m:P {v: k + 1}) MATCH p = shortestPath((n)-[:R*]->(m)) RETURN collect([k, length(p)]) AS x | [[1, 1], [2, 2]] |
      | MATCH (a:P), (b:P) WHERE a.v = b.v AND id(a) <> id(b) RETURN count(*) AS x | 2 |
      | MATCH (a:P), (b:P) WHERE a.g = b.g RETURN count(*) AS x | 6 |
      | MATCH (a:P), (b:P {g: a.g}) RETURN count(*) AS x | 6 |
      | MATCH (a:P) MATCH (b:P {g: a.g}) RETURN count(*) AS x | 6 |
      | MATCH (a:P) OPTIONAL MATCH (b:P {g: a.g}) RETURN count(*) AS x | 7 |
      | MATCH (a:P) OPTIONAL MATCH (b:P {g: a.g}) RETURN count(b) AS x | 6 |
      | MATCH (a:P), (b:P) WHERE a.v < b.v RETURN count(*) AS x | 5 |
      | MATCH (a:P), (b:P) WHERE NOT a.v = b.v RETURN count(*) AS x | 10 |
      | MATCH (a:P), (b:P) WHERE id(a) = id(b) RETURN count(*) AS x | 5 |
      | MATCH (a:P) WITH collect(id(a)) AS ids MATCH (b) WHERE id(b) IN ids RETURN count(*) AS x | 5 |
      | MATCH (a:P {v: 2}) WITH elementId(a) AS e MATCH (b) WHERE elementId(b) = e RETURN collect(b.g) AS x | ['x'] |
      | MATCH ()-[r {k: 2}]->() WITH id(r) AS i MATCH ()-[s]->() WHERE id(s) = i RETURN collect(s.k) AS x | [2] |
      | MATCH (a:P) WHERE id(a) = 'nobody' RETURN count(a) AS x | 0 |
      | MATCH (a:P) WHERE id(a) = 0 RETURN count(a) AS x | 0 |
      | MATCH (a:P) WHERE id(a) = null RETURN count(a) AS x | 0 |
      | MATCH (a:P {v: 1}) WITH a, count(*) AS c MATCH (a)-[:R]->(b) RETURN collect(b.v) AS x | [1, 2] |
      | MATCH (a:P) WITH a.g AS g, collect(a) AS l UNWIND l AS a WITH a WHERE (a)-[:R]->(a) RETURN collect(a.v) AS x | [1] |
      | MATCH (n:P) WHERE false RETURN count(*) AS x | 0 |
      | MATCH (n:P) WHERE 1 = 2 OR 1 = 1 RETURN count(*) AS x | 5 |
      | MATCH (n:P) WITH n WHERE true RETURN count(*) AS x | 5 |
      | MATCH (n:P) WITH DISTINCT n.g AS g ORDER BY g DESC SKIP 1 LIMIT 2 RETURN collect(g) AS x | ['y', 'z'] |
      | MATCH (a)-[r]->(a) RETURN count(*) AS x | 1 |
      | MATCH (a)-[r]-(a) RETURN count(*) AS x | 1 |
      | MATCH (a)-[r]->(b)-[s]->(a) RETURN count(*) AS x | 0 |
      | MATCH (a)-[r:R]->(b), (b)-[s:R]->(c), (c)-[t:R]->(a) RETURN count(*) AS x | 3 |
      | MATCH (a)-[:R*3]->(a) RETURN count(*) AS x | 3 |
      | MATCH (a)-[:R*4]->(a) RETURN count(*) AS x | 4 |
      | MATCH (a)-[:R*]-(b) WHERE a.v = 2 AND b.v = 2 RETURN count(*) AS x | 4 |
      | MATCH (a:P)-[r]->(b:P) WITH a, b, r MATCH (b)<-[r]-(a) RETURN count(*) AS x | 4 |
      | MATCH (a:P)-[r]->(b:P) WITH b AS a, a AS b, r MATCH (a)-[r]->(b) RETURN count(*) AS x | 1 |
      | OPTIONAL MATCH (a:Q) WITH a MATCH (b:P) WHERE b.v = 2 OPTIONAL MATCH (b)-[:R]->(a) RETURN [a, b.v] AS x | [null, 2] |
      | MATCH (n:P) WHERE n.g IN ['x', null] OR n.v = 3 RETURN collect(n.v) AS x | [1, 2, 3] |
      | MATCH (n:P) WHERE n.v = 1 XOR n.g = 'x' RETURN collect(n.v) AS x | [2] |
      | MATCH (n:P) RETURN count(n.v) + count(DISTINCT n.v) * 10 AS x | 34 |
      | MATCH (n:P)-[r]-() RETURN count(r) + 100 * count(DISTINCT r) AS x | 407 |
      | MATCH (a:P)-[:R]->(b) WITH a, collect(b.v) AS bs WHERE size(bs) > 1 RETURN a.v AS x | 1 |
      | MATCH (a:P)-[:R]->(b) WITH b, count(a) AS c ORDER BY c DESC, b.v LIMIT 1 MATCH (b)-[:R]->(d) RETURN collect(d.v) AS x | [1, 2] |

  Scenario: Three patterns of CREATE make two nodes
    When executing query:
      """
      CREATE (a:M), (b:M), (a)-[:Q]->(b)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 1 |

  Scenario: SET writes to the relationship of its row
    When executing query:
      """
      MATCH (a:P)-[r:R]->(b:P) SET r.s = a.v * 10 + b.v RETURN r.k, r.s
      """
    Then the result should be, in any order:
      | r.k | r.s |
      | 1   | 12  |
      | 2   | 23  |
      | 3   | 31  |
      | 1   | 11  |
    And the side effects should be:
      | +properties | 4 |

  Scenario: SET writes to the parallel relationship of its row
    Given an empty graph
    And having executed:
      """
      CREATE (a:M), (b:M), (a)-[:Q {k: 1}]->(b), (a)-[:Q {k: 2}]->(b)
      """
    When executing query:
      """
      MATCH (a:M)-[r:Q]->(b) SET r.s = r.k * 10
      WITH 1 AS one
      MATCH ()-[r:Q]->()
      RETURN DISTINCT r.k, r.s
      """
    Then the result should be, in any order:
      | r.k | r.s |
      | 1   | 10  |
      | 2   | 20  |
    And the side effects should be:
      | +properties | 2 |

  Scenario: DELETE deletes one of two parallel relationships
    Given an empty graph
    And having executed:
      """
      CREATE (a:M), (b:M), (a)-[:Q {k: 1}]->(b), (a)-[:Q {k: 2}]->(b)
      """
    When executing query:
      """
      MATCH (:M)-[r:Q {k: 1}]->() DELETE r WITH 1 AS one MATCH ()-[s:Q]->() RETURN s.k
      """
    Then the result should be, in any order:
      | s.k |
      | 2   |
    And the side effects should be:
      | -relationships | 1 |
      | -properties    | 1 |

  Scenario: A graph from rows of edges
    When executing query:
      """
      UNWIND [['a', 'b', 1], ['b', 'c', 2], ['a', 'b', 3], ['c', 'c', 4]] AS e
      MERGE (x:M {n: e[0]})
      MERGE (y:M {n: e[1]})
      MERGE (x)-[r:Q]->(y) ON CREATE SET r.l = [e[2]] ON MATCH SET r.l = r.l + e[2]
      WITH DISTINCT x, r, y
      RETURN x.n, r.l, y.n
      """
    Then the result should be, in any order:
      | x.n | r.l    | y.n |
      | 'a' | [1, 3] | 'b' |
      | 'b' | [2]    | 'c' |
      | 'c' | [4]    | 'c' |
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 3 |
      | +labels        | 1 |
      | +properties    | 6 |

  Scenario: A counter by rows
    When executing query:
      """
      UNWIND range(1, 50) AS i
      MERGE (c:Counter) ON CREATE SET c.n = 1 ON MATCH SET c.n = c.n + 1
      RETURN max(c.n) AS m
      """
    Then the result should be, in any order:
      | m  |
      | 50 |
    And the side effects should be:
      | +nodes      | 1 |
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: A property is moved to a node of its own
    When executing query:
      """
      MATCH (p:P) WHERE p.g IS NOT NULL
      MERGE (g:G {name: p.g})
      MERGE (p)-[:IN]->(g) REMOVE p.g
      WITH g, count(p) AS c
      RETURN g.name, c
      """
    Then the result should be, in any order:
      | g.name | c |
      | 'x'    | 2 |
      | 'y'    | 1 |
      | 'z'    | 1 |
    And the side effects should be:
      | +nodes         | 3 |
      | +relationships | 4 |
      | +labels        | 1 |
      | +properties    | 3 |
      | -properties    | 4 |

  Scenario: Relationships are turned around
    When executing query:
      """
      MATCH (a:P)-[r:R]->(b:P)
      CREATE (b)-[s:R]->(a) SET s = r DELETE r
      WITH 1 AS one
      MATCH (x)-[t:R]->(y)
      RETURN DISTINCT x.v, t.k, y.v
      """
    Then the result should be, in any order:
      | x.v | t.k | y.v |
      | 2   | 1   | 1   |
      | 3   | 2   | 2   |
      | 1   | 3   | 3   |
      | 1   | 1   | 1   |
    And the side effects should be:
      | +relationships | 4 |
      | -relationships | 4 |
      | +properties    | 6 |
      | -properties    | 6 |

  Scenario: Nodes are numbered in an order
    When executing query:
      """
      MATCH (p:P)
      WITH p ORDER BY p.g, p.v
      WITH collect(p) AS l UNWIND range(0, size(l) - 1) AS i
      WITH l[i] AS p, i SET p.i = i
      RETURN p.g, p.i
      """
    Then the result should be, in any order:
      | p.g  | p.i |
      | 'x'  | 0   |
      | 'x'  | 1   |
      | 'y'  | 2   |
      | 'z'  | 3   |
      | null | 4   |
    And the side effects should be:
      | +properties | 5 |

  Scenario: Neighbors are linked in an order
    When executing query:
      """
      MATCH (p:P) WHERE p.g IS NOT NULL
      WITH p ORDER BY p.g, p.v
      WITH collect(p) AS l UNWIND range(0, size(l) - 2) AS i
      WITH l[i] AS a, l[i + 1] AS b
      CREATE (a)-[:NEXT]->(b)
      RETURN a.g + b.g AS s
      """
    Then the result should be, in any order:
      | s    |
      | 'xx' |
      | 'xy' |
      | 'yz' |
    And the side effects should be:
      | +relationships | 3 |
