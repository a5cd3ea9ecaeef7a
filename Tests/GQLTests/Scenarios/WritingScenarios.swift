extension Scenario {
  static let writing: [Scenario] = [
    returns(
      "three parts make two nodes", "CREATE (a), (b), (a)-[:R]->(b)", [],
      after: (
        "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS n, count(r) AS r",
        ["2 | 1"]
      )),
    returns(
      "INSERT is CREATE", "INSERT (:A&B {x: 1})-[:R]->(:C)", [],
      after: ("MATCH (a)-[:R]->(c) RETURN labels(a), labels(c), a.x", ["['A', 'B'] | ['C'] | 1"])),
    returns(
      "CREATE for each row", "UNWIND [1, 2, 3] AS x CREATE (n {x: x}) RETURN n.x", ["1", "2", "3"]),
    returns(
      "CREATE does not see itself", "MATCH (n) CREATE (m) RETURN count(*) AS c", ["2"],
      on: "CREATE (), ()",
      after: ("MATCH (n) RETURN count(n) AS c", ["4"])),
    returns(
      "properties that are null are none", "CREATE (n {a: null, b: 1}) RETURN keys(n)", ["['b']"]),
    returns(
      "properties of a parameter's kind",
      "WITH {a: 1, b: [1, 2]} AS m CREATE (n) SET n = m RETURN n", ["({a: 1, b: [1, 2]})"]),
    returns(
      "a path that is created",
      "CREATE p = (:A)-[:R]->(:B)<-[:S]-(:C) RETURN length(p), [n IN nodes(p) | labels(n)[0]]",
      ["2 | ['A', 'B', 'C']"]),
    returns(
      "integers beyond 2^53 and at the ends",
      "CREATE (n {a: 9007199254740993, b: -9223372036854775808, c: 9223372036854775807}) "
        + "RETURN n.a, n.b, n.c",
      ["9007199254740993 | -9223372036854775808 | 9223372036854775807"],
      after: (
        "MATCH (n {a: 9007199254740993}) RETURN n.b, n.c",
        ["-9223372036854775808 | 9223372036854775807"]
      )),
    returns(
      "types of properties stay",
      "CREATE (n {a: 1, b: 1.0, c: '1', d: true, e: [1, 1.5], f: date('2020-02-29'), g: "
        + "duration('P1D'), h: datetime('2020-01-01T00:00Z'), i: localtime('10:00')})",
      [],
      after: (
        "MATCH (n) RETURN valueType(n.a), valueType(n.b), n.c, n.d, n.e, n.f.day, n.g.days, "
          + "n.h.year, n.i.hour",
        ["'INTEGER' | 'FLOAT' | '1' | true | [1, 1.5] | 29 | 1 | 2020 | 10"]
      )),
    returns("1 finds 1.0", "MATCH (n {x: 1}) RETURN n.x", ["1.0"], on: "CREATE ({x: 1.0})"),
    returns(
      "SET a property", "MATCH (n:City) SET n.size = 3 RETURN n.size", ["3"], on: people,
      after: ("MATCH (n {size: 3}) RETURN n.name", ["'Oslo'"])),
    returns(
      "SET null removes", "MATCH (n:City) SET n.name = null RETURN keys(n)", ["[]"], on: people),
    returns("SET of what is null", "OPTIONAL MATCH (n:Nothing) SET n.x = 1 RETURN n", ["null"]),
    returns(
      "SET replaces all", "MATCH (n:Admin) SET n = {x: 1} RETURN properties(n)", ["{x: 1}"],
      on: people),
    returns(
      "SET adds", "MATCH (n:Admin) SET n += {x: 1, age: null} RETURN n.name, n.x, n.age",
      ["'Bob' | 1 | null"], on: people),
    returns(
      "SET from another node", "MATCH (a:City), (b:Admin) SET a = b RETURN a.name, a.age",
      ["'Bob' | 25"], on: people),
    returns(
      "SET labels", "MATCH (n:City) SET n:Town:Place RETURN labels(n)",
      ["['City', 'Place', 'Town']"], on: people),
    returns(
      "SET of a relationship",
      "MATCH (:Admin)-[r:KNOWS]->() SET r.since = r.since + 1 RETURN "
        + "r.since", ["2006"], on: people),
    returns(
      "one SET sees the one before",
      "CREATE (n {x: 1}) SET n.x = n.x + 1, n.y = n.x RETURN n.x, n.y", ["2 | 2"]),
    returns(
      "rows see what was set before them",
      "UNWIND [1, 2, 3] AS i MATCH (n:City) SET n.x = coalesce(n.x, 0) + i RETURN max(n.x) AS m",
      ["6"], on: people),
    returns(
      "UNWIND, MERGE and SET write to their own relationship",
      "UNWIND [[1, 'a'], [2, 'b']] AS row MATCH (x:X), (y:Y {k: row[0]}) MERGE "
        + "(x)-[r:R]->(y) SET r.v = row[1] RETURN count(*) AS c",
      ["2"], on: "CREATE (:X), (:Y {k: 1}), (:Y {k: 2})",
      after: ("MATCH ()-[r:R]->(y) RETURN y.k, r.v", ["1 | 'a'", "2 | 'b'"])),
    returns(
      "REMOVE a property", "MATCH (n:Admin) REMOVE n.age RETURN keys(n)", ["['name']"], on: people),
    returns(
      "REMOVE a label", "MATCH (n:Admin) REMOVE n:Admin RETURN labels(n)", ["['Person']"],
      on: people,
      after: ("MATCH (n:Admin) RETURN n", [])),
    returns(
      "REMOVE what is not there", "MATCH (n:City) REMOVE n.x, n:Nothing RETURN labels(n)",
      ["['City']"], on: people),
    returns(
      "DELETE a relationship", "MATCH (:Person)-[r:LIVES]->() DELETE r", [], on: people,
      after: ("MATCH (n:City) RETURN COUNT { (n)--() } AS c", ["0"])),
    returns(
      "DETACH DELETE", "MATCH (n {name: 'Cid'}) DETACH DELETE n", [], on: people,
      after: ("MATCH (n)-[r]->() RETURN count(DISTINCT n) AS n, count(r) AS r", ["2 | 3"])),
    returns(
      "DELETE node and relationships", "MATCH (n:City)<-[r]-() DELETE n, r", [], on: people,
      after: ("MATCH (n) RETURN count(n) AS c", ["3"])),
    returns(
      "DELETE twice", "MATCH (a)-[r]->(b) DETACH DELETE a, b, a", [], on: people,
      after: ("MATCH (n) RETURN n", [])),
    returns(
      "DELETE a path", "MATCH p = (:A)-->(:B) DELETE p", [], on: "CREATE (:A)-[:R]->(:B)",
      after: ("MATCH (n) RETURN n", [])),
    returns("DELETE null", "OPTIONAL MATCH (n:Nothing) DELETE n RETURN n", ["null"]),
    returns(
      "DELETE out of a list", "MATCH (n:City) WITH [n] AS l DETACH DELETE l[0]", [], on: people,
      after: ("MATCH (n:City) RETURN n", [])),
    returns(
      "the type of a deleted relationship",
      "MATCH ()-[r:LIVES]->() DELETE r RETURN DISTINCT type(r)", ["'LIVES'"], on: people),
    returns(
      "rows after a change",
      "MATCH (n:Person) SET n.seen = true WITH n WHERE n.seen RETURN count(n) AS c", ["3"],
      on: people),
    returns(
      "LIMIT limits rows and no changes",
      "UNWIND [1, 2, 3] AS x CREATE (n {x: x}) RETURN n.x ORDER BY n.x LIMIT 1", ["1"],
      after: ("MATCH (n) RETURN count(n) AS c", ["3"])),
    returns(
      "CREATE beside a match",
      "MATCH (a:Admin), (o:City) CREATE (a)-[r:RULES {x: 1}]->(o) RETURN type(r), r.x",
      ["'RULES' | 1"], on: people),
    returns("procedures", "CALL db.relationshipTypes()", ["'KNOWS'", "'LIVES'"], on: people),
    returns(
      "a procedure within a query", "CALL db.labels() YIELD label AS l WHERE l <> 'City' RETURN l",
      ["'Admin'", "'Person'"], on: people),
  ]

  static let merging: [Scenario] = [
    returns(
      "MERGE makes", "MERGE (n:A {x: 1}) ON CREATE SET n.y = 2 ON MATCH SET n.y = 3 RETURN n.y",
      ["2"]),
    returns(
      "MERGE finds", "MERGE (n:A {x: 1}) ON CREATE SET n.y = 2 ON MATCH SET n.y = 3 RETURN n.y",
      ["3"], on: "CREATE (:A {x: 1})"),
    returns(
      "MERGE finds all", "MERGE (n:A) SET n.y = 1 RETURN count(n) AS c", ["2"],
      on: "CREATE (:A), (:A)"),
    returns(
      "MERGE under UNWIND makes no duplicates",
      "UNWIND [1, 2, 1, 2] AS x MERGE (n:A {x: x}) RETURN count(*) AS c", ["4"],
      after: ("MATCH (n:A) RETURN count(n) AS c", ["2"])),
    returns(
      "MERGE a relationship", "MATCH (a:A), (b:B) MERGE (a)-[r:R]->(b) RETURN count(r) AS c", ["1"],
      on: "CREATE (:A), (:B)",
      after: ("MATCH (:A)-[r:R]->(:B) RETURN count(r) AS c", ["1"])),
    returns(
      "MERGE a relationship twice",
      "MATCH (a:A), (b:B) MERGE (a)-[:R]->(b) MERGE (a)-[:R]->(b) MERGE (b)-[:R]->(a)", [],
      on: "CREATE (:A), (:B)",
      after: ("MATCH ()-[r:R]->() RETURN count(r) AS c", ["2"])),
    returns(
      "MERGE without a direction finds either",
      "MATCH (a:A), (b:B) MERGE (a)-[r:R]-(b) RETURN startNode(r) = b AS x", ["true"],
      on: "CREATE (:A)<-[:R]-(:B)"),
    returns(
      "MERGE without a direction makes from left to right",
      "MATCH (a:A), (b:B) MERGE (a)-[r:R]-(b) RETURN startNode(r) = a AS x", ["true"],
      on: "CREATE (:A), (:B)"),
    returns(
      "MERGE of a whole pattern", "MERGE (a:A)-[:R]->(b:B) RETURN count(*) AS c", ["1"],
      on: "CREATE (:A), (:B)",
      after: ("MATCH (n) RETURN count(n) AS c", ["4"])),
    returns(
      "MERGE of a pattern with a known node", "MATCH (a:A) MERGE (a)-[:R]->(b:B {x: 1}) RETURN b.x",
      ["1"], on: "CREATE (:A)",
      after: ("MATCH (:A)-[:R]->(b) RETURN b", ["(:B {x: 1})"])),
    returns(
      "MERGE sees what the row before has set",
      "UNWIND [1, 2] AS x MERGE (n:A) ON CREATE SET n.v = x ON MATCH SET n.v = n.v + 10 "
        + "RETURN max(n.v) AS m",
      ["11"]),
    returns(
      "MERGE after a change of what was merged",
      "MERGE (n:A {x: 1}) SET n.x = 2 MERGE (m:A {x: 1}) RETURN n.x, m.x", ["2 | 1"]),
    returns("MERGE with a path", "MERGE p = (:A)-[:R]->(:B) RETURN length(p)", ["1"]),
    returns(
      "MERGE after DELETE", "MATCH (n:A) DELETE n MERGE (m:A) RETURN m.x", ["null"],
      on: "CREATE (:A {x: 1})"),
  ]
}
