Feature: How many matches a pattern has

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (n0:A {i: 0}), (n1:A:B {i: 1}), (n2:B {i: 2}), (n3 {i: 3}), (n4:C {i: 4}),
        (n5:A:C {i: 5}),
        (n0)-[:R {k: 1}]->(n1), (n0)-[:R {k: 2}]->(n1), (n1)-[:R {k: 3}]->(n2),
        (n2)-[:S {k: 4}]->(n0),
        (n2)-[:R {k: 5}]->(n2), (n1)-[:S {k: 6}]->(n3), (n3)-[:S {k: 7}]->(n1),
        (n3)-[:R {k: 8}]->(n4),
        (n4)-[:S {k: 9}]->(n0), (n0)-[:S {k: 10}]->(n2), (n4)-[:S {k: 11}]->(n4)
      """

  Scenario Outline: Patterns are counted
    When executing query:
      """
      <query> RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | query                                                               | result |
      | MATCH (a)-[]->(b)                                                   | 11     |
      | MATCH (a)-[]-(b)                                                    | 20     |
      | MATCH (a)-->(b)-->(c)                                               | 22     |
      | MATCH (a)--(b)--(c)                                                 | 64     |
      | MATCH (a)--(b)--(c)--(d)                                            | 188    |
      | MATCH (a)-->(b)<--(c)                                               | 16     |
      | MATCH (a)<--(b)-->(c)                                               | 14     |
      | MATCH (a)-->(b)-->(c)-->(a)                                         | 9      |
      | MATCH (a)--(b)--(c)--(a)                                            | 30     |
      | MATCH (a)--(b)--(a)                                                 | 12     |
      | MATCH (a)-->(b)-->(a)                                               | 4      |
      | MATCH (a)-[:R]->(b)-[:S]->(c)                                       | 6      |
      | MATCH (a)-[:R\|S]-(b)-[:S]-(c)                                      | 34     |
      | MATCH (a:A)--(b:B)                                                  | 5      |
      | MATCH (a:A)-->(b:!A)                                                | 3      |
      | MATCH (a:!%)--(b)                                                   | 3      |
      | MATCH (a:A\|C)-->(b:A\|C)                                           | 4      |
      | MATCH (a:A&B)--(b)--(c:C)                                           | 4      |
      | MATCH (a:%)--(b:!%)--(c:%)                                          | 6      |
      | MATCH (a)-[*]->(b)                                                  | 910    |
      | MATCH (a)-[*]-(b:C)                                                 | 2085   |
      | MATCH (a)-[*2]-(b)                                                  | 64     |
      | MATCH (a)-[*2]->(b)                                                 | 22     |
      | MATCH (a)-[*0..2]->(b)                                              | 39     |
      | MATCH (a)-[*0..2]-(b)                                               | 90     |
      | MATCH (a)-[*2..3]->(a)                                              | 13     |
      | MATCH (a)-[*2..4]-(a)                                               | 138    |
      | MATCH (a)-[:R*]->(b)                                                | 10     |
      | MATCH (a)-[:S*]-(b)                                                 | 37     |
      | MATCH (a)-[:S*..3]->(b)                                             | 14     |
      | MATCH (a:A)-[:R*0..]->(b:B)                                         | 9      |
      | MATCH (a:B)<-[:R\|S*3..4]-(b)                                       | 68     |
      | MATCH (a)-[:R*1..2]->(b)-[:S*1..2]->(c)                             | 18     |
      | MATCH (a)-[:R*0..1]->(b)-[:S*0..1]->(c)-[:R*0..1]->(d)              | 46     |
      | MATCH (a)-[*1..2]-(b)--(c)                                          | 252    |
      | MATCH (a)--(b)-[*2]-(a)                                             | 30     |
      | MATCH (a)-[*0..1]-(b)-[*0..1]-(a)                                   | 22     |
      | MATCH (a)-->(b), (a)-->(c)                                          | 14     |
      | MATCH (a)-->(b), (c)-->(d)                                          | 110    |
      | MATCH (a)--(b), (b)--(c), (c)--(a)                                  | 30     |
      | MATCH (a:A)-->(b), (c:C)-->(b)                                      | 0      |
      | MATCH (a)-->(a), (a)-->(b)                                          | 2      |
      | MATCH (a)--(a), (b)--(a)                                            | 5      |
      | MATCH (a)-->(b), (b)-->(c), (d)-->(c)                               | 28     |
      | MATCH (a:A), (b:B), (a)--(b)                                        | 5      |
      | MATCH (a:A), (b:B), (a)-[*..2]-(b)                                  | 20     |
      | MATCH (a)-[:R]-(b), (b)-[:S]-(c), (c)-[*..2]-(a)                    | 42     |
      | MATCH (a)-->(b) MATCH (a)-->(c)                                     | 25     |
      | MATCH (a)--(b) MATCH (b)--(c)                                       | 84     |
      | MATCH (a)--(b) MATCH (b)--(a)                                       | 32     |
      | MATCH (a)-->(b) MATCH (b)-->(c) MATCH (c)-->(a)                     | 11     |
      | MATCH (a:A)-->(b) MATCH (b)-[*..2]->(c:C)                           | 4      |
      | MATCH (a:A) MATCH (b:B) MATCH (a)-[:R]-(b)                          | 3      |
      | MATCH (a:A) MATCH (b:B) MATCH (a)-[*1..3]->(b)                      | 19     |
      | MATCH (a)-[:S]->(b) MATCH (b)-[:R]->(c), (a)--(c)                   | 4      |
      | MATCH (a) OPTIONAL MATCH (a)-->(b)                                  | 12     |
      | MATCH (a) OPTIONAL MATCH (a)-[:R]->(b) OPTIONAL MATCH (b)-[:S]->(c) | 8      |
      | MATCH (a) OPTIONAL MATCH (a)-[:R]->(b)-[:S]->(c)                    | 8      |
      | MATCH (a) OPTIONAL MATCH (a)-[:R]->(b), (b)-[:S]->(c)               | 8      |
      | MATCH (a:C) OPTIONAL MATCH (a)-[*2..3]->(b:B)                       | 10     |
      | MATCH (a) OPTIONAL MATCH (a)-->(a)                                  | 6      |
      | MATCH (a:A) OPTIONAL MATCH (a)-[:S]->(b) MATCH (b)--(c)             | 7      |
      | MATCH (a:A) OPTIONAL MATCH (b:C)-->(a) OPTIONAL MATCH (b)-->(b)     | 3      |
      | MATCH (a), (b) OPTIONAL MATCH (a)-->(b)                             | 37     |
      | MATCH (a), (b) OPTIONAL MATCH (a)-[*2]-(b)                          | 78     |
      | OPTIONAL MATCH (a:C)-[:R]->(b) MATCH (c:A)                          | 3      |
      | OPTIONAL MATCH (a:C)-[:S]->(b) OPTIONAL MATCH (b)-[:S]->(c:C)       | 2      |
      | MATCH (a)<-[]->(b:C)                                                | 3      |
      | MATCH (a)-[:R]->(b)<-[:R]-(c)                                       | 4      |
      | MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(d)                                | 8      |
      | MATCH (a:B)-->(b)-->(c)-->(d)-->(e)                                 | 22     |
      | MATCH (a:A)--(b)--(c)--(d)--(e:C)                                   | 38     |
      | MATCH (a:A)--(b:A)                                                  | 4      |
      | MATCH (a:A), (b:A)                                                  | 9      |
      | MATCH (a), (b:C), (c:!A)                                            | 36     |
      | MATCH (a)-[*0..0]-(b)                                               | 6      |
      | MATCH (a)-[*3..2]-(b)                                               | 0      |
      | MATCH (a)-[:S*2]->(b)<-[:S*0..1]-(c)                                | 8      |

  Scenario Outline: Patterns find these ends
    When executing query:
      """
      MATCH <pattern> RETURN collect(10 * a.i + b.i) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | pattern | result |
      | (a)-->(b) | [1, 1, 2, 12, 13, 20, 22, 31, 34, 40, 44] |
      | (a:C)--(b) | [40, 43, 44] |
      | (a)-[:S]->()-[:R]->(b) | [2, 14, 21, 21, 32, 41, 41] |
      | (a)-->()<--(b) | [0, 0, 1, 2, 3, 3, 10, 12, 20, 21, 24, 30, 30, 34, 42, 43] |
      | (a:C)-[*..2]->(b) | [40, 40, 41, 41, 42, 44] |
      | (a)-[:R*2]->(b) | [2, 2, 12] |
      | (a)-[:S*2..]->(b:B) | [11, 22, 42, 42] |
      | (a:!A)-[:R*0..1]-(b) | [21, 22, 22, 33, 34, 43, 44] |
      | (a)-->()-->(b)-->(a) | [2, 2, 2, 10, 10, 20, 21, 21, 22] |
      | (b)<-[:S]-()<-[:R]-(a) | [3, 3, 10, 20, 30, 34] |
      | (a)-[:S]-(b), (b)-[:R]->(b) | [2, 2] |
      | (a)-->(b), (b)-->(a) | [2, 13, 20, 31] |
      | (a:A)-[*2]->(b:A) | [0, 10, 11] |
      | (a)-[:R]->(c), (c)-[:S]->(b), (b)-->(b) | [] |
      | (c:C)-[:S]->(a), (c)-[:S*]->(b) | [4, 40, 40, 42] |

  Scenario Outline: Shortest paths of all pairs
    When executing query:
      """
      MATCH <path> RETURN collect(100 * a.i + 10 * b.i + length(p)) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | path | result |
      | p = shortestPath((a)-[*]->(b)) WHERE a <> b | [11, 21, 32, 43, 102, 121, 131, 142, 201, 212, 233, 244, 302, 311, 322, 341, 401, 412, 422, 433] |
      | p = allShortestPaths((a)-[*]->(b)) WHERE a <> b | [11, 11, 21, 32, 32, 43, 43, 102, 121, 131, 142, 201, 212, 212, 233, 233, 244, 244, 302, 311, 322, 341, 401, 412, 412, 422, 433, 433] |
      | p = shortestPath((a)-[:R*]->(b)) WHERE a <> b | [11, 22, 121, 341] |
      | p = allShortestPaths((a)-[:R*]->(b)) WHERE a <> b | [11, 11, 22, 22, 121, 341] |
      | p = shortestPath((a)-[:S*]->(b)) WHERE a <> b | [21, 131, 201, 311, 401, 422] |
      | p = allShortestPaths((a)-[:S*]->(b)) WHERE a <> b | [21, 131, 201, 311, 401, 422] |
      | p = shortestPath((a)-[*]-(b)) WHERE a <> b | [11, 21, 32, 41, 101, 121, 131, 142, 201, 211, 232, 242, 302, 311, 322, 341, 401, 412, 422, 431] |
      | p = allShortestPaths((a)-[*]-(b)) WHERE a <> b | [11, 11, 21, 21, 32, 32, 32, 32, 32, 41, 101, 101, 121, 131, 131, 142, 142, 142, 142, 201, 201, 211, 232, 232, 242, 242, 302, 302, 302, 302, 302, 311, 311, 322, 322, 341, 401, 412, 412, 412, 412, 422, 422, 431] |
      | p = shortestPath((a)-[:R*]-(b)) WHERE a <> b | [11, 22, 101, 121, 202, 211, 341, 431] |
      | p = allShortestPaths((a)-[:R*]-(b)) WHERE a <> b | [11, 11, 22, 22, 101, 101, 121, 202, 202, 211, 341, 431] |
      | p = shortestPath((a)-[:S*]-(b)) WHERE a <> b | [21, 41, 131, 201, 242, 311, 401, 422] |
      | p = allShortestPaths((a)-[:S*]-(b)) WHERE a <> b | [21, 21, 41, 131, 131, 201, 201, 242, 242, 311, 311, 401, 422, 422] |
      | p = shortestPath((a)<-[*]-(b)) WHERE a <> b | [12, 21, 32, 41, 101, 122, 131, 142, 201, 211, 232, 242, 302, 311, 323, 343, 403, 412, 424, 431] |
      | p = allShortestPaths((a)<-[*]-(b)) WHERE a <> b | [12, 21, 32, 41, 101, 101, 122, 122, 131, 142, 142, 201, 211, 232, 242, 302, 302, 311, 323, 323, 343, 343, 403, 403, 412, 424, 424, 431] |
      | p = shortestPath((a)<-[:R*]-(b)) WHERE a <> b | [101, 202, 211, 431] |
      | p = allShortestPaths((a)<-[:R*]-(b)) WHERE a <> b | [101, 101, 202, 202, 211, 431] |
      | p = shortestPath((a)<-[:S*]-(b)) WHERE a <> b | [21, 41, 131, 201, 242, 311] |
      | p = allShortestPaths((a)<-[:S*]-(b)) WHERE a <> b | [21, 41, 131, 201, 242, 311] |
