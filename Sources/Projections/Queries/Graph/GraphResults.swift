/// Which way relationships are followed. Those that are not directed are always followed both ways.
public enum GraphDirection: String, CaseIterable, Sendable {
  case outgoing, incoming, both

  var reversed: GraphDirection {
    switch self {
    case .outgoing: .incoming
    case .incoming: .outgoing
    case .both: .both
    }
  }
}

/// One relationship between two vertices, as a graph query found it.
public struct GraphEdge: Hashable, Sendable {
  /// The relationship collection, and the id of the entity in it.
  public var collection: String
  public var id: String
  public var source: GraphVertex
  public var target: GraphVertex
  /// False where it is followed both ways, whichever way is asked for.
  public var isDirected: Bool
  /// What it weighs by the field that the query named; nil where it named none.
  public var weight: Double?

  public init(
    collection: String, id: String, source: GraphVertex, target: GraphVertex,
    isDirected: Bool = true, weight: Double? = nil
  ) {
    self.collection = collection
    self.id = id
    self.source = source
    self.target = target
    self.isDirected = isDirected
    self.weight = weight
  }

  /// The end that is not `vertex`; `vertex` itself where both ends are.
  public func other(than vertex: GraphVertex) -> GraphVertex { source == vertex ? target : source }
}

/// A vertex and how many relationships away it is.
public struct GraphReach: Hashable, Sendable {
  public var vertex: GraphVertex
  public var depth: Int

  public init(vertex: GraphVertex, depth: Int) {
    self.vertex = vertex
    self.depth = depth
  }
}

/// A way through the graph: one vertex more than edges.
public struct GraphPath: Hashable, Sendable {
  public var vertices: [GraphVertex]
  public var edges: [GraphEdge]
  /// The sum of the weights, or the number of edges.
  public var cost: Double

  public init(vertices: [GraphVertex], edges: [GraphEdge], cost: Double) {
    self.vertices = vertices
    self.edges = edges
    self.cost = cost
  }
}

/// Some vertices and the relationships among them.
public struct Subgraph: Hashable, Sendable {
  /// Nearest first; those of one depth by collection and id.
  public var vertices: [GraphReach]
  public var edges: [GraphEdge]

  public init(vertices: [GraphReach], edges: [GraphEdge]) {
    self.vertices = vertices
    self.edges = edges
  }
}

/// How much the graph points at a vertex.
public struct GraphRank: Hashable, Sendable {
  public var vertex: GraphVertex
  public var score: Double

  public init(vertex: GraphVertex, score: Double) {
    self.vertex = vertex
    self.score = score
  }
}

/// What importance means.
public enum ImportanceMeasure: String, CaseIterable, Sendable {
  /// The sum of the weights of the relationships that lead to it.
  case inDegree = "in-degree"
  /// The share of time that a walker spends there who follows relationships at random.
  case pageRank = "pagerank"
}
