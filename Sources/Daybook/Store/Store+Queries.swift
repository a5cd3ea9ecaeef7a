public import EventCore
import GRDB
public import Projections

extension Store {
  /// Full-text search, best first.
  /// - Parameters:
  ///   - query: words that must all occur; `"a phrase"`, `swif*` for a beginning, `-word` for what
  ///     must not occur, `a OR b`, `title:word` for one field.
  ///   - collection: where to look; nil for every collection with searchable fields.
  ///   - limit: the most hits to return.
  ///   - markers: what to put before and after a word found in a snippet.
  /// - Throws: `ProjectionError` `unknownName`, `invalidQuery`; what SQLite throws.
  public func search(
    _ query: String, in collection: String? = nil, limit: Int = 20,
    markers: (open: String, close: String) = ("[", "]")
  ) async throws -> [SearchHit] {
    let (open, close) = markers
    return try await view { view, db in
      try Search(db, schema: view.schema).hits(
        query, in: collection, limit: limit, markers: (open, close))
    }
  }

  /// Traversals over the relationships.
  public var graph: Graph { Graph(store: self) }

  /// Every write to an entity, in the total order: when, who, which fields from what to what. Empty
  /// for one that was never written. Fields are called as they are now.
  public func history(of id: String, in collection: String) async throws -> [HistoryItem] {
    try await view { view, _ in
      try view.history(of: id, in: collection).map { item in
        var item = item
        for index in item.changes.indices {
          let field = item.changes[index].field
          item.changes[index].field = view.schema[collection]?[field: field]?.name ?? field
        }
        return item
      }
    }
  }

  /// The registers on which authors disagree who had not seen each other's writes.
  public func conflicts() async throws -> [Conflict] {
    try await view { view, _ in try view.conflicts() }
  }

  /// What tables do not show of live entities, and why: values that are not of their field's type,
  /// entities that are parked because an earlier one has the value of a unique field, references that
  /// make a cycle in a tree. All of it can be changed as if it were shown, and then is.
  ///
  /// Cost: a look-up for each value of a unique field; memory for what is hidden.
  public func hidden() async throws -> [HiddenValue] {
    try await view { view, _ in try view.hidden() }
  }

  /// The store as it was.
  /// - Throws: `ProjectionError` `unknownPosition`, ``StoreError`` `invalidPosition` for an event
  ///   that is not known here.
  public func at(_ position: Position) async throws -> PastStore {
    PastStore(store: self, selection: try await known(position))
  }

  /// When an event happened; nil for one that is not known here.
  public func times(of event: EventID) async throws -> EventTimes? {
    try await view { view, _ in try view.times(of: event) }
  }
}

/// Queries over the graph of live relationships.
public struct Graph: Sendable {
  let store: Store

  /// The relationships of one vertex whose other end is there.
  /// - Parameter via: the relationship collections to follow; nil for all. Likewise below.
  /// - Throws: `ProjectionError` `unknownName` for a vertex or collection that is not there. Likewise
  ///   below.
  public func neighbors(
    of id: String, via: [String]? = nil, direction: GraphDirection = .both
  ) async throws -> [GraphEdge] {
    try await query(via) { try $0.neighbors(of: id, direction: direction) }
  }

  /// Everything within `depth` relationships, nearest first, without the start.
  public func reachable(
    from id: String, depth: Int = .max, via: [String]? = nil,
    direction: GraphDirection = .outgoing
  ) async throws -> [GraphReach] {
    try await query(via) { try $0.reachable(from: id, depth: depth, direction: direction) }
  }

  /// A path of the fewest relationships or, with a `weight` field, of the least total weight; nil
  /// where there is none.
  /// - Throws: `ProjectionError` `invalidQuery` for a negative weight on the way.
  public func shortestPath(
    from start: String, to goal: String, via: [String]? = nil,
    direction: GraphDirection = .outgoing, weight: String? = nil
  ) async throws -> GraphPath? {
    try await query(via) {
      if let weight {
        return try $0.lightestPath(from: start, to: goal, direction: direction, weight: weight)
      }
      return try $0.shortestPath(from: start, to: goal, direction: direction)
    }
  }

  /// The vertices within `depth` of any of `ids`, and all relationships among them.
  public func subgraph(from ids: [String], depth: Int, via: [String]? = nil) async throws
    -> (vertices: [GraphReach], edges: [GraphEdge])
  {
    try await query(via) { try $0.subgraph(from: ids, depth: depth) }
  }

  /// The most important vertices, best first. Cost: reads every relationship.
  public func importance(
    by measure: ImportanceMeasure = .pageRank, via: [String]? = nil, weight: String? = nil,
    limit: Int = 20
  ) async throws -> [GraphRank] {
    try await query(via) { try $0.importance(by: measure, weight: weight, limit: limit) }
  }

  private func query<T: Sendable>(
    _ via: [String]?, _ body: @escaping @Sendable (GraphQueries) throws -> T
  ) async throws -> T {
    try await store.view { view, db in
      try body(try GraphQueries(db, schema: view.schema, via: via))
    }
  }
}
