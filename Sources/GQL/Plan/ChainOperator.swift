import DaybookEventCore

/// Follows relationships, one after the other, each in one direction and of one type.
///
/// A store does it by one statement of SQL, if it can, and else step by step.
struct ChainOperator: PlanOperator {
  let steps: [ExpandOperator]
  /// For each step, the relationships before the chain that it must not use again.
  private let others: [[Int]]

  /// Makes a chain of one step; nil if it can be none.
  init?(_ step: ExpandOperator) {
    guard step.isChainable else { return nil }
    self.init(steps: [step])
  }

  /// Puts a step behind a chain, if it goes on where that ends.
  init?(_ before: ChainOperator, _ step: ExpandOperator) {
    guard let last = before.steps.last, before.steps.count < Self.stepsMax, step.isChainable,
      !last.ends.isToBound, last.ends.to == step.ends.from,
      !(step.ends.isToBound && before.steps.contains { $0.ends.to == step.ends.to })
    else { return nil }
    self.init(steps: before.steps + [step])
  }

  private init(steps: [ExpandOperator]) {
    self.steps = steps
    let own = steps.map(\.slot)
    others = steps.map { step in step.others.filter { !own.contains($0) } }
  }

  /// The most steps of one statement, which SQLite limits to 64 tables.
  private static let stepsMax = 16

  /// What a run knows of the chain, so that it finds it out once.
  final class Run {
    /// A step, as the rows need it.
    fileprivate struct Part {
      var slot: Int
      var nodeSlot: Int
      var isEndKnown: Bool
      var labels: GQLLabels?
      /// The relationships before the chain that it must not use again.
      var others: [Int]
      var readsNode: Bool
      var readsRelationship: Bool
      /// Whether the id of the node at the end is read, for this relationship or the next one.
      var readsEnd: Bool
    }

    fileprivate let parts: [Part]
    /// Whether of the only step it matters only how many relationships there are.
    fileprivate let onlyCounts: Bool
    private let steps: [ChainStep]
    /// The way from a collection, and that.
    private var way: (from: String, way: PathWay)?

    fileprivate init(_ chain: ChainOperator, _ run: PlanRun) {
      let reads = chain.reads(run.needs)
      let readsEnd = reads.indices.map { reads[$0] || $0 + 1 < reads.count && reads[$0 + 1] }
      steps = chain.followed(run.needs)
      parts = chain.steps.enumerated().map { [steps] index, step in
        Part(
          slot: step.slot, nodeSlot: step.ends.to, isEndKnown: step.ends.isToBound,
          labels: step.ends.isToBound ? nil : step.ends.test.labels, others: chain.others[index],
          readsNode: !step.ends.isToBound && steps[index].node.isRead,
          readsRelationship: reads[index], readsEnd: readsEnd[index])
      }
      onlyCounts = parts.count == 1 && parts[0].isEndKnown && !reads[0]
    }

    fileprivate func way(from collection: String, _ graph: any GraphAccess) throws -> PathWay {
      if let way, way.from.isSame(as: collection) { return way.way }
      let found = try graph.way(along: steps, from: collection)
      way = (collection, found)
      return found
    }
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    let last = steps[steps.count - 1]
    guard let start = try run.node(steps[0].ends.from, steps[0].ends.name) else { return true }
    var goal: GQLNode?
    if last.ends.isToBound {
      goal = try run.node(last.ends.to, last.ends.name)
      guard let goal, last.ends.test.allows(goal) else { return true }
    }
    // A limit of time is looked at between rows, and a long join may take long without one.
    if steps.count > 1, run.budget.hasTimeLimit { return try follow(from: 0, run, next) }
    let own = run.chains[last.slot] ?? Run(self, run)
    run.chains[last.slot] = own
    switch try own.way(from: start.id.collection, run.graph) {
    case .nowhere: return true
    case .stepByStep: return try follow(from: 0, run, next)
    case .statement(let reader):
      if let goal, own.onlyCounts, let count = try reader.count(from: start.id, to: goal.id) {
        for _ in 0..<count {
          try run.budget.step()
          guard try next() else { return false }
        }
        return true
      }
      return try reader.forEach(from: start.id, to: goal?.id) { row in
        guard try take(row, own, start.id, goal?.id, run) else { return true }
        return try next()
      }
    }
  }

  /// Sets the slots by a row; returns false if it is no match.
  private func take(
    _ row: ChainRow, _ own: Run, _ start: GQLElementID, _ goal: GQLElementID?, _ run: PlanRun
  ) throws -> Bool {
    try run.budget.step()
    var at: GQLElementID?
    for index in own.parts.indices {
      let node = own.parts[index].readsNode ? row.node(index) : nil
      if let labels = own.parts[index].labels,
        !labels.allows(node?.labels ?? row.labels(index))
      {
        return false
      }
      if own.parts[index].readsEnd {
        let end = (own.parts[index].isEndKnown ? goal : node?.id) ?? row.id(index)
        if own.parts[index].readsRelationship {
          let one = row.relationship(index, from: at ?? start, to: end)
          if run.uses(one.id, own.parts[index].others) { return false }
          run.slots[own.parts[index].slot] = .relationship(one)
        }
        at = end
      }
      if let node { run.slots[own.parts[index].nodeSlot] = .node(node) }
    }
    return true
  }

  private func follow(from index: Int, _ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard index < steps.count else { return try next() }
    return try steps[index].run(run) { try follow(from: index + 1, run, next) }
  }

  func lines(_ view: PlanView) -> [String] {
    let statements = view.writes ? [] : (try? view.graph.statements(along: followed(view.needs)))
    guard let statements, !statements.isEmpty else {
      let lines = steps.flatMap { $0.lines(view) }
      return steps.count == 1 ? lines : ["Chain"] + lines.map { "  \($0)" }
    }
    let lines = steps.compactMap { $0.lines(view).first }
    if steps.count == 1 { return view.lines(lines[0], statements) }
    return ["Chain"] + lines.map { "  \($0)" } + statements.map { "  \($0)" }
  }

  /// Returns the steps, with what is read of each relationship and node.
  private func followed(_ needs: [ElementNeeds]) -> [ChainStep] {
    let reads = reads(needs)
    return steps.enumerated().map { index, step in
      let node = needs[step.ends.to]
      let readsEnd = reads[index] || index + 1 < reads.count && reads[index + 1]
      return ChainStep(
        isOutgoing: step.direction == .outgoing, type: step.types?.first ?? "",
        hasLabels: node.isRead || step.ends.test.labels != nil,
        labels: step.ends.test.labels?.names ?? [], hasRelationship: reads[index],
        hasID: node.isRead || readsEnd, relationship: needs[step.slot], node: node,
        isEndKnown: step.ends.isToBound)
    }
  }

  /// Whether the relationship of each step is read.
  private func reads(_ needs: [ElementNeeds]) -> [Bool] {
    zip(steps, others).map { needs[$0.slot].isRead || !$1.isEmpty }
  }
}

extension ExpandOperator {
  /// Whether the step can be a part of a chain: it goes in one direction and by one type.
  fileprivate var isChainable: Bool {
    !isBound && direction != .either && condition == nil && types?.count == 1
      && ends.from != ends.to
  }
}
