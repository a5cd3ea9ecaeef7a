/// Finds the shortest paths from a node, breadth first; if the other end is known and one path is
/// wanted, from both ends at once.
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
    let end = ends.isToBound ? try run.node(ends.to, ends.name) : nil
    let goal = end?.id
    if ends.isToBound, goal == nil { return true }
    let wanted = try properties.map { ($0.name, try $0.value.evaluate(run)) }
    if let end, end.id != start.id, !wantsAll {
      return try meet(start, end, wanted, run, next)
    }
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
        let search = RelationshipSearch(direction: direction, types: types)
        _ = try run.graph.forEachRelationship(of: id, search) { one, end in
          try run.budget.step()
          guard mayFollow(one, wanted, run) else { return true }
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

  private func mayFollow(_ one: GQLRelationship, _ wanted: [(String, GQLValue)], _ run: PlanRun)
    -> Bool
  {
    condition?.allows([one.type]) ?? true && !run.uses(one.id, others)
      && wanted.allSatisfy {
        GQLValue.equals(one.properties[key: $0.0] ?? .null, $0.1) == true
      }
  }

  // MARK: - From both ends

  /// What a search from one end has reached: for each node, the one before it and the relationship
  /// between them.
  private struct Side {
    var reached: [GQLElementID: (node: GQLNode, by: GQLRelationship?, from: GQLElementID?)]
    var level: [GQLElementID]
    var direction: GQLRelationshipPattern.Direction

    init(_ node: GQLNode, _ direction: GQLRelationshipPattern.Direction) {
      reached = [node.id: (node, nil, nil)]
      level = [node.id]
      self.direction = direction
    }

    /// The nodes and relationships from a node back to where the search began.
    func path(from id: GQLElementID) -> (nodes: [GQLNode], relationships: [GQLRelationship]) {
      var path: (nodes: [GQLNode], relationships: [GQLRelationship]) = ([], [])
      var next: GQLElementID? = id
      while let at = next, let step = reached[at] {
        path.nodes.append(step.node)
        if let one = step.by { path.relationships.append(one) }
        next = step.from
      }
      return path
    }
  }

  /// Searches from both ends, a level of the smaller side at a time, until they meet. While they
  /// have not met, every path is longer than both depths together, so the first one is shortest.
  private func meet(
    _ start: GQLNode, _ end: GQLNode, _ wanted: [(String, GQLValue)], _ run: PlanRun,
    _ next: () throws -> Bool
  ) throws -> Bool {
    var sides = [Side(start, direction), Side(end, direction.reversed)]
    for _ in 0..<(length.most ?? .max) {
      let own = sides[0].level.count <= sides[1].level.count ? 0 : 1
      guard let middle = try advance(&sides[own], until: sides[1 - own], wanted, run) else {
        if sides[own].level.isEmpty { return true }
        continue
      }
      let (before, after) = (sides[0].path(from: middle), sides[1].path(from: middle))
      guard try ends.reach(end, run) else { return true }
      run.slots[slot] = .list(
        (before.relationships.reversed() + after.relationships).map { .relationship($0) })
      run.slots[nodesSlot] = .list(
        (before.nodes.reversed() + after.nodes.dropFirst()).map { .node($0) })
      return try next()
    }
    return true
  }

  /// Goes one level on.
  /// - Returns: a node of the new level that the other side has reached; nil if there is none.
  private func advance(
    _ side: inout Side, until other: Side, _ wanted: [(String, GQLValue)], _ run: PlanRun
  ) throws -> GQLElementID? {
    let level = side.level
    side.level = []
    var middle: GQLElementID?
    for id in level {
      let search = RelationshipSearch(direction: side.direction, types: types)
      _ = try run.graph.forEachRelationship(of: id, search) { one, end in
        try run.budget.step()
        guard side.reached[end.id] == nil, mayFollow(one, wanted, run) else { return true }
        try run.budget.keep(bytes: 200)
        side.reached[end.id] = (end, one, id)
        side.level.append(end.id)
        if other.reached[end.id] != nil { middle = end.id }
        return middle == nil
      }
      if middle != nil { return middle }
    }
    return nil
  }

  // MARK: - Going back

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

  func lines(_ view: PlanView) -> [String] {
    view.lines(
      "\(wantsAll ? "All shortest paths" : "Shortest path") to \(ends.name)",
      view.graph.statements(
        RelationshipSearch(direction: direction, types: types), isEndKnown: false))
  }
}
