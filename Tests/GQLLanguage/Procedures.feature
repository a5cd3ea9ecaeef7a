Feature: CALL of procedures

  Scenario: A call by itself has all columns
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Bob')
      """
    Then the result should be, in any order:
      | age | city   |
      | 25  | 'Rome' |
      | 26  | 'Bern' |
    And no side effects

  Scenario: A call without arguments
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names()
      """
    Then the result should be, in any order:
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And no side effects

  Scenario: A call by itself needs no parentheses
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names
      """
    Then the result should be, in any order:
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And no side effects

  Scenario: A call that finds no rows
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Zed')
      """
    Then the result should be empty
    And no side effects

  Scenario: YIELD chooses columns
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Bob') YIELD city RETURN city
      """
    Then the result should be, in any order:
      | city   |
      | 'Rome' |
      | 'Bern' |
    And no side effects

  Scenario: YIELD in another order
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Ann') YIELD city, age RETURN city, age
      """
    Then the result should be, in any order:
      | city   | age |
      | 'Oslo' | 30  |
    And no side effects

  Scenario: YIELD with other names
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Ann') YIELD age AS a, city AS c RETURN c, a
      """
    Then the result should be, in any order:
      | c      | a  |
      | 'Oslo' | 30 |
    And no side effects

  Scenario: YIELD with names that swap
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Ann') YIELD age AS city, city AS age RETURN city, age
      """
    Then the result should be, in any order:
      | city | age    |
      | 30   | 'Oslo' |
    And no side effects

  Scenario: WHERE behind YIELD
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name WHERE name > 'B' RETURN name
      """
    Then the result should be, in any order:
      | name  |
      | 'Bob' |
      | 'Cy'  |
    And no side effects

  Scenario: WHERE with a new name
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Bob') YIELD age AS a WHERE a > 25 RETURN a
      """
    Then the result should be, in any order:
      | a  |
      | 26 |
    And no side effects

  Scenario: A call for each row
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      UNWIND ['Ann', 'Bob', 'Zed'] AS n CALL test.age(n) YIELD age RETURN n, age
      """
    Then the result should be, in any order:
      | n     | age |
      | 'Ann' | 30  |
      | 'Bob' | 25  |
      | 'Bob' | 26  |
    And no side effects

  Scenario: A call of a call
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name CALL test.age(name) YIELD age RETURN name, age
      """
    Then the result should be, in any order:
      | name  | age |
      | 'Ann' | 30  |
      | 'Bob' | 25  |
      | 'Bob' | 26  |
    And no side effects

  Scenario: A call before MATCH
    Given an empty graph
    And having executed:
      """
      CREATE ({name: 'Ann', v: 1}), ({name: 'Dee', v: 2})
      """
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name MATCH (n {name: name}) RETURN n.v
      """
    Then the result should be, in any order:
      | n.v |
      | 1   |
    And no side effects

  Scenario: A call after MATCH
    Given an empty graph
    And having executed:
      """
      CREATE ({name: 'Ann', v: 1}), ({name: 'Dee', v: 2})
      """
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      MATCH (n) CALL test.age(n.name) YIELD city RETURN n.v, city
      """
    Then the result should be, in any order:
      | n.v | city   |
      | 1   | 'Oslo' |
    And no side effects

  Scenario: A call and an aggregate
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name RETURN count(*) AS c, collect(name) AS l
      """
    Then the result should be (ignoring element order for lists):
      | c | l                    |
      | 3 | ['Ann', 'Bob', 'Cy'] |
    And no side effects

  Scenario: A call and a write
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name CREATE (:N {name: name})
      """
    Then the result should be empty
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: A call and MERGE
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      UNWIND [1, 2] AS i CALL test.names() YIELD name
      MERGE (n:N {name: name})
      RETURN count(DISTINCT n) AS c
      """
    Then the result should be, in any order:
      | c |
      | 3 |
    And the side effects should be:
      | +nodes      | 3 |
      | +labels     | 1 |
      | +properties | 3 |

  Scenario: An argument of a parameter
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    And parameters are:
      | n | 'Ann' |
    When executing query:
      """
      CALL test.age($n) YIELD age RETURN age
      """
    Then the result should be, in any order:
      | age |
      | 30  |
    And no side effects

  Scenario: A call by itself with a parameter
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    And parameters are:
      | n | 'Ann' |
    When executing query:
      """
      CALL test.age($n)
      """
    Then the result should be, in any order:
      | age | city   |
      | 30  | 'Oslo' |
    And no side effects

  Scenario: An argument of an expression
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('A' + 'nn') YIELD age RETURN age
      """
    Then the result should be, in any order:
      | age |
      | 30  |
    And no side effects

  Scenario: An integer for a float
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.num(2, 2) YIELD r RETURN r
      """
    Then the result should be, in any order:
      | r   |
      | 'y' |
    And no side effects

  Scenario: An argument that is null
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age(null) YIELD age RETURN age
      """
    Then the result should be empty
    And no side effects

  Scenario: An order and a limit after a call
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name RETURN name ORDER BY name DESC LIMIT 2
      """
    Then the result should be, in order:
      | name  |
      | 'Cy'  |
      | 'Bob' |
    And no side effects

  Scenario: A star returns what was yielded
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Ann') YIELD city, age RETURN *
      """
    Then the result should be, in any order:
      | age | city   |
      | 30  | 'Oslo' |
    And no side effects

  Scenario: A union of calls
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.names() YIELD name
      RETURN name
      UNION CALL test.age('Ann') YIELD city AS name
      RETURN name
      """
    Then the result should be, in any order:
      | name   |
      | 'Ann'  |
      | 'Bob'  |
      | 'Cy'   |
      | 'Oslo' |
    And no side effects

  Scenario: Only the yielded columns are variables
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      CALL test.age('Bob') YIELD age
      WITH age AS a CALL test.age('Ann') YIELD age
      RETURN a, age
      """
    Then the result should be, in any order:
      | a  | age |
      | 25 | 30  |
      | 26 | 30  |
    And no side effects

  Scenario Outline: Mistakes in CALL
    Given an empty graph
    And there exists a procedure test.age(name :: STRING?) :: (age :: INTEGER?, city :: STRING?):
      | name  | age | city   |
      | 'Ann' | 30  | 'Oslo' |
      | 'Bob' | 25  | 'Rome' |
      | 'Bob' | 26  | 'Bern' |
    And there exists a procedure test.names() :: (name :: STRING?):
      | name  |
      | 'Ann' |
      | 'Bob' |
      | 'Cy'  |
    And there exists a procedure test.num(a :: INTEGER?, b :: FLOAT?) :: (r :: STRING?):
      | a | b   | r   |
      | 1 | 1.5 | 'x' |
      | 2 | 2.0 | 'y' |
    When executing query:
      """
      <query>
      """
    Then an error should be raised at compile time: <detail>
    And no side effects

    Examples:
      | query                                                   | detail                     |
      | CALL test.none()                                        | ProcedureNotFound          |
      | CALL test.none() YIELD x RETURN x                       | ProcedureNotFound          |
      | CALL test.age()                                         | InvalidNumberOfArguments   |
      | CALL test.age('a', 'b')                                 | InvalidNumberOfArguments   |
      | CALL test.names('a')                                    | InvalidNumberOfArguments   |
      | CALL test.age(1)                                        | InvalidArgumentType        |
      | CALL test.age(true) YIELD age RETURN age                | InvalidArgumentType        |
      | CALL test.num('a', 1.0)                                 | InvalidArgumentType        |
      | CALL test.age('Ann') YIELD name RETURN name             | *                          |
      | CALL test.age('Ann') YIELD age AS a, city AS a RETURN a | VariableAlreadyBound       |
      | WITH 1 AS age CALL test.age('Ann') YIELD age RETURN age | VariableAlreadyBound       |
      | CALL test.age('Ann') YIELD age RETURN city              | UndefinedVariable          |
      | CALL test.age(x) YIELD age RETURN age                   | UndefinedVariable          |
      | CALL test.age(count(*)) YIELD age RETURN age            | InvalidAggregation         |
      | MATCH (n) CALL test.age YIELD age RETURN age            | InvalidArgumentPassingMode |
      | CALL { RETURN 1 AS x } RETURN x                         | UnsupportedFeature         |
      | CALL test.age('Ann') YIELD                              | UnexpectedSyntax           |

  Scenario: The store's own procedures name what there is
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1})-[:R {y: 2}]->(:B)
      """
    When executing query:
      """
      CALL db.labels() YIELD label RETURN label
      """
    Then the result should be, in any order:
      | label |
      | 'A'   |
      | 'B'   |
    And no side effects

  Scenario: The store's own procedures name types
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1})-[:R {y: 2}]->(:B)
      """
    When executing query:
      """
      CALL db.relationshipTypes() YIELD relationshipType AS t RETURN t
      """
    Then the result should be, in any order:
      | t   |
      | 'R' |
    And no side effects

  Scenario: The store's own procedures name properties
    Given an empty graph
    And having executed:
      """
      CREATE (:A {x: 1})-[:R {y: 2}]->(:B)
      """
    When executing query:
      """
      CALL db.propertyKeys() YIELD propertyKey AS k RETURN k
      """
    Then the result should be, in any order:
      | k   |
      | 'x' |
      | 'y' |
    And no side effects

  Scenario: A label is named in the statement that made it
    Given an empty graph
    When executing query:
      """
      CREATE (:New) WITH 1 AS x CALL db.labels() YIELD label RETURN label
      """
    Then the result should be, in any order:
      | label |
      | 'New' |
    And the side effects should be:
      | +nodes  | 1 |
      | +labels | 1 |
