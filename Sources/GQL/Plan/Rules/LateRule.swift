extension PlanRules {
  /// Computes what a limited result shows only for the rows that are kept.
  ///
  /// Before, of `RETURN a.x, a.y ORDER BY a.x LIMIT 3`: both values of every row, and then the order.
  /// After, `a.x` of every row, and `a.y` of those that are among the first three when they come. A
  /// value that may fail is computed for every row, as it is written.
  static let late = PlanRules(rawValue: 1024)
}

extension BranchCompiler {
  /// Takes what is computed late out of what is computed of every row.
  /// - Parameters:
  ///   - items: what the clause makes.
  ///   - keys: what its rows are sorted by.
  ///   - isLimited: whether only the first rows are wanted.
  /// - Returns: what is computed late.
  func takeLate(
    _ items: inout [(value: Compiled, slot: Int)], keys: [Compiled], isLimited: Bool
  ) -> [(value: Compiled, slot: Int)] {
    guard plan.rules.contains(.late), isLimited, !keys.isEmpty, !plan.writes else { return [] }
    let sorted = keys.reduce(into: Set<Int>()) { $0.formUnion($1.slots) }
    let late = items.filter { !$0.value.mayFail && !sorted.contains($0.slot) }
    items.removeAll { item in late.contains { $0.slot == item.slot } }
    return late
  }
}
