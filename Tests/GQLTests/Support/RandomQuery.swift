import DaybookSimulation

@testable import DaybookGQL

/// A random pattern with a condition: as text, and as the naive evaluator takes it.
struct RandomQuery {
  private(set) var patterns: [NaiveEvaluator.Pattern] = []
  private(set) var condition: NaiveEvaluator.Condition?
  private(set) var variables = 0

  static let labels = ["A", "B", "Big One"]
  static let types = ["R", "S"]
  static let properties = ["x", "y"]

  /// Statements that make a graph of up to eight nodes.
  static func graph(_ random: inout SplitMix64) -> [String] {
    var statements: [String] = []
    let count = Int.random(in: 0...7, using: &random)
    for number in 0..<count {
      let labels = Self.labels.filter { _ in Bool.random(using: &random) }.map { ":`\($0)`" }
      var map = ["n: \(number)"]
      for property in properties where Bool.random(using: &random) {
        map.append("\(property): \(Int.random(in: 0...2, using: &random))")
      }
      statements.append("CREATE (\(labels.joined()) {\(map.joined(separator: ", "))})")
    }
    guard count > 0 else { return statements }
    for _ in 0..<Int.random(in: 0...10, using: &random) {
      let (a, b) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
      )
      let type = types.randomElement(using: &random) ?? "R"
      statements.append("MATCH (a {n: \(a)}), (b {n: \(b)}) CREATE (a)-[:\(type)]->(b)")
    }
    return statements
  }

  init(_ random: inout SplitMix64) {
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      var pattern = NaiveEvaluator.Pattern(nodes: [node(&random)], steps: [])
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let least = Int.random(in: 0...2, using: &random)
        pattern.steps.append(
          NaiveEvaluator.Step(
            type: Bool.random(using: &random) ? Self.types.randomElement(using: &random) : nil,
            direction: Int.random(in: -1...1, using: &random),
            length: Int.random(in: 0...3, using: &random) == 0
              ? (least, least + Int.random(in: 0...2, using: &random)) : nil))
        pattern.nodes.append(node(&random))
      }
      patterns.append(pattern)
    }
    if Int.random(in: 0...2, using: &random) > 0 { condition = condition(2, &random) }
  }

  private mutating func node(_ random: inout SplitMix64) -> NaiveEvaluator.Node {
    let reuses = variables > 0 && Int.random(in: 0...3, using: &random) == 0
    let variable = reuses ? Int.random(in: 0..<variables, using: &random) : variables
    if !reuses { variables += 1 }
    var node = NaiveEvaluator.Node(variable: variable)
    if Int.random(in: 0...2, using: &random) == 0 {
      node.label = Self.labels.randomElement(using: &random)
    }
    if Int.random(in: 0...3, using: &random) == 0 {
      node.property = (
        Self.properties.randomElement(using: &random) ?? "x",
        Int64.random(in: 0...2, using: &random)
      )
    }
    return node
  }

  private func condition(_ depth: Int, _ random: inout SplitMix64) -> NaiveEvaluator.Condition {
    let variable = Int.random(in: 0..<variables, using: &random)
    let other = Int.random(in: 0..<variables, using: &random)
    let property = Self.properties.randomElement(using: &random) ?? "x"
    switch Int.random(in: depth > 0 ? 0...7 : 0...4, using: &random) {
    case 0:
      return .less(
        variable: variable, property: property, than: Int64.random(in: 0...2, using: &random))
    case 1: return .equal(variable, "x", other, property)
    case 2: return .isNull(variable, property)
    case 3: return .hasLabel(variable, Self.labels.randomElement(using: &random) ?? "A")
    case 4:
      return .connected(variable, other, type: Self.types.randomElement(using: &random) ?? "R")
    case 5: return .not(condition(depth - 1, &random))
    case 6: return .and(condition(depth - 1, &random), condition(depth - 1, &random))
    default: return .or(condition(depth - 1, &random), condition(depth - 1, &random))
    }
  }

  // MARK: - Text

  var text: String {
    let match = patterns.map(Self.text).joined(separator: ", ")
    let filter = condition.map { " WHERE \(Self.text($0))" } ?? ""
    let columns = (0..<variables).map { "v\($0).n" }.joined(separator: ", ")
    return "MATCH \(match)\(filter) RETURN \(columns)"
  }

  private static func text(_ pattern: NaiveEvaluator.Pattern) -> String {
    var text = self.text(pattern.nodes[0])
    for (step, node) in zip(pattern.steps, pattern.nodes.dropFirst()) {
      let type = step.type.map { ":\($0)" } ?? ""
      let length = step.length.map { "*\($0.least)..\($0.most)" } ?? ""
      text +=
        "\(step.direction < 0 ? "<" : "")-[\(type)\(length)]-\(step.direction > 0 ? ">" : "")"
        + self.text(node)
    }
    return text
  }

  private static func text(_ node: NaiveEvaluator.Node) -> String {
    let label = node.label.map { ":`\($0)`" } ?? ""
    let map = node.property.map { " {\($0.name): \($0.value)}" } ?? ""
    return "(v\(node.variable)\(label)\(map))"
  }

  private static func text(_ condition: NaiveEvaluator.Condition) -> String {
    switch condition {
    case .less(let variable, let property, let limit): "v\(variable).\(property) < \(limit)"
    case .equal(let a, let first, let b, let second): "v\(a).\(first) = v\(b).\(second)"
    case .isNull(let variable, let property): "v\(variable).\(property) IS NULL"
    case .hasLabel(let variable, let label): "v\(variable):`\(label)`"
    case .connected(let a, let b, let type): "(v\(a))-[:\(type)]->(v\(b))"
    case .not(let inner): "NOT (\(text(inner)))"
    case .and(let a, let b): "(\(text(a)) AND \(text(b)))"
    case .or(let a, let b): "(\(text(a)) OR \(text(b)))"
    }
  }
}
