extension PlanRules {
  /// Looks at a condition as soon as its variables have values, unless it may fail: then it is not
  /// evaluated for what is no match.
  ///
  /// Before, `Expand … to a`, `Filter {x}`. After, `Filter {x}`, `Expand … to a`.
  static let conditions = PlanRules(rawValue: 8)
}

extension MatchPlanner {
  /// Whether a condition can be looked at behind the steps so far.
  func isReady(_ condition: Condition) -> Bool {
    plan.rules.contains(.conditions) && !condition.compiled.mayFail
      && condition.compiled.slots.intersection(ours).isSubset(of: bound)
  }
}
