/// Traversals over the live relationships of a snapshot.
///
/// A vertex is a live entity. A relationship with a missing or deleted end is not followed. Every
/// traversal keeps a set of visited vertices, so a cycle costs nothing.
package struct GraphQueries {
  let edges: GraphEdges
  private var schema: GraphSchema { edges.schema }

  init(_ edges: GraphEdges) { self.edges = edges }

  /// Returns the relationships of one vertex whose other end exists: collection by collection,
  /// outgoing ones first, sorted by the id of the other end. A loop occurs once.
  ///
  /// Cost: proportional to the relationships read, which are few with a `limit` and no `weight`.
  /// - Parameters:
  ///   - vertex: the vertex.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships, to sort the heaviest first across
  ///     collections. A relationship without a value weighs 1.
  ///   - limit: the maximum number of relationships to return; nil for all.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative limit.
  package func neighbors(
    of vertex: GraphVertex, direction: GraphDirection, weight: String? = nil, limit: Int? = nil
  ) throws(ProjectionError) -> [GraphEdge] {
    try Self.requireCount(limit ?? 0, "a limit")
    let node = try edges.node(vertex)
    if let weight { try edges.requireNumeric(weight) }
    let limit = limit ?? .max
    guard limit > 0 else { return [] }
    var found: [GraphEdge] = []
    var lastRelationship: String?
    for step in edges.steps(from: node, direction) {
      let isSecond = step.relationship.schema.name == lastRelationship
      lastRelationship = step.relationship.schema.name
      // When sorting by weight, each step may return as many as the limit.
      var room = weight == nil ? limit - found.count : limit
      let order = weight.map { GraphStep.RowOrder.weight($0) } ?? .ends(weight: nil)
      try step.rows(of: node.id, order) { row throws(ProjectionError) in
        for other in try edges.referred(step.to, row.other) where room > 0 {
          // The step in the other direction has already found a loop.
          if isSecond, other == node { continue }
          found.append(
            step.edge(schema, node, other, row, weight: weight.map { _ in row.weight }))
          room -= 1
        }
        return room > 0
      }
      if weight == nil, found.count >= limit { break }
    }
    guard weight != nil else { return found }
    // Stable: relationships of equal weight keep their order.
    let order = found.indices.sorted {
      let (a, b) = (found[$0].weight ?? 1, found[$1].weight ?? 1)
      return a != b ? a > b : $0 < $1
    }
    return order.prefix(limit).map { found[$0] }
  }

  /// Returns all vertices within `depth` relationships, nearest first, without the start. Cost:
  /// proportional to the relationships followed.
  /// - Parameters:
  ///   - vertex: the start.
  ///   - depth: the maximum number of relationships.
  ///   - direction: the direction in which relationships are followed.
  ///   - limit: the maximum number of vertices to return; nil for all.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative depth or limit.
  package func reachable(
    from vertex: GraphVertex, depth: Int, direction: GraphDirection, limit: Int? = nil
  ) throws(ProjectionError) -> [GraphReach] {
    try Self.requireCount(depth, "a depth")
    try Self.requireCount(limit ?? 0, "a limit")
    var found: [GraphReach] = []
    try spread(from: [try edges.node(vertex)], depth: depth, direction) { node, depth in
      if depth > 0 { found.append(GraphReach(vertex: schema.vertex(node), depth: depth)) }
      return found.count < limit ?? .max
    }
    return found
  }

  /// Visits all reachable vertices, nearest first and including the starts,
  /// until `visit` returns false.
  private func spread(
    from starts: [GraphNode], depth: Int, _ direction: GraphDirection,
    _ visit: (GraphNode, Int) throws(ProjectionError) -> Bool
  ) throws(ProjectionError) {
    var visited: Set<GraphNode> = []
    var frontier: [GraphNode] = []
    for start in starts where visited.insert(start).inserted {
      frontier.append(start)
      guard try visit(start, 0) else { return }
    }
    var level = 0
    while level < depth, !frontier.isEmpty {
      level += 1
      var next: [GraphNode] = []
      for node in frontier {
        for other in try edges.others(of: node, direction)
        where visited.insert(other).inserted {
          guard try edges.vertices.isThere(other) else { continue }
          guard try visit(other, level) else { return }
          next.append(other)
        }
      }
      frontier = next
    }
  }

  /// Returns the vertices within `depth` of any of the starts, in both directions, and all
  /// relationships among them.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative depth.
  package func subgraph(from starts: [GraphVertex], depth: Int) throws(ProjectionError) -> Subgraph
  {
    try Self.requireCount(depth, "a depth")
    var nodes: [GraphNode] = []
    for start in starts { nodes.append(try edges.node(start)) }
    var depths: [GraphNode: Int] = [:]
    try spread(from: nodes, depth: depth, .both) { node, depth in
      depths[node] = depth
      return true
    }
    let sorted = depths.keys.map { (node: $0, vertex: schema.vertex($0), depth: depths[$0] ?? 0) }
      .sorted { $0.depth != $1.depth ? $0.depth < $1.depth : $0.vertex < $1.vertex }
    var among: [GraphEdge] = []
    for (node, _, _) in sorted {
      for step in edges.forward where step.from.refers(to: node.collection) {
        try step.rows(of: node.id, .ends(weight: nil)) { row throws(ProjectionError) in
          for other in try edges.referred(step.to, row.other) where depths[other] != nil {
            among.append(step.edge(schema, node, other, row, weight: nil))
          }
          return true
        }
      }
    }
    return Subgraph(
      vertices: sorted.map { GraphReach(vertex: $0.vertex, depth: $0.depth) }, edges: among)
  }

  /// Requires that a count is not negative.
  /// - Throws: ``ProjectionError`` `invalidQuery` if it is.
  static func requireCount(_ count: Int, _ what: String) throws(ProjectionError) {
    guard count < 0 else { return }
    throw ProjectionError(
      .invalidQuery, "\(what) of \(count) makes no sense", hint: "Give a number of at least 0")
  }
}
