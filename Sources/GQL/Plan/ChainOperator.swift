/// Follows several relationships, one after the other, each in one direction and of one type.
///
/// A store does it by one statement of SQL. What cannot is followed step by step.
struct ChainOperator: PlanOperator {
  let steps: [ExpandOperator]

  /// Puts a step behind another one, if it goes on where that ends.
  init?(_ before: any PlanOperator, _ step: ExpandOperator) {
    let first = (before as? ChainOperator)?.steps ?? (before as? ExpandOperator).map { [$0] }
    guard let steps = first, let last = steps.last, steps.count < Self.stepsMax,
      last.isChainable, step.isChainable, last.ends.to == step.ends.from
    else { return nil }
    self.steps = steps + [step]
  }

  /// The most steps of one statement, which SQLite limits to 64 tables.
  private static let stepsMax = 16

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let start = try run.node(steps[0].ends.from, steps[0].ends.name) else { return true }
    let own = steps.map(\.slot)
    let others = steps.map { step in step.others.filter { !own.contains($0) } }
    let chain = steps.map { step in
      let node = run.needs[step.ends.to]
      return ChainStep(
        isOutgoing: step.direction == .outgoing, type: step.types?.first ?? "",
        hasLabels: node.isRead || step.ends.test.labels != nil,
        relationship: run.needs[step.slot], node: node)
    }
    let readsOne =
      steps.indices.map { chain[$0].relationship.isRead || !others[$0].isEmpty } + [false]
    let goesOn = try run.graph.forEachPath(of: start.id, chain) { row in
      try run.budget.step()
      var at = start.id
      for (index, step) in steps.enumerated() {
        let node = chain[index].node.isRead ? row.node(index) : nil
        if let labels = step.ends.test.labels, !labels.allows(node?.labels ?? row.labels(index)) {
          return true
        }
        if readsOne[index] || readsOne[index + 1] {
          let end = node?.id ?? row.id(index)
          if readsOne[index] {
            let one = row.relationship(index, from: at, to: end)
            if run.uses(one.id, others[index]) { return true }
            run.slots[step.slot] = .relationship(one)
          }
          at = end
        }
        if let node { run.slots[step.ends.to] = .node(node) }
      }
      return try next()
    }
    return try goesOn ?? follow(from: 0, run, next)
  }

  private func follow(from index: Int, _ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard index < steps.count else { return try next() }
    return try steps[index].run(run) { try follow(from: index + 1, run, next) }
  }

  func lines(_ graph: any GraphAccess) -> [String] {
    ["Chain"] + steps.flatMap { $0.lines(graph).map { "  \($0)" } }
  }
}

extension ExpandOperator {
  /// Whether the step can be a part of a chain: it finds what is not known, in one direction and by
  /// one type.
  fileprivate var isChainable: Bool {
    !isBound && !ends.isToBound && direction != .either && condition == nil && types?.count == 1
      && ends.from != ends.to
  }
}
