import DaybookEventCore

/// The relationships between vertices as numbers, each in the direction in which it is followed.
/// Undirected ones occur twice.
struct ArcList {
  /// The vertices by number.
  private(set) var nodes: [GraphNode] = []
  /// The vertices' numbers; −1 for a vertex that does not exist.
  private var numbers: [GraphNode: Int32] = [:]
  private(set) var arcs: [(source: Int32, target: Int32, weight: Double)] = []

  /// - Parameters:
  ///   - edges: the relationships.
  ///   - weight: a numeric field of the relationships; nil if all weigh 1.
  ///   - directedOnly: whether relationships that are followed both ways are left out.
  init(_ edges: GraphEdges, weight: String? = nil, directedOnly: Bool = false)
    throws(ProjectionError)
  {
    for step in edges.forward {
      try step.forEach(weight: weight) {
        source, target, weight, isDirected throws(ProjectionError) in
        if directedOnly, !isDirected { return }
        if case .one(let from) = step.from, case .one(let to) = step.to {
          // The usual case, without lists.
          let a = try number(GraphNode(collection: from, id: source), edges)
          let b = try number(GraphNode(collection: to, id: target), edges)
          return add(a, b, weight, isDirected)
        }
        let targets = try edges.referred(step.to, target)
        for a in try edges.referred(step.from, source) {
          for b in targets { add(try number(a, edges), try number(b, edges), weight, isDirected) }
        }
      }
    }
  }

  private mutating func add(_ a: Int32, _ b: Int32, _ weight: Double, _ isDirected: Bool) {
    guard a >= 0, b >= 0 else { return }
    arcs.append((a, b, weight))
    if !isDirected, a != b { arcs.append((b, a, weight)) }
  }

  private mutating func number(_ node: GraphNode, _ edges: GraphEdges) throws(ProjectionError)
    -> Int32
  {
    if let number = numbers[node] { return number }
    guard try edges.vertices.isThere(node) else {
      numbers[node] = -1
      return -1
    }
    guard let number = Int32(exactly: nodes.count) else {
      throw ProjectionError(.invalidQuery, "the graph has more than \(Int32.max) vertices")
    }
    numbers[node] = number
    nodes.append(node)
    return number
  }

  func number(of node: GraphNode) -> Int? {
    numbers[node].flatMap { $0 >= 0 ? Int($0) : nil }
  }
}
