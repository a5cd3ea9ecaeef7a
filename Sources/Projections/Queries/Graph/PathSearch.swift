/// One side of a search from both ends.
struct PathSearch {
  private let edges: GraphEdges
  private let direction: GraphDirection
  /// Whether ids without a live entity are skipped.
  private let isChecked: Bool
  /// By vertex found, the vertex from which it was found.
  private var parents: [GraphNode: Parent]
  private(set) var frontier: [GraphNode]

  private enum Parent {
    case start
    case node(GraphNode)
  }

  init(
    _ start: GraphNode, _ direction: GraphDirection, _ edges: GraphEdges, isChecked: Bool
  ) {
    self.edges = edges
    self.direction = direction
    self.isChecked = isChecked
    parents = [start: .start]
    frontier = [start]
  }

  /// Returns whether this side has fewer relationships to follow, as far as a cheap look tells. The
  /// number of vertices alone does not: a third of all others may lead to a single one.
  func isCheaper(than other: PathSearch) throws(ProjectionError) -> Bool {
    guard frontier.count <= other.frontier.count else { return try !other.isCheaper(than: self) }
    let bound = other.frontier.count * Self.degreeGuess
    return try degree(upTo: bound) < bound
  }

  /// The number of relationships of a vertex in most graphs.
  private static let degreeGuess = 8

  private func degree(upTo bound: Int) throws(ProjectionError) -> Int {
    var sum = 0
    for node in frontier where sum < bound {
      sum += try edges.degree(of: node, direction, upTo: bound - sum)
    }
    return sum
  }

  /// Follows one more relationship from every vertex of the frontier.
  /// - Returns: a vertex that the other side has found too; nil if none.
  mutating func advance(meeting other: PathSearch) throws(ProjectionError) -> GraphNode? {
    var next: [GraphNode] = []
    for node in frontier {
      for neighbor in try edges.others(of: node, direction) {
        if isChecked, try !edges.vertices.isThere(neighbor) { continue }
        guard add(neighbor, from: node) else { continue }
        if other.parents[neighbor] != nil { return neighbor }
        next.append(neighbor)
      }
    }
    frontier = next
    return nil
  }

  /// Adds a vertex to those found. Hashes it only once, since most have been found before.
  /// - Returns: false if it has been found before.
  private mutating func add(_ found: GraphNode, from node: GraphNode) -> Bool {
    var isNew = false
    func note(_ parent: inout Parent?) {
      guard parent == nil else { return }
      isNew = true
      parent = .node(node)
    }
    note(&parents[found])
    return isNew
  }

  /// Returns the path from `node` back to the start of this side.
  func path(to node: GraphNode) -> [GraphNode] {
    var path = [node]
    while let last = path.last, case .node(let parent)? = parents[last] { path.append(parent) }
    return path
  }
}
