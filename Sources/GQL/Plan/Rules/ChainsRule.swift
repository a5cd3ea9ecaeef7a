extension PlanRules {
  /// Follows several relationships in a row by one statement.
  ///
  /// Before, `Expand outgoing of type R to b`, `Expand outgoing of type R to c`: a statement for
  /// each `b`. After, `Chain` of both. A step with two directions or several types stays by itself,
  /// one to a node that is known is the last one, and one behind a condition begins a chain.
  static let chains = PlanRules(rawValue: 64)
}

extension MatchPlanner {
  /// Puts a step behind a chain, or begins a chain with it.
  /// - Returns: false if it can be part of none. Nothing is added then.
  mutating func addToChain(_ step: ExpandOperator) -> Bool {
    guard plan.rules.contains(.chains) else { return false }
    if let last = pipeline.operators.last as? ChainOperator, let chain = ChainOperator(last, step) {
      // What the chain has found itself is told apart by the store.
      let own = chain.steps.map(\.slot)
      for slot in used where !own.contains(slot) { plan.uses.noteIdentity(slot) }
      if step.ends.isToBound { plan.uses.noteIdentity(step.ends.to) }
      pipeline.operators[pipeline.operators.count - 1] = chain
      return true
    }
    guard let chain = ChainOperator(step) else { return false }
    noteUses(of: step.ends)
    pipeline.operators.append(chain)
    return true
  }
}
