/// What a query returns on a graph, or the error that it ends with: one sentence of the language.
struct Scenario: Sendable, CustomStringConvertible {
  enum Outcome: Sendable {
    /// The rows, each with its values as a query writes them and ` | ` between them.
    case rows([String])
    /// The detail of the error.
    case error(String)
  }

  var name: String
  /// Statements that make the graph; a semicolon at the end of a line divides them.
  var graph: String
  var query: String
  var outcome: Outcome
  /// A second query, about what the first one has left.
  var after: (query: String, rows: [String])?

  var description: String { name }

  /// The rows of a result, sorted unless the query gives an order.
  static func shown(_ rows: [String], of query: String) -> [String] {
    query.uppercased().contains("ORDER BY") ? rows : rows.sorted()
  }

  static let all: [Scenario] =
    values + operators + texts + lists + times + reading + paths + repeated
    + projections + aggregates + scopes + writing + merging + changes + mistakes + catalog
}

/// A scenario with rows as its result.
func returns(
  _ name: String, _ query: String, _ rows: [String], on graph: String = "",
  after: (query: String, rows: [String])? = nil
) -> Scenario {
  Scenario(name: name, graph: graph, query: query, outcome: .rows(rows), after: after)
}

/// A scenario with an error as its result.
func fails(_ name: String, _ query: String, _ detail: String, on graph: String = "") -> Scenario {
  Scenario(name: name, graph: graph, query: query, outcome: .error(detail))
}

/// Scenarios that each evaluate one expression.
func evaluates(_ pairs: [(expression: String, value: String)]) -> [Scenario] {
  pairs.map { returns($0.expression, "RETURN \($0.expression) AS x", [$0.value]) }
}
