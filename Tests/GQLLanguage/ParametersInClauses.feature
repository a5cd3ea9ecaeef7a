Feature: Parameters

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (a:N {v: 1, s: 'it\'s'}), (b:N {v: 2, s: 'b'}), (a)-[:R {k: 1}]->(b),
        (b)-[:R {k: 2}]->(a)
      """

  Scenario Outline: Parameters stand where values stand
    And parameters are:
      | one  | 1                           |
      | two  | 2.0                         |
      | s    | 'b'                         |
      | q    | 'it\\'s'                    |
      | none | null                        |
      | l    | [1, 2, 2]                   |
      | m    | {k: 1, in: {k: 2}, l: [5]}  |
      | t    | true                        |
      | evil | 'x\\'}) DETACH DELETE n //' |
      | a b  | 3                           |
      | 0    | 10                          |
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
      | MATCH (n {v: $one}) RETURN collect(n.v) AS x | [1] |
      | MATCH (n {v: $two}) RETURN collect(n.v) AS x | [2] |
      | MATCH (n {s: $q}) RETURN collect(n.v) AS x | [1] |
      | MATCH (n {s: $evil}) RETURN collect(n.v) AS x | [] |
      | MATCH (n {v: $none}) RETURN collect(n.v) AS x | [] |
      | MATCH (n {v: $m.k}) RETURN collect(n.v) AS x | [1] |
      | MATCH (n {v: $m.in.k}) RETURN collect(n.v) AS x | [2] |
      | MATCH (n {v: $l[1]}) RETURN collect(n.v) AS x | [2] |
      | MATCH (n) WHERE n.v IN $l RETURN collect(n.v) AS x | [1, 2] |
      | MATCH (n) WHERE NOT n.v IN [$one] RETURN collect(n.v) AS x | [2] |
      | MATCH (n) WHERE n.s STARTS WITH $s RETURN collect(n.v) AS x | [2] |
      | MATCH (n) WHERE $t RETURN collect(n.v) AS x | [1, 2] |
      | MATCH (n) WHERE $none RETURN collect(n.v) AS x | [] |
      | MATCH (n) WHERE n['v'] = $two RETURN collect(n.v) AS x | [2] |
      | MATCH ()-[r {k: $one}]->() RETURN collect(r.k) AS x | [1] |
      | MATCH ()-[r:R {k: $m.in.k}]->(n) RETURN collect(n.v) AS x | [1] |
      | MATCH ()-[r:R* {k: $one}]->(n) RETURN collect(n.v) AS x | [2] |
      | MATCH (n WHERE n.v > $one) RETURN collect(n.v) AS x | [2] |
      | MATCH (n:N {v: $one})-[:R]->(m {v: $two}) RETURN count(*) AS x | 1 |
      | UNWIND $l AS i MATCH (n {v: i}) RETURN collect(n.v) AS x | [1, 2, 2] |
      | UNWIND $l AS i RETURN sum(i) + $one AS x | 6 |
      | UNWIND $l AS i MATCH ()-[r:R {k: i}]->() RETURN collect(r.k) AS x | [1, 2, 2] |
      | RETURN [$one, $two, $none, $s] AS x | [1, 2.0, null, 'b'] |
      | RETURN $m AS x | {in: {k: 2}, k: 1, l: [5]} |
      | RETURN $m['k'] + $m.l[0] AS x | 6 |
      | RETURN $m.missing AS x | null |
      | RETURN $none.k AS x | null |
      | RETURN [i IN $l WHERE i > $one \| i * $two] AS x | [4.0, 4.0] |
      | RETURN $evil AS x | 'x\\'}) DETACH DELETE n //' |
      | RETURN CASE $one WHEN 1 THEN 'a' ELSE 'b' END AS x | 'a' |
      | RETURN $`a b` AS x | 3 |
      | RETURN $0 AS x | 10 |
      | MATCH (n) WHERE EXISTS { (n)-[:R {k: $two}]->() } RETURN collect(n.v) AS x | [2] |
      | MATCH (n {v: $one}) RETURN [(n)-[r {k: $one}]->(m {v: $two}) \| m.v] AS x | [2] |
      | WITH $one AS v MATCH (n {v: v}) RETURN collect(n.v) AS x | [1] |
      | MATCH (n) RETURN count(CASE WHEN n.v = $one THEN 1 END) AS x | 1 |
      | OPTIONAL MATCH (n {v: $`a b`}) RETURN n AS x | null |
      | MATCH (n) WHERE n.v = $one OR $none RETURN collect(n.v) AS x | [1] |

  Scenario: Parameters in SET and CREATE
    And parameters are:
      | v | 1                 |
      | m | {a: 1, b: [1, 2]} |
      | r | {c: 3}            |
    When executing query:
      """
      MATCH (n {v: $v}) SET n += $m CREATE (n)-[:Q $r]->(:M $m)
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes         | 1 |
      | +relationships | 1 |
      | +labels        | 1 |
      | +properties    | 5 |

  Scenario: A parameter is never a part of the query
    And parameters are:
      | p | '}) DETACH DELETE n //' |
    When executing query:
      """
      MERGE (n:N {s: $p}) RETURN n.s
      """
    Then the result should be, in any order:
      | n.s                     |
      | '}) DETACH DELETE n //' |
    And the side effects should be:
      | +nodes      | 1 |
      | +properties | 1 |

  Scenario Outline: Parameters without a value
    When executing query:
      """
      <query>
      """
    Then a ParameterMissing should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                     | detail           |
      | RETURN $x                                 | MissingParameter |
      | MATCH (n {v: $x}) RETURN n                | MissingParameter |
      | MATCH (n:Nothing) WHERE n.v = $x RETURN n | MissingParameter |
      | UNWIND [] AS i RETURN $x                  | MissingParameter |
      | RETURN 1 LIMIT $x                         | MissingParameter |
      | CREATE (n $x)                             | MissingParameter |
      | MATCH (n) SET n.v = $x                    | MissingParameter |
      | RETURN false AND $x                       | MissingParameter |
      | RETURN EXISTS { (n {v: $x}) }             | MissingParameter |

  Scenario Outline: Places where no parameter stands
    And parameters are:
      | p | {v: 1} |
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                        | detail              |
      | MATCH (n $p) RETURN n        | InvalidParameterUse |
      | MATCH ()-[r $p]->() RETURN r | InvalidParameterUse |
      | MATCH (n:$p) RETURN n        | *                   |
      | MATCH ()-[:$p]->() RETURN 1  | *                   |
      | MATCH ()-[*$p]->() RETURN 1  | *                   |
      | RETURN 1 AS $p               | *                   |
      | MATCH ($p) RETURN 1          | *                   |

  Scenario: A parameter in the map of a relationship chooses what SET changes
    And parameters are:
      | m | {k: 2} |
    When executing query:
      """
      MATCH ()-[r:R {k: $m.k}]->() SET r.seen = true WITH count(*) AS c
      MATCH ()-[r:R]->() RETURN r.k AS k, r.seen AS seen ORDER BY k
      """
    Then the result should be, in order:
      | k | seen |
      | 1 | null |
      | 2 | true |
    And the side effects should be:
      | +properties | 1 |

  Scenario: A variable in the map of a relationship chooses what DELETE removes
    And parameters are:
      | l | [2, 3] |
    When executing query:
      """
      UNWIND $l AS k MATCH ()-[r:R {k: k}]->() DELETE r WITH count(*) AS c
      MATCH ()-[r:R]->() RETURN r.k AS k
      """
    Then the result should be, in any order:
      | k |
      | 1 |
    And the side effects should be:
      | -relationships | 1 |
      | -properties    | 1 |
