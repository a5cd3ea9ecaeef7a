Feature: Patterns and subqueries as conditions and values

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (ann:P {n: 'Ann', a: 3}), (bob:P {n: 'Bob', a: 1}), (cy:P {n: 'Cy', a: 2}),
        (dee:P {n: 'Dee'}),
        (tea:Drink {n: 'tea'}), (mocha:Drink {n: 'mocha'}), (ann)-[:KNOWS]->(bob),
        (bob)-[:KNOWS]->(cy),
        (cy)-[:KNOWS]->(ann), (ann)-[:LIKES {w: 1}]->(tea), (bob)-[:LIKES {w: 2}]->(tea),
        (dee)-[:LIKES {w: 3}]->(mocha), (ann)-[:LIKES {w: 4}]->(tea)
      """

  Scenario Outline: Patterns and subqueries as conditions
    When executing query:
      """
      MATCH (p:P) WHERE <condition> RETURN collect(p.n) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | condition | result |
      | (p)-[:LIKES]->() | ['Ann', 'Bob', 'Dee'] |
      | NOT (p)-[:KNOWS]-() | ['Dee'] |
      | (p)-[:LIKES]->(:Drink {n: 'tea'}) | ['Ann', 'Bob'] |
      | (p)-[:LIKES {w: 4}]->() | ['Ann'] |
      | (p)-[:LIKES\|KNOWS]->(:P) | ['Ann', 'Bob', 'Cy'] |
      | (p)<-[:KNOWS]-({n: 'Ann'}) | ['Bob'] |
      | (p)-[:KNOWS*2]->({n: 'Ann'}) | ['Bob'] |
      | (p)-[:KNOWS*3]->(p) | ['Ann', 'Bob', 'Cy'] |
      | (p)-[:KNOWS*4]->() | [] |
      | (p)-[:KNOWS*0..]->({n: 'Dee'}) | ['Dee'] |
      | (p)-[:LIKES]->()<-[:LIKES]-(p) | ['Ann'] |
      | (p)-[:LIKES]->()<-[:LIKES]-(:P {n: 'Bob'}) | ['Ann'] |
      | (p)-->() AND NOT (p)-[:KNOWS]->() | ['Dee'] |
      | (p)-[:LIKES]->() XOR (p)-[:KNOWS]->() | ['Cy', 'Dee'] |
      | (p)-[:LIKES]->() OR p.a = 2 | ['Ann', 'Bob', 'Cy', 'Dee'] |
      | (p)-[:NOWHERE]->() OR p.a > 2 | ['Ann'] |
      | (p {a: 3})-->() | ['Ann'] |
      | (p:Drink)<--() | [] |
      | (:Drink)<-[:LIKES {w: p.a}]-() | ['Ann', 'Bob', 'Cy'] |
      | (p)-[:LIKES {w: p.a}]->() | [] |
      | (p)-[:LIKES {w: p.a + 1}]->() | ['Ann', 'Bob'] |
      | EXISTS { (p)-[:LIKES]->(d) WHERE d.n = 'mocha' } | ['Dee'] |
      | EXISTS { MATCH (p)-[:LIKES]->(d) RETURN d } | ['Ann', 'Bob', 'Dee'] |
      | EXISTS { MATCH (p)-[r:LIKES]->() WHERE r.w > p.a } | ['Ann', 'Bob'] |
      | NOT EXISTS { (p)-[:LIKES]->() } | ['Cy'] |
      | EXISTS { (p)-[:KNOWS]->(q) WHERE EXISTS { (q)-[:LIKES]->(:Drink) } } | ['Ann', 'Cy'] |
      | EXISTS { (p)-[:KNOWS]->(q) WHERE NOT (q)-[:LIKES]->() } | ['Bob'] |
      | NOT EXISTS { (p)-[:KNOWS]->(q) WHERE NOT (q)-[:LIKES]->() } | ['Ann', 'Cy', 'Dee'] |
      | EXISTS { MATCH (q) RETURN q LIMIT 0 } | [] |
      | EXISTS { MATCH (p)-[:KNOWS]->(q) RETURN q SKIP 1 } | [] |
      | EXISTS { MATCH (p)-[:NOWHERE]->(q) RETURN count(q) AS c } | ['Ann', 'Bob', 'Cy', 'Dee'] |
      | EXISTS { MATCH (p)-[:LIKES]->(q) WITH count(q) AS c WHERE c > 1 RETURN c } | ['Ann'] |
      | EXISTS { MATCH (q:P) WHERE q.a < p.a } | ['Ann', 'Cy'] |
      | EXISTS { UNWIND [1, 2] AS u MATCH (p {a: u}) RETURN u } | ['Bob', 'Cy'] |
      | EXISTS { MATCH (p)-[:LIKES]->(d) RETURN d.n AS v UNION MATCH (p)<-[:KNOWS]-(q) RETURN q.n AS v } | ['Ann', 'Bob', 'Cy', 'Dee'] |
      | EXISTS { (p)-[:KNOWS]->(), (p)-[:LIKES]->() } | ['Ann', 'Bob'] |
      | EXISTS { (p)-[:LIKES]->(), (p)-[:LIKES]->() } | ['Ann'] |
      | COUNT { (p)-[:LIKES]->() } = 2 | ['Ann'] |
      | COUNT { (p)-[:LIKES]->() } = 0 | ['Cy'] |
      | COUNT { (p)--() } >= COUNT { (p)-[:KNOWS]-() } + 2 | ['Ann'] |
      | COUNT { MATCH (p)-[:LIKES]->(d) RETURN DISTINCT d } = 1 | ['Ann', 'Bob', 'Dee'] |
      | size([(p)-[:LIKES]->(d) \| d]) > 1 | ['Ann'] |
      | 'tea' IN [(p)-[:LIKES]->(d) \| d.n] | ['Ann', 'Bob'] |
      | all(d IN [(p)-[:LIKES]->(e) \| e] WHERE d.n = 'tea') | ['Ann', 'Bob', 'Cy'] |
      | any(d IN [(p)-->(e) \| e] WHERE d:Drink) | ['Ann', 'Bob', 'Dee'] |
      | CASE WHEN (p)-[:KNOWS]->() THEN p.a > 1 ELSE true END | ['Ann', 'Cy', 'Dee'] |
      | any(m IN ['tea', 'mocha'] WHERE (p)-[:LIKES]->({n: m})) | ['Ann', 'Bob', 'Dee'] |

  Scenario Outline: Subqueries and comprehensions as values
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
      | MATCH (p:P {n: 'Ann'}) RETURN EXISTS { (p)-[:LIKES]->() } AS x | true |
      | MATCH (p:P {n: 'Cy'}) RETURN EXISTS { (p)-[:LIKES]->() } AS x | false |
      | MATCH (p:P) RETURN sum(COUNT { (p)-[:LIKES]->() }) AS x | 4 |
      | MATCH (p:P) WITH p, COUNT { (p)-[:LIKES]->(:Drink) } AS c WHERE c > 0 RETURN collect(c) AS x | [2, 1, 1] |
      | MATCH (d:Drink) RETURN collect([d.n, COUNT { (d)<-[:LIKES]-() }]) AS x | [['tea', 3], ['mocha', 1]] |
      | RETURN COUNT { MATCH (n:P) } AS x | 4 |
      | RETURN COUNT { (:P)-[:KNOWS]->(:P) } AS x | 3 |
      | RETURN COUNT { UNWIND [1, 1, 2] AS u RETURN DISTINCT u } AS x | 2 |
      | RETURN EXISTS { (:Nobody) } AS x | false |
      | MATCH (p {n: 'Ann'}) RETURN COLLECT { MATCH (p)-[r:LIKES]->() RETURN r.w ORDER BY r.w DESC } AS x | [4, 1] |
      | MATCH (p {n: 'Cy'}) RETURN COLLECT { MATCH (p)-[r:LIKES]->() RETURN r.w } AS x | [] |
      | MATCH (p {n: 'Ann'}) RETURN [(p)-[r:LIKES]->() \| r.w] AS x | [1, 4] |
      | MATCH (p {n: 'Ann'}) RETURN [(p)-[r]->(q) WHERE (q:P) \| q.n] AS x | ['Bob'] |
      | MATCH (p {n: 'Cy'}) RETURN [(p)-[:LIKES]->(q) \| q] AS x | [] |
      | MATCH (p {n: 'Ann'}) RETURN [(p)-[:KNOWS*1..2]->(q) \| q.n] AS x | ['Bob', 'Cy'] |
      | MATCH (p {n: 'Ann'}) RETURN [(p)-[:KNOWS]-(q) \| q.n] AS x | ['Bob', 'Cy'] |
      | MATCH (p {n: 'Ann'}) RETURN [(p)-[:KNOWS]->(q) \| [(q)-[:LIKES]->(d) \| d.n]] AS x | [['tea']] |
      | MATCH (p {n: 'Ann'}), (q {n: 'Bob'}) RETURN [(p)-[:LIKES]->(d)<-[:LIKES]-(q) \| d.n] AS x | ['tea', 'tea'] |
      | MATCH (p {n: 'Ann'}), (q {n: 'Dee'}) RETURN [(p)-[r]-(q) \| r] AS x | [] |
      | RETURN [(p:P)-[:LIKES]->({n: 'tea'}) \| p.n] AS x | ['Ann', 'Ann', 'Bob'] |
      | UNWIND ['tea', 'mocha'] AS m RETURN collect(size([(:P)-[r:LIKES]->({n: m}) \| r])) AS x | [3, 1] |
      | MATCH (p:P) RETURN collect(size([(p)-[:LIKES]->(d) \| 1])) AS x | [2, 1, 0, 1] |
      | MATCH (p:P) WITH collect(p) AS l RETURN [q IN l WHERE (q)-[:LIKES]->() \| q.n] AS x | ['Ann', 'Bob', 'Dee'] |
      | MATCH (p:P) WITH collect(p) AS l RETURN [q IN l \| size([(q)-[:KNOWS]->(z) \| z])] AS x | [1, 1, 1, 0] |
      | MATCH (p:P) WITH collect(p) AS l RETURN reduce(s = 0, q IN l \| s + COUNT { (q)-[:LIKES]->() }) AS x | 4 |
      | MATCH (n) WITH [x IN collect(n) WHERE (x:Drink) \| x.n] AS l RETURN l AS x | ['mocha', 'tea'] |
      | WITH 5 AS n MATCH (p {n: 'Ann'}) RETURN [(p)-[r:LIKES]->() WHERE r.w < n \| r.w + n] AS x | [6, 9] |

  Scenario: Rows in the order of a count of patterns
    When executing query:
      """
      MATCH (p:P) RETURN p.n ORDER BY COUNT { (p)-[:LIKES]->() } DESC, p.n
      """
    Then the result should be, in order:
      | p.n   |
      | 'Ann' |
      | 'Bob' |
      | 'Dee' |
      | 'Cy'  |
    And no side effects

  Scenario: Two bound ends of a pattern condition
    When executing query:
      """
      MATCH (a:P), (b:P) WHERE (a)-[:KNOWS]->(b) RETURN a.n, b.n
      """
    Then the result should be, in any order:
      | a.n   | b.n   |
      | 'Ann' | 'Bob' |
      | 'Bob' | 'Cy'  |
      | 'Cy'  | 'Ann' |
    And no side effects

  Scenario: A bound relationship in a pattern condition
    When executing query:
      """
      MATCH ()-[r:LIKES]->() WHERE (:P {n: 'Ann'})-[r]->() RETURN r.w
      """
    Then the result should be, in any order:
      | r.w |
      | 1   |
      | 4   |
    And no side effects

  Scenario: A null node matches no pattern condition
    When executing query:
      """
      OPTIONAL MATCH (p:Nobody) WITH p WHERE NOT EXISTS { (p)-->() } RETURN p
      """
    Then the result should be, in any order:
      | p    |
      | null |
    And no side effects

  Scenario: A count of a pattern as a property
    When executing query:
      """
      MATCH (p:P) SET p.likes = COUNT { (p)-[:LIKES]->() }
      WITH p WHERE p.likes > 1
      RETURN p.n, p.likes
      """
    Then the result should be, in any order:
      | p.n   | p.likes |
      | 'Ann' | 2       |
    And the side effects should be:
      | +properties | 4 |

  Scenario Outline: Mistakes with patterns as conditions
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                         | detail                   |
      | MATCH (p) WHERE (p)-[r]->() RETURN p                          | UndefinedVariable        |
      | MATCH (p) WHERE (q)-->(p) RETURN p                            | UndefinedVariable        |
      | MATCH (p) WHERE EXISTS { (p)-->(q) } RETURN q                 | UndefinedVariable        |
      | MATCH (p) RETURN [(p)-->(q) \| q.n] + q.n                     | UndefinedVariable        |
      | MATCH (p) WHERE EXISTS { MATCH (p) SET p.a = 1 } RETURN p     | InvalidClauseComposition |
      | MATCH (p) WHERE EXISTS { MATCH (p) DETACH DELETE p } RETURN p | InvalidClauseComposition |
      | MATCH (p) RETURN COUNT { MERGE (q) } AS c                     | InvalidClauseComposition |
      | MATCH (p) RETURN (p)-->()                                     | UnexpectedSyntax         |
      | MATCH (p) WITH (p)-->() AS x RETURN x                         | UnexpectedSyntax         |
      | MATCH (p) SET p.a = (p)-->()                                  | UnexpectedSyntax         |
      | MATCH (p) RETURN COLLECT { MATCH (q) RETURN q.n, q.a } AS c   | *                        |
      | MATCH (p) RETURN [(p)-->(p) \| count(*)] AS c                 | InvalidAggregation       |
