import DaybookSimulation

/// Makes random patterns and conditions, and knows which variables there are by then.
struct RandomScope {
  /// The variables by what they hold, or may hold beside null.
  var nodes: [Int] = []
  var relationships: [Int] = []
  var numbers: [Int] = []
  /// The number of the next variable.
  private(set) var next = 0
  /// Whether single relationships get variables.
  let namesRelationships: Bool

  static let labels = ["A", "B", "Big One"]
  static let types = ["R", "S"]
  /// Properties of nodes.
  static let properties = ["x", "y"]

  init(namesRelationships: Bool) { self.namesRelationships = namesRelationships }

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
    for number in 0..<Int.random(in: 0...10, using: &random) {
      let (a, b) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
      )
      let type = types.randomElement(using: &random) ?? "R"
      var map = ["n: \(100 + number)"]
      if Bool.random(using: &random) { map.append("w: \(Int.random(in: 0...2, using: &random))") }
      statements.append(
        "MATCH (a {n: \(a)}), (b {n: \(b)}) "
          + "CREATE (a)-[:\(type) {\(map.joined(separator: ", "))}]->(b)")
    }
    return statements
  }

  mutating func newVariable() -> Int {
    next += 1
    return next - 1
  }

  // MARK: - Patterns

  /// - Parameter known: the relationships that the pattern may name again. One that it names is
  ///   taken out.
  mutating func pattern(_ known: inout [Int], _ random: inout SplitMix64)
    -> NaiveEvaluator.Pattern
  {
    var pattern = NaiveEvaluator.Pattern(nodes: [node(&random)], steps: [])
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      pattern.steps.append(step(&known, &random))
      pattern.nodes.append(node(&random))
    }
    return pattern
  }

  private mutating func node(_ random: inout SplitMix64) -> NaiveEvaluator.Node {
    let variable: Int
    if let known = nodes.randomElement(using: &random), Int.random(in: 0...3, using: &random) == 0 {
      variable = known
    } else {
      variable = newVariable()
      nodes.append(variable)
    }
    var node = NaiveEvaluator.Node(variable: variable)
    if Int.random(in: 0...2, using: &random) == 0 {
      node.label = Self.labels.randomElement(using: &random)
    }
    if Int.random(in: 0...3, using: &random) == 0 {
      let name = Self.properties.randomElement(using: &random) ?? "x"
      if let number = numbers.randomElement(using: &random), Bool.random(using: &random) {
        node.property = (name, .variable(number))
      } else {
        node.property = (name, .literal(Int64.random(in: 0...2, using: &random)))
      }
    }
    return node
  }

  private mutating func step(_ known: inout [Int], _ random: inout SplitMix64)
    -> NaiveEvaluator.Step
  {
    var step = NaiveEvaluator.Step(
      type: Bool.random(using: &random) ? Self.types.randomElement(using: &random) : nil,
      direction: Int.random(in: -1...1, using: &random))
    if Int.random(in: 0...4, using: &random) == 0 {
      step.property = ("w", Int64.random(in: 0...2, using: &random))
    }
    guard Int.random(in: 0...3, using: &random) > 0 else {
      let least = Int.random(in: 0...2, using: &random)
      step.length = (least, least + Int.random(in: 0...2, using: &random))
      return step
    }
    guard namesRelationships, Bool.random(using: &random) else { return step }
    if !known.isEmpty, Bool.random(using: &random) {
      step.variable = known.remove(at: Int.random(in: known.indices, using: &random))
    } else {
      let variable = newVariable()
      step.variable = variable
      relationships.append(variable)
    }
    return step
  }

  // MARK: - Conditions

  /// - Parameter depth: how deep it may be.
  func condition(_ depth: Int, _ random: inout SplitMix64) -> NaiveEvaluator.Condition? {
    guard let variable = nodes.randomElement(using: &random),
      let other = nodes.randomElement(using: &random)
    else {
      return numbers.randomElement(using: &random).map {
        .lessNumber($0, than: Int64.random(in: 0...3, using: &random))
      }
    }
    let property = Self.properties.randomElement(using: &random) ?? "x"
    let limit = Int64.random(in: 0...2, using: &random)
    func inner() -> NaiveEvaluator.Condition {
      condition(depth - 1, &random) ?? .isNull(variable, "y")
    }
    switch Int.random(in: depth > 0 ? 0...12 : 0...7, using: &random) {
    case 0: return .less(variable: variable, property: property, than: limit)
    case 1: return .equal(variable, "x", other, property)
    case 2: return .isNull(variable, property)
    case 3: return .hasLabel(variable, Self.labels.randomElement(using: &random) ?? "A")
    case 4:
      return .connected(variable, other, type: Self.types.randomElement(using: &random) ?? "R")
    case 5:
      guard let one = relationships.randomElement(using: &random) else {
        return .equal(variable, property, other, "y")
      }
      return Bool.random(using: &random)
        ? .less(variable: one, property: "w", than: limit) : .equal(one, "w", other, property)
    case 6:
      guard let number = numbers.randomElement(using: &random) else {
        return .isNull(other, property)
      }
      return .lessNumber(number, than: limit)
    case 7: return namesRelationships ? .isMissing(variable) : .hasLabel(other, "B")
    case 8: return .not(inner())
    case 9: return .and(inner(), inner())
    case 10: return .or(inner(), inner())
    default:
      guard namesRelationships else { return .or(inner(), .not(inner())) }
      var scope = self
      var none: [Int] = []
      let pattern = scope.pattern(&none, &random)
      return .exists(pattern, Bool.random(using: &random) ? scope.condition(0, &random) : nil)
    }
  }
}
