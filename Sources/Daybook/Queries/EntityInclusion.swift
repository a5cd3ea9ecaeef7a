public import DaybookEngine
import DaybookEventCore
import DaybookProjections
public import GRDB

/// A query for entities, each with others that belong to it.
///
/// ```swift
/// for row in try await store.fetch(Note.all.including(\.folder)) {
///   print(row.entity.title, row.related?.name ?? "no folder")
/// }
/// ```
/// All is read in one snapshot, with one statement for the entities and one for each inclusion,
/// however many entities there are.
public struct EntityInclusion<Model: Entity, Related: Sendable>: Sendable {
  let query: EntityQuery<Model>
  /// The collections of what is included.
  fileprivate let collections: Set<String>
  /// Returns what belongs to each of the entities, and hashes of the rows that were read for it.
  fileprivate let load: @Sendable (Database, [Model]) throws -> (related: [Related], [RowHash])

  /// The collections that are read.
  var scope: Set<String> { query.statement.collections.union(collections) }

  /// Returns the entities with what belongs to them, within a read or a transaction of the store.
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  public func fetchAll(_ db: Database) throws -> [EntityWith<Model, Related>] {
    try hashed(db).rows
  }

  func hashed(_ db: Database) throws -> (rows: [EntityWith<Model, Related>], hashes: [[RowHash]]) {
    let (models, hashes) = try EntityRows<Model>(db, query.statement).hashed()
    let (related, relatedHashes) = try load(db, models)
    return (
      zip(models, related).map { EntityWith(entity: $0, related: $1) }, [hashes, relatedHashes]
    )
  }

  /// Returns the same with one more inclusion.
  private func adding<New: Sendable, Sum: Sendable>(
    _ other: EntityInclusion<Model, New>, _ sum: @escaping @Sendable (Related, New) -> Sum
  ) -> EntityInclusion<Model, Sum> {
    let (load, otherLoad) = (load, other.load)
    return EntityInclusion<Model, Sum>(
      query: query, collections: collections.union(other.collections)
    ) { db, models in
      let (first, second) = (try load(db, models), try otherLoad(db, models))
      return (zip(first.0, second.0).map(sum), first.1 + second.1)
    }
  }
}

/// An entity, with what a query has included.
public struct EntityWith<Model: Entity, Related: Sendable>: Identifiable, Sendable {
  /// The entity.
  public let entity: Model
  /// What belongs to it: an entity or nil, an array, or a tuple of these in the order in which they
  /// were included.
  public let related: Related
  /// The id of the entity.
  public var id: Model.ID { entity.id }
}

extension EntityWith: Equatable where Model: Equatable, Related: Equatable {}
extension EntityWith: Hashable where Model: Hashable, Related: Hashable {}

extension EntityQuery {
  /// Returns the query for its entities, each with the one that a property refers to; nil if there
  /// is none.
  public func including<Reference: EntityReference>(_ property: KeyPath<Model, Reference>)
    -> EntityInclusion<Model, Reference.Target?>
  {
    let id = Self.value(of: property)
    return EntityInclusion(query: self, collections: [Reference.Target.collection]) { db, models in
      let ids = try models.map { try id($0) as EntityID<Reference.Target>? }
      let targets = try Reference.Target.where { $0.id.isOne(of: Set(ids.compactMap(\.self))) }
        .hashed(db)
      let byID = Dictionary(
        targets.models.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      return (ids.map { id in id.flatMap { byID[$0] } }, targets.hashes)
    }
  }

  /// Returns the query for its entities, each with those that refer to it by a property.
  ///
  /// ```swift
  /// Folder.all.including(Note.where { $0.pinned }.order(by: \.title), by: \.folder)
  /// ```
  ///
  /// In SQL: `SELECT … FROM children WHERE reference IN (SELECT id FROM …)`.
  /// - Parameters:
  ///   - children: the entities to include, in their order; a limit makes the query fail.
  ///   - property: the property by which they refer to an entity of this query.
  public func including<Child: Entity, Reference: EntityReference<Model>>(
    _ children: EntityQuery<Child>, by property: KeyPath<Child, Reference>
  ) -> EntityInclusion<Model, [Child]> {
    let column = children.table.column(of: property)
    return including(children, EntityQuery<Child>.value(of: property), column.fragment)
  }

  /// Returns the query for its entities, each with the relationships that lead from it.
  public func including<R: Relationship>(_ relationships: EntityQuery<R>)
    -> EntityInclusion<Model, [R]> where R.From == Model
  {
    including(relationships, { $0.from }, relationships.table.column(named: "source"))
  }

  /// Returns the query for its entities, each with the relationships that lead to it.
  public func including<R: Relationship>(to relationships: EntityQuery<R>)
    -> EntityInclusion<Model, [R]> where R.To == Model
  {
    including(relationships, { $0.to }, relationships.table.column(named: "target"))
  }

  private func including<Child: Entity>(
    _ children: EntityQuery<Child>, _ parent: @escaping @Sendable (Child) throws -> Model.ID?,
    _ column: SQLFragment
  ) -> EntityInclusion<Model, [Child]> {
    EntityInclusion(query: self, collections: children.statement.collections) { db, models in
      guard !children.isLimited else {
        throw StoreError(
          .invalidQuery, "a limit of what is included would count over all entities",
          hint: "Leave the limit out, and take the first of each entity")
      }
      let column = EntityColumn<Child, Model.ID>(column, .text)
      let found = try children.where { _ in column.isOne(of: models.map(\.id)) }.hashed(db)
      var byParent: [Model.ID: [Child]] = [:]
      for child in found.models {
        if let id = try parent(child) { byParent[id, default: []].append(child) }
      }
      return (models.map { byParent[$0.id] ?? [] }, found.hashes)
    }
  }

  /// Returns how the id that a property holds is found.
  fileprivate static func value<Reference: EntityReference>(of property: KeyPath<Model, Reference>)
    -> @Sendable (Model) throws -> EntityID<Reference.Target>?
  {
    let layout = EntityLayout<Model>.shared
    guard let place = layout.place(of: property) else {
      let unknown = EntityTable<Model>().column(of: property).fragment.error
      return { _ in throw unknown ?? StoreError(.invalidQuery, "no stored property") }
    }
    return { model in
      guard case .text(let id) = try layout.fields[place].value(model) else { return nil }
      return EntityID(rawValue: id)
    }
  }

  fileprivate func hashed(_ db: Database) throws -> (models: [Model], hashes: [RowHash]) {
    try EntityRows<Model>(db, statement).hashed()
  }
}

extension EntityColumn where V: FieldValue {
  /// Whether the column holds one of these values, as a statement that is the same for any number
  /// of them.
  fileprivate func isOne(of values: some Sequence<V>) -> EntityCondition<Model> {
    isIn(values.map(\.storedValue), isListed: true)
  }
}

/// More inclusions: `related` is a tuple then.
extension EntityInclusion {
  /// Returns the query with the entity, too, that a property refers to.
  public func including<Reference: EntityReference>(
    _ property: KeyPath<Model, Reference>
  ) -> EntityInclusion<Model, (Related, Reference.Target?)> {
    adding(query.including(property)) { ($0, $1) }
  }

