public import EventCore
import GRDB
public import Projections

/// For code that is not asynchronous: the same calls, which block the thread they are made on until they
/// are done. Within a transaction of the store they are refused (``StoreError`` `reentrant`).
extension Graph {
  /// The vertex that a text names; see the asynchronous one.
  @available(*, noasync)
  public func vertex(_ text: String) throws -> GraphVertex {
    try store.viewNow { view, _ in try view.vertex(named: text) }
  }

  /// The relationships of one vertex; see the asynchronous one.
  @available(*, noasync)
  public func neighbors(
    of vertex: GraphVertex, via: [String]? = nil, where fields: [String: Value] = [:],
    direction: GraphDirection = .both, weight: String? = nil, limit: Int? = nil
  ) throws -> [GraphEdge] {
    try query(via, fields) {
      try $0.neighbors(of: vertex, direction: direction, weight: weight, limit: limit)
    }
  }

  /// Everything within `depth` relationships; see the asynchronous one.
  @available(*, noasync)
  public func reachable(
    from vertex: GraphVertex, depth: Int = .max, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: GraphDirection = .outgoing, limit: Int? = nil
  ) throws -> [GraphReach] {
    try query(via, fields) {
      try $0.reachable(from: vertex, depth: depth, direction: direction, limit: limit)
    }
  }

  /// A shortest or lightest path; see the asynchronous one.
  @available(*, noasync)
  public func shortestPath(
    from start: GraphVertex, to goal: GraphVertex, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: GraphDirection = .outgoing,
    weight: String? = nil
  ) throws -> GraphPath? {
    try query(via, fields) {
      try $0.path(from: start, to: goal, direction: direction, weight: weight)
    }
  }

  /// The vertices around some, and the relationships among them; see the asynchronous one.
  @available(*, noasync)
  public func subgraph(
    from starts: [GraphVertex], depth: Int, via: [String]? = nil,
    where fields: [String: Value] = [:]
  ) throws -> Subgraph {
    try query(via, fields) { try $0.subgraph(from: starts, depth: depth) }
  }

  /// The most important vertices; see the asynchronous one.
  @available(*, noasync)
  public func importance(
    by measure: ImportanceMeasure = .pageRank, via: [String]? = nil,
    where fields: [String: Value] = [:], weight: String? = nil, limit: Int = 20
  ) throws -> [GraphRank] {
    try query(via, fields) {
      try $0.importance(by: measure, weight: weight, limit: limit)
    }
  }

  private func query<T>(
    _ via: [String]?, _ fields: [String: Value], _ body: (GraphQueries) throws -> T
  ) throws -> T {
    try store.viewNow { view, _ in try body(try view.graph(via: via, where: fields)) }
  }
}
