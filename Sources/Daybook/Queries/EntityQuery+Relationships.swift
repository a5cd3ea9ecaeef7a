import DaybookEventCore
import DaybookProjections

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
  ///
  /// In SQL: `id IN (SELECT target FROM relationships WHERE source IN (SELECT id FROM …))`.
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
  ///
  /// In SQL: `id IN (SELECT source FROM relationships WHERE target IN (SELECT id FROM …))`.
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
/// Note.where { !$0.id.has(to: Reading.self) { $0.from == me } }
/// Folder.where { $0.id.isReferenced(by: \Note.folder) { $0.pinned } }
/// ```
extension EntityColumn {
  /// The number of relationships that lead from the entity and meet a condition.
  ///
  /// In SQL: `(SELECT count(*) FROM relationships WHERE source = id AND +(condition))`.
  public func count<R: Relationship>(
    of type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityColumn<Model, Int> where V == EntityID<R.From> {
    counted(R.self, "source") { condition($0).condition.fragment }
  }

  /// The number of relationships that lead from the entity.
  ///
  /// In SQL: `(SELECT count(*) FROM relationships WHERE source = id)`.
  public func count<R: Relationship>(of type: R.Type) -> EntityColumn<Model, Int>
  where V == EntityID<R.From> { counted(R.self, "source") { _ in nil } }

  /// The number of relationships that lead to the entity and meet a condition.
  ///
  /// In SQL: `(SELECT count(*) FROM relationships WHERE target = id AND +(condition))`.
  public func count<R: Relationship>(
    to type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityColumn<Model, Int> where V == EntityID<R.To> {
    counted(R.self, "target") { condition($0).condition.fragment }
  }

  /// The number of relationships that lead to the entity.
  ///
  /// In SQL: `(SELECT count(*) FROM relationships WHERE target = id)`.
  public func count<R: Relationship>(to type: R.Type) -> EntityColumn<Model, Int>
  where V == EntityID<R.To> { counted(R.self, "target") { _ in nil } }

  /// Whether a relationship leads from the entity and meets a condition.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM relationships WHERE source = id AND +(condition))`.
  public func has<R: Relationship>(
    _ type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityCondition<Model> where V == EntityID<R.From> {
    EntityCondition(
      "EXISTS (" + joined(R.self, "source", "1") { condition($0).condition.fragment } + ")")
  }

  /// Whether a relationship leads from the entity.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM relationships WHERE source = id)`.
  public func has<R: Relationship>(_ type: R.Type) -> EntityCondition<Model>
  where V == EntityID<R.From> {
    EntityCondition("EXISTS (" + joined(R.self, "source", "1") { _ in nil } + ")")
  }

  /// Whether a relationship leads to the entity and meets a condition.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM relationships WHERE target = id AND +(condition))`.
  public func has<R: Relationship>(
    to type: R.Type, where condition: (EntityColumns<R>) -> some EntityPredicate<R>
  ) -> EntityCondition<Model> where V == EntityID<R.To> {
    EntityCondition(
      "EXISTS (" + joined(R.self, "target", "1") { condition($0).condition.fragment } + ")")
  }

  /// Whether a relationship leads to the entity.
  ///
  /// In SQL: `EXISTS (SELECT 1 FROM relationships WHERE target = id)`.
  public func has<R: Relationship>(to type: R.Type) -> EntityCondition<Model>
  where V == EntityID<R.To> {
    EntityCondition("EXISTS (" + joined(R.self, "target", "1") { _ in nil } + ")")
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

/// Conditions on the entities that refer to an entity, which its id stands for.
extension EntityColumn where V: EntityReference {
  /// Whether an entity of another type refers to the entity by a property.
  ///
  /// In SQL: `id IN (SELECT reference FROM others)`.
  public func isReferenced<Other: Entity, Reference: EntityReference<V.Target>>(
    by property: KeyPath<Other, Reference>
  ) -> EntityCondition<Model> { referenced(property) { _ in nil } }

  /// Whether an entity of another type refers to the entity by a property and meets a condition.
  ///
  /// In SQL: `id IN (SELECT reference FROM others WHERE condition)`.
  public func isReferenced<Other: Entity, Reference: EntityReference<V.Target>>(
    by property: KeyPath<Other, Reference>,
    where condition: (EntityColumns<Other>) -> some EntityPredicate<Other>
  ) -> EntityCondition<Model> { referenced(property) { condition($0).condition.fragment } }

  /// The number of entities of another type that refer to the entity by a property.
  ///
  /// In SQL: `(SELECT count(*) FROM others WHERE reference = id)`.
  public func count<Other: Entity, Reference: EntityReference<V.Target>>(
    by property: KeyPath<Other, Reference>
  ) -> EntityColumn<Model, Int> { referring(property) { _ in nil } }

  /// The number of entities of another type that refer to the entity by a property and meet a
  /// condition.
  ///
  /// In SQL: `(SELECT count(*) FROM others WHERE reference = id AND +(condition))`.
  public func count<Other: Entity, Reference: EntityReference<V.Target>>(
    by property: KeyPath<Other, Reference>,
    where condition: (EntityColumns<Other>) -> some EntityPredicate<Other>
  ) -> EntityColumn<Model, Int> { referring(property) { condition($0).condition.fragment } }

  private func referenced<Other: Entity, Reference>(
    _ property: KeyPath<Other, Reference>, _ condition: (EntityColumns<Other>) -> SQLFragment?
  ) -> EntityCondition<Model> {
    let others = EntityTable<Other>()
    var found = "SELECT " + others.column(of: property).fragment + " FROM " + others.source
    if let condition = condition(EntityColumns(others)) { found.append(" WHERE " + condition) }
    return EntityCondition(fragment + " IN (" + found + ")")
  }

  private func referring<Other: Entity, Reference>(
    _ property: KeyPath<Other, Reference>, _ condition: (EntityColumns<Other>) -> SQLFragment?
  ) -> EntityColumn<Model, Int> {
    let others = EntityTable<Other>()
    var count =
      "(SELECT count(*) FROM " + others.source + " WHERE " + others.column(of: property).fragment
      + " = " + fragment
    if let condition = condition(EntityColumns(others)) { count.append(condition.withoutIndex) }
    return EntityColumn<Model, Int>(count + ")", .integer)
  }
}

extension SQLFragment {
  /// The condition as ` AND …`, for which SQLite uses no index.
  ///
  /// A relationship is found by its end. Without the unary plus, SQLite may take the index of a
  /// field in the condition, and read all relationships of a kind for each entity.
  fileprivate var withoutIndex: SQLFragment { " AND +(" + self + ")" }
}
