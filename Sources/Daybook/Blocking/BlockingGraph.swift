import DaybookEngine
public import DaybookEventCore
public import DaybookProjections
import GRDB

/// The calls of ``Graph`` for code that is not asynchronous: each blocks its thread until it is
/// done.
///
/// ``BlockingStore/graph`` returns it. The parameters and errors are those of ``Graph``. Within a
/// transaction of the store, all calls are refused (``StoreError`` `reentrant`).
public struct BlockingGraph: Sendable {
  let store: Store

  /// Returns the vertex that a text names: `COLLECTION/ID`, or an id alone if one collection holds
  /// it.
  ///
  /// Blocks the thread.
  ///
  /// Cost, of an id alone: a look-up in each collection.
  /// - Throws: ``StoreError`` `unknownName`; `ambiguousID` if several collections hold the id,
  ///   with all of these as `choices`. ``StoreError`` `reentrant` within a transaction.
  @available(*, noasync)
  public func vertex(_ text: String) throws -> Graph.Vertex {
    try store.core.reads.blocking { try $0.view.vertex(named: text) }
  }

  /// Returns the relationships of one vertex whose other end exists.
  ///
  /// Blocks the thread.
  ///
  /// They are sorted by collection, then by direction, outgoing ones first, then by the id of the
  /// other end. With a `weight`, the heaviest comes first.
  /// - Parameters:
  ///   - vertex: the vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  ///   - limit: the most relationships to return; nil for all.
  @available(*, noasync)
  public func neighbors(
    of vertex: Graph.Vertex, via: [String]? = nil, where fields: [String: Value] = [:],
    direction: Graph.Direction = .both, weight: String? = nil, limit: Int? = nil
  ) throws -> [Graph.Edge] {
    try query(via, fields) {
      try $0.neighbors(of: vertex, direction: direction, weight: weight, limit: limit)
    }
  }

  /// Returns all vertices within `depth` relationships, nearest first, without the start.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - vertex: the start.
  ///   - depth: the most relationships on the way to a vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - limit: the most vertices to return; nil for all.
  @available(*, noasync)
  public func reachable(
    from vertex: Graph.Vertex, depth: Int = .max, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: Graph.Direction = .outgoing, limit: Int? = nil
  ) throws -> [Graph.Reach] {
    try query(via, fields) {
      try $0.reachable(from: vertex, depth: depth, direction: direction, limit: limit)
    }
  }

  /// Returns a path of the fewest relationships or, with a `weight`, of the least total weight; nil
  /// if there is none.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - start: the vertex at which the path begins.
  ///   - goal: the vertex at which it ends.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  /// - Throws: the errors of all calls of ``Graph``; ``StoreError`` `invalidQuery` for a
  ///   negative weight anywhere, and for weights whose sum no number holds.
  @available(*, noasync)
  public func shortestPath(
    from start: Graph.Vertex, to goal: Graph.Vertex, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: Graph.Direction = .outgoing,
    weight: String? = nil
  ) throws -> Graph.Path? {
    try query(via, fields) {
      try $0.path(from: start, to: goal, direction: direction, weight: weight)
    }
  }

  /// Returns the vertices within `depth` of any of `starts`, followed either way, and all
  /// relationships among them.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - starts: the vertices to begin at.
  ///   - depth: the most relationships on the way to a vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  @available(*, noasync)
  public func subgraph(
    from starts: [Graph.Vertex], depth: Int, via: [String]? = nil,
    where fields: [String: Value] = [:]
  ) throws -> Graph.Subgraph {
    try query(via, fields) { try $0.subgraph(from: starts, depth: depth) }
  }

  /// Returns the most important vertices, best first.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - measure: the measure of importance.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  ///   - limit: the most vertices to return.
  /// - Throws: the errors of all calls of ``Graph``; ``StoreError`` `invalidQuery` for a
  ///   negative weight.
  @available(*, noasync)
  public func importance(
    by measure: Graph.Importance = .pageRank, via: [String]? = nil,
    where fields: [String: Value] = [:], weight: String? = nil, limit: Int = 20
  ) throws -> [Graph.Rank] {
    try query(via, fields) {
      try $0.importance(by: measure, weight: weight, limit: limit)
    }
  }

  /// Returns the connected components of the graph, the largest first; see
  /// ``Graph/components(via:where:limit:)``.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - limit: the most components to return; nil for all.
  @available(*, noasync)
  public func components(
    via: [String]? = nil, where fields: [String: Value] = [:], limit: Int? = nil
  ) throws -> [[Graph.Vertex]] {
    try query(via, fields) { try $0.components(limit: limit) }
  }

  /// Returns cycles of the graph, each as a path that ends with the vertex that it begins with; see
  /// ``Graph/cycles(via:where:limit:)``.
  ///
  /// Blocks the thread.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - limit: the most cycles to return; nil for all.
  @available(*, noasync)
  public func cycles(
    via: [String]? = nil, where fields: [String: Value] = [:], limit: Int? = nil
  ) throws -> [Graph.Path] {
    try query(via, fields) { try $0.cycles(limit: limit) }
  }

  private func query<T>(
    _ via: [String]?, _ fields: [String: Value], _ body: (GraphQueries) throws -> T
  ) throws -> T {
    try store.core.reads.blocking { try body(try $0.view.graph(via: via, where: fields)) }
  }
}
