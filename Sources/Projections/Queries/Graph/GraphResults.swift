/// The direction in which relationships are followed. Undirected ones are
/// always followed both ways.
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
  /// The name of the relationship collection.
  public var collection: String
  /// The relationship's id.
  public var id: String
  public var source: GraphVertex
  public var target: GraphVertex
  /// False if the relationship is followed both ways, whatever direction was asked for.
  public var isDirected: Bool
  /// The weight, from the field that the query named; nil if it named none.
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

  /// Returns the end that is not `vertex`; `vertex` itself if both ends are.
  public func other(than vertex: GraphVertex) -> GraphVertex { source == vertex ? target : source }
}

/// A vertex and its distance in relationships.
public struct GraphReach: Hashable, Sendable {
  public var vertex: GraphVertex
  public var depth: Int

  public init(vertex: GraphVertex, depth: Int) {
    self.vertex = vertex
    self.depth = depth
  }
}

/// A path through the graph, with one vertex more than edges.
public struct GraphPath: Hashable, Sendable {
  public var vertices: [GraphVertex]
  public var edges: [GraphEdge]
  /// The sum of the weights; the number of edges if there are no weights.
  public var cost: Double

  public init(vertices: [GraphVertex], edges: [GraphEdge], cost: Double) {
    self.vertices = vertices
    self.edges = edges
    self.cost = cost
  }
}

/// A set of vertices and the relationships among them.
public struct Subgraph: Hashable, Sendable {
  /// Nearest first; vertices of equal depth by collection and id.
  public var vertices: [GraphReach]
  public var edges: [GraphEdge]

  public init(vertices: [GraphReach], edges: [GraphEdge]) {
    self.vertices = vertices
    self.edges = edges
  }
}

/// A vertex and its importance.
public struct GraphRank: Hashable, Sendable {
  public var vertex: GraphVertex
  public var score: Double

  public init(vertex: GraphVertex, score: Double) {
    self.vertex = vertex
    self.score = score
  }
}

/// A measure of importance.
public enum ImportanceMeasure: String, CaseIterable, Sendable {
  /// The sum of the weights of the relationships that lead to the vertex.
  case inDegree = "in-degree"
  /// The share of time that a random walk along relationships spends at the vertex.
  case pageRank = "pagerank"
}
