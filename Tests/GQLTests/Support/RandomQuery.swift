import DaybookSimulation

@testable import DaybookGQL

/// A random `MATCH` with a condition whose variables are all nodes: as text, and as the naive
/// evaluator takes it.
struct RandomQuery {
  private(set) var patterns: [NaiveEvaluator.Pattern] = []
  let condition: NaiveEvaluator.Condition?
  let variables: Int

  init(_ random: inout SplitMix64) {
    var scope = RandomScope(namesRelationships: false)
    var none: [Int] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      patterns.append(scope.pattern(&none, &random))
    }
    condition = Int.random(in: 0...2, using: &random) > 0 ? scope.condition(2, &random) : nil
    variables = scope.next
  }

  var text: String {
    let columns = (0..<variables).map { "v\($0).n" }.joined(separator: ", ")
    return "\(match) RETURN \(columns)"
  }

  /// The text without what is returned.
  var match: String {
    let filter = condition.map { " WHERE \($0.text)" } ?? ""
    return "MATCH \(patterns.map(\.text).joined(separator: ", "))\(filter)"
  }

  /// Returns the nodes of each match, by variable.
  func matches(in graph: ListedGraph) -> [[GQLNode]] {
    NaiveEvaluator(graph: graph).matches(patterns, condition).map { row in
      (0..<variables).compactMap { variable in
        if case .node(let node)? = row[variable] { node } else { nil }
      }
    }
  }
}
