Feature: Larger statements

  Scenario: A ring of 30
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (n:N)-[r:R]->(m:N) RETURN count(*) AS c, sum(r.k) AS s, sum(n.i * m.i) AS p
      """
    Then the result should be, in any order:
      | c  | s   | p    |
      | 30 | 435 | 8120 |
    And no side effects

  Scenario: Once around a ring
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (a:N {i: 3})-[:R*30]->(a) RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And no side effects

  Scenario: No more than once around a ring
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (a:N {i: 3})-[:R*]->(b) RETURN count(*) AS c, count(DISTINCT b) AS d
      """
    Then the result should be, in any order:
      | c  | d  |
      | 30 | 30 |
    And no side effects

  Scenario: Both ways around a ring
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH p = allShortestPaths((a:N {i: 0})-[:R*]-(b:N {i: 15})) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l  |
      | 15 |
      | 15 |
    And no side effects

  Scenario: The shorter way around a ring
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH p = shortestPath((a:N {i: 0})-[:R*]-(b:N {i: 20})) RETURN length(p) AS l
      """
    Then the result should be, in any order:
      | l  |
      | 10 |
    And no side effects

  Scenario: Every pair in a ring
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (a:N), (b:N) WHERE a <> b
      MATCH p = shortestPath((a)-[:R*]->(b))
      RETURN count(*) AS c, sum(length(p)) AS s
      """
    Then the result should be, in any order:
      | c   | s     |
      | 870 | 13050 |
    And no side effects

  Scenario: A list of 1,000 in a condition
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (n:N) WHERE n.i IN [x IN range(0, 1999) WHERE x % 2 = 0] RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c  |
      | 15 |
    And no side effects

  Scenario: A thousand rows that merge a hundred nodes
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 1000) AS i
      MERGE (n:M {k: i % 100}) ON CREATE SET n.c = 1 ON MATCH SET n.c = n.c + 1
      WITH DISTINCT n
      RETURN count(n) AS c, min(n.c) AS a, max(n.c) AS b
      """
    Then the result should be, in any order:
      | c   | a  | b  |
      | 100 | 10 | 10 |
    And the side effects should be:
      | +nodes      | 100 |
      | +labels     | 1   |
      | +properties | 200 |

  Scenario: A thousand nodes, deleted again
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 1000) AS i CREATE (n:M {i: i}) WITH n WHERE n.i > 10 DELETE n
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 10 |
      | +labels     | 1  |
      | +properties | 10 |

  Scenario: Groups of many rows
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 10000) AS i RETURN i % 3 AS k, count(*) AS c, sum(i) AS s ORDER BY k
      """
    Then the result should be, in order:
      | k | c    | s        |
      | 0 | 3333 | 16668333 |
      | 1 | 3334 | 16671667 |
      | 2 | 3333 | 16665000 |
    And no side effects

  Scenario: The order of many rows
    Given an empty graph
    When executing query:
      """
      UNWIND range(1, 5000) AS i
      WITH i, (i * 7919) % 5003 AS k ORDER BY k DESC LIMIT 3
      RETURN k
      """
    Then the result should be, in any order:
      | k    |
      | 5002 |
      | 5001 |
      | 5000 |
    And no side effects

  Scenario: Forty labels and properties
    Given an empty graph
    When executing query:
      """
      CREATE (n:L0:L1:L2:L3:L4:L5:L6:L7:L8:L9:L10:L11:L12:L13:L14:L15:L16:L17:L18:L19
        :L20:L21:L22:L23:L24:L25:L26:L27:L28:L29:L30:L31:L32:L33:L34:L35:L36:L37:L38:L39)
      SET n = {p0: 0, p1: 1, p2: 2, p3: 3, p4: 4, p5: 5, p6: 6, p7: 7, p8: 8, p9: 9, p10: 10,
        p11: 11, p12: 12, p13: 13, p14: 14, p15: 15, p16: 16, p17: 17, p18: 18, p19: 19,
        p20: 20, p21: 21, p22: 22, p23: 23, p24: 24, p25: 25, p26: 26, p27: 27, p28: 28,
        p29: 29, p30: 30, p31: 31, p32: 32, p33: 33, p34: 34, p35: 35, p36: 36, p37: 37,
        p38: 38, p39: 39} RETURN size(labels(n)) AS l, size(keys(n)) AS k, n.p39 AS v
      """
    Then the result should be, in any order:
      | l  | k  | v  |
      | 40 | 40 | 39 |
    And the side effects should be:
      | +nodes      | 1  |
      | +labels     | 40 |
      | +properties | 40 |

  Scenario: Forty columns
    Given an empty graph
    When executing query:
      """
      RETURN 0 AS c0, 1 AS c1, 2 AS c2, 3 AS c3, 4 AS c4, 5 AS c5, 6 AS c6, 7 AS c7, 8 AS c8,
        9 AS c9, 10 AS c10, 11 AS c11, 12 AS c12, 13 AS c13, 14 AS c14, 15 AS c15, 16 AS c16,
        17 AS c17, 18 AS c18, 19 AS c19, 20 AS c20, 21 AS c21, 22 AS c22, 23 AS c23, 24 AS c24,
        25 AS c25, 26 AS c26, 27 AS c27, 28 AS c28, 29 AS c29, 30 AS c30, 31 AS c31, 32 AS c32,
        33 AS c33, 34 AS c34, 35 AS c35, 36 AS c36, 37 AS c37, 38 AS c38, 39 AS c39
      """
    Then the result should be, in any order:
      | c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7 | c8 | c9 | c10 | c11 | c12 | c13 | c14 | c15 | c16 | c17 | c18 | c19 | c20 | c21 | c22 | c23 | c24 | c25 | c26 | c27 | c28 | c29 | c30 | c31 | c32 | c33 | c34 | c35 | c36 | c37 | c38 | c39 |
      | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 |
    And no side effects

  Scenario: Brackets within brackets
    Given an empty graph
    When executing query:
      """
      RETURN ((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))
        + [[[[[[[[[[[[[[[[[[[[2]]]]]]]]]]]]]]]]]]]]
        [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0] AS x
      """
    Then the result should be, in any order:
      | x |
      | 3 |
    And no side effects

  Scenario: A long sum and a long condition
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (n:N)
      WHERE n.i = 0 OR n.i = 1 OR n.i = 2 OR n.i = 3 OR n.i = 4 OR n.i = 5 OR n.i = 6 OR
        n.i = 7 OR n.i = 8 OR n.i = 9 OR n.i = 10 OR n.i = 11
      RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c  |
      | 12 |
    And no side effects

  Scenario: Thirty WITH in a row
    Given an empty graph
    When executing query:
      """
      WITH 0 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      WITH a + 1 AS a
      RETURN a
      """
    Then the result should be, in any order:
      | a  |
      | 30 |
    And no side effects

  Scenario: Twelve patterns that share a node
    Given an empty graph
    And having executed:
      """
      CREATE (h:H) WITH h UNWIND range(0, 14) AS i CREATE (h)-[:R]->(:L {i: i})
      """
    When executing query:
      """
      MATCH (h)-->(x0 {i: 0}),
        (h)-->(x1 {i: 1}),
        (h)-->(x2 {i: 2}),
        (h)-->(x3 {i: 3}),
        (h)-->(x4 {i: 4}),
        (h)-->(x5 {i: 5}),
        (h)-->(x6 {i: 6}),
        (h)-->(x7 {i: 7}),
        (h)-->(x8 {i: 8}),
        (h)-->(x9 {i: 9}),
        (h)-->(x10 {i: 10}),
        (h)-->(x11 {i: 11})
      RETURN count(*) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And no side effects

  Scenario: A chain of ten patterns in another order
    Given an empty graph
    And having executed:
      """
      UNWIND range(0, 29) AS i
      CREATE (:N {i: i})
      WITH DISTINCT 1 AS one UNWIND range(0, 29) AS i
      MATCH (a:N {i: i}), (b:N {i: (i + 1) % 30})
      CREATE (a)-[:R {k: i}]->(b)
      """
    When executing query:
      """
      MATCH (x4)-[:R]->(x5),
        (x0)-[:R]->(x1),
        (x8)-[:R]->(x9),
        (x2)-[:R]->(x3),
        (x6)-[:R]->(x7),
        (x9)-[:R]->(x10),
        (x1)-[:R]->(x2),
        (x5)-[:R]->(x6),
        (x3)-[:R]->(x4),
        (x7)-[:R]->(x8)
      WHERE x0.i = 5 RETURN x10.i
      """
    Then the result should be, in any order:
      | x10.i |
      | 15    |
    And no side effects

  Scenario: Relationships of a hub
    Given an empty graph
    And having executed:
      """
      CREATE (h:H) WITH h UNWIND range(1, 60) AS i CREATE (h)-[:R]->(:L {i: i})
      """
    When executing query:
      """
      MATCH (h:H)-[r]->(l)
      WITH h, count(r) AS c
      MATCH (h)-->(a), (h)-->(b) WHERE a.i < b.i
      RETURN c, count(*) AS p
      """
    Then the result should be, in any order:
      | c  | p    |
      | 60 | 1770 |
    And no side effects
