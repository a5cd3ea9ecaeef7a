import EventCore
import Projections

/// Queries that follow relationships.
extension EntityQuery {
  /// Returns the query for the entities to which relationships lead from those of this query.
  /// - Parameters:
  ///   - type: the type of the relationships.
  ///   - condition: what a relationship must meet to be followed.
  public func related<R: Relationship>(
    via type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityQuery<R.To> where R.From == Model {
    Self.follow(R.self, \.from, \.to, from: self, condition(EntityColumns()).condition.fragment)
  }

  /// Returns the query for the entities to which relationships lead from those of this query.
  public func related<R: Relationship>(via type: R.Type) -> EntityQuery<R.To>
  where R.From == Model { Self.follow(R.self, \.from, \.to, from: self, nil) }

  /// Returns the query for the entities from which relationships lead to those of this query.
  /// - Parameters:
  ///   - type: the type of the relationships.
  ///   - condition: what a relationship must meet to be followed.
  public func relating<R: Relationship>(
    via type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityQuery<R.From> where R.To == Model {
    Self.follow(R.self, \.to, \.from, from: self, condition(EntityColumns()).condition.fragment)
  }

  /// Returns the query for the entities from which relationships lead to those of this query.
  public func relating<R: Relationship>(via type: R.Type) -> EntityQuery<R.From>
  where R.To == Model { Self.follow(R.self, \.to, \.from, from: self, nil) }

  private static func follow<R: Relationship, Other: Entity>(
    _ type: R.Type, _ near: PartialKeyPath<R>, _ far: PartialKeyPath<R>,
    from query: EntityQuery, _ condition: SQLFragment?
  ) -> EntityQuery<Other> {
    let near = EntityTable<R>.column(near, as: String.self).fragment
    let far = EntityTable<R>.column(far, as: String.self).fragment
    var followed =
      EntityTable<Other>.id + " IN (SELECT " + far + " FROM \(EntityTable<R>.name) WHERE " + near
      + " IN (" + query.selecting(EntityTable<Model>.id) + ")"
    if let condition { followed.append(" AND " + condition) }
    return EntityQuery<Other>(followed + ")")
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

extension EntityColumns {
  /// The number of relationships that lead from the entity and meet a condition.
  public func count<R: Relationship>(
    _ type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityColumn<Model, Int> where R.From == Model {
    counted(R.self, \.from, condition(EntityColumns<R>()).condition.fragment)
  }

  /// The number of relationships that lead from the entity.
  public func count<R: Relationship>(_ type: R.Type) -> EntityColumn<Model, Int>
  where R.From == Model { counted(R.self, \.from, nil) }

  /// The number of relationships that lead to the entity.
  public func count<R: Relationship>(to type: R.Type) -> EntityColumn<Model, Int>
  where R.To == Model { counted(R.self, \.to, nil) }

  /// Whether a relationship leads from the entity and meets a condition.
  public func exists<R: Relationship>(
    _ type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityCondition<Model> where R.From == Model {
    let selected = joined(R.self, \.from, "1", condition(EntityColumns<R>()).condition.fragment)
    return EntityCondition("EXISTS (" + selected + ")")
  }

  /// Whether the field of another type refers to the entity.
  ///
  /// `Folder.where { $0.isReferred(by: \Note.folder) }` are the folders with notes.
  public func isReferred<Other: Entity>(by property: KeyPath<Other, EntityID<Model>?>)
    -> EntityCondition<Model>
  {
    let column = EntityTable<Other>.column(property, as: String.self).fragment
    return EntityCondition(
      "EXISTS (SELECT 1 FROM \(EntityTable<Other>.name) WHERE " + column + " = "
        + EntityTable<Model>.id + ")")
  }

  private func counted<R: Relationship>(
    _ type: R.Type, _ end: PartialKeyPath<R>, _ condition: SQLFragment?
  ) -> EntityColumn<Model, Int> {
    EntityColumn("(" + joined(R.self, end, "count(*)", condition) + ")", .integer)
  }

  private func joined<R: Relationship>(
    _ type: R.Type, _ end: PartialKeyPath<R>, _ selected: String, _ condition: SQLFragment?
  ) -> SQLFragment {
    let end = EntityTable<R>.column(end, as: String.self).fragment
    var statement =
      SQLFragment("SELECT \(selected) FROM \(EntityTable<R>.name) WHERE ") + end + " = "
      + EntityTable<Model>.id
    if let condition { statement.append(" AND " + condition) }
    return statement
  }
}
