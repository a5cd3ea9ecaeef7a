Feature: Groups and aggregates

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (r:T {n: 'red'}), (b:T {n: 'blue'}), (e:T {n: 'empty'}), (x:I {v: 1, w: 1.5}),
        (y:I {v: 2}), (z:I {v: 2, w: 0.5}),
        (r)-[:IN {q: 3}]->(x), (r)-[:IN {q: 4}]->(y), (b)-[:IN {q: 5}]->(y),
        (b)-[:IN {q: 5}]->(z)
      """

  Scenario: Columns without aggregates are the keys
    When executing query:
      """
      MATCH (t:T)-[r:IN]->(i) RETURN t.n, i.v, count(*), sum(r.q)
      """
    Then the result should be, in any order:
      | t.n    | i.v | count(*) | sum(r.q) |
      | 'red'  | 1   | 1        | 3        |
      | 'red'  | 2   | 1        | 4        |
      | 'blue' | 2   | 2        | 10       |
    And no side effects

  Scenario: A key is anywhere among the columns
    When executing query:
      """
      MATCH (t:T)-[r:IN]->(i) RETURN count(*) AS c, t.n, sum(r.q) AS s, i.v
      """
    Then the result should be, in any order:
      | c | t.n    | s  | i.v |
      | 1 | 'red'  | 3  | 1   |
      | 1 | 'red'  | 4  | 2   |
      | 2 | 'blue' | 10 | 2   |
    And no side effects

  Scenario: A node is a key by itself
    When executing query:
      """
      MATCH ()-[:IN]->(i) RETURN i, count(*) AS c
      """
    Then the result should be, in any order:
      | i                   | c |
      | (:I {v: 1, w: 1.5}) | 1 |
      | (:I {v: 2})         | 2 |
      | (:I {v: 2, w: 0.5}) | 1 |
    And no side effects

  Scenario: A key of an expression
    When executing query:
      """
      MATCH (i:I) RETURN i.v % 2 = 0 AS even, count(*) AS c
      """
    Then the result should be, in any order:
      | even  | c |
      | true  | 2 |
      | false | 1 |
    And no side effects

  Scenario: A key that is null
    When executing query:
      """
      MATCH (i:I) RETURN i.w AS w, collect(i.v) AS l
      """
    Then the result should be, in any order:
      | w    | l   |
      | 1.5  | [1] |
      | null | [2] |
      | 0.5  | [2] |
    And no side effects

  Scenario: A key of a constant
    When executing query:
      """
      MATCH (i:I) RETURN 'all' AS k, sum(i.v) AS s
      """
    Then the result should be, in any order:
      | k     | s |
      | 'all' | 5 |
    And no side effects

  Scenario: A constant as a key of no rows
    When executing query:
      """
      MATCH (i:Nothing) RETURN 'all' AS k, count(i) AS s
      """
    Then the result should be empty
    And no side effects

  Scenario: No key and no rows
    When executing query:
      """
      MATCH (i:Nothing)
      RETURN count(i) AS a, count(*) AS b, collect(i) AS c, min(i.v) AS d, avg(i.v) AS e,
        sum(i.v) AS f
      """
    Then the result should be, in any order:
      | a | b | c  | d    | e    | f |
      | 0 | 0 | [] | null | null | 0 |
    And no side effects

  Scenario: Only what is not null counts
    When executing query:
      """
      MATCH (i:I) RETURN count(*) AS a, count(i) AS b, count(i.w) AS c, count(i.no) AS d
      """
    Then the result should be, in any order:
      | a | b | c | d |
      | 3 | 3 | 2 | 0 |
    And no side effects

  Scenario: DISTINCT within an aggregate
    When executing query:
      """
      MATCH (i:I)
      RETURN count(DISTINCT i.v) AS a, sum(DISTINCT i.v) AS b, collect(DISTINCT i.v) AS c,
        avg(DISTINCT i.v) AS d
      """
    Then the result should be (ignoring element order for lists):
      | a | b | c      | d   |
      | 2 | 3 | [1, 2] | 1.5 |
    And no side effects

  Scenario: DISTINCT nodes that are reached twice
    When executing query:
      """
      MATCH (t:T)-[:IN]->(i)
      RETURN count(i) AS a, count(DISTINCT i) AS b, count(DISTINCT t) AS c
      """
    Then the result should be, in any order:
      | a | b | c |
      | 4 | 3 | 2 |
    And no side effects

  Scenario: Arithmetic around aggregates
    When executing query:
      """
      MATCH (:T)-[r:IN]->()
      RETURN sum(r.q) * 1.0 / count(*) AS m, max(r.q) - min(r.q) + 1 AS w
      """
    Then the result should be, in any order:
      | m    | w |
      | 4.25 | 3 |
    And no side effects

  Scenario: An aggregate within a map and a list
    When executing query:
      """
      MATCH (:T)-[r:IN]->() RETURN {n: count(*), l: [min(r.q), max(r.q)]} AS m
      """
    Then the result should be, in any order:
      | m                 |
      | {l: [3, 5], n: 4} |
    And no side effects

  Scenario: A list is made of a group
    When executing query:
      """
      MATCH (t:T) OPTIONAL MATCH (t)-[r:IN]->() RETURN t.n AS n, size(collect(r)) AS c
      """
    Then the result should be, in any order:
      | n       | c |
      | 'red'   | 2 |
      | 'blue'  | 2 |
      | 'empty' | 0 |
    And no side effects

  Scenario: An aggregate within a function
    When executing query:
      """
      MATCH (t:T) RETURN head(collect(t.n)) IS NOT NULL AS a, coalesce(max(t.no), 'none') AS b
      """
    Then the result should be, in any order:
      | a    | b      |
      | true | 'none' |
    And no side effects

  Scenario: An aggregate of an aggregate needs WITH
    When executing query:
      """
      MATCH (t:T)-[r:IN]->() WITH t, sum(r.q) AS s RETURN max(s) AS m, min(s) AS l
      """
    Then the result should be, in any order:
      | m  | l |
      | 10 | 7 |
    And no side effects

  Scenario: Groups after a filter of groups
    When executing query:
      """
      MATCH (t:T)-[r:IN]->()
      WITH t, sum(r.q) AS s WHERE s > 8
      MATCH (t)-->(i)
      RETURN t.n, collect(i.v) AS l
      """
    Then the result should be, in any order:
      | t.n    | l      |
      | 'blue' | [2, 2] |
    And no side effects

  Scenario: Groups of an UNWIND with equal values of other types
    When executing query:
      """
      UNWIND [1, 1.0, '1', true] AS x RETURN x, count(*) AS c
      """
    Then the result should be, in any order:
      | x    | c |
      | 1    | 2 |
      | '1'  | 1 |
      | true | 1 |
    And no side effects

  Scenario: Groups of lists
    When executing query:
      """
      UNWIND [[1, 2], [2, 1], [1, 2]] AS x RETURN x, count(*) AS c
      """
    Then the result should be, in any order:
      | x      | c |
      | [1, 2] | 2 |
      | [2, 1] | 1 |
    And no side effects

  Scenario: Groups of maps
    When executing query:
      """
      UNWIND [{a: 1, b: 2}, {b: 2, a: 1}, {a: 1}] AS x RETURN x, count(*) AS c
      """
    Then the result should be, in any order:
      | x            | c |
      | {a: 1, b: 2} | 2 |
      | {a: 1}       | 1 |
    And no side effects

  Scenario: A relationship is a key
    When executing query:
      """
      MATCH ()-[r:IN]->() RETURN r, count(*) AS c
      """
    Then the result should be, in any order:
      | r            | c |
      | [:IN {q: 3}] | 1 |
      | [:IN {q: 4}] | 1 |
      | [:IN {q: 5}] | 1 |
      | [:IN {q: 5}] | 1 |
    And no side effects

  Scenario: A path is a key
    When executing query:
      """
      MATCH p = (:T {n: 'red'})-->() UNWIND [1, 2] AS u
      RETURN length(p) AS l, count(DISTINCT p) AS d, count(p) AS c
      """
    Then the result should be, in any order:
      | l | d | c |
      | 1 | 2 | 4 |
    And no side effects

  Scenario: An aggregate does not see another row of DISTINCT
    When executing query:
      """
      MATCH (i:I) WITH DISTINCT i.v AS v RETURN sum(v) AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |
    And no side effects

  Scenario: min and max of texts
    When executing query:
      """
      MATCH (t:T) RETURN min(t.n) AS a, max(t.n) AS b
      """
    Then the result should be, in any order:
      | a      | b     |
      | 'blue' | 'red' |
    And no side effects

  Scenario: A sum of integers and floats
    When executing query:
      """
      MATCH (i:I) RETURN sum(i.w) AS a, sum(i.v + coalesce(i.w, 0)) AS b
      """
    Then the result should be, in any order:
      | a   | b   |
      | 2.0 | 7.0 |
    And no side effects

  Scenario: A mean of integers is a float
    When executing query:
      """
      UNWIND [2, 4] AS x RETURN avg(x) AS a
      """
    Then the result should be, in any order:
      | a   |
      | 3.0 |
    And no side effects

  Scenario: A condition within count
    When executing query:
      """
      MATCH (i:I)
      RETURN count(CASE WHEN i.v = 2 THEN 1 END) AS a, sum(CASE WHEN i.w IS NULL THEN
        1 ELSE 0 END) AS b
      """
    Then the result should be, in any order:
      | a | b |
      | 2 | 1 |
    And no side effects

  Scenario: DISTINCT after groups
    When executing query:
      """
      MATCH (t:T)-[r:IN]->() WITH DISTINCT t.n AS n, count(*) AS c RETURN DISTINCT c
      """
    Then the result should be, in any order:
      | c |
      | 2 |
    And no side effects

  Scenario: Every part of a key counts
    When executing query:
      """
      MATCH (t:T)-[r:IN]->(i) RETURN t.n + i.v AS k, count(*) AS c
      """
    Then the result should be, in any order:
      | k       | c |
      | 'red1'  | 1 |
      | 'red2'  | 1 |
      | 'blue2' | 2 |
    And no side effects

  Scenario: An expression of a key beside an aggregate
    When executing query:
      """
      MATCH (t:T)-[r:IN]->() WITH t.n AS n, r RETURN n, size(n) + count(r) AS c
      """
    Then the result should be, in any order:
      | n      | c |
      | 'red'  | 5 |
      | 'blue' | 6 |
    And no side effects

  Scenario: A parameter beside an aggregate
    And parameters are:
      | p | 10 |
    When executing query:
      """
      MATCH (i:I) RETURN count(*) + $p AS c
      """
    Then the result should be, in any order:
      | c  |
      | 13 |
    And no side effects

  Scenario: Null is passed over in collect
    When executing query:
      """
      UNWIND [1, null, 2, null] AS x RETURN collect(x) AS l, size(collect(x)) AS s
      """
    Then the result should be, in any order:
      | l      | s |
      | [1, 2] | 2 |
    And no side effects

  Scenario Outline: Mistakes with aggregates
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                             | detail                         |
      | MATCH (i) RETURN count(sum(i.v))                  | NestedAggregation              |
      | MATCH (i) RETURN i.v + count(*)                   | AmbiguousAggregationExpression |
      | MATCH (i) RETURN i.v + i.w + count(*) AS x, i.v   | AmbiguousAggregationExpression |
      | MATCH (i) WITH i.v + count(*) AS x RETURN x       | AmbiguousAggregationExpression |
      | MATCH (i) SET i.v = count(*)                      | InvalidAggregation             |
      | UNWIND [1] AS x UNWIND [sum(x)] AS y RETURN y     | InvalidAggregation             |
      | MATCH (i {v: count(*)}) RETURN i                  | InvalidAggregation             |
      | CREATE (i {v: count(*)})                          | InvalidAggregation             |
      | MATCH (i) DELETE collect(i)[0]                    | InvalidAggregation             |
      | MATCH (i) RETURN [x IN [1] \| sum(x)]             | InvalidAggregation             |
      | MATCH (i) RETURN all(x IN [1] WHERE count(*) = x) | InvalidAggregation             |
      | MATCH (i) RETURN sum()                            | InvalidNumberOfArguments       |
      | MATCH (i) RETURN sum(i.v, 2)                      | InvalidNumberOfArguments       |
      | MATCH (i) RETURN size(DISTINCT i.v)               | *                              |
      | MATCH (i) RETURN sum(*)                           | *                              |

  Scenario: A sum of texts
    When executing query:
      """
      UNWIND ['a', 'b'] AS x RETURN sum(x)
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType
    And no side effects

  Scenario: A sum with no room
    When executing query:
      """
      UNWIND [9223372036854775807, 1] AS x RETURN sum(x)
      """
    Then an ArithmeticError should be raised at runtime: IntegerOverflow
    And no side effects
