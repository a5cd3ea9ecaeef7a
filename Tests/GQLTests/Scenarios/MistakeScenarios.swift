extension Scenario {
  static let mistakes: [Scenario] = [
    fails("an unknown variable", "RETURN x", "UndefinedVariable"),
    fails(
      "a variable that WITH has left behind", "MATCH (n) WITH n.x AS x RETURN n",
      "UndefinedVariable"),
    fails(
      "a new variable in a condition's pattern", "MATCH (n) WHERE (n)-->(m) RETURN n",
      "UndefinedVariable"),
    fails("a node as a relationship", "MATCH (r) MATCH ()-[r]-() RETURN r", "VariableTypeConflict"),
    fails("a relationship as a node", "MATCH ()-[r]-(r) RETURN r", "VariableTypeConflict"),
    fails("a number as a node", "WITH 1 AS n MATCH (n) RETURN n", "VariableTypeConflict"),
    fails(
      "one relationship twice", "MATCH (a)-[r]->()-[r]->(a) RETURN r",
      "RelationshipUniquenessViolation"),
    fails("a path with a taken name", "MATCH (p) MATCH p = (a) RETURN p", "VariableAlreadyBound"),
    fails(
      "UNWIND with a taken name", "WITH 1 AS x UNWIND [1] AS x RETURN x", "VariableAlreadyBound"),
    fails("CREATE of a known node", "MATCH (a) CREATE (a)", "VariableAlreadyBound"),
    fails(
      "CREATE of a known node with a label", "MATCH (a) CREATE (a:X)-[:R]->()",
      "VariableAlreadyBound"),
    fails(
      "CREATE of a known relationship", "MATCH ()-[r]->() CREATE ()-[r:R]->()",
      "VariableAlreadyBound"),
    fails("MERGE of a known node", "MATCH (a) MERGE (a)", "VariableAlreadyBound"),
    fails("CREATE without a type", "CREATE ()-->()", "NoSingleRelationshipType"),
    fails("CREATE with two types", "CREATE ()-[:A|B]->()", "NoSingleRelationshipType"),
    fails("CREATE without a direction", "CREATE ()-[:A]-()", "RequiresDirectedRelationship"),
    fails("CREATE with a length", "CREATE ()-[:A*2]->()", "CreatingVarLength"),
    fails("MERGE with a length", "MERGE ()-[:A*2]->()", "CreatingVarLength"),
    fails("MERGE of null", "MERGE (n {x: null})", "MergeReadOwnWrites"),
    fails("a parameter as the map of a pattern", "MATCH (n $p) RETURN n", "InvalidParameterUse"),
    fails("a parameter as the map of MERGE", "MERGE (n $p) RETURN n", "InvalidParameterUse"),
    fails("a parameter without a value", "RETURN $x", "MissingParameter"),
    fails("NOT of a text", "RETURN NOT 'foo'", "InvalidArgumentType"),
    fails("AND of a number", "RETURN true AND 1", "InvalidArgumentType"),
    fails(
      "AND of a number that is not known before", "WITH [1] AS l RETURN true AND l[0]",
      "InvalidArgumentType"),
    fails("IN of no list", "RETURN 1 IN 'a'", "InvalidArgumentType"),
    fails("a property of a number", "WITH [1] AS l RETURN l[0].x", "PropertyAccessOnNonMap"),
    fails(
      "a list by a text", "WITH [1] AS l, 'a' AS k RETURN l[k]", "ListElementAccessByNonInteger"),
    fails(
      "a map by a number", "WITH {a: 1} AS m, 0 AS k RETURN m[k]", "MapElementAccessByNonString"),
    fails("type of a node", "MATCH (r) RETURN type(r)", "InvalidArgumentType"),
    fails("length of a node", "MATCH (r) RETURN length(r)", "InvalidArgumentType"),
    fails("size of a path", "MATCH p = (a)-->(b) RETURN size(p)", "InvalidArgumentType"),
    fails("labels of a path", "MATCH p = (a)-->(b) RETURN labels(p)", "InvalidArgumentType"),
    fails("a sum of booleans", "RETURN true - 1", "InvalidArgumentType"),
    fails("a map as a property", "CREATE (n {x: {a: 1}})", "InvalidPropertyType"),
    fails("a list of maps as a property", "CREATE (n {x: [{a: 1}]})", "InvalidPropertyType"),
    fails("an unknown function", "RETURN foo(1)", "UnknownFunction"),
    fails("too many arguments", "RETURN size(1, 2)", "InvalidNumberOfArguments"),
    fails("exists of a sum", "MATCH (n) RETURN exists(n.x + 1)", "InvalidArgumentExpression"),
    fails("an unknown procedure", "CALL no.such()", "ProcedureNotFound"),
    fails("an aggregate in WHERE", "MATCH (n) WHERE count(n) > 1 RETURN n", "InvalidAggregation"),
    fails("an aggregate in a comprehension", "RETURN [x IN [1] | count(*)]", "InvalidAggregation"),
    fails("an aggregate of an aggregate", "RETURN count(count(*))", "NestedAggregation"),
    fails(
      "a value beside an aggregate", "MATCH (n) RETURN n.x + count(*)",
      "AmbiguousAggregationExpression"),
    fails(
      "an aggregate in ORDER BY alone", "MATCH (n) RETURN n.x ORDER BY count(n)",
      "InvalidAggregation"),
    fails("WITH without a name", "MATCH (n) WITH n.x RETURN 1", "NoExpressionAlias"),
    fails("two columns of one name", "RETURN 1 AS a, 2 AS a", "ColumnNameConflict"),
    fails("no variables", "RETURN *", "NoVariablesInScope"),
    fails(
      "unions of different columns",
      "RETURN 1 AS a UNION RETURN 1 AS "
        + "b", "DifferentColumnsInUnion"),
    fails(
      "two kinds of union", "RETURN 1 AS a UNION RETURN 1 AS a UNION ALL RETURN 1 AS a",
      "InvalidClauseComposition"),
    fails("a query without an end", "MATCH (n)", "InvalidClauseComposition"),
    fails(
      "something behind RETURN", "RETURN 1 AS a MATCH (n) RETURN n", "InvalidClauseComposition"),
    fails("LIMIT of a row", "MATCH (n) RETURN n LIMIT n.x", "NonConstantExpression"),
    fails("LIMIT below zero", "RETURN 1 LIMIT -1", "NegativeIntegerArgument"),
    fails("LIMIT with a fraction", "RETURN 1 LIMIT 1.5", "InvalidArgumentType"),
    fails("DELETE of a number", "DELETE 1 + 1", "InvalidArgumentType"),
    fails("DELETE of a label", "MATCH (n) DELETE n:A", "InvalidDelete"),
    fails(
      "DELETE of a node with relationships", "MATCH (n:City) DELETE n", "DeleteConnectedNode",
      on: people),
    fails(
      "a property of what was deleted", "MATCH (n:A) DELETE n RETURN n.x", "DeletedEntityAccess",
      on: "CREATE (:A {x: 1})"),
    fails("a pattern as a value", "MATCH (n) RETURN (n)-->()", "UnexpectedSyntax"),
    fails("range without a step", "RETURN range(2, 8, 0)", "NumberOutOfRange"),
    fails(
      "a percentile over 1", "UNWIND [1] AS x RETURN percentileDisc(x, 1.5)", "NumberOutOfRange"),
    fails("an integer with no room", "RETURN 9223372036854775808", "IntegerOverflow"),
    fails("a hexadecimal integer with no room", "RETURN 0x8000000000000000", "IntegerOverflow"),
    fails("a float with no room", "RETURN 1.34E999", "FloatingPointOverflow"),
    fails("a number with letters", "RETURN 9223372h54", "InvalidNumberLiteral"),
    fails("a hexadecimal number with others", "RETURN 0x12xyz", "InvalidNumberLiteral"),
    fails("a sum with no room", "RETURN 9223372036854775807 + 1", "IntegerOverflow"),
    fails("a product with no room", "RETURN 9223372036854775807 * 2", "IntegerOverflow"),
    fails(
      "the sign of the least integer", "WITH -9223372036854775808 AS x RETURN -x", "IntegerOverflow"
    ),
    fails("a division by zero", "RETURN 1 / 0", "DivisionByZero"),
    fails("a dash that is none", "RETURN 42 — 41", "InvalidUnicodeCharacter"),
    fails("an escape that is none", "RETURN '\\uH'", "InvalidUnicodeLiteral"),
    fails("a day that is none", "RETURN date('2021-02-29')", "InvalidArgumentValue"),
    fails(
      "a day of a month that is missing", "RETURN date({year: 2021, day: 1})",
      "InvalidArgumentValue"),
    fails(
      "a zone that is none", "RETURN datetime({year: 2021, timezone: 'Nowhere/Else'})",
      "InvalidArgumentValue"),
    fails(
      "a year with no room", "RETURN date('2020-01-01') + duration({years: 999999999})",
      "NumberOutOfRange"),
    fails(
      "a relationship to null", "OPTIONAL MATCH (n:Nothing) CREATE (n)-[:R]->()", "MissingNode"),
    fails("a property of a path", "MATCH p = (a) RETURN p.x", "InvalidArgumentType"),
    fails("a subquery that writes", "RETURN EXISTS { CREATE (n) }", "InvalidClauseComposition"),
    fails("a regular expression", "RETURN 'a' =~ 'a'", "UnsupportedFeature"),
    fails("CALL with a subquery", "CALL { RETURN 1 AS x } RETURN x", "UnsupportedFeature"),
    fails("FOREACH that reads", "FOREACH (x IN [1] | MATCH (n))", "InvalidClauseComposition"),
    fails("FOREACH over a number", "FOREACH (x IN 1 | CREATE (n))", "InvalidArgumentType"),
    fails(
      "FOREACH's variable is taken", "MATCH (x) FOREACH (x IN [1] | CREATE ())",
      "VariableAlreadyBound"),
    fails(
      "FOREACH's variable behind it", "FOREACH (x IN [1] | CREATE (n)) WITH 1 AS y RETURN n",
      "UndefinedVariable"),
    fails("YIELD * in a query", "CALL db.labels() YIELD * RETURN label", "UnexpectedSyntax"),
    fails(
      "length without a star", "MATCH ()-[:R..3]->() RETURN 1 AS x", "InvalidRelationshipPattern"),
    fails("a relationship is there", "MATCH ()-[r]->() CREATE ()-[r]->()", "VariableAlreadyBound"),
    fails(
      "a relationship is there already", "MATCH (a)-[r]->(b) MERGE (a)-[r]->(b)",
      "VariableAlreadyBound"),
    fails("a name that begins with a digit", "RETURN {1a: 2} AS x", "UnexpectedSyntax"),
    fails(
      "texts have no rest", "RETURN any(x IN ['a', 'b'] WHERE x % 2 = 0) AS x",
      "InvalidArgumentType"),
    fails("a list is no boolean", "RETURN toBoolean([1]) AS x", "InvalidArgumentValue"),
    fails(
      "ORDER BY a part of a column",
      "MATCH (a) RETURN a.x + a.y AS s, count(*) AS c ORDER BY a.x + count(*)",
      "AmbiguousAggregationExpression"),
    fails(
      "ORDER BY what no column has", "MATCH (a) RETURN count(*) AS c ORDER BY a.x + count(*)",
      "UndefinedVariable"),
    fails(
      "a constraint", "CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE", "UnsupportedFeature"),
  ]

  static let catalog: [Scenario] = []
}
