/// Repeats a part of a path, each relationship at most once in all, depth first.
///
/// It keeps its own stack: a path may be as long as the graph.
struct RepeatOperator: PlanOperator {
  /// What of one repetition is where: the slots of its nodes and relationships, from left to right.
  struct Parts {
    var nodes: [Int]
    var relationships: [Int]
  }

  let ends: StepEnds
  /// The list of all relationships.
  let slot: Int
  /// The list of all nodes, from the first to the last.
  let nodesSlot: Int
  /// The steps of one repetition. They begin at its first node, or if the path is followed from its
  /// end, at its last one.
  let once: Pipeline
  let parts: Parts
  /// For each variable of the part, its slot and that of the list of its values.
  let lists: [(inner: Int, outer: Int)]
  let length: GQLRelationshipPattern.Length
  let others: [Int]
  let isReversed: Bool

  private struct Repetition {
    var nodes: [GQLNode]
    var relationships: [GQLRelationship]
    var values: [GQLValue]
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let start = try run.node(ends.from, ends.name) else { return true }
    var path: [Repetition] = []
    func arrive(_ node: GQLNode) throws -> Bool {
      guard try ends.reach(node, run) else { return true }
      set(isReversed ? path.reversed() : path, from: start, run)
      return try next()
    }
    if length.least == 0 { guard try arrive(start) else { return false } }
    let most = length.most ?? .max
    guard most > 0, most >= length.least else { return true }
    var stack = [try repetitions(from: start, path, run)]
    while let last = stack.indices.last {
      guard let repetition = stack[last].popLast() else {
        stack.removeLast()
        _ = path.popLast()
        continue
      }
      try run.budget.step()
      path.append(repetition)
      let end = isReversed ? repetition.nodes[0] : repetition.nodes[repetition.nodes.count - 1]
      if path.count >= length.least { guard try arrive(end) else { return false } }
      if path.count < most {
        stack.append(try repetitions(from: end, path, run))
      } else {
        path.removeLast()
      }
    }
    return true
  }

  /// Sets the lists to what the repetitions have, from left to right.
  private func set(_ path: [Repetition], from start: GQLNode, _ run: PlanRun) {
    run.slots[slot] = .list(path.flatMap(\.relationships).map { .relationship($0) })
    let nodes = path.first.map { [$0.nodes[0]] } ?? [start]
    run.slots[nodesSlot] = .list(
      (nodes + path.flatMap { $0.nodes.dropFirst() }).map { .node($0) })
    for (index, list) in lists.enumerated() {
      run.slots[list.outer] = .list(path.map { $0.values[index] })
    }
  }

  /// The repetitions that go on from a node, the last one first.
  private func repetitions(from node: GQLNode, _ path: [Repetition], _ run: PlanRun) throws
    -> [Repetition]
  {
    var found: [Repetition] = []
    run.slots[isReversed ? parts.nodes[parts.nodes.count - 1] : parts.nodes[0]] = .node(node)
    _ = try once.run(run) {
      var repetition = Repetition(
        nodes: [], relationships: [], values: lists.map { run.slots[$0.inner] })
      for slot in parts.relationships {
        guard case .relationship(let one) = run.slots[slot], !run.uses(one.id, others),
          !path.contains(where: { $0.relationships.contains { $0.id == one.id } })
        else { return true }
        repetition.relationships.append(one)
      }
      for slot in parts.nodes {
        guard case .node(let node) = run.slots[slot] else { return true }
        repetition.nodes.append(node)
      }
      found.append(repetition)
      return true
    }
    return found.reversed()
  }

  func lines(_ view: PlanView) -> [String] {
    let most = length.most.map { "\($0)" } ?? "any number"
    return ["Repeat \(length.least) to \(most) times to \(ends.name)"]
      + once.lines(view).map { "  \($0)" }
  }
}
