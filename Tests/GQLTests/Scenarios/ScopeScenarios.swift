/// Which variables a clause sees, and changes for each element of a list.
extension Scenario {
  private static let acquaintances = """
    CREATE (a:P {name: 'Ann', age: 30}), (b:P {name: 'Bob', age: 40}), (c:P {name: 'Cid'}),
      (a)-[:KNOWS]->(b)
    """

  static let scopes: [Scenario] = [
    returns(
      "WHERE sees what was before WITH",
      "MATCH (p) WITH p.name AS name WHERE p.age > 35 RETURN name",
      ["'Bob'"], on: acquaintances),
    returns(
      "WHERE sees both sides of WITH",
      "MATCH (p) WITH p.name AS name WHERE name = 'Cid' OR p.age = 30 RETURN name",
      ["'Ann'", "'Cid'"], on: acquaintances),
    returns(
      "WHERE sees a relationship that WITH leaves out",
      "MATCH (a {name: 'Ann'}), (p) OPTIONAL MATCH (a)-[r]->(p) WITH p WHERE r IS NULL "
        + "RETURN p.name",
      ["'Ann'", "'Cid'"], on: acquaintances),
    returns(
      "WHERE behind DISTINCT sees what a column is made of",
      "MATCH (p) WITH DISTINCT p.name AS name WHERE p.name = 'Bob' RETURN name", ["'Bob'"],
      on: acquaintances),
    returns(
      "WHERE behind ORDER BY and LIMIT sees what was before",
      "MATCH (p) WITH p.name AS name ORDER BY name DESC LIMIT 2 WHERE p.age = 40 RETURN name",
      ["'Bob'"], on: acquaintances),
    returns(
      "WHERE takes a name for its new value",
      "MATCH (p) WITH {age: p.age + 10} AS p WHERE p.age = 40 RETURN p.age", ["40"],
      on: acquaintances),
    returns(
      "WITH * without variables", "CREATE (:A) WITH * CREATE (:B) WITH * MATCH (n) RETURN count(n)",
      ["2"]),
    fails(
      "WHERE behind groups sees only columns",
      "MATCH (p) WITH count(*) AS c WHERE p.age = 1 RETURN c", "UndefinedVariable"),
  ]

  static let changes: [Scenario] = [
    returns(
      "a node of the same CREATE gives a property",
      "CREATE (a {x: 1}), (b {x: a.x + 1}), (a)-[:R {x: b.x}]->(b)", [],
      after: ("MATCH (a)-[r]->(b) RETURN a.x, r.x, b.x", ["1 | 2 | 2"])),
    returns(
      "FOREACH makes nodes", "FOREACH (x IN [1, 2, 3] | CREATE (:N {x: x}))", [],
      after: ("MATCH (n:N) RETURN sum(n.x)", ["6"])),
    returns(
      "FOREACH runs for each row, and hands its row on",
      "UNWIND [1, 2] AS n FOREACH (x IN range(1, n) | CREATE (:N {n: n, x: x})) RETURN n",
      ["1", "2"],
      after: ("MATCH (n:N) RETURN n.n, n.x", ["1 | 1", "2 | 1", "2 | 2"])),
    returns(
      "FOREACH over the nodes of a path",
      "MATCH p = (:P)-->() FOREACH (n IN nodes(p) | SET n.seen = true)", [], on: acquaintances,
      after: ("MATCH (p:P) WHERE p.seen RETURN p.name", ["'Ann'", "'Bob'"])),
    returns(
      "FOREACH in FOREACH",
      "FOREACH (x IN [1, 2] | FOREACH (y IN [x, x] | MERGE (:N {x: y})))", [],
      after: ("MATCH (n:N) RETURN n.x", ["1", "2"])),
    returns(
      "FOREACH over null and nothing",
      "FOREACH (x IN null | CREATE (:N)) FOREACH (x IN [] | CREATE (:N))", [],
      after: ("MATCH (n:N) RETURN count(n)", ["0"])),
    returns(
      "FOREACH deletes", "MATCH (p:P) WITH collect(p) AS all FOREACH (p IN all | DETACH DELETE p)",
      [], on: acquaintances, after: ("MATCH (n) RETURN count(n)", ["0"])),
    returns(
      "a duration keeps billionths of a second",
      "CREATE (:N {d: duration('P12Y5M14DT16H13M10.000000001S')})", [],
      after: (
        "MATCH (n) RETURN n.d = duration({years: 12, months: 5, days: 14, hours: 16, minutes: 13, "
          + "seconds: 10, nanoseconds: 1}), n.d.nanoseconds",
        ["true | 58390000000001"]
      )),
    returns(
      "an hour is counted as it passes at the end of summer time",
      "RETURN duration.between(datetime('2017-10-28T23:00+02:00[Europe/Stockholm]'), "
        + "datetime('2017-10-29T04:00+01:00[Europe/Stockholm]')) AS d", ["'PT6H'"]),
    returns(
      "… and at its beginning",
      "RETURN duration.between(datetime('2017-03-25T23:00+01:00[Europe/Stockholm]'), "
        + "datetime('2017-03-26T04:00+02:00[Europe/Stockholm]')) AS d", ["'PT4H'"]),
  ]
}
