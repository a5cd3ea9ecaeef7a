import DaybookEventCore
import HeapModule

extension GraphQueries {
  /// Returns a path of the fewest relationships or, with a `weight`, of the least total weight; nil
  /// if there is none.
  /// - Throws: ``ProjectionError``, as ``shortestPath(from:to:direction:)`` and
  ///   ``lightestPath(from:to:direction:weight:)`` do.
  package func path(
    from start: GraphVertex, to goal: GraphVertex, direction: GraphDirection, weight: String?
  ) throws(ProjectionError) -> GraphPath? {
    guard let weight else {
      return try shortestPath(from: start, to: goal, direction: direction)
    }
    return try lightestPath(from: start, to: goal, direction: direction, weight: weight)
  }

  /// Returns a path of the fewest relationships; nil if there is none. Searches from
  /// both ends at once.
  /// - Throws: ``ProjectionError`` `unknownName` if an end is no vertex.
  package func shortestPath(
    from start: GraphVertex, to goal: GraphVertex, direction: GraphDirection
  ) throws(ProjectionError) -> GraphPath? {
    let (start, goal) = (try edges.node(start), try edges.node(goal))
    guard start != goal else { return path([start], []) }
    // Few relationships lead to missing entities. So every end that references one collection
    // counts as a vertex at first. Only if the path found leads over a missing one, the search is
    // repeated with look-ups.
    guard let nodes = try self.nodes(from: start, to: goal, direction, checked: false) else {
      return nil
    }
    if try areThere(nodes) { return try path(nodes, direction) }
    guard let checked = try self.nodes(from: start, to: goal, direction, checked: true) else {
      return nil
    }
    return try path(checked, direction)
  }

  private func areThere(_ nodes: [GraphNode]) throws(ProjectionError) -> Bool {
    for node in nodes {
      guard try edges.vertices.isThere(node) else { return false }
    }
    return true
  }

  /// Returns the vertices of a shortest path, by breadth-first search from both ends. Each step
  /// extends the side with fewer relationships to follow.
  private func nodes(
    from start: GraphNode, to goal: GraphNode, _ direction: GraphDirection, checked: Bool
  ) throws(ProjectionError) -> [GraphNode]? {
    var forward = PathSearch(start, direction, edges, isChecked: checked)
    var backward = PathSearch(goal, direction.reversed, edges, isChecked: checked)
    while !forward.frontier.isEmpty, !backward.frontier.isEmpty {
      let meeting =
        try forward.isCheaper(than: backward)
        ? try forward.advance(meeting: backward) : try backward.advance(meeting: forward)
      if let meeting {
        return forward.path(to: meeting).reversed() + backward.path(to: meeting).dropFirst()
      }
    }
    return nil
  }

  private func path(_ nodes: [GraphNode], _ direction: GraphDirection) throws(ProjectionError)
    -> GraphPath
  {
    var found: [GraphEdge] = []
    for (a, b) in zip(nodes, nodes.dropFirst()) {
      if let edge = try edges.edge(from: a, to: b, direction) { found.append(edge) }
    }
    return path(nodes, found)
  }

  private func path(_ nodes: [GraphNode], _ found: [GraphEdge]) -> GraphPath {
    GraphPath(
      vertices: nodes.map(edges.schema.vertex), edges: found, cost: Double(found.count))
  }

  /// Returns a path of the least total weight (Dijkstra, 1959); nil if there is none.
  /// - Parameters:
  ///   - start: the first vertex.
  ///   - goal: the last vertex.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships; a relationship without a value weighs 1.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` if a relationship that may be
  ///   followed has a negative weight, on the path or not, and if the sum is not finite.
  package func lightestPath(
    from start: GraphVertex, to goal: GraphVertex, direction: GraphDirection, weight: String
  ) throws(ProjectionError) -> GraphPath? {
    let (start, goal) = (try edges.node(start), try edges.node(goal))
    try edges.requireWeight(weight)
    var best: [GraphNode: Found] = [start: Found(cost: 0, way: nil)]
    var reached: Set<GraphNode> = []
    var heap: Heap<HeapEntry> = [HeapEntry(cost: 0, node: start)]
    while let entry = heap.popMin() {
      guard reached.insert(entry.node).inserted else { continue }
      if entry.node == goal { break }
      for step in edges.steps(from: entry.node, direction) {
        try step.rows(of: entry.node.id, .ends(weight: weight)) { row throws(ProjectionError) in
          let cost = entry.cost + row.weight
          for other in try candidates(step.to, row.other, lighter: cost, than: best) {
            best[other] = Found(cost: cost, way: (entry.node, step, row))
            heap.insert(HeapEntry(cost: cost, node: other))
          }
          return true
        }
      }
    }
    guard let found = best[goal] else { return nil }
    return try path(to: goal, found.cost, best)
  }

  private struct Found {
    var cost: Double
    /// The last relationship of the path, and the vertex before it; nil at the start.
    var way: (from: GraphNode, step: GraphStep, row: GraphStep.Row)?
  }

  /// Returns the existing vertices with an id to which no path as light is known.
  private func candidates(
    _ end: GraphSchema.End, _ id: String, lighter cost: Double, than best: [GraphNode: Found]
  ) throws(ProjectionError) -> [GraphNode] {
    func isLighter(_ node: GraphNode) -> Bool { best[node].map { cost < $0.cost } ?? true }
    guard case .one(let collection) = end else {
      return try edges.referred(end, id).filter(isLighter)
    }
    // A look-up in `best` is cheaper than one in the table.
    let node = GraphNode(collection: collection, id: id)
    guard isLighter(node) else { return [] }
    if best[node] != nil { return [node] }
    return try edges.vertices.isThere(node) ? [node] : []
  }

  private func path(to goal: GraphNode, _ cost: Double, _ best: [GraphNode: Found])
    throws(ProjectionError) -> GraphPath
  {
    guard cost.isFinite else {
      throw ProjectionError(
        .invalidQuery, "the weights of the path add up to more than a number holds",
        hint: "Weigh in a larger unit")
    }
    var nodes = [goal]
    var way: [GraphEdge] = []
    while let last = nodes.last, let (from, step, row) = best[last]?.way {
      way.append(step.edge(edges.schema, from, last, row, weight: row.weight))
      nodes.append(from)
    }
    return GraphPath(
      vertices: nodes.reversed().map(edges.schema.vertex), edges: way.reversed(), cost: cost)
  }

  private struct HeapEntry: Comparable {
    var cost: Double
    var node: GraphNode

    static func < (a: HeapEntry, b: HeapEntry) -> Bool {
      if a.cost != b.cost { return a.cost < b.cost }
      return a.node.collection != b.node.collection
        ? a.node.collection < b.node.collection : utf8Less(a.node.id, b.node.id)
    }
  }
}
