/// The direction in which relationships are followed. Undirected ones are
/// always followed both ways.
public enum GraphDirection: String, CaseIterable, Sendable {
  /// From a source to its targets, from a target to its sources, or both.
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
  /// The entity that the relationship comes from.
  public var source: GraphVertex
  /// The entity that the relationship leads to.
  public var target: GraphVertex
  /// False if the relationship is followed both ways, whatever direction was asked for.
  public var isDirected: Bool
  /// The weight, from the field that the query named; nil if it named none.
  public var weight: Double?

  /// Makes a relationship, for example for a preview or a test.
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
  /// The vertex.
  public var vertex: GraphVertex
  /// The number of relationships on the shortest way to it.
  public var depth: Int

  /// Makes a vertex at a distance.
  public init(vertex: GraphVertex, depth: Int) {
    self.vertex = vertex
    self.depth = depth
  }
}

/// A path through the graph, with one vertex more than edges.
public struct GraphPath: Hashable, Sendable {
  /// The vertices, from the start to the goal.
  public var vertices: [GraphVertex]
  /// The relationships between them, in the same order.
  public var edges: [GraphEdge]
  /// The sum of the weights; the number of edges if there are no weights.
  public var cost: Double

  /// Makes a path, for example for a preview or a test.
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
  /// The relationships among the vertices.
  public var edges: [GraphEdge]

  /// Makes a subgraph, for example for a preview or a test.
  public init(vertices: [GraphReach], edges: [GraphEdge]) {
    self.vertices = vertices
    self.edges = edges
  }
}

/// A vertex and its importance.
public struct GraphRank: Hashable, Sendable {
  /// The vertex.
  public var vertex: GraphVertex
  /// The importance, which can be compared with that of other vertices of the same call.
  public var score: Double

  /// Makes a vertex with its importance.
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
