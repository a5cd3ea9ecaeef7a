import DaybookEventCore

extension GraphQueries {
  /// Returns the connected components of the graph, the largest first; those of equal size are in
  /// the order of their first vertices.
  ///
  /// Two vertices are in one component if relationships connect them, whatever their direction. An
  /// isolated vertex is a component of its own. The vertices of a component are sorted.
  ///
  /// Cost: reads every relationship, and holds those between vertices in memory (about 100 bytes a
  /// vertex and 16 a relationship). Isolated vertices are read only if the limit reaches them.
  /// - Parameter limit: the maximum number of components to return; nil for all.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative limit.
  package func components(limit: Int?) throws(ProjectionError) -> [[GraphVertex]] {
    try Self.requireCount(limit ?? 0, "a limit")
    let limit = limit ?? .max
    let arcs = try ArcList(edges)
    var sets = DisjointSets(count: arcs.nodes.count)
    for arc in arcs.arcs { sets.join(Int(arc.source), Int(arc.target)) }
    var members: [Int: [GraphVertex]] = [:]
    for number in arcs.nodes.indices {
      members[sets.representative(of: number), default: []].append(
        edges.schema.vertex(arcs.nodes[number]))
    }
    // A vertex whose only relationships lead to itself is sorted among the isolated ones.
    var components = members.values.filter { $0.count > 1 }.map { $0.sorted() }
    components.sort { $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0] }
    components.removeLast(max(0, components.count - limit))
    for collection in edges.vertexCollections where components.count < limit {
      try edges.vertices.forEach(in: collection) { node in
        let number = arcs.number(of: node)
        let size = number.flatMap { members[sets.representative(of: $0)]?.count } ?? 1
        if size == 1 { components.append([edges.schema.vertex(node)]) }
        return components.count < limit
      }
    }
    return components
  }

  /// Returns cycles of the graph, each as a path that ends with the vertex that it begins with.
  ///
  /// Vertices that can reach each other make a knot, in which there may be more cycles than can be
  /// counted. So one cycle of each knot is returned: a shortest one through the knot's first
  /// vertex, by collection and id. If there is any cycle, at least one is returned. Relationships
  /// that are followed both ways are left out, because each would be a cycle.
  ///
  /// Cost: reads every relationship, and holds those between vertices in memory (about 100 bytes a
  /// vertex and 16 a relationship).
  ///
  /// The knots are strongly connected components, found as in Tarjan, "Depth-First Search and
  /// Linear Graph Algorithms" (1972).
  /// - Parameter limit: the maximum number of cycles to return; nil for all.
  /// - Throws: ``ProjectionError`` `unknownName`; `invalidQuery` for a negative limit.
  package func cycles(limit: Int?) throws(ProjectionError) -> [GraphPath] {
    try Self.requireCount(limit ?? 0, "a limit")
    let list = try ArcList(edges, directedOnly: true)
    let graph = Adjacency(list)
    let vertices = list.nodes.map { edges.schema.vertex($0) }
    let knots = graph.knots().map { knot in
      (first: knot.min { vertices[$0] < vertices[$1] } ?? knot[0], members: Set(knot))
    }
    var cycles: [GraphPath] = []
    for knot in knots.sorted(by: { vertices[$0.first] < vertices[$1.first] })
    where cycles.count < limit ?? .max {
      let cycle = graph.shortestCycle(through: knot.first, within: knot.members)
      var path = GraphPath(vertices: cycle.map { vertices[$0] }, edges: [], cost: 0)
      for (a, b) in zip(cycle, cycle.dropFirst()) {
        path.edges.append(try directedEdge(from: list.nodes[a], to: list.nodes[b]))
      }
      path.cost = Double(path.edges.count)
      cycles.append(path)
    }
    return cycles
  }

  /// Returns the relationship with the smallest id that leads from one vertex to another and is
  /// not followed back.
  private func directedEdge(from a: GraphNode, to b: GraphNode) throws(ProjectionError) -> GraphEdge
  {
    var found: GraphEdge?
    for step in edges.forward where step.from.refers(to: a.collection) && found == nil {
      try step.rows(of: a.id, .ends(weight: nil)) { row throws(ProjectionError) in
        if row.isDirected, row.other.hasSameBytes(as: b.id), step.to.refers(to: b.collection) {
          found = step.edge(edges.schema, a, b, row, weight: nil)
        }
        return found == nil
      }
    }
    guard let found else { throw ProjectionError.damaged("a relationship that was read before") }
    return found
  }
}

