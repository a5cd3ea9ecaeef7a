Feature: Named paths

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:A {n: 'a'})-[:R {k: 1}]->(b:B {n: 'b'})-[:S {k: 2}]->(c:C {n: 'c'}),
        (c)-[:R {k: 3}]->(a), (b)-[:L {k: 4}]->(b)
      """

  Scenario: A path is shown with its directions
    When executing query:
      """
      MATCH p = (:B)<-[:R]-(:A)<-[:R]-(:C) RETURN p
      """
    Then the result should be, in any order:
      | p                                                                     |
      | <(:B {n: 'b'})<-[:R {k: 1}]-(:A {n: 'a'})<-[:R {k: 3}]-(:C {n: 'c'})> |
    And no side effects

  Scenario: A path either way keeps the direction of its relationships
    When executing query:
      """
      MATCH p = (:C)-[:S]-(:B) RETURN p
      """
    Then the result should be, in any order:
      | p                                          |
      | <(:C {n: 'c'})<-[:S {k: 2}]-(:B {n: 'b'})> |
    And no side effects

  Scenario: A path of a loop
    When executing query:
      """
      MATCH p = (:B)-[:L]-(b) RETURN p
      """
    Then the result should be, in any order:
      | p                                          |
      | <(:B {n: 'b'})-[:L {k: 4}]->(:B {n: 'b'})> |
    And no side effects

  Scenario: A path of one node
    When executing query:
      """
      MATCH p = (:C) RETURN p, length(p), relationships(p)
      """
    Then the result should be, in any order:
      | p               | length(p) | relationships(p) |
      | <(:C {n: 'c'})> | 0         | []               |
    And no side effects

  Scenario Outline: Functions of paths
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
      | MATCH p = (:A)-->()-->(:C) RETURN [n IN nodes(p) \| n.n] AS x | ['a', 'b', 'c'] |
      | MATCH p = (:C)<--()<--(:A) RETURN [n IN nodes(p) \| n.n] AS x | ['c', 'b', 'a'] |
      | MATCH p = (:C)<--()<--(:A) RETURN [r IN relationships(p) \| r.k] AS x | [2, 1] |
      | MATCH p = (:A)-[:R*1..1]->()-[:S*]->(:C) RETURN length(p) AS x | 2 |
      | MATCH p = (:A)-[*0..0]->() RETURN length(p) AS x | 0 |
      | MATCH p = (:A)-->()-[:L]->()-->(:C) RETURN [n IN nodes(p) \| n.n] AS x | ['a', 'b', 'b', 'c'] |
      | MATCH p = (a:A)-[*3]->(a) RETURN [r IN relationships(p) \| type(r)] AS x | ['R', 'S', 'R'] |
      | MATCH p = (a:A)-[*4]->(a) RETURN [r IN relationships(p) \| type(r)] AS x | ['R', 'L', 'S', 'R'] |
      | MATCH p = (:A)-[:R]->() RETURN head(nodes(p)).n + last(nodes(p)).n AS x | 'ab' |
      | MATCH p = (:A)-[:R]->(), q = (:B)-[:S]->() RETURN length(p) + length(q) AS x | 2 |
      | MATCH p = (:A)-->(:B) MATCH q = (:A)-->(:B) RETURN p = q AS x | true |
      | MATCH p = (:A)-->(:B) MATCH q = (:B)<--(:A) RETURN nodes(p) = reverse(nodes(q)) AS x | true |
      | MATCH p = (:A)-->(:B), q = (:B)-[:S]->(:C) RETURN p = q AS x | false |
      | MATCH p = (a:A)-->(:B) WITH p AS q RETURN length(q) AS x | 1 |
      | MATCH p = ()-[:R]->() WITH collect(p) AS l RETURN size(l) AS x | 2 |
      | MATCH p = (:A)-[*..2]->() UNWIND nodes(p) AS n RETURN count(DISTINCT n) AS x | 3 |
      | MATCH p = (:A)-[*..2]->() RETURN count(DISTINCT p) AS x | 3 |
      | MATCH p = ()-[:R]-() RETURN count(p) AS x | 4 |
      | MATCH p = (a:A)-[:R]->(b) WHERE length(p) = 1 AND b IN nodes(p) RETURN b.n AS x | 'b' |
      | OPTIONAL MATCH p = (:Z)-->() RETURN [p, length(p), nodes(p), relationships(p)] AS x | [null, null, null, null] |
      | MATCH (a:A) OPTIONAL MATCH p = (a)-[:S]->() RETURN p IS NULL AS x | true |
      | MATCH p = (:A)-[:R]->(b) WITH b, p MATCH q = (b)-[:S]->() RETURN [n IN nodes(p) + nodes(q) \| n.n] AS x | ['a', 'b', 'b', 'c'] |
      | MATCH (b:B) RETURN size([q = (b)-->() \| q]) AS x | 2 |
      | MATCH (a:A) RETURN [q = (a)-[*2]->() WHERE length(q) = 2 AND none(r IN relationships(q) WHERE r:L) \| last(nodes(q)).n] AS x | ['c'] |
      | CREATE p = (:X)-[:Q]->(:Y) DELETE p RETURN 1 AS x | 1 |

  Scenario: A path that is created
    When executing query:
      """
      CREATE p = (:X {v: 1})<-[:Q]-(:Y) RETURN p, length(p)
      """
    Then the result should be, in any order:
      | p                        | length(p) |
      | <(:X {v: 1})<-[:Q]-(:Y)> | 1         |
    And the side effects should be:
      | +nodes         | 2 |
      | +relationships | 1 |
      | +labels        | 2 |
      | +properties    | 1 |

  Scenario: A path that is merged with a known end
    When executing query:
      """
      MATCH (a:A) MERGE p = (a)-[:R]->(:B) RETURN p
      """
    Then the result should be, in any order:
      | p                                          |
      | <(:A {n: 'a'})-[:R {k: 1}]->(:B {n: 'b'})> |
    And no side effects

  Scenario Outline: Mistakes with paths
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                    | detail               |
      | MATCH p = (a)-->(b) RETURN p.n           | InvalidArgumentType  |
      | MATCH p = (a), p = (b) RETURN p          | VariableAlreadyBound |
      | MATCH p = (p) RETURN p                   | VariableAlreadyBound |
      | MATCH p = ()-[p]->() RETURN p            | VariableAlreadyBound |
      | MATCH p = () MATCH (p) RETURN p          | VariableTypeConflict |
      | MATCH p = () MATCH ()-[p]->() RETURN p   | VariableTypeConflict |
      | MATCH (a) RETURN nodes(a)                | InvalidArgumentType  |
      | MATCH ()-[r]->() RETURN relationships(r) | InvalidArgumentType  |
      | MATCH p = () RETURN type(p)              | InvalidArgumentType  |
