import EventCore
import Projections

/// Queries that follow relationships.
extension EntityQuery {
  /// Returns a query for the targets of the relationships that begin at this query's entities.
  /// - Parameters:
  ///   - type: the type of the relationships.
  ///   - condition: what a relationship must meet to be followed.
  public func related<R: Relationship>(
    via type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityQuery<R.To> where R.From == Model {
    followed(R.self, "source", "target") { condition($0).condition.fragment }
  }

  /// Returns a query for the targets of the relationships that begin at this query's entities.
  public func related<R: Relationship>(via type: R.Type) -> EntityQuery<R.To>
  where R.From == Model { followed(R.self, "source", "target") { _ in nil } }

  /// Returns the query for the entities from which relationships lead to those of this query.
  /// - Parameters:
  ///   - type: the type of the relationships.
  ///   - condition: what a relationship must meet to be followed.
  public func relating<R: Relationship>(
    via type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityQuery<R.From> where R.To == Model {
    followed(R.self, "target", "source") { condition($0).condition.fragment }
  }

  /// Returns the query for the entities from which relationships lead to those of this query.
  public func relating<R: Relationship>(via type: R.Type) -> EntityQuery<R.From>
  where R.To == Model { followed(R.self, "target", "source") { _ in nil } }

  private func followed<R: Relationship, Other: Entity>(
    _ type: R.Type, _ near: String, _ far: String,
    _ condition: (EntityColumns<R>) -> SQLFragment?
  ) -> EntityQuery<Other> {
    let query = EntityQuery<Other>()
    let relationships = EntityTable<R>()
    var followed =
      query.table.id + " IN (SELECT " + relationships.column(named: far) + " FROM "
      + relationships.source + " WHERE " + relationships.column(named: near) + " IN ("
      + selecting(table.id) + ")"
    if let condition = condition(EntityColumns(relationships)) {
      followed.append(isWhole ? " AND " + condition : condition.withoutIndex)
    }
    return query.meeting(followed + ")")
  }
}

extension Entity {
  /// Returns the query for the entities to which relationships lead from one entity.
  public static func related<R: Relationship>(
    from id: EntityID<R.From>, via type: R.Type
  ) -> EntityQuery<Self> where R.To == Self { R.From.where { $0.id == id }.related(via: type) }

  /// Returns the query for the entities from which relationships lead to one entity.
  public static func related<R: Relationship>(
    to id: EntityID<R.To>, via type: R.Type
  ) -> EntityQuery<Self> where R.From == Self { R.To.where { $0.id == id }.relating(via: type) }
}

/// Conditions on the relationships of an entity, which its id stands for.
///
/// ```swift
/// Person.where { $0.id.count(of: Friendship.self) > 10 }
/// Note.where { $0.id.has(Link.self) { $0.kind == .cites } }
/// Folder.where { $0.id.isReferenced(by: \Note.folder) }
/// ```
extension EntityColumn {
  /// The number of relationships that lead from the entity and meet a condition.
  public func count<R: Relationship>(
    of type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityColumn<Model, Int> where V == EntityID<R.From> {
    counted(R.self, "source") { condition($0).condition.fragment }
  }

  /// The number of relationships that lead from the entity.
  public func count<R: Relationship>(of type: R.Type) -> EntityColumn<Model, Int>
  where V == EntityID<R.From> { counted(R.self, "source") { _ in nil } }

  /// The number of relationships that lead to the entity.
  public func count<R: Relationship>(to type: R.Type) -> EntityColumn<Model, Int>
  where V == EntityID<R.To> { counted(R.self, "target") { _ in nil } }

  /// Whether a relationship leads from the entity and meets a condition.
  public func has<R: Relationship>(
    _ type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityCondition<Model> where V == EntityID<R.From> {
    EntityCondition(
      "EXISTS (" + joined(R.self, "source", "1") { condition($0).condition.fragment } + ")")
  }

  /// Whether a relationship leads from the entity.
  public func has<R: Relationship>(_ type: R.Type) -> EntityCondition<Model>
  where V == EntityID<R.From> {
    EntityCondition("EXISTS (" + joined(R.self, "source", "1") { _ in nil } + ")")
  }

  /// Whether an entity of another type refers to the entity by a property.
  public func isReferenced<Other: Entity, Target: Entity>(
    by property: KeyPath<Other, EntityID<Target>?>
  ) -> EntityCondition<Model> where V == EntityID<Target> {
    let others = EntityTable<Other>()
    let column = others.column(property, as: String.self).fragment
    return EntityCondition(
      fragment + " IN (SELECT " + column + " FROM " + others.source + ")")
  }

  private func counted<R: Relationship>(
    _ type: R.Type, _ end: String, _ condition: (EntityColumns<R>) -> SQLFragment?
  ) -> EntityColumn<Model, Int> {
    EntityColumn<Model, Int>("(" + joined(R.self, end, "count(*)", condition) + ")", .integer)
  }

  private func joined<R: Relationship>(
    _ type: R.Type, _ end: String, _ selected: String,
    _ condition: (EntityColumns<R>) -> SQLFragment?
  ) -> SQLFragment {
    let table = EntityTable<R>()
    var statement =
      "SELECT \(selected) FROM " + table.source + " WHERE " + table.column(named: end) + " = "
      + fragment
    if let condition = condition(EntityColumns(table)) {
      statement.append(condition.withoutIndex)
    }
    return statement
  }
}

extension SQLFragment {
  /// The condition as ` AND …`, for which SQLite uses no index.
  ///
  /// A relationship is found by its end. Without the unary plus, SQLite may take the index of a
  /// field in the condition, and read all relationships of a kind for each entity.
  fileprivate var withoutIndex: SQLFragment { " AND +(" + self + ")" }
}
