import DaybookEngine
import DaybookEventCore
public import DaybookProjections
import Foundation
import GRDB

extension Graph.Vertex {
  /// The vertex of an entity.
  public init<E: Entity>(_ id: EntityID<E>) { self.init(E.collection, id.rawValue) }
}

extension Graph {
  /// What a relationship must meet to be followed, as a closure: `{ $0.kind == .cites }`.
  public typealias Predicate<R: Relationship> = (EntityColumns<R>) -> any EntityPredicate<R>
}

/// Queries with types of entities and relationships.
///
/// ```swift
/// let way = try await store.graph.path(from: milk.id, to: list.id, via: Link.self) {
///   $0.kind == .cites
/// }
/// ```
/// They throw what the queries of the same name with names of collections throw; ``StoreError``
/// `invalidQuery` for a weight that is no stored property.
extension Graph {
  /// Returns a path of the fewest relationships or, with a `weight`, of the least total weight; nil
  /// if there is none.
  /// - Parameters:
  ///   - start: the entity at which the path begins.
  ///   - goal: the entity at which it ends.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how long a relationship is; nil if each counts as 1.
  ///   - direction: which way relationships are followed.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func path<R: Relationship>(
    from start: EntityID<R.From>, to goal: EntityID<R.To>, via type: R.Type,
    weight: KeyPath<R, Double>? = nil, direction: Graph.Direction = .outgoing,
    where condition: Graph.Predicate<R>? = nil
  ) async throws -> Graph.Path? {
    let weight = try Self.field(weight)
    return try await query(R.self, condition) { graph, _ in
      try graph.path(
        from: Graph.Vertex(start), to: Graph.Vertex(goal), direction: direction, weight: weight)
    }
  }

  /// Returns the relationships that lead from an entity, each with the entity that it leads to.
  ///
  /// With a `weight` the heaviest comes first; else they are in the order of the other ends' ids.
  /// - Parameters:
  ///   - id: the entity.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how heavy a relationship is; nil for no order by weight.
  ///   - limit: the most relationships to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func neighbors<R: Relationship>(
    from id: EntityID<R.From>, via type: R.Type, weight: KeyPath<R, Double>? = nil,
    limit: Int? = nil, where condition: Graph.Predicate<R>? = nil
  ) async throws -> [(relationship: R, entity: R.To)] {
    try await pairs(Graph.Vertex(id), type, .outgoing, weight, limit, condition)
  }

  /// Returns the relationships that lead to an entity, each with the entity that it comes from.
  ///
  /// With a `weight` the heaviest comes first; else they are in the order of the other ends' ids.
  /// - Parameters:
  ///   - id: the entity.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how heavy a relationship is; nil for no order by weight.
  ///   - limit: the most relationships to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func neighbors<R: Relationship>(
    to id: EntityID<R.To>, via type: R.Type, weight: KeyPath<R, Double>? = nil, limit: Int? = nil,
    where condition: Graph.Predicate<R>? = nil
  ) async throws -> [(relationship: R, entity: R.From)] {
    try await pairs(Graph.Vertex(id), type, .incoming, weight, limit, condition)
  }

  /// Returns the relationships of an entity in either direction, each with the entity at its other
  /// end.
  ///
  /// Outgoing ones come first; with a `weight` the heaviest comes first.
  /// - Parameters:
  ///   - id: the entity.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how heavy a relationship is; nil for no order by weight.
  ///   - limit: the most relationships to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func neighbors<R: Relationship>(
    of id: EntityID<R.From>, via type: R.Type, weight: KeyPath<R, Double>? = nil,
    limit: Int? = nil, where condition: Graph.Predicate<R>? = nil
  ) async throws -> [(relationship: R, entity: R.From)] where R.From == R.To {
    try await pairs(Graph.Vertex(id), type, .both, weight, limit, condition)
  }

  private func pairs<R: Relationship, Other: Entity>(
    _ vertex: Graph.Vertex, _ type: R.Type, _ direction: Graph.Direction,
    _ weight: KeyPath<R, Double>?, _ limit: Int?, _ condition: Graph.Predicate<R>?
  ) async throws -> [(relationship: R, entity: Other)] {
    let weight = try Self.field(weight)
    return try await query(R.self, condition, isShort: true) { graph, db in
      let edges = try graph.neighbors(
        of: vertex, direction: direction, weight: weight, limit: limit)
      let others = edges.map { Other.ID(rawValue: $0.other(than: vertex).id) }
      let relationships = try R.fetch(edges.map { R.ID(rawValue: $0.id) }, db)
      let entities = try Other.fetch(others, db)
      return zip(edges, others).compactMap { edge, other in
        guard let relationship = relationships[R.ID(rawValue: edge.id)],
          let entity = entities[other]
        else { return nil }
        return (relationship, entity)
      }
    }
  }

  /// Returns all vertices within `depth` relationships, nearest first, without the start.
  /// - Parameters:
  ///   - id: the entity to begin at.
  ///   - type: the relationships to follow.
  ///   - depth: the most relationships in a row.
  ///   - direction: which way relationships are followed.
  ///   - limit: the most vertices to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func reachable<R: Relationship, E: Entity>(
    from id: EntityID<E>, via type: R.Type, depth: Int = .max,
    direction: Graph.Direction = .outgoing, limit: Int? = nil,
    where condition: Graph.Predicate<R>? = nil
  ) async throws -> [Graph.Reach] {
    try await query(R.self, condition) { graph, _ in
      try graph.reachable(
        from: Graph.Vertex(id), depth: depth, direction: direction, limit: limit)
    }
  }

  /// Returns all entities within `depth` relationships among entities of one type, nearest first,
  /// without the start, each with its distance.
  ///
  /// Cost: proportional to the relationships followed, and reads each returned entity.
  /// - Parameters:
  ///   - id: the entity to begin at.
  ///   - type: the relationships to follow.
  ///   - depth: the most relationships in a row.
  ///   - direction: which way relationships are followed.
  ///   - limit: the most entities to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func reachable<R: Relationship>(
    from id: EntityID<R.From>, via type: R.Type, depth: Int = .max,
    direction: Graph.Direction = .outgoing, limit: Int? = nil,
    where condition: Graph.Predicate<R>? = nil
  ) async throws -> [(entity: R.From, depth: Int)] where R.From == R.To {
    try await query(R.self, condition) { graph, db in
      let reached = try graph.reachable(
        from: Graph.Vertex(id), depth: depth, direction: direction, limit: limit)
      let entities = try R.From.fetch(reached.map { R.From.ID(rawValue: $0.vertex.id) }, db)
      return reached.compactMap { reach in
        entities[R.From.ID(rawValue: reach.vertex.id)].map { ($0, reach.depth) }
      }
    }
  }

  /// Returns the vertices within `depth` of an entity, followed either way, and all relationships
  /// among them.
  /// - Parameters:
  ///   - id: the entity to begin at.
  ///   - depth: the most relationships in a row.
  ///   - type: the relationships to follow.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func subgraph<R: Relationship, E: Entity>(
    from id: EntityID<E>, depth: Int, via type: R.Type, where condition: Graph.Predicate<R>? = nil
  ) async throws -> Graph.Subgraph {
    try await query(R.self, condition) { graph, _ in
      try graph.subgraph(from: [Graph.Vertex(id)], depth: depth)
    }
  }

  /// Returns the most important entities at the ends of relationships, best first, also isolated
  /// ones.
  /// - Parameters:
  ///   - measure: the measure of importance.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how much a relationship counts; nil if each counts as 1.
  ///   - limit: the most vertices to return.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func importance<R: Relationship>(
    by measure: Graph.Importance = .pageRank, via type: R.Type,
    weight: KeyPath<R, Double>? = nil, limit: Int = 20, where condition: Graph.Predicate<R>? = nil
  ) async throws -> [Graph.Rank] {
    let weight = try Self.field(weight)
    return try await query(R.self, condition) { graph, _ in
      try graph.importance(by: measure, weight: weight, limit: limit)
    }
  }

  /// Returns the connected components, the largest first; see ``components(via:where:limit:)``.
  /// - Parameters:
  ///   - type: the relationships to follow.
  ///   - limit: the most components to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func components<R: Relationship>(
    via type: R.Type, limit: Int? = nil, where condition: Graph.Predicate<R>? = nil
  ) async throws -> [[Graph.Vertex]] {
    try await query(R.self, condition) { graph, _ in try graph.components(limit: limit) }
  }

  /// Returns cycles, one of each knot; see ``cycles(via:where:limit:)``.
  /// - Parameters:
  ///   - type: the relationships to follow.
  ///   - limit: the most cycles to return; nil for all.
  ///   - condition: what a relationship must meet to be followed; nil for nothing.
  public func cycles<R: Relationship>(
    via type: R.Type, limit: Int? = nil, where condition: Graph.Predicate<R>? = nil
  ) async throws -> [Graph.Path] {
    try await query(R.self, condition) { graph, _ in try graph.cycles(limit: limit) }
  }

  /// Runs a query over the relationships of a type that meet a condition.
  private func query<R: Relationship, T>(
    _ type: R.Type, _ condition: Graph.Predicate<R>?, isShort: Bool = false,
    _ body: @escaping @Sendable (GraphQueries, Database) throws -> T
  ) async throws -> T where T: Sendable {
    let condition = try condition.map {
      let query = EntityQuery<R>()
      let condition = $0(EntityColumns(query.table)).condition.fragment
      guard !condition.joins.isEmpty else {
        return try query.table.named(condition).graphCondition()
      }
      // The graph reads one table, so a query of its own reads the tables beside it.
      let table = EntityTable<R>()
      let met = query.meeting(condition).selecting(query.table.id)
      return try table.named(table.id + " IN (" + met + ")").graphCondition()
    }
    let read: @Sendable (Snapshot) throws -> T = { snapshot in
      try body(
        try snapshot.view.graph(via: [R.collection], where: [:], condition), snapshot.database)
    }
    let reads = store.core.reads
    return try await isShort ? reads.quickly(read) : reads.asynchronously(read)
  }

  private static func field<R: Relationship, V>(_ property: KeyPath<R, V>?) throws(StoreError)
    -> String?
  {
    guard let property else { return nil }
    let layout = EntityLayout<R>.shared
    guard let place = layout.place(of: property) else {
      throw StoreError(
        .invalidQuery, "\(R.self) has no stored property \(property)",
        hint: "A weight is one of the properties in \(R.self).fields")
    }
    return layout.identities[place]
  }
}

extension SQLFragment {
  /// Returns the fragment as a condition on relationships.
  /// - Throws: the error of the fragment.
  fileprivate func graphCondition() throws(StoreError) -> GraphCondition {
    if let error { throw error }
    return GraphCondition(text, values.map(\.cell))
  }
}

extension DatabaseValue {
  fileprivate var cell: Cell {
    switch storage {
    case .null: .null
    case .int64(let value): .integer(value)
    case .double(let value): .real(value)
    case .string(let text): .text(text)
    case .blob(let data): .blob(Array(data))
    }
  }
}

extension Graph.Vertex {
  /// Returns the id of the vertex if it is an entity of a type; else nil.
  public func id<E: Entity>(as type: E.Type) -> EntityID<E>? {
    collection == E.collection ? EntityID(rawValue: id) : nil
  }
}
