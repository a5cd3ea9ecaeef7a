import DaybookEngine
public import DaybookEventCore
public import DaybookProjections
import GRDB

/// Queries over the graph of live relationships, each on one snapshot.
///
/// A vertex is a live entity of a collection that is no relationship. The fields `source` and
/// `target` of a relationship collection reference the collections whose entities it connects. An
/// end that references nothing means every entity of that id, in any collection. A relationship
/// with a missing or deleted end is not followed.
///
/// Some relationships are followed both ways, whatever direction a call asks for: all of a
/// collection that is defined with `directed` false, and, if `directed` names a boolean field,
/// those in which it is false.
///
/// All calls on relationships take
/// - `via`: the relationship collections to follow; nil for all;
/// - `where`: the values that the fields of a relationship must hold for it to be followed, by
///   name. All of them must match, with NULL for no value. A collection without such a field holds
///   NULL there.
///
/// All calls throw ``StoreError``: `unknownName` for a vertex, collection or field that does not
/// exist; `invalidQuery` for a negative count, and for a value that is not of its field's type.
/// They also throw ``StoreError`` and what SQLite throws.
///
/// A `weight` names a numeric field of the relationships; a relationship without a value there
/// weighs 1. Paths and importance refuse a negative weight (`invalidQuery`) anywhere among the
/// relationships that are followed. It is looked for once in each state of the store: by the
/// field's index if it has one (`index`), else by reading all of them.
///
/// Code that is not asynchronous has the same calls as ``BlockingGraph``.
public struct Graph: Sendable {
  let store: Store

  /// Returns the vertex that a text names: `COLLECTION/ID`, or an id alone if one collection holds
  /// it.
  ///
  /// Cost, of an id alone: a look-up in each collection.
  /// - Throws: ``StoreError`` `unknownName`; `ambiguousID` if several collections hold the id,
  ///   with all of these as `choices`.
  public func vertex(_ text: String) async throws -> Graph.Vertex {
    try await store.core.reads.asynchronously { try $0.view.vertex(named: text) }
  }

  /// Returns the relationships of one vertex whose other end exists.
  ///
  /// They are sorted by collection, then by direction, outgoing ones first, then by the id of the
  /// other end. With a `weight`, the heaviest comes first.
  ///
  /// Cost: proportional to the relationships looked at. With a `limit` and no `weight`, these are
  /// about as many as are returned.
  /// - Parameters:
  ///   - vertex: the vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  ///   - limit: the most relationships to return; nil for all.
  public func neighbors(
    of vertex: Graph.Vertex, via: [String]? = nil, where fields: [String: Value] = [:],
    direction: Graph.Direction = .both, weight: String? = nil, limit: Int? = nil
  ) async throws -> [Graph.Edge] {
    try await query(via, fields, isShort: true) {
      try $0.neighbors(of: vertex, direction: direction, weight: weight, limit: limit)
    }
  }

  /// Returns all vertices within `depth` relationships, nearest first, without the start.
  ///
  /// Cost: proportional to the relationships followed.
  /// - Parameters:
  ///   - vertex: the start.
  ///   - depth: the most relationships on the way to a vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - limit: the most vertices to return; nil for all.
  public func reachable(
    from vertex: Graph.Vertex, depth: Int = .max, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: Graph.Direction = .outgoing, limit: Int? = nil
  ) async throws -> [Graph.Reach] {
    try await query(via, fields) {
      try $0.reachable(from: vertex, depth: depth, direction: direction, limit: limit)
    }
  }

  /// Returns a path of the fewest relationships or, with a `weight`, of the least total weight; nil
  /// if there is none.
  /// - Parameters:
  ///   - start: the vertex at which the path begins.
  ///   - goal: the vertex at which it ends.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - direction: the direction in which relationships are followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  /// - Throws: the errors of all calls of ``Graph``; ``StoreError`` `invalidQuery` for a
  ///   negative weight, even of a relationship that is not on the path, and for weights whose sum
  ///   no number holds.
  public func shortestPath(
    from start: Graph.Vertex, to goal: Graph.Vertex, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: Graph.Direction = .outgoing,
    weight: String? = nil
  ) async throws -> Graph.Path? {
    try await query(via, fields) {
      try $0.path(from: start, to: goal, direction: direction, weight: weight)
    }
  }

  /// Returns the vertices within `depth` of any of `starts`, followed either way, and all
  /// relationships among them.
  /// - Parameters:
  ///   - starts: the vertices to begin at.
  ///   - depth: the most relationships on the way to a vertex.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  public func subgraph(
    from starts: [Graph.Vertex], depth: Int, via: [String]? = nil,
    where fields: [String: Value] = [:]
  ) async throws -> Graph.Subgraph {
    try await query(via, fields) { try $0.subgraph(from: starts, depth: depth) }
  }

  /// Returns the most important vertices, best first.
  ///
  /// All entities of the collections to which the relationships may lead are ranked, isolated ones
  /// too. Cost: reads every relationship.
  /// - Parameters:
  ///   - measure: the measure of importance.
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - weight: a numeric field of the relationships; nil for none.
  ///   - limit: the most vertices to return.
  /// - Throws: the errors of all calls of ``Graph``; ``StoreError`` `invalidQuery` for a
  ///   negative weight.
  public func importance(
    by measure: Graph.Importance = .pageRank, via: [String]? = nil,
    where fields: [String: Value] = [:], weight: String? = nil, limit: Int = 20
  ) async throws -> [Graph.Rank] {
    try await query(via, fields) {
      try $0.importance(by: measure, weight: weight, limit: limit)
    }
  }

  /// Returns the connected components of the graph, the largest first.
  ///
  /// Two vertices are in one component if relationships connect them, whatever their direction. An
  /// isolated vertex is a component of its own. The vertices of a component are sorted by
  /// collection and id.
  ///
  /// Cost: reads every relationship.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - limit: the most components to return; nil for all.
  public func components(
    via: [String]? = nil, where fields: [String: Value] = [:], limit: Int? = nil
  ) async throws -> [[Graph.Vertex]] {
    try await query(via, fields) { try $0.components(limit: limit) }
  }

  /// Returns cycles of the graph, each as a path that ends with the vertex that it begins with; if
  /// there is any cycle, at least one.
  ///
  /// Vertices that can reach each other make a knot, in which there may be more cycles than can be
  /// counted. One cycle of each knot is returned: a shortest one through the knot's first vertex,
  /// by collection and id. Relationships that are followed both ways are left out.
  ///
  /// Cost: reads every relationship.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that a relationship must hold to be followed.
  ///   - limit: the most cycles to return; nil for all.
  public func cycles(
    via: [String]? = nil, where fields: [String: Value] = [:], limit: Int? = nil
  ) async throws -> [Graph.Path] {
    try await query(via, fields) { try $0.cycles(limit: limit) }
  }

  private func query<T: Sendable>(
    _ via: [String]?, _ fields: [String: Value], isShort: Bool = false,
    _ body: @escaping @Sendable (GraphQueries) throws -> T
  ) async throws -> T {
    let read: @Sendable (Snapshot) throws -> T = { snapshot in
      try body(try snapshot.view.graph(via: via, where: fields))
    }
    let reads = store.core.reads
    return try await isShort ? reads.quickly(read) : reads.asynchronously(read)
  }
}

extension Store {
  /// Traversals over the relationships of the store.
  public var graph: Graph { Graph(store: self) }
}
