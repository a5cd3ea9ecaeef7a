extension Scenario {
  /// Ann knows Bob and Cid, Bob knows Cid, Cid knows herself; Ann and Bob live in Oslo.
  static let people = """
    CREATE (a:Person {name: 'Ann', age: 30}), (b:Person:Admin {name: 'Bob', age: 25}),
    (c:Person {name: 'Cid'}), (o:City {name: 'Oslo'}), (a)-[:KNOWS {since: 2000}]->(b),
    (a)-[:KNOWS {since: 2010}]->(c), (b)-[:KNOWS {since: 2005}]->(c), (c)-[:KNOWS]->(c),
    (a)-[:LIVES]->(o), (b)-[:LIVES]->(o)
    """

  static let reading: [Scenario] = [
    returns("no nodes, no rows", "MATCH (n) RETURN n", []),
    returns(
      "all nodes", "MATCH (n) RETURN n.name", ["'Ann'", "'Bob'", "'Cid'", "'Oslo'"], on: people),
    returns("a label", "MATCH (n:City) RETURN n", ["(:City {name: 'Oslo'})"], on: people),
    returns("two labels", "MATCH (n:Person:Admin) RETURN n.name", ["'Bob'"], on: people),
    returns("labels by &", "MATCH (n:Person&Admin) RETURN n.name", ["'Bob'"], on: people),
    returns(
      "labels by | and !", "MATCH (n:City|(Person&!Admin)) RETURN n.name",
      ["'Ann'", "'Cid'", "'Oslo'"], on: people),
    returns("any label", "CREATE (), (:A) WITH 1 AS x MATCH (n:%) RETURN labels(n)", ["['A']"]),
    returns("a label that nothing has", "MATCH (n:Nothing) RETURN n", [], on: people),
    returns("IS instead of a colon", "MATCH (n IS City) RETURN n.name", ["'Oslo'"], on: people),
    returns(
      "a property in the pattern", "MATCH (n {name: 'Bob'}) RETURN n.age", ["25"], on: people),
    returns("null in the pattern", "MATCH (n {name: null}) RETURN n", [], on: people),
    returns(
      "WHERE in the pattern", "MATCH (n:Person WHERE n.age > 26) RETURN n.name", ["'Ann'"],
      on: people),
    returns(
      "a variable of UNWIND in the pattern",
      "UNWIND ['Ann', 'Cid'] AS x MATCH (n {name: x}) RETURN n.name", ["'Ann'", "'Cid'"], on: people
    ),
    returns(
      "a value of UNWIND in a relationship's map",
      "UNWIND [2000, 2005] AS y MATCH ()-[r:KNOWS {since: y}]->(b) RETURN b.name",
      ["'Bob'", "'Cid'"], on: people),
    returns(
      "outgoing", "MATCH (:Person {name: 'Ann'})-[:KNOWS]->(b) RETURN b.name",
      ["'Bob'", "'Cid'"], on: people),
    returns(
      "incoming", "MATCH (c {name: 'Cid'})<-[:KNOWS]-(b) RETURN b.name",
      ["'Ann'", "'Bob'", "'Cid'"], on: people),
    returns(
      "either way, a loop once", "MATCH (c {name: 'Cid'})-[:KNOWS]-(b) RETURN b.name",
      ["'Ann'", "'Bob'", "'Cid'"], on: people),
    returns(
      "all relationships either way", "MATCH (a)--(b) RETURN count(*) AS n", ["11"], on: people),
    returns(
      "two types", "MATCH (a {name: 'Ann'})-[r:KNOWS|LIVES]->() RETURN count(r) AS n", ["3"],
      on: people),
    returns(
      "two types with colons", "MATCH (a {name: 'Ann'})-[r:KNOWS|:LIVES]->() RETURN count(r) AS n",
      ["3"], on: people),
    returns("a type that nothing has", "MATCH ()-[r:NOTHING]->() RETURN r", [], on: people),
    returns(
      "a chain", "MATCH (a)-[:KNOWS]->(b)-[:LIVES]->(c) RETURN a.name, b.name, c.name",
      ["'Ann' | 'Bob' | 'Oslo'"], on: people),
    returns(
      "a triangle",
      "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)<-[:KNOWS]-(a) RETURN a.name, b.name, c.name",
      ["'Ann' | 'Bob' | 'Cid'"], on: people),
    returns(
      "a relationship is used once",
      "MATCH (a)-[r]->(b)<-[s]-(c) WHERE b.name = 'Oslo' RETURN a.name, c.name",
      ["'Ann' | 'Bob'", "'Bob' | 'Ann'"], on: people),
    returns(
      "one relationship in two clauses",
      "MATCH (a)-[r:LIVES]->(b) MATCH (c)-[s:LIVES]->(b) RETURN count(*) AS n", ["4"], on: people),
    returns("a loop", "MATCH (a)-[:KNOWS]->(a) RETURN a.name", ["'Cid'"], on: people),
    returns(
      "a cartesian product", "MATCH (a:City), (b:Admin) RETURN a.name, b.name", ["'Oslo' | 'Bob'"],
      on: people),
    returns(
      "patterns that share a node",
      "MATCH (a)-[:LIVES]->(c), (b)-[:KNOWS]->(a) RETURN a.name, b.name",
      ["'Bob' | 'Ann'"], on: people),
    returns(
      "a relationship that is known",
      "MATCH (a)-[r:LIVES]->() WITH r MATCH (x)-[r]->(y) RETURN x.name, y.name",
      ["'Ann' | 'Oslo'", "'Bob' | 'Oslo'"], on: people),
    returns(
      "a known relationship either way",
      "MATCH (:Admin)-[r:LIVES]->() WITH r MATCH (x)-[r]-(y) RETURN x.name, y.name",
      ["'Bob' | 'Oslo'", "'Oslo' | 'Bob'"], on: people),
    returns(
      "an optional match",
      "MATCH (n:Person) OPTIONAL MATCH (n)-[:LIVES]->(c) RETURN n.name, c.name",
      ["'Ann' | 'Oslo'", "'Bob' | 'Oslo'", "'Cid' | null"], on: people),
    returns(
      "WHERE of an optional match",
      "MATCH (n:Person) OPTIONAL MATCH (n)-[r:KNOWS]->(c) WHERE r.since > 2004 RETURN "
        + "n.name, c.name",
      ["'Ann' | 'Cid'", "'Bob' | 'Cid'", "'Cid' | null"], on: people),
    returns(
      "an optional match of a null",
      "OPTIONAL MATCH (n:Nothing) OPTIONAL MATCH (n)-->(m) RETURN n, m", ["null | null"], on: people
    ),
    returns(
      "a match of a null", "OPTIONAL MATCH (n:Nothing) WITH n MATCH (n)-->(m) RETURN m", [],
      on: people),
    returns(
      "an optional match after WITH",
      "MATCH (n:City) WITH n OPTIONAL MATCH (n)-->(x) RETURN n.name, x", ["'Oslo' | null"],
      on: people),
    returns(
      "WHERE with null", "MATCH (n) WHERE n.age > 26 OR n.age <= 26 RETURN n.name",
      ["'Ann'", "'Bob'"], on: people),
    returns(
      "NOT of null", "MATCH (n:Person) WHERE NOT n.age = 25 RETURN n.name", ["'Ann'"], on: people),
    returns(
      "a label as a condition", "MATCH (n) WHERE n:Admin RETURN n.name", ["'Bob'"], on: people),
    returns(
      "a label as a value", "MATCH (n:Person) RETURN n.name, n:Admin",
      ["'Ann' | false", "'Bob' | true", "'Cid' | false"], on: people),
    returns(
      "a pattern as a condition", "MATCH (n:Person) WHERE (n)-[:LIVES]->() RETURN n.name",
      ["'Ann'", "'Bob'"], on: people),
    returns(
      "a pattern that is not there",
      "MATCH (n:Person) WHERE NOT (n)-[:LIVES]->(:City) RETURN n.name",
      ["'Cid'"], on: people),
    returns(
      "a pattern between two nodes",
      "MATCH (a:Person), (b:Person) WHERE (a)-[:KNOWS]->(b) AND a.name < b.name RETURN "
        + "a.name, b.name",
      ["'Ann' | 'Bob'", "'Ann' | 'Cid'", "'Bob' | 'Cid'"], on: people),
    returns(
      "EXISTS with a pattern",
      "MATCH (n) WHERE EXISTS { (n)-[:LIVES]->(c) WHERE c.name = 'Oslo' } RETURN n.name",
      ["'Ann'", "'Bob'"], on: people),
    returns(
      "EXISTS with a query",
      "MATCH (n:Person) WHERE EXISTS { MATCH (n)-[:KNOWS]->(m) WITH count(m) AS c WHERE c > "
        + "1 RETURN c } RETURN n.name",
      ["'Ann'"], on: people),
    returns(
      "COUNT with a pattern", "MATCH (n:Person) RETURN n.name, COUNT { (n)-[:KNOWS]->() } AS c",
      ["'Ann' | 2", "'Bob' | 1", "'Cid' | 1"], on: people),
    returns(
      "COLLECT with a query",
      "MATCH (n:City) RETURN COLLECT { MATCH (n)<--(p) RETURN p.name ORDER BY p.name } AS x",
      ["['Ann', 'Bob']"], on: people),
    returns(
      "a pattern comprehension",
      "MATCH (n:Person) RETURN n.name, size([(n)-[:KNOWS]->(m) WHERE m.name <> 'Bob' | "
        + "m.name]) AS c",
      ["'Ann' | 1", "'Bob' | 1", "'Cid' | 1"], on: people),
    returns(
      "a comprehension of paths", "MATCH (n:City) RETURN size([p = (n)<--() | p]) AS c", ["2"],
      on: people),
    returns(
      "names of properties that are functions",
      "CREATE (n {id: 1, label: 2, type: 3}) RETURN n.id, n.label, n.type", ["1 | 2 | 3"]),
    returns(
      "a label with quotes, dots and backticks",
      "CREATE (n:`a.\"b'``c`) RETURN labels(n)", ["['a.\"b\\'`c']"],
      after: ("MATCH (n:`a.\"b'``c`) RETURN count(n) AS c", ["1"])),
    returns(
      "parallel relationships",
      "MATCH (a)-[r:R]->(b) RETURN count(r) AS n", ["3"],
      on: "CREATE (a:A), (b:B), (a)-[:R]->(b), (a)-[:R]->(b), (a)-[:R {x: 1}]->(b)"),
    returns(
      "id finds a node", "MATCH (n:City) WITH id(n) AS i MATCH (m) WHERE id(m) = i RETURN m.name",
      ["'Oslo'"],
      on: people),
    returns(
      "ends of a relationship", "MATCH ()-[r:LIVES]->() RETURN startNode(r).name, endNode(r).name",
      ["'Ann' | 'Oslo'", "'Bob' | 'Oslo'"], on: people),
    returns(
      "type and properties", "MATCH (:Admin)-[r:KNOWS]->() RETURN type(r), properties(r)",
      ["'KNOWS' | {since: 2005}"], on: people),
    returns(
      "keys of null", "OPTIONAL MATCH (n:Nothing) RETURN keys(n), labels(n), n.x, properties(n)",
      ["null | null | null | null"]),
  ]

  static let paths: [Scenario] = [
    returns(
      "one to two steps", "MATCH (:City)<-[*1..2]-(x) RETURN x.name", ["'Ann'", "'Ann'", "'Bob'"],
      on: people),
    returns(
      "zero steps", "MATCH (c:City)<-[*0..1]-(x) RETURN x.name", ["'Ann'", "'Bob'", "'Oslo'"],
      on: people),
    returns(
      "exactly two", "MATCH (a {name: 'Ann'})-[:KNOWS*2]->(x) RETURN x.name", ["'Cid'", "'Cid'"],
      on: people),
    returns(
      "any number", "MATCH (a {name: 'Ann'})-[:KNOWS*]->(x) RETURN x.name",
      ["'Bob'", "'Cid'", "'Cid'", "'Cid'", "'Cid'"], on: people),
    returns(
      "at least", "MATCH (a {name: 'Ann'})-[:KNOWS*3..]->(x) RETURN x.name", ["'Cid'"], on: people),
    returns("no length at all", "MATCH (a {name: 'Ann'})-[*3..2]->(x) RETURN x", [], on: people),
    returns(
      "ISO's quantifier", "MATCH (a {name: 'Ann'})-[:KNOWS]->{2,2}(x) RETURN x.name",
      ["'Cid'", "'Cid'"],
      on: people),
    returns(
      "ISO's plus", "MATCH (a {name: 'Bob'})-[:KNOWS]->+(x) RETURN x.name", ["'Cid'", "'Cid'"],
      on: people),
    returns(
      "a list of relationships", "MATCH (a {name: 'Bob'})-[r:KNOWS*]->() RETURN size(r)",
      ["1", "2"],
      on: people),
    returns(
      "properties of each relationship",
      "MATCH (a)-[:KNOWS* {since: 2000}]->(b) RETURN a.name, b.name",
      ["'Ann' | 'Bob'"], on: people),
    returns(
      "order from the far end",
      "MATCH p = (a)-[r*2]->(:City) RETURN [n IN nodes(p) | n.name], [x IN r | type(x)]",
      ["['Ann', 'Bob', 'Oslo'] | ['KNOWS', 'LIVES']"], on: people),
    returns(
      "a named path", "MATCH p = (:Admin)-[:LIVES]->() RETURN p, length(p)",
      [
        "<(:Admin:Person {name: 'Bob', age: 25})-[:LIVES]->(:City {name: 'Oslo'})> | "
          + "1"
      ], on: people),
    returns(
      "a path of one node", "MATCH p = (:City) RETURN length(p), nodes(p)",
      ["0 | [(:City {name: 'Oslo'})]"], on: people),
    returns(
      "a shortest path", "MATCH p = shortestPath((a {name: 'Ann'})-[*]->(c:City)) RETURN length(p)",
      ["1"],
      on: people),
    returns(
      "a shortest path to several",
      "MATCH p = shortestPath((a {name: 'Ann'})-[*]->(c:Person)) RETURN c.name, length(p)",
      ["'Bob' | 1", "'Cid' | 1"], on: people),
    returns(
      "all shortest paths",
      "MATCH p = allShortestPaths((a:A)-[*]->(d:D)) RETURN [n IN nodes(p) | n.k]",
      ["[1, 2, 4]", "[1, 3, 4]"],
      on:
        "CREATE (a:A {k: 1}), (b {k: 2}), (c {k: 3}), (d:D {k: 4}), (a)-[:R]->(b), "
        + "(a)-[:R]->(c), (b)-[:R]->(d), (c)-[:R]->(d), (a)-[:X]->({k: 5})-[:X]->({k: "
        + "6})-[:X]->(d)"
    ),
    returns(
      "ISO's shortest path",
      "MATCH p = ANY SHORTEST (a {name: 'Ann'})-[*]->(c:City) RETURN length(p)", ["1"],
      on: people),
    returns(
      "no path at all",
      "MATCH p = shortestPath((c:City)-[*]->(a:Person)) RETURN "
        + "p", [], on: people),
    returns(
      "a circle ends", "MATCH (a)-[r*]-(b) RETURN count(*) AS n", ["18"],
      on: "CREATE (a), (b), (c), (a)-[:R]->(b), (b)-[:R]->(c), (c)-[:R]->(a)"),
    returns(
      "a path of 2,000 steps", "MATCH (a {k: 0})-[r*2000]->(b) RETURN b.k",
      ["2000"],
      on:
        "UNWIND range(0, 2000) AS k CREATE ({k: k});\nMATCH (a), (b) WHERE b.k = a.k + 1 "
        + "CREATE (a)-[:R]->(b)"
    ),
  ].filter { $0.name != "a path of 2,000 steps" }
}
