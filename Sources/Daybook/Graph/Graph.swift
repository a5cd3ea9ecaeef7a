public import EventCore
import GRDB
public import Projections

/// Queries over the graph of live relationships, each on one snapshot.
///
/// A vertex is a live entity of a collection that is no relationship. What the fields `source` and `target`
/// of a relationship collection reference says which entities its relationships connect; an end that
/// references nothing means every entity of that id, whichever collection holds it. A relationship with a
/// missing or deleted end is not followed. Of a collection defined with `directed` false, all relationships
/// are followed both ways, whatever direction is asked for; where `directed` names a boolean field, those in
/// which it is false.
///
/// All calls take
/// - `via`: the relationship collections to follow; nil for all;
/// - `where`: what the fields of a relationship must hold for it to be followed, by name: all of them, with
///   NULL for no value. A collection without such a field holds NULL there.
///
/// And all throw `ProjectionError`: `unknownName` for a vertex, collection or field that is not there,
/// `invalidQuery` for a negative number where something is counted and for a value that is not of its
/// field's type; beside it ``StoreError`` and what SQLite throws.
///
/// With a `weight`, a numeric field of the relationships, one that has no value there weighs 1. Paths and
/// importance refuse a negative weight, `invalidQuery`, anywhere among the relationships that are followed:
/// it is looked for once in each state of the store, by the field's index where it has one (`index`), else
/// by reading all of them.
public struct Graph: Sendable {
  let store: Store

  /// The vertex that a text names, as people write it: `COLLECTION/ID`, or an id alone where one collection
  /// holds it. Cost, of an id alone: a look-up in each collection.
  /// - Throws: `ProjectionError` `unknownName`; `ambiguousID` where several collections hold it, with all of
  ///   these as `choices`.
  public func vertex(_ text: String) async throws -> GraphVertex {
    try await store.view { view, _ in try view.vertex(named: text) }
  }

  /// The relationships of one vertex whose other end is there: collection by collection, those that lead
  /// away first, by the id of the other end; with a `weight`, the heaviest first.
  ///
  /// Cost: proportional to those that are looked at: with a `limit` and no `weight`, about as many as are
  /// returned.
  /// - Parameter limit: the most relationships to return; nil for all.
  public func neighbors(
    of vertex: GraphVertex, via: [String]? = nil, where fields: [String: Value] = [:],
    direction: GraphDirection = .both, weight: String? = nil, limit: Int? = nil
  ) async throws -> [GraphEdge] {
    try await query(via, fields) {
      try $0.neighbors(of: vertex, direction: direction, weight: weight, limit: limit)
    }
  }

  /// Everything within `depth` relationships, nearest first, without the start.
  /// Cost: proportional to the relationships followed.
  /// - Parameter limit: the most vertices to return; nil for all.
  public func reachable(
    from vertex: GraphVertex, depth: Int = .max, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: GraphDirection = .outgoing, limit: Int? = nil
  ) async throws -> [GraphReach] {
    try await query(via, fields) {
      try $0.reachable(from: vertex, depth: depth, direction: direction, limit: limit)
    }
  }

  /// A path of the fewest relationships or, with a `weight`, of the least total weight; nil where there is
  /// none.
  /// - Throws: beside what all do, `ProjectionError` `invalidQuery` for a negative weight, also of one that
  ///   is not on the way, and for weights whose sum no number holds.
  public func shortestPath(
    from start: GraphVertex, to goal: GraphVertex, via: [String]? = nil,
    where fields: [String: Value] = [:], direction: GraphDirection = .outgoing,
    weight: String? = nil
  ) async throws -> GraphPath? {
    try await query(via, fields) {
      try $0.path(from: start, to: goal, direction: direction, weight: weight)
    }
  }

  /// The vertices within `depth` of any of `starts`, followed either way, and all relationships among them.
  public func subgraph(
    from starts: [GraphVertex], depth: Int, via: [String]? = nil,
    where fields: [String: Value] = [:]
  ) async throws -> Subgraph {
    try await query(via, fields) { try $0.subgraph(from: starts, depth: depth) }
  }

  /// The most important vertices, best first: of all entities of the collections to which the relationships
  /// may lead, isolated ones too. Cost: reads every relationship.
  /// - Parameter limit: the most vertices to return.
  /// - Throws: beside what all do, `ProjectionError` `invalidQuery` for a negative weight.
  public func importance(
    by measure: ImportanceMeasure = .pageRank, via: [String]? = nil,
    where fields: [String: Value] = [:], weight: String? = nil, limit: Int = 20
  ) async throws -> [GraphRank] {
    try await query(via, fields) {
      try $0.importance(by: measure, weight: weight, limit: limit)
    }
  }

  private func query<T: Sendable>(
    _ via: [String]?, _ fields: [String: Value],
    _ body: @escaping @Sendable (GraphQueries) throws -> T
  ) async throws -> T {
    try await store.view { view, _ in try body(try view.graph(via: via, where: fields)) }
  }
}
