Feature: Paths of variable length

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:Mark {n: 'a'}), (b {n: 'b'}), (c:Mark {n: 'c'}), (d {n: 'd'}),
        (:Mark {n: 'e'}),
        (a)-[:R {k: 1, t: 'x'}]->(b), (b)-[:R {k: 2, t: 'x'}]->(c), (c)-[:R {k: 3,
        t: 'y'}]->(d),
        (c)-[:S {k: 4, t: 'x'}]->(a), (d)-[:R {k: 5, t: 'x'}]->(d)
      """

  Scenario Outline: Bounds are kept, and each relationship of a path is another
    When executing query:
      """
      MATCH <pattern> RETURN collect(x.n) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | pattern                             | result                                        |
      | ({n: 'a'})-[:R*]->(x)               | ['b', 'c', 'd', 'd']                          |
      | ({n: 'a'})-[:R*0..]->(x)            | ['a', 'b', 'c', 'd', 'd']                     |
      | ({n: 'a'})-[:R*2]->(x)              | ['c']                                         |
      | ({n: 'a'})-[:R*0]->(x)              | ['a']                                         |
      | ({n: 'a'})-[:R*0..0]->(x)           | ['a']                                         |
      | ({n: 'a'})-[:R*..2]->(x)            | ['b', 'c']                                    |
      | ({n: 'a'})-[:R*..]->(x)             | ['b', 'c', 'd', 'd']                          |
      | ({n: 'a'})-[:R*2..3]->(x)           | ['c', 'd']                                    |
      | ({n: 'a'})-[:R*4]->(x)              | ['d']                                         |
      | ({n: 'a'})-[:R*5]->(x)              | []                                            |
      | ({n: 'a'})-[:R*1..1]->(x)           | ['b']                                         |
      | ({n: 'a'})-[:R*3..2]->(x)           | []                                            |
      | ({n: 'a'})-[:R*..0]->(x)            | []                                            |
      | ({n: 'a'})-[:R*1000..]->(x)         | []                                            |
      | ({n: 'a'})-[*]->(x)                 | ['b', 'c', 'd', 'd', 'a']                     |
      | ({n: 'c'})-[*]->(x)                 | ['d', 'd', 'a', 'b', 'c', 'd', 'd']           |
      | ({n: 'a'})-[:R*]-(x)                | ['b', 'c', 'd', 'd']                          |
      | ({n: 'd'})-[:R*]-(x)                | ['d', 'c', 'b', 'a', 'c', 'b', 'a']           |
      | ({n: 'a'})-[*1..2]-(x)              | ['b', 'c', 'c', 'b', 'd']                     |
      | ({n: 'd'})<-[:R*]-(x)               | ['d', 'c', 'b', 'a', 'c', 'b', 'a']           |
      | ({n: 'a'})-[* {t: 'x'}]->(x)        | ['b', 'c', 'a']                               |
      | ({n: 'a'})-[*2 {t: 'x'}]->(x)       | ['c']                                         |
      | ({n: 'a'})-[*0..1 {t: 'y'}]->(x)    | ['a']                                         |
      | ({n: 'a'})-[* {t: null}]->(x)       | []                                            |
      | ({n: 'b'})-[:R\|S*2..3]->(x)        | ['d', 'a', 'd', 'b']                          |
      | ({n: 'c'})-[:!S*1..2]->(x)          | ['d', 'd']                                    |
      | (x)-[*]->(x)                        | ['a', 'b', 'c', 'd']                          |
      | (x)-[*0]->(x)                       | ['a', 'b', 'c', 'd', 'e']                     |
      | (x)-[*0..]->(x)                     | ['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd'] |
      | ({n: 'a'})-[*0..1]->(x:Mark)        | ['a']                                         |
      | ({n: 'a'})-[*0..2]->(x:Mark)        | ['a', 'c']                                    |
      | ({n: 'e'})-[*]-(x)                  | []                                            |
      | ({n: 'e'})-[*0..3]-(x)              | ['e']                                         |
      | ({n: 'a'})-[*]->()-->(x)            | ['c', 'd', 'd', 'a']                          |
      | ({n: 'a'})-->()-[*]->(x)            | ['c', 'd', 'd', 'a']                          |
      | ({n: 'a'})-[*0..1]->()-[*0..1]->(x) | ['a', 'b', 'b', 'c']                          |
      | ({n: 'a'})-[:Nowhere*0..]->(x)      | ['a']                                         |
      | ({n: 'nobody'})-[*0..]->(x)         | []                                            |
      | (:Mark)-[:R*2]->(x)                 | ['c', 'd']                                    |
      | (:Mark)-[*3]->(x:Mark)              | ['a', 'c']                                    |

  Scenario Outline: ISO's quantifiers behind one relationship
    When executing query:
      """
      MATCH <pattern> RETURN collect(x.n) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | pattern                         | result                         |
      | ({n: 'a'})-[:R]->{2}(x)         | ['c']                          |
      | ({n: 'a'})-[:R]->{1,2}(x)       | ['b', 'c']                     |
      | ({n: 'a'})-[:R]->{,2}(x)        | ['a', 'b', 'c']                |
      | ({n: 'a'})-[:R]->{2,}(x)        | ['c', 'd', 'd']                |
      | ({n: 'a'})-[:R]->+(x)           | ['b', 'c', 'd', 'd']           |
      | ({n: 'a'})-[:R]->*(x)           | ['a', 'b', 'c', 'd', 'd']      |
      | ({n: 'a'})-[:R]->{0}(x)         | ['a']                          |
      | ({n: 'a'})-[:R]->{0,0}(x)       | ['a']                          |
      | ({n: 'a'})-->{2}(x)             | ['c']                          |
      | ({n: 'c'})<-[:R]-{2}(x)         | ['a']                          |
      | ({n: 'b'})-[:R]-{1,2}(x)        | ['a', 'c', 'd']                |
      | ({n: 'a'})--{1,2}(x)            | ['b', 'c', 'c', 'b', 'd']      |
      | ({n: 'a'})-[:R\|S]->{3}(x)      | ['d', 'a']                     |
      | ({n: 'a'})-[{t: 'x'}]->+(x)     | ['b', 'c', 'a']                |
      | ({n: 'a'})-[:R]->+()-[:R]->+(x) | ['c', 'd', 'd', 'd', 'd', 'd'] |

  Scenario Outline: The relationships of a path are a list in its order
    When executing query:
      """
      <query>
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query | result |
      | MATCH ({n: 'a'})-[r*3]->() WITH [e IN r \| e.k] AS k ORDER BY k RETURN collect(k) AS x | [[1, 2, 3], [1, 2, 4]] |
      | MATCH ({n: 'd'})<-[r:R*3]-() WITH [e IN r \| e.k] AS k ORDER BY k RETURN collect(k) AS x | [[3, 2, 1], [5, 3, 2]] |
      | MATCH ({n: 'e'})-[r*0..]->() RETURN r AS x | [] |
      | MATCH ({n: 'a'})-[r]->{2}() RETURN [e IN r \| e.k] AS x | [1, 2] |
      | MATCH ({n: 'a'})-[r:R*1]->() RETURN r AS x | [[:R {k: 1, t: 'x'}]] |
      | MATCH (a {n: 'a'}), (d {n: 'd'}) MATCH (d)<-[r:R*3]-(a) RETURN [e IN r \| e.k] AS x | [3, 2, 1] |

  Scenario Outline: Conditions on the relationships and nodes of a path
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
      | MATCH (a {n: 'a'}), (d {n: 'd'}) MATCH (a)-[r:R*]->(d) RETURN collect(size(r)) AS x | [3, 4] |
      | MATCH (a {n: 'a'}), (d {n: 'd'}) MATCH (d)<-[r:R*]-(a) RETURN collect(last(r).k) AS x | [1, 1] |
      | MATCH p = ({n: 'a'})-[:R*]->(x) RETURN collect(length(p)) AS x | [1, 2, 3, 4] |
      | MATCH p = ({n: 'a'})-[*]->() WHERE all(r IN relationships(p) WHERE r.k < 3) RETURN collect(length(p)) AS x | [1, 2] |
      | MATCH p = ({n: 'a'})-[*]->() WHERE any(r IN relationships(p) WHERE r.t = 'y') RETURN collect(length(p)) AS x | [3, 4] |
      | MATCH p = ({n: 'a'})-[*]->() WHERE none(n IN nodes(p) WHERE n.n = 'd') RETURN collect(length(p)) AS x | [1, 2, 3] |
      | MATCH p = ({n: 'a'})-[*]->() WHERE single(n IN nodes(p) WHERE n.n = 'd') RETURN collect(length(p)) AS x | [3] |
      | MATCH ({n: 'a'})-[r*]->({n: 'd'}) RETURN collect(reduce(s = 0, e IN r \| s + e.k)) AS x | [6, 11] |

  Scenario Outline: Several parts of variable length share no relationship in one MATCH
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
      | MATCH ({n: 'a'})-[:R*]->(m)-[:R*]->({n: 'd'}) RETURN count(*) AS x | 5 |
      | MATCH (a {n: 'a'})-[:R*]->(d {n: 'd'}) MATCH (a)-[:R*]->(d) RETURN count(*) AS x | 4 |
      | MATCH (a {n: 'a'})-[:R*]->(d {n: 'd'}), (a)-[:R*]->(d) RETURN count(*) AS x | 0 |
      | MATCH (a {n: 'a'})-[:R*0..1]->(b), (a)-[:R*0..1]->(c) RETURN count(*) AS x | 3 |
      | MATCH ({n: 'a'})-[r:R]->(), ({n: 'a'})-[s*]->(x) RETURN count(*) AS x | 0 |
      | MATCH ({n: 'b'})-[r]->(), ({n: 'c'})-[s*]->(x) RETURN collect(x.n) AS x | ['d', 'd', 'a', 'b'] |
      | UNWIND [1, 2] AS u MATCH ({n: 'a'})-[:R*..2]->(y) RETURN collect(y.n) AS x | ['b', 'c', 'b', 'c'] |
      | UNWIND ['x', 'y'] AS t MATCH ({n: 'c'})-[* {t: t}]->(y) RETURN collect(t + y.n) AS x | ['xa', 'xb', 'xc', 'yd'] |

  Scenario Outline: Lengths that are none
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                  | detail                     |
      | MATCH ()-[*-1]->() RETURN 1            | InvalidRelationshipPattern |
      | MATCH ()-[*2..-3]->() RETURN 1         | InvalidRelationshipPattern |
      | MATCH ()-[:R..2]->() RETURN 1          | InvalidRelationshipPattern |
      | MATCH ()-[*1.5]->() RETURN 1           | *                          |
      | MATCH ()-[*2]->{3}() RETURN 1          | *                          |
      | MATCH (a)-[r*]->(b) RETURN r.k         | InvalidArgumentType        |
      | MATCH (a)-[r*]->(r) RETURN a           | VariableTypeConflict       |
      | MATCH (a)-[r*]->(b)-[r*]->(c) RETURN a | *                          |
