import Foundation
package import GRDB
import HeapModule

/// Which way relationships are followed.
public enum GraphDirection: String, CaseIterable, Sendable {
  case outgoing, incoming, both
}

/// One relationship, as a graph query found it.
public struct GraphEdge: Hashable, Sendable {
  public var collection: String
  public var id: String
  public var source: String
  public var target: String

  public init(collection: String, id: String, source: String, target: String) {
    self.collection = collection
    self.id = id
    self.source = source
    self.target = target
  }
}

/// A vertex and how many relationships away it is.
public struct GraphReach: Hashable, Sendable {
  public var id: String
  public var depth: Int

  public init(id: String, depth: Int) {
    self.id = id
    self.depth = depth
  }
}

/// A way through the graph: one vertex more than edges.
public struct GraphPath: Hashable, Sendable {
  public var vertices: [String]
  public var edges: [GraphEdge]
  /// The sum of the weights, or the number of edges.
  public var cost: Double

  public init(vertices: [String], edges: [GraphEdge], cost: Double) {
    self.vertices = vertices
    self.edges = edges
    self.cost = cost
  }
}

/// Traversals over the live relationships of a snapshot. A vertex is a live entity; a relationship
/// with a missing or deleted end is not followed. Every traversal keeps a set of what it has
/// visited, so a cycle costs nothing.
package struct GraphQueries {
  let edges: GraphEdges

  /// - Parameter via: the relationship collections to follow; nil for all.
  /// - Throws: ``ProjectionError/Code/unknownName`` for one that is not a relationship.
  package init(_ db: Database, schema: Schema, via: [String]? = nil) throws {
    edges = try GraphEdges(db, schema: schema, via: via)
  }

  /// The relationships of one vertex whose other end is there.
  package func neighbors(of id: String, direction: GraphDirection) throws -> [GraphEdge] {
    try edges.requireVertex(id)
    return try edges.edges(of: id, direction).filter { edge in
      try edges.isVertex(edge.otherEnd(of: id))
    }
  }

  /// Everything within `depth` relationships, nearest first, without the start.
  /// Cost: proportional to the relationships followed.
  package func reachable(from id: String, depth: Int, direction: GraphDirection) throws
    -> [GraphReach]
  {
    try edges.requireVertex(id)
    var visited: Set<GraphID> = [GraphID(id)]
    var found: [GraphReach] = []
    var frontier = [id]
    var level = 0
    while level < depth, !frontier.isEmpty {
      level += 1
      var next: [String] = []
      for vertex in frontier {
        for other in try edges.others(of: vertex, direction)
        where visited.insert(GraphID(other)).inserted {
          guard try edges.isVertex(other) else { continue }
          next.append(other)
          found.append(GraphReach(id: other, depth: level))
        }
      }
      frontier = next
    }
    return found
  }

  /// The vertices within `depth` of any of `ids`, and all relationships among them.
  package func subgraph(from ids: [String], depth: Int) throws
    -> (vertices: [GraphReach], edges: [GraphEdge])
  {
    var depths: [GraphID: Int] = [:]
    for id in ids {
      depths[GraphID(id)] = 0
      for reach in try reachable(from: id, depth: depth, direction: .both) {
        let key = GraphID(reach.id)
        depths[key] = min(depths[key] ?? Int.max, reach.depth)
      }
    }
    let vertices = depths.map { GraphReach(id: $0.key.text, depth: $0.value) }.sorted {
      $0.depth != $1.depth ? $0.depth < $1.depth : $0.id < $1.id
    }
    var among: [GraphEdge] = []
    for vertex in vertices {
      among += try edges.edges(of: vertex.id, .outgoing).filter {
        depths[GraphID($0.target)] != nil
      }
    }
    return (vertices, among)
  }

  // MARK: Paths

  /// A path of the fewest relationships; nil where there is none. Searches from both ends at once.
  package func shortestPath(from start: String, to goal: String, direction: GraphDirection) throws
    -> GraphPath?
  {
    try edges.requireVertex(start)
    try edges.requireVertex(goal)
    if GraphID(start) == GraphID(goal) { return GraphPath(vertices: [start], edges: [], cost: 0) }
    // Few relationships lead to what is not there: so all ends are taken for vertices first, and each
    // is looked up only where the path that this finds leads over one that is none.
    guard let vertices = try self.vertices(from: start, to: goal, direction, checked: false) else {
      return nil
    }
    if try vertices.allSatisfy(edges.isVertex) { return try path(vertices, direction) }
    return try self.vertices(from: start, to: goal, direction, checked: true).map {
      try path($0, direction)
    }
  }

  /// A shortest path's vertices, by breadth from both ends: each step on the side that has fewer
  /// relationships to follow.
  private func vertices(
    from start: String, to goal: String, _ direction: GraphDirection, checked: Bool
  ) throws -> [String]? {
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

  private func path(_ vertices: [String], _ direction: GraphDirection) throws -> GraphPath {
    var found: [GraphEdge] = []
    for (a, b) in zip(vertices, vertices.dropFirst()) {
      if let edge = try edges.edge(between: a, and: b, direction) { found.append(edge) }
    }
    return GraphPath(vertices: vertices, edges: found, cost: Double(found.count))
  }

  /// A path of the least total weight (Dijkstra, 1959); nil where there is none.
  /// - Parameter weight: a numeric field of the relationships; where it is NULL or missing, 1.
  /// - Throws: ``ProjectionError/Code/invalidQuery`` for a negative weight on the way.
  package func lightestPath(
    from start: String, to goal: String, direction: GraphDirection, weight: String
  ) throws -> GraphPath? {
    try edges.requireVertex(start)
    try edges.requireVertex(goal)
    try edges.requireWeight(weight)
    var best: [GraphID: (cost: Double, edge: GraphEdge?)] = [GraphID(start): (0, nil)]
    var settled: Set<GraphID> = []
    var heap: Heap<HeapEntry> = [HeapEntry(cost: 0, id: start)]
    while let entry = heap.popMin() {
      guard settled.insert(GraphID(entry.id)).inserted else { continue }
      if entry.id.utf8.elementsEqual(goal.utf8) { break }
      for (edge, weight) in try edges.weightedEdges(of: entry.id, direction, weight: weight) {
        guard weight >= 0 else {
          throw ProjectionError(
            .invalidQuery, "“\(edge.id)” of \(edge.collection) has the negative weight \(weight)",
            hint: "Paths need weights of at least 0")
        }
        let other = edge.otherEnd(of: entry.id)
        let cost = entry.cost + weight
        let key = GraphID(other)
        guard cost < best[key]?.cost ?? .infinity, try edges.isVertex(other) else { continue }
        best[key] = (cost, edge)
        heap.insert(HeapEntry(cost: cost, id: other))
      }
    }
    guard let found = best[GraphID(goal)] else { return nil }
    var vertices = [goal]
    var way: [GraphEdge] = []
    while let last = vertices.last, let edge = best[GraphID(last)]?.edge {
      way.append(edge)
      vertices.append(edge.otherEnd(of: last))
    }
    return GraphPath(vertices: vertices.reversed(), edges: way.reversed(), cost: found.cost)
  }

  private struct HeapEntry: Comparable {
    var cost: Double
    var id: String

    static func < (a: HeapEntry, b: HeapEntry) -> Bool {
      a.cost != b.cost ? a.cost < b.cost : a.id < b.id
    }
  }
}

extension GraphDirection {
  var reversed: GraphDirection {
    switch self {
    case .outgoing: .incoming
    case .incoming: .outgoing
    case .both: .both
    }
  }
}

extension GraphEdge {
  fileprivate func otherEnd(of id: String) -> String {
    GraphID(source) == GraphID(id) ? target : source
  }
}

/// An id as a key: by its bytes, not by Unicode's equivalence.
struct GraphID: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (a: GraphID, b: GraphID) -> Bool {
    var (a, b) = (a.text, b.text)
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard a.count == b.count, let first = a.baseAddress, let other = b.baseAddress else {
          return a.count == b.count
        }
        return memcmp(first, other, a.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
