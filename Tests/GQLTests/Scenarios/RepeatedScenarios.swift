extension Scenario {
  /// Three stations on a line with rising numbers, a way back, and one beside.
  static let line = """
    CREATE (a:S {n: 1}), (b:S {n: 2}), (c:S {n: 3}), (d:S {n: 2, x: 1}), (w:Way {n: 9}),
    (a)-[:T {k: 1}]->(b), (b)-[:T {k: 2}]->(c), (c)-[:T {k: 3}]->(a), (a)-[:U {k: 4}]->(d),
    (d)-[:V {k: 5}]->(c), (c)-[:T {k: 6}]->(w)
    """

  /// Parts of a path that are repeated.
  static let repeated: [Scenario] = [
    returns(
      "a part of one relationship is as a path of variable length",
      "MATCH (:S {n: 1}) ((x)-[r:T]->(y)){1,2} (e) RETURN [i IN x | i.n], [i IN r | i.k], e.n",
      ["[1] | [1] | 2", "[1, 2] | [1, 2] | 3"], on: line),
    returns(
      "a part of two relationships",
      "MATCH (s:S {n: 1}) ((a)-[u:U]->(m)-[v:V]->(b)){1,2} (e) "
        + "RETURN [i IN m | i.x], u[0].k + v[0].k, e.n", ["[1] | 9 | 3"], on: line),
    returns(
      "a condition is of each repetition",
      "MATCH (:S {n: 1}) ((a)-[:T]->(b) WHERE a.n < b.n)+ (e) RETURN e.n", ["2", "3", "9"],
      on: line),
    returns(
      "a condition reads what is known before",
      "WITH 2 AS most MATCH (:S {n: 1}) ((a)-[r:T]->(b) WHERE r.k <= most)+ (e) RETURN e.n",
      ["2", "3"], on: line),
    returns(
      "no repetition: the lists are empty, and both ends are one node",
      "MATCH (s:Way) ((a)-[r:T]->(b)){0,3} (e) RETURN a, r, b, e.n", ["[] | [] | [] | 9"],
      on: line),
    returns(
      "a relationship is in a path once",
      "MATCH (s:S {n: 1}) ((a)-[r:T]->(b)){3,} (e:S) RETURN [i IN r | i.k], e.n",
      ["[1, 2, 3] | 1"], on: line),
    returns(
      "and in a whole pattern once",
      "MATCH (s:S {n: 1})-[q:T]->(m) ((a)-[r:T]->(b)){1,9} (e:S) RETURN q.k, [i IN r | i.k]",
      ["1 | [2]", "1 | [2, 3]"], on: line),
    returns(
      "the end is known: the path is found from there, and reads from left to right",
      "MATCH (e:Way) MATCH (s) ((a)-[r]->(b)){2} (e) RETURN s.n, [i IN r | i.k], [i IN b | i.n]",
      ["2 | [2, 6] | [3, 9]", "2 | [5, 6] | [3, 9]"], on: line),
    returns(
      "a named path has all nodes and relationships",
      "MATCH p = (:Way)<-[:T]-() ((a)<-[v:V]-(m)<-[u:U]-(b)){1} (e) "
        + "RETURN [i IN nodes(p) | i.n], [i IN relationships(p) | i.k], length(p)",
      ["[9, 3, 2, 1] | [6, 5, 4] | 3"], on: line),
    returns(
      "a path may begin and end with what is repeated",
      "MATCH ((a)-[:U]->(b)){1} ((c)-[:V]->(d)){1} RETURN a[0].n, c[0].x, d[0].n",
      ["1 | 1 | 3"], on: line),
    returns(
      "either direction", "MATCH (:S {x: 1}) ((a)-[r]-(b)){2} (e:Way) RETURN [i IN r | i.k]",
      ["[5, 6]"], on: line),
    returns(
      "labels within", "MATCH (:S {n: 1}) ((:S)-[r]->(:S {n: 2}))* (e) RETURN e.n, size(r) AS s",
      ["1 | 0", "2 | 1", "2 | 1"], on: line),
    returns(
      "the relationships are aggregated by row",
      "MATCH (:S {n: 1}) ((a)-[r:T]->(b)){2} (e) "
        + "RETURN reduce(s = 0, i IN r | s + i.k) AS sum, all(i IN b WHERE i.n > 1) AS big",
      ["3 | true"], on: line),
    returns(
      "nothing fits", "MATCH (:Way) ((a)-[:T]->(b))+ (e) RETURN e", [], on: line),
    returns(
      "an optional match of it",
      "MATCH (w:Way) OPTIONAL MATCH (w) ((a)-[r:T]->(b))+ (e) RETURN a, r, e",
      ["null | null | null"], on: line),
    returns(
      "a condition within a path of variable length",
      "MATCH (:S {n: 1})-[r:T* WHERE r.k < 3]->(e) RETURN [i IN r | i.k], e.n",
      ["[1] | 2", "[1, 2] | 3"], on: line),
    returns(
      "a condition within a quantified relationship",
      "MATCH (e:Way)<-[r WHERE r.k > 4]-{1,3}(s) RETURN [i IN r | i.k], s.n",
      ["[6] | 3", "[6, 5] | 2"], on: line),
    returns(
      "as a condition",
      "MATCH (s:S) WHERE EXISTS { (s) ((a)-[:U]->()-[:V]->(b)){1} (:S) } RETURN s.n", ["1"],
      on: line),
    fails(
      "a variable of it that has a value", "MATCH (a) MATCH (a) ((a)-->(b)){2} (c) RETURN c",
      "VariableAlreadyBound"),
    fails(
      "a variable of it elsewhere in the pattern", "MATCH (a) ((x)-->(a)){2} (c) RETURN c",
      "VariableAlreadyBound"),
    fails(
      "a variable of the same clause in its condition",
      "MATCH (s) ((x)-->(y) WHERE x.n = s.n){2} (c) RETURN c", "UndefinedVariable"),
    fails("nothing to repeat", "MATCH (a) ((x)){2} (b) RETURN b", "UnexpectedSyntax"),
    fails(
      "a quantifier within", "MATCH (a) ((x)-[*2]->(y)){2} (b) RETURN b", "UnsupportedFeature"),
    fails("no quantifier", "MATCH (a) ((x)-->(y)) (b) RETURN b", "UnsupportedFeature"),
    fails("CREATE of it", "CREATE (a) ((x)-[:R]->(y)){2} (b)", "CreatingVarLength"),
    fails(
      "the shortest of it", "MATCH ANY SHORTEST (a) ((x)-[:R]->(y)-->(z))+ (b) RETURN b",
      "UnsupportedFeature"),
  ]
}
