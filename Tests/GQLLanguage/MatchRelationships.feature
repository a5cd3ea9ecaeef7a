Feature: MATCH of relationships

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {n: 'a'}), (b:B {n: 'b'}), (c:C {n: 'c'}), (:D {n: 'd'}),
        (a)-[:R {w: 1}]->(b), (a)-[:R {w: 2}]->(b), (b)-[:S {w: 3}]->(a),
        (b)-[:R {w: 4}]->(c),
        (c)-[:R {w: 5}]->(c), (c)-[:S {w: 6}]->(a), (a)-[:`T.t` {w: 7, type: 'x', id: 9}]->(c)
      """

  Scenario Outline: Directions, types and maps choose relationships
    When executing query:
      """
      MATCH <pattern> RETURN collect(r.w) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | pattern                                    | result                                  |
      | ()-[r]->()                                 | [1, 2, 3, 4, 5, 6, 7]                   |
      | ()-[r]-()                                  | [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7] |
      | ()<-[r]->()                                | [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7] |
      | (:A)-[r]->()                               | [1, 2, 7]                               |
      | (:A)<-[r]-()                               | [3, 6]                                  |
      | (:A)-[r]-()                                | [1, 2, 3, 6, 7]                         |
      | (:C)-[r]-()                                | [4, 5, 6, 7]                            |
      | (:C)-[r]->(:C)                             | [5]                                     |
      | (:C)-[r]-(:C)                              | [5]                                     |
      | (n)-[r]-(n)                                | [5]                                     |
      | (:A)-[r:R]->(:B)                           | [1, 2]                                  |
      | (:B)-[r:R]->(:A)                           | []                                      |
      | (:A)-[r:R\|S]-(:B)                         | [1, 2, 3]                               |
      | (:B)-[r:R\|:S]-(:A)                        | [1, 2, 3]                               |
      | (:A)-[r]-(:C)                              | [6, 7]                                  |
      | (:D)-[r]-()                                | []                                      |
      | ()-[r:!R]->()                              | [3, 6, 7]                               |
      | ()-[r:R&S]->()                             | []                                      |
      | ()-[r:!R&!S]->()                           | [7]                                     |
      | ()-[r:%]->()                               | [1, 2, 3, 4, 5, 6, 7]                   |
      | ()-[r:r]->()                               | []                                      |
      | ()-[r:R\|Nowhere]->()                      | [1, 2, 4, 5]                            |
      | ()-[r:`T.t`]->()                           | [7]                                     |
      | ()-[r {w: 4}]->()                          | [4]                                     |
      | ()-[r:R {w: 3}]->()                        | []                                      |
      | ()-[r {w: 2.0}]-()                         | [2, 2]                                  |
      | ()-[r {type: 'x'}]->()                     | [7]                                     |
      | ()-[r {id: 9}]->()                         | [7]                                     |
      | ()-[r {w: null}]->()                       | []                                      |
      | ()-[r WHERE r.w > 5]->()                   | [6, 7]                                  |
      | ()-[r:R WHERE r.w > 3]->()                 | [4, 5]                                  |
      | ()-[r]->() WHERE type(r) = 'S'             | [3, 6]                                  |
      | ()-[r]->() WHERE type(r) STARTS WITH 'T.'  | [7]                                     |
      | ()-[r]->() WHERE r:S                       | [3, 6]                                  |
      | ()-[r]->() WHERE r.type = 'x'              | [7]                                     |
      | (a)-[r]->(b) WHERE a.n > b.n               | [3, 6]                                  |
      | (a)-[r]->(b {n: a.n})                      | [5]                                     |
      | (x)-[r]->() WHERE startNode(r) <> x        | []                                      |
      | ()-[r]->() WHERE startNode(r) = endNode(r) | [5]                                     |

  Scenario Outline: A relationship is matched once in one MATCH
    When executing query:
      """
      <query>
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query                                                                   | result       |
      | MATCH (a)-->(b)-->(a) RETURN count(*) AS x                              | 6            |
      | MATCH (a)-->(b)-->(c)-->(a) RETURN count(*) AS x                        | 9            |
      | MATCH (:A)-->()-->() RETURN count(*) AS x                               | 6            |
      | MATCH (:A)--()--() RETURN count(*) AS x                                 | 15           |
      | MATCH (a:A)-->(b)<--(a) RETURN count(*) AS x                            | 2            |
      | MATCH (a)-->(b)-->(a)-->(b) RETURN count(*) AS x                        | 2            |
      | MATCH (c:C)-[:R]->(c)-[:R]->(c) RETURN count(*) AS x                    | 0            |
      | MATCH (c:C)-[:R]->(c) MATCH (c)-[:R]->(c) RETURN count(*) AS x          | 1            |
      | MATCH (a:A)-[:R]->(b), (a)-[:R]->(b) RETURN count(*) AS x               | 2            |
      | MATCH (a:A)-[:R]->(b) MATCH (a)-[:R]->(b) RETURN count(*) AS x          | 4            |
      | MATCH ()-[:S]->(), ()-[:S]->() RETURN count(*) AS x                     | 2            |
      | MATCH ()-[:S]->() MATCH ()-[:S]->() RETURN count(*) AS x                | 4            |
      | MATCH ()-[:S]->(), ()-[:S]->(), ()-[:S]->() RETURN count(*) AS x        | 0            |
      | MATCH (:A)-[:R]->(b), (b)-[:R]->(c), (c)-[:R]->(c) RETURN count(*) AS x | 2            |
      | MATCH ()-[r:R]->(), ()-[s:S]->() RETURN count(*) AS x                   | 8            |
      | MATCH ()-[r]->()-[s]->() WHERE s.w = r.w + 1 RETURN collect(r.w) AS x   | [2, 4, 5, 6] |
      | MATCH ()-[r]->()-[s {w: r.w + 1}]->() RETURN collect(r.w) AS x          | [2, 4, 5, 6] |
      | MATCH (x)-[r {w: 3}]-(y) RETURN collect(x.n + y.n) AS x                 | ['ab', 'ba'] |

  Scenario Outline: A relationship that is known is looked up again
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
      | MATCH ()-[r:S]->() MATCH (x)-[r]-(y) RETURN collect(x.n + y.n) AS x | ['ba', 'ab', 'ca', 'ac'] |
      | MATCH ()-[r {w: 5}]->() MATCH (x)-[r]-(y) RETURN collect(x.n + y.n) AS x | ['cc'] |
      | MATCH (a)-[r:`T.t`]->(c) MATCH (c)-[r]->(a) RETURN count(*) AS x | 0 |
      | MATCH (a)-[r:`T.t`]->(c) MATCH (c)<-[r]-(a) RETURN count(*) AS x | 1 |
      | MATCH ()-[r:S]->() MATCH ()-[r:R]->() RETURN count(*) AS x | 0 |
      | MATCH ()-[r:R]->() MATCH ()-[r {w: 2}]->() RETURN collect(r.w) AS x | [2] |
      | MATCH ()-[r:S]->() MATCH (:B)-[r]->() RETURN collect(r.w) AS x | [3] |
      | MATCH ()-[r]->(:C) MATCH (y)<-[r]-(:A) RETURN collect(r.w + y.n) AS x | ['7c'] |
      | MATCH ()-[r {w: 1}]->() MATCH (a)-[r]->(b)-[s]->(a) RETURN collect(s.w) AS x | [3] |
      | MATCH ()-[r {w: 1}]->() MATCH (a)-[r]->(b), (a)-[s]->(b) RETURN collect(s.w) AS x | [2] |
      | MATCH (:D) MATCH (a)-[r {w: 4}]->(b) WITH r, b AS a MATCH (a)-[r]-(b) RETURN collect(b.n) AS x | ['b'] |
      | MATCH ()-[r]->() WITH collect(r)[0] AS r MATCH ()-[r]->() RETURN count(r) AS x | 1 |

  Scenario: Columns keep the order of RETURN and not of the pattern
    When executing query:
      """
      MATCH (x)-[r:S]->(y) RETURN y.n, r.w, x.n
      """
    Then the result should be, in any order:
      | y.n | r.w | x.n |
      | 'a' | 3   | 'b' |
      | 'a' | 6   | 'c' |
    And no side effects

  Scenario: Nodes and relationships are returned as they are
    When executing query:
      """
      MATCH (a)-[r:`T.t`]->(c) RETURN c, r, a
      """
    Then the result should be, in any order:
      | c             | r                                 | a             |
      | (:C {n: 'c'}) | [:`T.t` {id: 9, type: 'x', w: 7}] | (:A {n: 'a'}) |
    And no side effects
