Feature: Shortest paths

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a {n: 'a'}), (b {n: 'b'}), (c {n: 'c'}), (d {n: 'd'}), (e {n: 'e'}), ({n: 'f'}),
        (x {n: 'x'}), (y {n: 'y'}), (a)-[:R {w: 1}]->(b), (b)-[:R {w: 1}]->(d),
        (a)-[:R {w: 2}]->(c),
        (c)-[:R {w: 2}]->(d), (d)-[:R {w: 2}]->(e), (e)-[:R {w: 2}]->(e), (a)-[:S]->(x),
        (x)-[:S]->(y),
        (y)-[:S]->(d)
      """

  Scenario Outline: The length of a shortest path
    When executing query:
      """
      MATCH p = <path> RETURN collect(length(p)) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | path                                            | result |
      | shortestPath(({n: 'a'})-[*]->({n: 'd'}))        | [2]    |
      | shortestPath(({n: 'a'})-[:R*]->({n: 'd'}))      | [2]    |
      | shortestPath(({n: 'a'})-[:S*]->({n: 'd'}))      | [3]    |
      | shortestPath(({n: 'a'})-[:R\|S*]->({n: 'e'}))   | [3]    |
      | shortestPath(({n: 'a'})-[*..1]->({n: 'd'}))     | []     |
      | shortestPath(({n: 'a'})-[*..2]->({n: 'd'}))     | [2]    |
      | shortestPath(({n: 'a'})-[*..2]->({n: 'e'}))     | []     |
      | shortestPath(({n: 'd'})-[*]->({n: 'a'}))        | []     |
      | shortestPath(({n: 'd'})<-[*]-({n: 'a'}))        | [2]    |
      | shortestPath(({n: 'd'})-[*]-({n: 'a'}))         | [2]    |
      | shortestPath(({n: 'b'})-[*]-({n: 'c'}))         | [2]    |
      | shortestPath(({n: 'b'})-[*]->({n: 'c'}))        | []     |
      | shortestPath(({n: 'b'})-[*]-({n: 'y'}))         | [2]    |
      | shortestPath(({n: 'a'})-[*]->({n: 'f'}))        | []     |
      | shortestPath(({n: 'a'})-[*]-({n: 'f'}))         | []     |
      | shortestPath(({n: 'a'})-[:R]->({n: 'b'}))       | [1]    |
      | shortestPath(({n: 'a'})-[:R]->({n: 'd'}))       | []     |
      | shortestPath(({n: 'a'})-[*0..]->({n: 'd'}))     | [2]    |
      | shortestPath(({n: 'x'})-[*]->({n: 'e'}))        | [3]    |
      | shortestPath(({n: 'a'})-[*]->(:Nothing))        | []     |
      | shortestPath(({n: 'a'})-[* {w: 1}]->({n: 'e'})) | []     |
      | allShortestPaths(({n: 'a'})-[*]->({n: 'd'}))    | [2, 2] |
      | allShortestPaths(({n: 'a'})-[*]->({n: 'e'}))    | [3, 3] |
      | allShortestPaths(({n: 'a'})-[:S*]->({n: 'e'}))  | []     |
      | allShortestPaths(({n: 'b'})-[*]-({n: 'c'}))     | [2, 2] |
      | allShortestPaths(({n: 'a'})-[*..1]->({n: 'd'})) | []     |
      | allShortestPaths(({n: 'x'})-[*]-({n: 'd'}))     | [2]    |
      | ANY SHORTEST ({n: 'a'})-[*]->({n: 'd'})         | [2]    |
      | ANY SHORTEST ({n: 'a'})-[:S]->+({n: 'd'})       | [3]    |
      | ALL SHORTEST ({n: 'a'})-[:R]->+({n: 'd'})       | [2, 2] |
      | ALL SHORTEST ({n: 'a'})-[:R]->*({n: 'e'})       | [3, 3] |

  Scenario: A shortest path is found for each pair of ends
    When executing query:
      """
      MATCH p = shortestPath(({n: 'a'})-[*]->(t)) WHERE t.n <> 'a' RETURN t.n, length(p)
      """
    Then the result should be, in any order:
      | t.n | length(p) |
      | 'b' | 1         |
      | 'c' | 1         |
      | 'd' | 2         |
      | 'e' | 3         |
      | 'x' | 1         |
      | 'y' | 2         |
    And no side effects

  Scenario: A shortest path of relationships with a property
    When executing query:
      """
      MATCH p = shortestPath(({n: 'a'})-[* {w: 2}]->({n: 'e'}))
      RETURN [n IN nodes(p) | n.n] AS x
      """
    Then the result should be, in any order:
      | x                    |
      | ['a', 'c', 'd', 'e'] |
    And no side effects

  Scenario: All shortest paths have their own nodes
    When executing query:
      """
      MATCH p = allShortestPaths(({n: 'a'})-[*]->({n: 'e'})) RETURN [n IN nodes(p) | n.n] AS x
      """
    Then the result should be, in any order:
      | x                    |
      | ['a', 'b', 'd', 'e'] |
      | ['a', 'c', 'd', 'e'] |
    And no side effects

  Scenario: A path against the arrows begins at its first node
    When executing query:
      """
      MATCH p = shortestPath(({n: 'e'})<-[:S|R*]-({n: 'y'}))
      RETURN [n IN nodes(p) | n.n] AS x, [r IN relationships(p) | type(r)] AS t
      """
    Then the result should be, in any order:
      | x               | t          |
      | ['e', 'd', 'y'] | ['R', 'S'] |
    And no side effects

  Scenario: Parallel relationships are several shortest paths
    When executing query:
      """
      MATCH (a {n: 'a'}), (b {n: 'b'})
      CREATE (a)-[:Q]->(b)
      WITH a, b
      MATCH p = allShortestPaths((a)-[*]->(b))
      RETURN [r IN relationships(p) | type(r)] AS t
      """
    Then the result should be, in any order:
      | t     |
      | ['R'] |
      | ['Q'] |
    And the side effects should be:
      | +relationships | 1 |

  Scenario: No path is null in OPTIONAL MATCH
    When executing query:
      """
      UNWIND ['d', 'f'] AS t
      MATCH (z {n: t})
      OPTIONAL MATCH p = shortestPath(({n: 'a'})-[*]->(z))
      RETURN t, length(p)
      """
    Then the result should be, in any order:
      | t   | length(p) |
      | 'd' | 2         |
      | 'f' | null      |
    And no side effects

  Scenario: The ends of a shortest path are known
    When executing query:
      """
      MATCH (a {n: 'a'}) UNWIND ['d', 'e', 'f'] AS t
      MATCH (z {n: t})
      MATCH p = shortestPath((a)-[*]->(z))
      RETURN t, length(p)
      """
    Then the result should be, in any order:
      | t   | length(p) |
      | 'd' | 2         |
      | 'e' | 3         |
    And no side effects

  Scenario: A shortest path beside other patterns
    When executing query:
      """
      MATCH (z {n: 'e'}), p = shortestPath((a)-[*]->(z)), (a {n: 'x'}) RETURN length(p)
      """
    Then the result should be, in any order:
      | length(p) |
      | 3         |
    And no side effects

  Scenario: The relationships of a shortest path have a variable
    When executing query:
      """
      MATCH shortestPath(({n: 'a'})-[r:S*]->({n: 'd'}))
      RETURN size(r), [x IN r | endNode(x).n] AS x
      """
    Then the result should be, in any order:
      | size(r) | x               |
      | 3       | ['x', 'y', 'd'] |
    And no side effects

  Scenario: A path of no relationships from a node to itself
    When executing query:
      """
      MATCH (a {n: 'b'}) MATCH p = shortestPath((a)-[*0..]->(z)) RETURN z.n, length(p)
      """
    Then the result should be, in any order:
      | z.n | length(p) |
      | 'b' | 0         |
      | 'd' | 1         |
      | 'e' | 2         |
    And no side effects

  Scenario Outline: What a shortest path cannot be
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                   | detail               |
      | MATCH p = shortestPath((a)-[*]->(b)-[*]->(c)) RETURN p  | *                    |
      | MATCH p = shortestPath((a)) RETURN p                    | *                    |
      | CREATE p = shortestPath((a)-[:R]->(b))                  | *                    |
      | MERGE p = shortestPath((a)-[:R]->(b))                   | *                    |
      | MATCH (p) MATCH p = shortestPath((a)-[*]->(b)) RETURN p | VariableAlreadyBound |
