extension PlanRules {
  /// Begins a path where the fewest nodes are.
  ///
  /// Before, `Nodes a: all` and `Expand outgoing … to b`. After, `Nodes b: by label` and
  /// `Expand incoming … to a`: one node that is known, or has a label or a value, leads to the
  /// others. Of several paths, one that hangs on what is known is next.
  static let start = PlanRules(rawValue: 1)
}

extension MatchPlanner {
  /// Returns the part to go on with: one that hangs on what is known, or the most selective one.
  func next(_ left: [Part]) -> Int? {
    guard plan.rules.contains(.start) else { return left.indices.first }
    return left.indices.max { score(left[$0]).score < score(left[$1]).score }
  }

  /// Returns the node of a path to begin at, and how selective that is.
  func score(_ part: Part) -> (score: Int, index: Int) {
    var best = (score: -1, index: 0)
    guard plan.rules.contains(.start) else { return best }
    for index in part.nodes.indices {
      let slot = part.nodes[index]
      let labels = part.pattern.nodes[index].labels?.names
      let isAnchored = !equalities(slot).isEmpty
      let score =
        bound.contains(slot)
        ? 100
        : isAnchored && labels != nil
          ? 20
          : isAnchored ? 12 : labels != nil ? 10 : 0
      if score > best.score { best = (score, index) }
    }
    return best
  }
}
