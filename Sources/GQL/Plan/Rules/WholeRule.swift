extension PlanRules {
  /// Makes an element with the properties that the next clause sets.
  ///
  /// Before, of `CREATE (n:B) SET n = row`: all nodes are made, and then all are changed. After,
  /// each is made as it is to be, by one operation of the event. Elements of typed collections are
  /// made and changed as it is written. So is all of a `SET` that changes something else, too, or
  /// has values that look at the graph or at what is made.
  static let whole = PlanRules(rawValue: 128)
}

extension BranchCompiler {
  /// Makes changes a part of the `CREATE` before them, if they are all of elements that it makes.
  /// - Returns: false if they are not. Nothing is added then.
  mutating func addToCreate(_ changes: [GraphChange], of items: [GQLClause.SetItem]) -> Bool {
    guard plan.rules.contains(.whole), pipeline.operators.count == 1,
      let eager = pipeline.operators[0] as? EagerOperator, var last = eager.stages.last,
      var create = last.steps.operators.last as? CreateOperator, create.changes.isEmpty,
      !create.looks.atGraph
    else { return false }
    for (item, change) in zip(items, changes) {
      guard let part = part(thatTakes: item, of: create) else { return false }
      create.changes.append((part, change))
    }
    last.steps.operators[last.steps.operators.count - 1] = create
    pipeline = Pipeline(operators: [EagerOperator(stages: eager.stages.dropLast() + [last])])
    return true
  }

  /// Returns the part of a CREATE that can be made with what an item sets; nil if there is none.
  private func part(thatTakes item: GQLClause.SetItem, of create: CreateOperator) -> Int? {
    let (target, value): (String, GQLExpression)
    switch item {
    case .property(let owner, _, let new, _):
      guard case .variable(let name) = owner.kind else { return nil }
      (target, value) = (name, new)
    case .replace(let name, let new, _), .merge(let name, let new, _): (target, value) = (name, new)
    case .labels: return nil
    }
    let made = Set(create.parts.map(\.slot) + create.paths.map(\.slot))
    // What is made must not be read before it would have been changed.
    guard !value.looksAtGraph, let slot = scope[target]?.slot, !create.looks.slots.contains(slot),
      value.names.allSatisfy({ name in scope[name].map { !made.contains($0.slot) } ?? true })
    else { return nil }
    return create.parts.firstIndex { $0.slot == slot }
  }
}
