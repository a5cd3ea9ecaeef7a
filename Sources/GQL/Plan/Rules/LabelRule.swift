extension PlanRules {
  /// Reads only the nodes that have the label of the pattern.
  ///
  /// Before, `Nodes b: all`. After, `Nodes b: those with the label B`.
  static let label = PlanRules(rawValue: 2)
}

extension MatchPlanner {
  /// Returns the label whose nodes are read for a node of a pattern; nil for all nodes.
  func wantedLabel(_ node: GQLNodePattern) -> String? {
    plan.rules.contains(.label) ? node.labels?.names?.first : nil
  }
}
