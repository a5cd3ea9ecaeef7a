Feature: MATCH of nodes

  Background:
    Given an empty graph
    And having executed:
      """
      CREATE (:Person:Cook {name: 'Ada', age: 40, id: 'x1'}), (:Person {name: 'Ben', age: 30,
        label: 'tall'}),
        (:Person:Pilot {name: 'Cleo', type: 'solo'}), (:City {name: 'Rome', age: 2700}),
        ({name: 'Stray'}), (:`odd.name` {name: 'Dot', `a.b`: 1, `c:d`: 2, `it's`: 3}),
        (:`with``tick` {name: 'Tick'}), (:Person:Cook:Pilot {name: 'Dan', age: 30,
        tags: ['a', 'b']})
      """

  Scenario Outline: Labels and label expressions choose nodes
    When executing query:
      """
      MATCH <node> RETURN collect(n.name) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | node | result |
      | (n) | ['Ada', 'Ben', 'Cleo', 'Rome', 'Stray', 'Dot', 'Tick', 'Dan'] |
      | (n:Person) | ['Ada', 'Ben', 'Cleo', 'Dan'] |
      | (n:Person:Cook) | ['Ada', 'Dan'] |
      | (n:Cook:Person) | ['Ada', 'Dan'] |
      | (n:Person:Person) | ['Ada', 'Ben', 'Cleo', 'Dan'] |
      | (n:Cook\|Pilot) | ['Ada', 'Cleo', 'Dan'] |
      | (n:Cook\|Cook) | ['Ada', 'Dan'] |
      | (n:Cook&Pilot) | ['Dan'] |
      | (n:!Person) | ['Rome', 'Stray', 'Dot', 'Tick'] |
      | (n:!!City) | ['Rome'] |
      | (n:!%) | ['Stray'] |
      | (n:%) | ['Ada', 'Ben', 'Cleo', 'Rome', 'Dot', 'Tick', 'Dan'] |
      | (n:%&!Person) | ['Rome', 'Dot', 'Tick'] |
      | (n:Person&!(Cook\|Pilot)) | ['Ben'] |
      | (n:!Cook&!Pilot&Person) | ['Ben'] |
      | (n:!(Cook&Pilot)&Person) | ['Ada', 'Ben', 'Cleo'] |
      | (n:(Cook&!Pilot)\|(Pilot&!Cook)) | ['Ada', 'Cleo'] |
      | (n:City\|Person&Pilot) | ['Rome', 'Cleo', 'Dan'] |
      | (n:(City\|Person)&Pilot) | ['Cleo', 'Dan'] |
      | (n:!City\|City) | ['Ada', 'Ben', 'Cleo', 'Rome', 'Stray', 'Dot', 'Tick', 'Dan'] |
      | (n:person) | [] |
      | (n:Nowhere\|City) | ['Rome'] |
      | (n:!Nowhere&City) | ['Rome'] |
      | (n:`odd.name`) | ['Dot'] |
      | (n:`odd`) | [] |
      | (n:`with``tick`) | ['Tick'] |
      | (n:`with``tick`\|`odd.name`) | ['Dot', 'Tick'] |
      | (n IS Cook & Pilot) | ['Dan'] |

  Scenario Outline: Maps and conditions within a node choose nodes
    When executing query:
      """
      MATCH <node> RETURN collect(n.name) AS x
      """
    Then the result should be (ignoring element order for lists):
      | x        |
      | <result> |
    And no side effects

    Examples:
      | node | result |
      | (n {age: 30}) | ['Ben', 'Dan'] |
      | (n {age: 30.0}) | ['Ben', 'Dan'] |
      | (n {age: '30'}) | [] |
      | (n {age: 10 * 3}) | ['Ben', 'Dan'] |
      | (n {age: null}) | [] |
      | (n:Person {missing: null}) | [] |
      | (n {name: 'Ben', age: 31}) | [] |
      | (n {name: 'Ben', age: 30}) | ['Ben'] |
      | (n {name: 'ben'}) | [] |
      | (n {tags: ['a', 'b']}) | ['Dan'] |
      | (n {tags: ['b', 'a']}) | [] |
      | (n {tags: []}) | [] |
      | (n {id: 'x1'}) | ['Ada'] |
      | (n {label: 'tall'}) | ['Ben'] |
      | (n {type: 'solo'}) | ['Cleo'] |
      | (n {`a.b`: 1}) | ['Dot'] |
      | (n {`c:d`: 2, `a.b`: 1}) | ['Dot'] |
      | (n {`it's`: 3}) | ['Dot'] |
      | (n {name: left('Romeo', 4)}) | ['Rome'] |
      | (n {}) | ['Ada', 'Ben', 'Cleo', 'Rome', 'Stray', 'Dot', 'Tick', 'Dan'] |
      | (n WHERE n.age > 30) | ['Ada', 'Rome'] |
      | (n:Person WHERE n.age IS NULL) | ['Cleo'] |
      | (n:Person {age: 30} WHERE n.name < 'C') | ['Ben'] |
      | (n WHERE n:Cook OR n.name = 'Stray') | ['Ada', 'Dan', 'Stray'] |
      | (n WHERE null) | [] |
      | (n:Person WHERE NOT n.age = 30) | ['Ada'] |
      | (n) WHERE n:Person AND NOT n:Cook | ['Ben', 'Cleo'] |
      | (n) WHERE n:Person:Pilot | ['Cleo', 'Dan'] |
      | (n) WHERE n:Cook\|Pilot | ['Ada', 'Cleo', 'Dan'] |
      | (n) WHERE n:Cook = n:Pilot AND n:Person | ['Ben', 'Dan'] |
      | (n) WHERE size(labels(n)) = 0 | ['Stray'] |
      | (n) WHERE 'Pilot' IN labels(n) | ['Cleo', 'Dan'] |
      | (n) WHERE n['label'] = 'tall' | ['Ben'] |
      | (n) WHERE n.`c:d` = 2 | ['Dot'] |
      | (n) WHERE 'id' IN keys(n) | ['Ada'] |
      | (n) WHERE n.missing = n.missing | [] |
      | (n) WHERE n['na' + 'me'] = 'Dan' | ['Dan'] |

  Scenario Outline: Several node patterns are joined
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
      | MATCH (n:Person) MATCH (n:Cook) RETURN collect(n.name) AS x | ['Ada', 'Dan'] |
      | MATCH (n:Person), (n:Pilot) RETURN collect(n.name) AS x | ['Cleo', 'Dan'] |
      | MATCH (n:Person), (n {age: 30}) RETURN collect(n.name) AS x | ['Ben', 'Dan'] |
      | MATCH (n {age: 30}), (n {age: 40}) RETURN collect(n.name) AS x | [] |
      | MATCH (a:City), (n {age: a.age - 2660}) RETURN collect(n.name) AS x | ['Ada'] |
      | MATCH (n {age: a.age - 2660}), (a:City) RETURN collect(n.name) AS x | ['Ada'] |
      | MATCH (a:Cook), (b:Pilot) RETURN count(*) AS x | 4 |
      | MATCH (a:Cook), (b:Pilot) WHERE a <> b RETURN count(*) AS x | 3 |
      | MATCH (a:Cook), (b:Pilot) WHERE a = b RETURN collect(a.name) AS x | ['Dan'] |
      | MATCH (a:Nothing), (b) RETURN count(*) AS x | 0 |
      | MATCH (a:Person), (b:Person) WHERE a.age = b.age RETURN count(*) AS x | 5 |
      | MATCH (a:Person), (b:Person) WHERE a.age < b.age RETURN collect(a.name) AS x | ['Ben', 'Dan'] |
      | MATCH (a), (b), (c) RETURN count(*) AS x | 512 |
      | MATCH (), () RETURN count(*) AS x | 64 |
      | MATCH (`a b`:City) RETURN collect(`a b`.name) AS x | ['Rome'] |
      | MATCH (`x.name`:City) RETURN collect(`x.name`.name) AS x | ['Rome'] |
      | MATCH (a {name: 'Ada'}) WITH a.age AS age MATCH (n {age: age}) RETURN collect(n.name) AS x | ['Ada'] |
      | MATCH (a:Cook) WITH collect(a) AS l MATCH (n:Pilot) WHERE n IN l RETURN collect(n.name) AS x | ['Dan'] |
