extension PlanRules {
  /// Creates for each row as it comes, if nothing before it can see what is created.
  ///
  /// Before, of `MATCH (a:A), (b:B) CREATE (a)-[:R]->(b)`: all rows of the match are kept, and then
  /// relationships are made for them. After, no row is kept. What follows still sees all that is
  /// created.
  static let stream = PlanRules(rawValue: 256)
}

extension BranchCompiler {
  /// Whether the steps so far cannot see what a step creates.
  func isUnseen(_ step: CreateOperator) -> Bool {
    guard plan.rules.contains(.stream), !plan.writes, !plan.looks.forRelationships else {
      return false
    }
    return !plan.looks.forNodes
      || step.parts.allSatisfy { if case .relationship = $0.kind { true } else { false } }
  }
}
