Feature: SET

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:A {v: 1, w: 'a'})-[:R {k: 1}]->(:B {v: 2, x: true})
      """

  Scenario: A property is changed
    When executing query:
      """
      MATCH (a:A) SET a.v = 5 RETURN a
      """
    Then the result should be, in any order:
      | a                   |
      | (:A {v: 5, w: 'a'}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A property is added
    When executing query:
      """
      MATCH (a:A) SET a.z = [1, 2] RETURN a.z
      """
    Then the result should be, in any order:
      | a.z    |
      | [1, 2] |
    And the side effects should be:
      | +properties | 1 |

  Scenario: A property keeps its value
    When executing query:
      """
      MATCH (a:A) SET a.v = 1
      """
    Then the result should be empty
    And no side effects

  Scenario: null removes a property
    When executing query:
      """
      MATCH (a:A) SET a.v = null RETURN a
      """
    Then the result should be, in any order:
      | a             |
      | (:A {w: 'a'}) |
    And the side effects should be:
      | -properties | 1 |

  Scenario: null for a property that is not there
    When executing query:
      """
      MATCH (a:A) SET a.z = null RETURN a.z
      """
    Then the result should be, in any order:
      | a.z  |
      | null |
    And no side effects

  Scenario: A property that changes its type
    When executing query:
      """
      MATCH (a:A) SET a.v = 'one' RETURN a.v
      """
    Then the result should be, in any order:
      | a.v   |
      | 'one' |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A property by an expression on itself
    When executing query:
      """
      MATCH (n) SET n.v = n.v * 10 RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 10  |
      | 20  |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A later item sees an earlier one
    When executing query:
      """
      MATCH (a:A) SET a.v = a.v + 1, a.u = a.v RETURN a.v, a.u
      """
    Then the result should be, in any order:
      | a.v | a.u |
      | 2   | 2   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario: Two properties do not swap in one SET
    When executing query:
      """
      MATCH (a:A) SET a.v = a.w, a.w = a.v RETURN a.v, a.w
      """
    Then the result should be, in any order:
      | a.v | a.w |
      | 'a' | 'a' |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: Two properties swap by WITH
    When executing query:
      """
      MATCH (a:A) WITH a, a.v AS v, a.w AS w SET a.v = w, a.w = v RETURN a.v, a.w
      """
    Then the result should be, in any order:
      | a.v | a.w |
      | 'a' | 1   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: The last of two items wins
    When executing query:
      """
      MATCH (a:A) SET a.v = 2, a.v = 3 RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 3   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A map replaces all properties
    When executing query:
      """
      MATCH (a:A) SET a = {z: 1} RETURN a
      """
    Then the result should be, in any order:
      | a           |
      | (:A {z: 1}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 2 |

  Scenario: An empty map removes all properties
    When executing query:
      """
      MATCH (a:A) SET a = {} RETURN a
      """
    Then the result should be, in any order:
      | a    |
      | (:A) |
    And the side effects should be:
      | -properties | 2 |

  Scenario: A map with null
    When executing query:
      """
      MATCH (a:A) SET a = {v: null, w: 'b'} RETURN a
      """
    Then the result should be, in any order:
      | a             |
      | (:A {w: 'b'}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 2 |

  Scenario: A map adds and changes
    When executing query:
      """
      MATCH (a:A) SET a += {v: 9, z: 1} RETURN a
      """
    Then the result should be, in any order:
      | a                         |
      | (:A {v: 9, w: 'a', z: 1}) |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario: A map that adds removes by null
    When executing query:
      """
      MATCH (a:A) SET a += {v: null, no: null} RETURN a
      """
    Then the result should be, in any order:
      | a             |
      | (:A {w: 'a'}) |
    And the side effects should be:
      | -properties | 1 |

  Scenario: An empty map adds nothing
    When executing query:
      """
      MATCH (a:A) SET a += {}
      """
    Then the result should be empty
    And no side effects

  Scenario: All properties of another node
    When executing query:
      """
      MATCH (a:A), (b:B) SET a = b RETURN a
      """
    Then the result should be, in any order:
      | a                    |
      | (:A {v: 2, x: true}) |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: The properties of another node are added
    When executing query:
      """
      MATCH (a:A), (b:B) SET a += b RETURN a
      """
    Then the result should be, in any order:
      | a                            |
      | (:A {v: 2, w: 'a', x: true}) |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario: The properties of a relationship go to a node
    When executing query:
      """
      MATCH (a:A)-[r]->() SET a = r RETURN a
      """
    Then the result should be, in any order:
      | a           |
      | (:A {k: 1}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 2 |

  Scenario: The properties of a node go to a relationship
    When executing query:
      """
      MATCH (a:A)-[r]->() SET r += a RETURN r
      """
    Then the result should be, in any order:
      | r                         |
      | [:R {k: 1, v: 1, w: 'a'}] |
    And the side effects should be:
      | +properties | 2 |

  Scenario: properties() of a node is a map
    When executing query:
      """
      MATCH (a:A), (b:B) SET b = properties(a) RETURN b
      """
    Then the result should be, in any order:
      | b                   |
      | (:B {v: 1, w: 'a'}) |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A node from itself
    When executing query:
      """
      MATCH (a:A) SET a = a RETURN a
      """
    Then the result should be, in any order:
      | a                   |
      | (:A {v: 1, w: 'a'}) |
    And no side effects

  Scenario: A map of values on the old properties
    When executing query:
      """
      MATCH (a:A) SET a = {v: a.v + 1, old: a.w} RETURN a
      """
    Then the result should be, in any order:
      | a                     |
      | (:A {old: 'a', v: 2}) |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A map from a parameter
    And parameters are:
      | m | {p: 1, q: null} |
    When executing query:
      """
      MATCH (a:A) SET a = $m RETURN a
      """
    Then the result should be, in any order:
      | a           |
      | (:A {p: 1}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 2 |

  Scenario: A parameter adds
    And parameters are:
      | m | {v: 7} |
    When executing query:
      """
      MATCH (a:A) SET a += $m RETURN a
      """
    Then the result should be, in any order:
      | a                   |
      | (:A {v: 7, w: 'a'}) |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A relationship is changed
    When executing query:
      """
      MATCH ()-[r:R]->() SET r.k = r.k + 1, r.l = 'x' RETURN r
      """
    Then the result should be, in any order:
      | r                   |
      | [:R {k: 2, l: 'x'}] |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 1 |

  Scenario: A relationship is replaced
    When executing query:
      """
      MATCH ()-[r:R]->() SET r = {l: 1} RETURN r
      """
    Then the result should be, in any order:
      | r           |
      | [:R {l: 1}] |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: Labels are added
    When executing query:
      """
      MATCH (a:A) SET a:C:D RETURN labels(a) AS l
      """
    Then the result should be (ignoring element order for lists):
      | l               |
      | ['A', 'C', 'D'] |
    And the side effects should be:
      | +labels | 2 |

  Scenario: A label that is there
    When executing query:
      """
      MATCH (a:A) SET a:A
      """
    Then the result should be empty
    And no side effects

  Scenario: A label and a property in one SET
    When executing query:
      """
      MATCH (a:A) SET a:C, a.z = size(labels(a)) RETURN a.z
      """
    Then the result should be, in any order:
      | a.z |
      | 2   |
    And the side effects should be:
      | +labels     | 1 |
      | +properties | 1 |

  Scenario: A label by IS
    When executing query:
      """
      MATCH (a:A) SET a IS C RETURN a:C AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |
    And the side effects should be:
      | +labels | 1 |

  Scenario: A label is matched at once
    When executing query:
      """
      MATCH (a:A) SET a:C WITH 1 AS one MATCH (c:C) RETURN c.v
      """
    Then the result should be, in any order:
      | c.v |
      | 1   |
    And the side effects should be:
      | +labels | 1 |

  Scenario: null in place of a node changes nothing
    When executing query:
      """
      OPTIONAL MATCH (z:Z) SET z.v = 1, z:Q, z += {a: 1}, z = {b: 2} RETURN z
      """
    Then the result should be, in any order:
      | z    |
      | null |
    And no side effects

  Scenario: A null relationship changes nothing
    When executing query:
      """
      MATCH (b:B) OPTIONAL MATCH (b)-[r]->() SET r.k = 5 RETURN r
      """
    Then the result should be, in any order:
      | r    |
      | null |
    And no side effects

  Scenario: Each row changes in turn
    When executing query:
      """
      UNWIND [1, 2, 3] AS i MATCH (a:A) SET a.v = a.v + i RETURN DISTINCT a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 7   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: Rows that share a node keep the last value
    When executing query:
      """
      UNWIND [3, 1, 2] AS i MATCH (a:A) SET a.v = i WITH DISTINCT a RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 2   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: An element of a list
    When executing query:
      """
      MATCH (n)
      WITH collect(n) AS l SET (l[0]).seen = true
      RETURN size([x IN l WHERE x.seen]) AS c
      """
    Then the result should be, in any order:
      | c |
      | 1 |
    And the side effects should be:
      | +properties | 1 |

  Scenario: A property of an expression in parentheses
    When executing query:
      """
      MATCH (a:A) SET (a).v = 3 RETURN a.v
      """
    Then the result should be, in any order:
      | a.v |
      | 3   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: The end of a relationship
    When executing query:
      """
      MATCH ()-[r:R]->() SET (endNode(r)).v = 8 RETURN endNode(r).v AS v
      """
    Then the result should be, in any order:
      | v |
      | 8 |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A name with a dot
    When executing query:
      """
      MATCH (a:A) SET a.`x.y` = 1, a.`it's` = 2 RETURN a.`x.y` + a.`it's` AS s
      """
    Then the result should be, in any order:
      | s |
      | 3 |
    And the side effects should be:
      | +properties | 2 |

  Scenario: A filter after SET sees the change
    When executing query:
      """
      MATCH (n) SET n.v = n.v + 10 WITH n WHERE n.v > 11 RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 12  |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: A filter before SET is not asked again
    When executing query:
      """
      MATCH (n) WHERE n.v < 3 SET n.v = n.v + 1 RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 2   |
      | 3   |
    And the side effects should be:
      | +properties | 2 |
      | -properties | 2 |

  Scenario: SET by the value of the other node
    When executing query:
      """
      MATCH (a:A)-->(b:B) SET a.v = b.v, b.v = a.v RETURN a.v, b.v
      """
    Then the result should be, in any order:
      | a.v | b.v |
      | 2   | 2   |
    And the side effects should be:
      | +properties | 1 |
      | -properties | 1 |

  Scenario: A text of 1,000 characters
    When executing query:
      """
      MATCH (a:A) SET a.t = reduce(s = '', i IN range(1, 1000) | s + 'é')
      RETURN size(a.t) AS s
      """
    Then the result should be, in any order:
      | s    |
      | 1000 |
    And the side effects should be:
      | +properties | 1 |

  Scenario Outline: Mistakes in SET
    When executing query:
      """
      <query>
      """
    Then a SyntaxError should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                        | detail             |
      | MATCH (a) SET b.v = 1        | UndefinedVariable  |
      | MATCH (a) SET b:C            | UndefinedVariable  |
      | MATCH (a) SET a.v = b.v      | UndefinedVariable  |
      | MATCH (a) SET a              | *                  |
      | MATCH (a) SET a.v            | *                  |
      | MATCH (a) SET a.v == 1       | *                  |
      | MATCH (a) SET 1 = 2          | *                  |
      | MATCH (a) SET a.v = count(a) | InvalidAggregation |
      | MATCH (a) SET a:A\|B         | *                  |
      | MATCH (a) SET a.v += 1       | *                  |

  Scenario Outline: Values that SET does not take
    When executing query:
      """
      <query>
      """
    Then an error should be raised at runtime: <detail>
    And no side effects

    Examples:
      | query                                 | detail              |
      | MATCH (a:A) SET a.v = {k: 1}          | InvalidPropertyType |
      | MATCH (a:A) SET a.v = [{k: 1}]        | InvalidPropertyType |
      | MATCH (a:A) SET a.v = a               | InvalidPropertyType |
      | MATCH (a:A) SET a.v = 2, a.z = {k: 1} | InvalidPropertyType |
      | MATCH (a:A) SET a = 1                 | InvalidArgumentType |
      | MATCH (a:A) SET a += [1]              | InvalidArgumentType |
      | MATCH (n) SET n.v = n.v / (n.v - 2)   | DivisionByZero      |
      | MATCH (a:A) SET a += {z: {k: 1}}      | InvalidPropertyType |
