extension PlanRules {
  /// Looks nodes up by the values of properties that are known by then.
  ///
  /// Before, `Nodes b: those with the label B` and `Filter {x}`. After, `Nodes b: by label, x`, for
  /// which an index can be used. The filter stays: a look-up may find more than is equal.
  static let values = PlanRules(rawValue: 4)
}

extension MatchPlanner {
  /// The properties of a node whose values are known before the node is.
  func equalities(_ slot: Int) -> [(property: String, value: Compiled)] {
    guard plan.rules.contains(.values) else { return [] }
    return conditions.compactMap { condition in
      guard let equality = condition.equality, equality.slot == slot,
        equality.value.slots.intersection(ours).isSubset(of: bound)
      else { return nil }
      return (equality.property, equality.value)
    }
  }
}