/// Sets of numbers that are joined, with the number that represents each set.
private struct DisjointSets {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  mutating func representative(of number: Int) -> Int {
    var number = number
    while parents[number] != number {
      // Halving the path keeps it short, so this ends after a few steps.
      parents[number] = parents[parents[number]]
      number = parents[number]
    }
    return number
  }

  mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (representative(of: a), representative(of: b))
    parents[max(a, b)] = min(a, b)
  }
}

/// The relationships of a list by the vertex that they lead from.
private struct Adjacency {
  /// The index of each vertex's first target, and one more at the end.
  private var firsts: [Int]
  private var targets: [Int]

  private var count: Int { firsts.count - 1 }

  init(_ list: ArcList) {
    firsts = Array(repeating: 0, count: list.nodes.count + 1)
    for arc in list.arcs { firsts[Int(arc.source) + 1] += 1 }
    for number in list.nodes.indices { firsts[number + 1] += firsts[number] }
    targets = Array(repeating: 0, count: list.arcs.count)
    var next = firsts
    for arc in list.arcs {
      targets[next[Int(arc.source)]] = Int(arc.target)
      next[Int(arc.source)] += 1
    }
  }

  private func targets(of vertex: Int) -> ArraySlice<Int> {
    targets[firsts[vertex]..<firsts[vertex + 1]]
  }

  /// Returns the sets of vertices that can reach each other and themselves.
  ///
  /// Without recursion, so that a long chain does not exhaust the stack.
  func knots() -> [[Int]] {
    var order = Array(repeating: -1, count: count)
    var low = Array(repeating: 0, count: count)
    var isOnStack = Array(repeating: false, count: count)
    var (stack, knots): ([Int], [[Int]]) = ([], [])
    var calls: [(vertex: Int, next: Int)] = []
    var found = 0
    for root in 0..<count where order[root] < 0 {
      calls.append((root, firsts[root]))
      while let (vertex, next) = calls.last {
        if order[vertex] < 0 {
          (order[vertex], low[vertex], isOnStack[vertex]) = (found, found, true)
          stack.append(vertex)
          found += 1
        }
        if next < firsts[vertex + 1] {
          calls[calls.count - 1].next += 1
          let target = targets[next]
          if order[target] < 0 {
            calls.append((target, firsts[target]))
          } else if isOnStack[target] {
            low[vertex] = min(low[vertex], order[target])
          }
          continue
        }
        calls.removeLast()
        if let parent = calls.last?.vertex { low[parent] = min(low[parent], low[vertex]) }
        guard low[vertex] == order[vertex] else { continue }
        var knot: [Int] = []
        while let member = stack.popLast() {
          isOnStack[member] = false
          knot.append(member)
          if member == vertex { break }
        }
        if knot.count > 1 || targets(of: vertex).contains(vertex) { knots.append(knot) }
      }
    }
    return knots
  }

  /// Returns a shortest cycle through a vertex of a knot, with that vertex at both ends.
  func shortestCycle(through start: Int, within knot: Set<Int>) -> [Int] {
    var parents: [Int: Int] = [:]
    var frontier = [start]
    while !frontier.isEmpty {
      var next: [Int] = []
      for vertex in frontier {
        for target in targets(of: vertex) where knot.contains(target) {
          if target == start {
            var cycle = [start, vertex]
            while let last = cycle.last, last != start, let parent = parents[last] {
              cycle.append(parent)
            }
            return vertex == start ? [start, start] : cycle.reversed()
          }
          guard parents[target] == nil else { continue }
          parents[target] = vertex
          next.append(target)
        }
      }
      frontier = next
    }
    return []
  }
}
