/// Follows relationships in a row, each at most once, depth first.
///
/// It keeps its own stack: a path may be as long as the graph.
struct VariableLengthOperator: PlanOperator {
  let ends: StepEnds
  /// The list of the relationships.
  let slot: Int
  /// The list of the nodes, from the first to the last.
  let nodesSlot: Int
  /// Whether the list of relationships is known already.
  let isBound: Bool
  let direction: GQLRelationshipPattern.Direction
  let types: [String]?
  let condition: GQLLabels?
  let length: GQLRelationshipPattern.Length
  /// The properties that each relationship must have.
  let properties: [(name: String, value: Compiled)]
  let others: [Int]
  /// Whether the pattern is followed from its end, so that the lists have to be turned around.
  let isReversed: Bool

  private typealias Step = (one: GQLRelationship, node: GQLNode)

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let start = try run.node(ends.from, ends.name) else { return true }
    let known: GQLValue? = isBound ? run.slots[slot] : nil
    if let known, known.isNull { return true }
    let wanted = try properties.map { ($0.name, try $0.value.evaluate(run)) }
    var path: [Step] = []
    func arrive(_ node: GQLNode) throws -> Bool {
      guard try ends.reach(node, run) else { return true }
      let steps = isReversed ? path.reversed() : path
      let list = GQLValue.list(steps.map { .relationship($0.one) })
      if let known, GQLValue.equals(known, list) != true { return true }
      var nodes = [start] + path.map(\.node)
      if isReversed { nodes.reverse() }
      run.slots[slot] = list
      run.slots[nodesSlot] = .list(nodes.map { .node($0) })
      return try next()
    }
    if length.least == 0 { guard try arrive(start) else { return false } }
    let most = length.most ?? .max
    guard most > 0, most >= length.least else { return true }
    var pending = [try steps(from: start, path, wanted, run)]
    while let last = pending.indices.last {
      guard let step = pending[last].popLast() else {
        pending.removeLast()
        _ = path.popLast()
        continue
      }
      try run.budget.step()
      path.append(step)
      if path.count >= length.least { guard try arrive(step.node) else { return false } }
      if path.count < most {
        pending.append(try steps(from: step.node, path, wanted, run))
      } else {
        path.removeLast()
      }
    }
    if let known { run.slots[slot] = known }
    return true
  }

  /// The relationships that go on from a node, the last one first.
  private func steps(
    from node: GQLNode, _ path: [Step], _ wanted: [(String, GQLValue)], _ run: PlanRun
  ) throws -> [Step] {
    var found: [Step] = []
    _ = try run.graph.forEachRelationship(of: node.id, direction, types: types) { one, end in
      try run.budget.step()
      if let condition, !condition.allows([one.type]) { return true }
      guard !path.contains(where: { $0.one.id == one.id }), !run.uses(one.id, others) else {
        return true
      }
      for (name, value) in wanted
      where GQLValue.equals(one.properties[key: name] ?? .null, value) != true { return true }
      found.append((one, end))
      return true
    }
    try run.budget.keep(bytes: 0)
    return found.reversed()
  }

  func lines(_ graph: any GraphAccess) -> [String] {
    let most = length.most.map { "\($0)" } ?? "any number"
    return ["Expand \(direction) \(length.least) to \(most) times to \(ends.name)"]
  }
}

/// Finds the shortest paths from a node, breadth first.
struct ShortestPathOperator: PlanOperator {
  let ends: StepEnds
  let slot: Int
  let nodesSlot: Int
  let direction: GQLRelationshipPattern.Direction
  let types: [String]?
  let condition: GQLLabels?
  let length: GQLRelationshipPattern.Length
  let properties: [(name: String, value: Compiled)]
  /// Whether all shortest paths are wanted, and not one.
  let wantsAll: Bool
  let others: [Int]

  /// A node that the search has reached, and the relationships by which it did in the fewest steps.
  private struct Reached {
    var node: GQLNode
    var depth: Int
    var by: [(one: GQLRelationship, from: GQLElementID)]
  }

  func run(_ run: PlanRun, _ next: () throws -> Bool) throws -> Bool {
    guard let start = try run.node(ends.from, ends.name) else { return true }
    let goal = ends.isToBound ? try run.node(ends.to, ends.name)?.id : nil
    if ends.isToBound, goal == nil { return true }
    let wanted = try properties.map { ($0.name, try $0.value.evaluate(run)) }
    var reached: [GQLElementID: Reached] = [start.id: Reached(node: start, depth: 0, by: [])]
    var level = [start.id]
    var depth = 0
    if length.least == 0 || goal == start.id {
      if length.least == 0, goal == nil || goal == start.id {
        guard try emit(start.id, reached, run, next) else { return false }
      }
      if goal == start.id { return true }
    }
    while !level.isEmpty, depth < length.most ?? .max {
      depth += 1
      var found: [GQLElementID] = []
      for id in level {
        _ = try run.graph.forEachRelationship(of: id, direction, types: types) { one, end in
          try run.budget.step()
          guard condition?.allows([one.type]) ?? true, !run.uses(one.id, others),
            wanted.allSatisfy({
              GQLValue.equals(one.properties[key: $0.0] ?? .null, $0.1) == true
            })
          else { return true }
          if reached[end.id] == nil {
            try run.budget.keep(bytes: 200)
            reached[end.id] = Reached(node: end, depth: depth, by: [(one, id)])
            found.append(end.id)
          } else if wantsAll, reached[end.id]?.depth == depth {
            reached[end.id]?.by.append((one, id))
          }
          return true
        }
      }
      for id in found where goal == nil || goal == id {
        guard try emit(id, reached, run, next) else { return false }
      }
      if let goal, reached[goal] != nil { return true }
      level = found
    }
    return true
  }

  /// Goes back from a node to the start, and hands over each path.
  private func emit(
    _ end: GQLElementID, _ reached: [GQLElementID: Reached], _ run: PlanRun,
    _ next: () throws -> Bool
  ) throws -> Bool {
    guard let last = reached[end], try ends.reach(last.node, run) else { return true }
    // For each step back: the node, and which of its relationships is next.
    var stack: [(at: GQLElementID, index: Int)] = [(end, 0)]
    while let top = stack.last {
      guard let node = reached[top.at] else { return true }
      if node.by.isEmpty {
        var path: [GQLRelationship] = []
        var nodes: [GQLNode] = [node.node]
        for step in stack.dropLast().reversed() {
          guard let one = reached[step.at] else { continue }
          path.append(one.by[step.index - 1].one)
          nodes.append(one.node)
        }
        run.slots[slot] = .list(path.map { .relationship($0) })
        run.slots[nodesSlot] = .list(nodes.map { .node($0) })
        guard try next() else { return false }
        if !wantsAll { return true }
        stack.removeLast()
        continue
      }
      guard top.index < node.by.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].index += 1
      stack.append((node.by[top.index].from, 0))
    }
    return true
  }

  func lines(_ graph: any GraphAccess) -> [String] {
    ["\(wantsAll ? "All shortest paths" : "Shortest path") to \(ends.name)"]
  }
}
