public import EventCore
import Foundation
public import Projections

extension GraphVertex {
  /// The vertex of an entity.
  public init<E: Entity>(_ id: EntityID<E>) { self.init(E.collection, id.rawValue) }
}

/// Queries with types of entities and relationships.
///
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
  public func path<R: Relationship>(
    from start: EntityID<R.From>, to goal: EntityID<R.To>, via type: R.Type,
    weight: KeyPath<R, Double>? = nil, direction: GraphDirection = .outgoing
  ) async throws -> GraphPath? {
    try await shortestPath(
      from: GraphVertex(start), to: GraphVertex(goal), via: [R.collection], direction: direction,
      weight: try Self.field(weight))
  }

  /// Returns the relationships of an entity, with a `weight` the heaviest first.
  /// - Parameters:
  ///   - id: the entity.
  ///   - type: the relationships to follow.
  ///   - weight: the property that says how heavy a relationship is; nil for no order by weight.
  ///   - direction: which way relationships are followed.
  ///   - limit: the most relationships to return; nil for all.
  public func neighbors<R: Relationship, E: Entity>(
    of id: EntityID<E>, via type: R.Type, weight: KeyPath<R, Double>? = nil,
    direction: GraphDirection = .both, limit: Int? = nil
  ) async throws -> [GraphEdge] {
    try await neighbors(
      of: GraphVertex(id), via: [R.collection], direction: direction,
      weight: try Self.field(weight), limit: limit)
  }

  /// Returns all vertices within `depth` relationships, nearest first, without the start.
  /// - Parameters:
  ///   - id: the entity to begin at.
  ///   - type: the relationships to follow.
  ///   - depth: the most relationships in a row.
  ///   - direction: which way relationships are followed.
  ///   - limit: the most vertices to return; nil for all.
  public func reachable<R: Relationship, E: Entity>(
    from id: EntityID<E>, via type: R.Type, depth: Int = .max,
    direction: GraphDirection = .outgoing, limit: Int? = nil
  ) async throws -> [GraphReach] {
    try await reachable(
      from: GraphVertex(id), depth: depth, via: [R.collection], direction: direction, limit: limit)
  }

  /// Returns the vertices within `depth` of an entity, followed either way, and all relationships
  /// among them.
  public func subgraph<R: Relationship, E: Entity>(
    from id: EntityID<E>, depth: Int, via type: R.Type
  ) async throws -> Subgraph {
    try await subgraph(from: [GraphVertex(id)], depth: depth, via: [R.collection])
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
    return layout.names[place]
  }
}
