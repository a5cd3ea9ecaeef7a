Feature: A statement that fails has written nothing

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:N {v: 1, l: [1]})-[:R {k: 1}]->(b:N {v: 0})
      """
    And having executed:
      """
      CREATE (:Alone {v: 5})
      """

  Scenario Outline: Errors in a later row or clause
    When executing query:
      """
      <query>
      """
    Then an error should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query | detail |
      | UNWIND [2, 1, 0] AS i CREATE (:M {v: 10 / i}) | DivisionByZero |
      | CREATE (:M) WITH 1 AS one MATCH (n:N) SET n.w = 1 / n.v | DivisionByZero |
      | MATCH (n:N) SET n.v = 7 WITH n MATCH (m:N) DELETE m | DeleteConnectedNode |
      | MATCH (n:N) SET n.a = 1, n.b = {c: 1} | InvalidPropertyType |
      | CREATE (:M {v: 1}) RETURN 1 / 0 | DivisionByZero |
      | MATCH (n:Alone) DELETE n RETURN n.v | DeletedEntityAccess |
      | CREATE (:M) WITH 1 AS x UNWIND [1, 'a'] AS y RETURN y - x | InvalidArgumentType |
      | MERGE (:M {v: 1}) MERGE (:M {v: 1 / 0}) | DivisionByZero |
      | UNWIND [1, null] AS v MERGE (:M {v: v}) | MergeReadOwnWrites |
      | FOREACH (i IN [1, 0] \| CREATE (:M {v: 1 / i})) | DivisionByZero |
      | MATCH (n:N) REMOVE n:N, n.v WITH n MATCH (n)-[r]->() SET r.k = {a: 1} | InvalidPropertyType |
      | MATCH (a)-[r:R]->(b) DELETE r WITH a DELETE a RETURN a.v | DeletedEntityAccess |
      | OPTIONAL MATCH (z:Z) CREATE (:M), (z)-[:R]->(:M) | MissingNode |
      | CREATE (m:M) SET m.v = 9223372036854775807 + size(labels(m)) | IntegerOverflow |
      | MATCH (n:N) SET n.l = n.l + [null] | InvalidPropertyType |
      | CREATE (:M) WITH 1 AS one RETURN [1, 2]['a'] | * |
      | MATCH (n:N) SET n.new = date('2021-02-30') | InvalidArgumentValue |
      | MATCH (n:N) CREATE (n)-[:Q]->(:M) WITH n WHERE n.v RETURN n | InvalidArgumentType |
      | CREATE (:M) WITH 1 AS one UNWIND 5 AS x RETURN x / 0 | DivisionByZero |
      | MATCH (n:Alone) SET n.v = toInteger(n) | * |

  Scenario Outline: Errors that are seen before anything runs
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                   | detail                         |
      | CREATE (:M) RETURN x                                    | UndefinedVariable              |
      | CREATE (:M) CREATE (n)-[:A\|B]->()                      | NoSingleRelationshipType       |
      | CREATE (:M) RETURN foo()                                | UnknownFunction                |
      | MATCH (n) SET n.v = 2 RETURN count(count(*))            | NestedAggregation              |
      | CREATE (:M) WITH 1 AS a RETURN a LIMIT -1               | NegativeIntegerArgument        |
      | MATCH (n) DETACH DELETE n RETURN n.v + count(*)         | AmbiguousAggregationExpression |
      | MATCH (n) DETACH DELETE n CREATE                        | *                              |
      | CREATE (:M) WITH 1 AS one MATCH (n:M) RETURN n ORDER BY | UnexpectedSyntax               |
      | CREATE (:M {v: 1)                                       | UnexpectedSyntax               |
      | MATCH (n) DETACH DELETE n; MATCH (m                     | *                              |
