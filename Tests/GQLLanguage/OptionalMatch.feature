Feature: OPTIONAL MATCH

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (ann:P {n: 'Ann'}), (bob:P {n: 'Bob'}), (cy:P {n: 'Cy'}), (rex:Dog {n: 'Rex'}),
        (sam:Dog {n: 'Sam'}),
        (ann)-[:HAS {s: 1}]->(rex), (ann)-[:HAS {s: 2}]->(sam), (ann)-[:KNOWS]->(bob),
        (bob)-[:KNOWS]->(cy)
      """

  Scenario: Rows without a match stay with nulls
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[r:HAS]->(d) RETURN p.n, r.s, d.n
      """
    Then the result should be, in any order:
      | p.n   | r.s  | d.n   |
      | 'Ann' | 1    | 'Rex' |
      | 'Ann' | 2    | 'Sam' |
      | 'Bob' | null | null  |
      | 'Cy'  | null | null  |
    And no side effects

  Scenario: WHERE is a part of the optional match
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WHERE d.n > 'S' RETURN p.n, d.n
      """
    Then the result should be, in any order:
      | p.n   | d.n   |
      | 'Ann' | 'Sam' |
      | 'Bob' | null  |
      | 'Cy'  | null  |
    And no side effects

  Scenario: WHERE about the known node keeps its row
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WHERE p.n = 'Bob' RETURN p.n, d
      """
    Then the result should be, in any order:
      | p.n   | d    |
      | 'Ann' | null |
      | 'Bob' | null |
      | 'Cy'  | null |
    And no side effects

  Scenario: WHERE false keeps each row once
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WHERE false RETURN p.n, d
      """
    Then the result should be, in any order:
      | p.n   | d    |
      | 'Ann' | null |
      | 'Bob' | null |
      | 'Cy'  | null |
    And no side effects

  Scenario: WHERE behind WITH removes rows
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WITH p, d WHERE d IS NULL RETURN p.n
      """
    Then the result should be, in any order:
      | p.n   |
      | 'Bob' |
      | 'Cy'  |
    And no side effects

  Scenario: All patterns of one optional match are there, or none
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d), (p)-[:KNOWS]->(k) RETURN p.n, d.n, k.n
      """
    Then the result should be, in any order:
      | p.n   | d.n   | k.n   |
      | 'Ann' | 'Rex' | 'Bob' |
      | 'Ann' | 'Sam' | 'Bob' |
      | 'Bob' | null  | null  |
      | 'Cy'  | null  | null  |
    And no side effects

  Scenario: Two optional matches are apart
    When executing query:
      """
      MATCH (p:P)
      OPTIONAL MATCH (p)-[:HAS]->(d)
      OPTIONAL MATCH (p)-[:KNOWS]->(k)
      RETURN p.n, d.n, k.n
      """
    Then the result should be, in any order:
      | p.n   | d.n   | k.n   |
      | 'Ann' | 'Rex' | 'Bob' |
      | 'Ann' | 'Sam' | 'Bob' |
      | 'Bob' | null  | 'Cy'  |
      | 'Cy'  | null  | null  |
    And no side effects

  Scenario: A second optional match may use the relationship again
    When executing query:
      """
      MATCH (p:P)
      OPTIONAL MATCH (p)-[:HAS]->(d)
      OPTIONAL MATCH (d)<-[:HAS]-(o)
      RETURN p.n, d.n, o.n
      """
    Then the result should be, in any order:
      | p.n   | d.n   | o.n   |
      | 'Ann' | 'Rex' | 'Ann' |
      | 'Ann' | 'Sam' | 'Ann' |
      | 'Bob' | null  | null  |
      | 'Cy'  | null  | null  |
    And no side effects

  Scenario: A chain either way begins again at the known node
    When executing query:
      """
      MATCH (b:P {n: 'Bob'})
      OPTIONAL MATCH (b)-[:KNOWS]-(x)
      OPTIONAL MATCH (x)-[:HAS]->(d)
      RETURN x.n, d.n
      """
    Then the result should be, in any order:
      | x.n   | d.n   |
      | 'Ann' | 'Rex' |
      | 'Ann' | 'Sam' |
      | 'Cy'  | null  |
    And no side effects

  Scenario: Counts of what is not there
    When executing query:
      """
      MATCH (p:P)
      OPTIONAL MATCH (p)-[:HAS]->(d)
      RETURN p.n, count(d), count(*), collect(d.n) AS l
      """
    Then the result should be (ignoring element order for lists):
      | p.n   | count(d) | count(*) | l              |
      | 'Ann' | 2        | 2        | ['Rex', 'Sam'] |
      | 'Bob' | 0        | 1        | []             |
      | 'Cy'  | 0        | 1        | []             |
    And no side effects

  Scenario: Both ends are known
    When executing query:
      """
      MATCH (a:P {n: 'Ann'}), (p:P) OPTIONAL MATCH (a)-[r:KNOWS]->(p) RETURN p.n, type(r)
      """
    Then the result should be, in any order:
      | p.n   | type(r) |
      | 'Ann' | null    |
      | 'Bob' | 'KNOWS' |
      | 'Cy'  | null    |
    And no side effects

  Scenario: The relationship is known
    When executing query:
      """
      MATCH ()-[r:KNOWS]->() OPTIONAL MATCH (a {n: 'Ann'})-[r]->(b) RETURN type(r), a.n, b.n
      """
    Then the result should be, in any order:
      | type(r) | a.n   | b.n   |
      | 'KNOWS' | 'Ann' | 'Bob' |
      | 'KNOWS' | null  | null  |
    And no side effects

  Scenario: A label at a known node changes no row
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p:Dog) RETURN p.n
      """
    Then the result should be, in any order:
      | p.n   |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And no side effects

  Scenario: A value that is not found
    When executing query:
      """
      UNWIND ['Ann', 'Zed', null] AS name OPTIONAL MATCH (p:P {n: name}) RETURN name, p
      """
    Then the result should be, in any order:
      | name  | p               |
      | 'Ann' | (:P {n: 'Ann'}) |
      | 'Zed' | null            |
      | null  | null            |
    And no side effects

  Scenario: Optional paths of variable length
    When executing query:
      """
      MATCH (p:P)
      OPTIONAL MATCH q = (p)-[r:KNOWS*2..]->(x)
      RETURN p.n, length(q), size(r), x.n
      """
    Then the result should be, in any order:
      | p.n   | length(q) | size(r) | x.n  |
      | 'Ann' | 2         | 2       | 'Cy' |
      | 'Bob' | null      | null    | null |
      | 'Cy'  | null      | null    | null |
    And no side effects

  Scenario: Nulls are last in order
    When executing query:
      """
      MATCH (p:P) OPTIONAL MATCH (p)-[:KNOWS]->(k) RETURN k.n, p.n ORDER BY k.n
      """
    Then the result should be, in order:
      | k.n   | p.n   |
      | 'Bob' | 'Ann' |
      | 'Cy'  | 'Bob' |
      | null  | 'Cy'  |
    And no side effects

  Scenario: A null node gives null again
    When executing query:
      """
      OPTIONAL MATCH (n:None)
      OPTIONAL MATCH (n)-[r]->(m)
      OPTIONAL MATCH (m)<--(o)
      RETURN n, r, m, o
      """
    Then the result should be, in any order:
      | n    | r    | m    | o    |
      | null | null | null | null |
    And no side effects

  Scenario: A null end is no wildcard
    When executing query:
      """
      OPTIONAL MATCH (n:None) OPTIONAL MATCH (n)-[:KNOWS]->(m) RETURN n, m
      """
    Then the result should be, in any order:
      | n    | m    |
      | null | null |
    And no side effects

  Scenario: MATCH of a null node has no rows
    When executing query:
      """
      OPTIONAL MATCH (n:None) MATCH (n) RETURN n
      """
    Then the result should be empty
    And no side effects

  Scenario: MATCH behind a null node in another pattern
    When executing query:
      """
      OPTIONAL MATCH (n:None) MATCH (d:Dog) RETURN n, d.n
      """
    Then the result should be, in any order:
      | n    | d.n   |
      | null | 'Rex' |
      | null | 'Sam' |
    And no side effects

  Scenario: A null relationship is no wildcard
    When executing query:
      """
      MATCH (c {n: 'Cy'})
      OPTIONAL MATCH (c)-[r]->()
      WITH r
      OPTIONAL MATCH (a)-[r]->(b)
      RETURN r, a, b
      """
    Then the result should be, in any order:
      | r    | a    | b    |
      | null | null | null |
    And no side effects

  Scenario Outline: Optional matches after other clauses
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
      | OPTIONAL MATCH (d:Dog) RETURN collect(d.n) AS x | ['Rex', 'Sam'] |
      | OPTIONAL MATCH (c:Cat) RETURN [c, c.n, labels(c), id(c)] AS x | [null, null, null, null] |
      | OPTIONAL MATCH (c:Cat) RETURN count(*) + count(c) AS x | 1 |
      | MATCH (p:P) WITH count(*) AS c OPTIONAL MATCH (q:Cat) RETURN [c, q] AS x | [3, null] |
      | MATCH (p:Cat) WITH p OPTIONAL MATCH (d:Dog) RETURN count(*) AS x | 0 |
      | MATCH (p:Cat) WITH count(p) AS c OPTIONAL MATCH (d:Dog) RETURN collect(d.n) AS x | ['Rex', 'Sam'] |
      | UNWIND [] AS u OPTIONAL MATCH (d:Dog) RETURN count(*) AS x | 0 |
      | UNWIND [1, 2] AS u OPTIONAL MATCH (d:Cat) RETURN collect(u) AS x | [1, 2] |
      | MATCH (p:P) WITH p ORDER BY p.n LIMIT 1 OPTIONAL MATCH (p)-[:HAS]->(d) RETURN collect(d.n) AS x | ['Rex', 'Sam'] |
      | MATCH (p:P) WITH p ORDER BY p.n DESC LIMIT 1 OPTIONAL MATCH (p)-[:HAS]->(d) RETURN [p.n, d] AS x | ['Cy', null] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WITH p, count(d) AS c WHERE c < 1 RETURN collect(p.n) AS x | ['Bob', 'Cy'] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) RETURN collect(coalesce(d.n, p.n)) AS x | ['Rex', 'Sam', 'Bob', 'Cy'] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) RETURN count(DISTINCT d) + 10 * count(DISTINCT p) AS x | 32 |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WITH DISTINCT d RETURN count(*) AS x | 3 |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d:Cat\|!Dog) RETURN count(*) + count(d) AS x | 3 |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d {n: 'Sam'}) RETURN collect(p.n + coalesce(d.n, '')) AS x | ['AnnSam', 'Bob', 'Cy'] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[r]->(d) WHERE r.s = 1 OR r:KNOWS RETURN collect(d.n) AS x | ['Rex', 'Bob', 'Cy'] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WITH d MATCH (d)<-[:HAS]-(o) RETURN collect(o.n) AS x | ['Ann', 'Ann'] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WHERE NOT (d)<-[:HAS]-() RETURN collect(d) AS x | [] |
      | MATCH (d:Dog) OPTIONAL MATCH (d)<-[:HAS]-()-[:HAS]->(e) RETURN collect(d.n + e.n) AS x | ['RexSam', 'SamRex'] |
      | MATCH (d:Dog) OPTIONAL MATCH (d)-[:HAS]->(e) RETURN count(d) AS x | 2 |
      | MATCH (d:Dog) OPTIONAL MATCH (e:Dog) WHERE e.n > d.n RETURN collect([d.n, e.n]) AS x | [['Rex', 'Sam'], ['Sam', null]] |
      | MATCH (p:P) OPTIONAL MATCH (p)-[:HAS]->(d) WITH p.n AS n, d.n IS NULL AS no RETURN collect(DISTINCT n + toString(no)) AS x | ['Annfalse', 'Bobtrue', 'Cytrue'] |