  /// Returns the query with the entities, too, that refer to each of its entities by a property.
  public func including<Child: Entity, Reference: EntityReference<Model>>(
    _ children: EntityQuery<Child>, by property: KeyPath<Child, Reference>
  ) -> EntityInclusion<Model, (Related, [Child])> {
    adding(query.including(children, by: property)) { ($0, $1) }
  }

  /// Returns the query with the relationships, too, that lead from each of its entities.
  public func including<R: Relationship>(_ relationships: EntityQuery<R>)
    -> EntityInclusion<Model, (Related, [R])> where R.From == Model
  {
    adding(query.including(relationships)) { ($0, $1) }
  }

  /// Returns the query with the relationships, too, that lead to each of its entities.
  public func including<R: Relationship>(to relationships: EntityQuery<R>)
    -> EntityInclusion<Model, (Related, [R])> where R.To == Model
  {
    adding(query.including(to: relationships)) { ($0, $1) }
  }

  /// Returns the query with the entity, too, that a property refers to.
  public func including<A, B, Reference: EntityReference>(
    _ property: KeyPath<Model, Reference>
  ) -> EntityInclusion<Model, (A, B, Reference.Target?)> where Related == (A, B) {
    adding(query.including(property)) { ($0.0, $0.1, $1) }
  }

  /// Returns the query with the entities, too, that refer to each of its entities by a property.
  public func including<A, B, Child: Entity, Reference: EntityReference<Model>>(
    _ children: EntityQuery<Child>, by property: KeyPath<Child, Reference>
  ) -> EntityInclusion<Model, (A, B, [Child])> where Related == (A, B) {
    adding(query.including(children, by: property)) { ($0.0, $0.1, $1) }
  }

  /// Returns the query with the relationships, too, that lead from each of its entities.
  public func including<A, B, R: Relationship>(_ relationships: EntityQuery<R>)
    -> EntityInclusion<Model, (A, B, [R])> where Related == (A, B), R.From == Model
  {
    adding(query.including(relationships)) { ($0.0, $0.1, $1) }
  }

  /// Returns the query with the relationships, too, that lead to each of its entities.
  public func including<A, B, R: Relationship>(to relationships: EntityQuery<R>)
    -> EntityInclusion<Model, (A, B, [R])> where Related == (A, B), R.To == Model
  {
    adding(query.including(to: relationships)) { ($0.0, $0.1, $1) }
  }
}

extension Store {
  /// Returns the entities of a query, each with what belongs to it, in one snapshot.
  public func fetch<E, Related>(_ query: EntityInclusion<E, Related>) async throws
    -> [EntityWith<E, Related>]
  {
    try await read { db in try query.fetchAll(db) }
  }
}

extension WriteTransaction {
  /// Returns the entities of a query, each with what belongs to it, as this transaction sees them.
  public func fetch<E, Related>(_ query: EntityInclusion<E, Related>) throws
    -> [EntityWith<E, Related>]
  {
    try query.fetchAll(database)
  }
}
