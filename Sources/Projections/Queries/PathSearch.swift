/// One side of a search from both ends.
struct PathSearch {
  private let edges: GraphEdges
  private let direction: GraphDirection
  /// Whether what is no live entity is passed over.
  private let isChecked: Bool
  /// Each vertex found, and the one it was found from.
  private var parents: [GraphID: Parent]
  private(set) var frontier: [String]

  private enum Parent {
    case start
    case vertex(String)
  }

  init(_ start: String, _ direction: GraphDirection, _ edges: GraphEdges, isChecked: Bool) {
    self.edges = edges
    self.direction = direction
    self.isChecked = isChecked
    parents = [GraphID(start): .start]
    frontier = [start]
  }

  /// Whether this side has fewer relationships to follow, as far as that is quickly found out: one
  /// vertex to which a third of all others lead is no small frontier.
  func isCheaper(than other: PathSearch) throws -> Bool {
    guard frontier.count <= other.frontier.count else { return try !other.isCheaper(than: self) }
    let bound = other.frontier.count * Self.degreeGuess
    return try degree(upTo: bound) < bound
  }

  /// How many relationships a vertex has, in most graphs.
  private static let degreeGuess = 8

  private func degree(upTo bound: Int) throws -> Int {
    var sum = 0
    for vertex in frontier where sum < bound {
      sum += try edges.degree(of: vertex, direction, upTo: bound - sum)
    }
    return sum
  }

  /// Goes one relationship further on all fronts.
  /// - Returns: a vertex that the other side has found too.
  mutating func advance(meeting other: PathSearch) throws -> String? {
    var next: [String] = []
    for vertex in frontier {
      for neighbor in try edges.others(of: vertex, direction) {
        let key = GraphID(neighbor)
        if isChecked, try !edges.isVertex(neighbor) { continue }
        guard add(key, from: vertex) else { continue }
        if other.parents[key] != nil { return neighbor }
        next.append(neighbor)
      }
    }
    frontier = next
    return nil
  }

  /// - Returns: false where it has been found before. The key is hashed once: most have.
  private mutating func add(_ key: GraphID, from vertex: String) -> Bool {
    var isNew = false
    func note(_ parent: inout Parent?) {
      guard parent == nil else { return }
      isNew = true
      parent = .vertex(vertex)
    }
    note(&parents[key])
    return isNew
  }

  /// From `vertex` back to where this side began.
  func path(to vertex: String) -> [String] {
    var path = [vertex]
    while let last = path.last, case .vertex(let parent)? = parents[GraphID(last)] {
      path.append(parent)
    }
    return path
  }
}
