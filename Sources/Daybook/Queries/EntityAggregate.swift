import EventCore
import Foundation
public import GRDB
import GRDBSQLite
import Projections

/// A query for one value about the entities of a query, such as their number.
public struct EntityAggregate<Result: Sendable>: Sendable {
  let statement: SQLFragment
  private let decode: @Sendable (FieldCell) -> Result

  init(_ statement: SQLFragment, _ decode: @escaping @Sendable (FieldCell) -> Result) {
    self.statement = statement
    self.decode = decode
  }

  /// The statement, with `?` for each value.
  public var sql: String { statement.text }

  /// Returns the value, within a read or a transaction of the store.
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  public func fetch(_ db: Database) throws -> Result {
    let statement = try db.statement(statement)
    defer { sqlite3_reset(statement.sqliteStatement) }
    guard try statement.step() else { return decode(FieldCell(.null)) }
    return decode(FieldCell(Columns(statement), 0))
  }
}

/// Queries are equal if they are the same statement with the same values.
extension EntityAggregate: Hashable {
  public static func == (a: EntityAggregate, b: EntityAggregate) -> Bool {
    a.statement.isSame(as: b.statement)
  }

  public func hash(into hasher: inout Hasher) { statement.hash(into: &hasher) }
}

/// A number that can be added up.
public protocol NumericFieldValue: FieldValue, Numeric {}
extension Int: NumericFieldValue {}
extension Int64: NumericFieldValue {}
extension Double: NumericFieldValue {}

extension EntityQuery {
  /// The number of entities.
  public func count() -> EntityAggregate<Int> {
    EntityAggregate(aggregate("count(*)", SQLFragment("1 AS value"))) { Int($0.integer ?? 0) }
  }

  /// The sum of a property; 0 if there are no entities.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V>) -> EntityAggregate<V> {
    total(property)
  }

  /// The sum of an optional property over the entities that have a value; 0 if none has.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V?>) -> EntityAggregate<V> {
    total(property)
  }

  /// The average of a property; nil if there are no entities.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V>)
    -> EntityAggregate<Double?>
  {
    EntityAggregate(aggregate("avg(value)", valueColumn(property))) { $0.real }
  }

  /// The average of an optional property over the entities that have a value; nil if none has.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V?>)
    -> EntityAggregate<Double?>
  {
    EntityAggregate(aggregate("avg(value)", valueColumn(property))) { $0.real }
  }

  /// The least value of a property; nil if there are no entities. Texts compare by their bytes.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityAggregate<V?>
  {
    extreme("min(value)", property)
  }

  /// The least value of an optional property; nil if no entity has a value. Texts compare by their
  /// bytes.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityAggregate<V?>
  {
    extreme("min(value)", property)
  }

  /// The greatest value of a property; nil if there are no entities. Texts compare by their bytes.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityAggregate<V?>
  {
    extreme("max(value)", property)
  }

  /// The greatest value of an optional property; nil if no entity has a value. Texts compare by
  /// their bytes.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityAggregate<V?>
  {
    extreme("max(value)", property)
  }

  private func total<V: NumericFieldValue>(_ property: PartialKeyPath<Model>)
    -> EntityAggregate<V>
  {
    let total = V.fieldType == .integer ? "ifnull(sum(value), 0)" : "total(value)"
    return EntityAggregate(aggregate(total, valueColumn(property))) { V(cell: $0) ?? 0 }
  }

  private func extreme<V: FieldValue>(_ function: String, _ property: PartialKeyPath<Model>)
    -> EntityAggregate<V?>
  {
    EntityAggregate(aggregate(function, valueColumn(property))) { V(cell: $0) }
  }

  private func valueColumn(_ property: PartialKeyPath<Model>) -> SQLFragment {
    table.column(property, as: String.self).fragment + " AS value"
  }

  private func aggregate(_ function: String, _ column: SQLFragment) -> SQLFragment {
    table.named("SELECT \(function) FROM (" + selecting(column) + ")")
  }

  /// Groups the entities by a property.
  ///
  /// ```swift
  /// let crowded = Note.all.grouped(by: \.folder).having { $0.count > 10 }.count()
  /// for (folder, count) in try await store.fetch(crowded) { … }
  /// ```
  public func grouped<Key: FieldValue>(by property: KeyPath<Model, Key>) -> EntityGroups<Model, Key>
  {
    EntityGroups(
      query: self, key: table.column(property, as: String.self).fragment)
  }
}

/// The entities of a query in groups, each with one value of a property.
public struct EntityGroups<Model: Entity, Key: FieldValue>: Sendable {
  fileprivate let query: EntityQuery<Model>
  fileprivate let key: SQLFragment
  fileprivate var conditions: [SQLFragment] = []

  /// Returns the groups that meet a condition on the group as a whole.
  public func having(
    _ condition: (EntityGroupColumns<Model>) -> some EntityPredicate<Model>
  ) -> EntityGroups {
    var copy = self
    copy.conditions.append(condition(EntityGroupColumns(query.table)).condition.fragment)
    return copy
  }

  /// The number of entities in each group, in the order of the keys.
  public func count() -> EntityGroupAggregate<Key, Int> {
    aggregate(EntityGroupColumns(query.table).count)
  }

  /// A value about each group, in the order of the keys.
  public func aggregate<V: FieldValue>(
    _ value: (EntityGroupColumns<Model>) -> EntityColumn<Model, V>
  ) -> EntityGroupAggregate<Key, V> {
    aggregate(value(EntityGroupColumns(query.table)))
  }

  private func aggregate<V: FieldValue>(_ column: EntityColumn<Model, V>)
    -> EntityGroupAggregate<Key, V>
  {
    var statement = query.selecting(key + ", " + column.fragment)
    if query.isLimited {
      statement.error = StoreError(
        .invalidQuery, "a query with a limit cannot be grouped",
        hint: "Leave the limit out: it says nothing about groups")
    }
    statement.append(" GROUP BY " + key)
    if !conditions.isEmpty { statement.append(" HAVING " + conditions.joined(" AND ")) }
    statement.append(" ORDER BY " + key)
    return .init(statement: query.table.named(statement))
  }
}

/// A query for one value about each group of entities.
public struct EntityGroupAggregate<Key: FieldValue, V: FieldValue>: Sendable {
  let statement: SQLFragment

  /// The statement, with `?` for each value.
  public var sql: String { statement.text }

  /// Returns the groups, within a read or a transaction of the store.
  ///
  /// A group whose key or value cannot be read is left out.
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  public func fetch(_ db: Database) throws -> [(key: Key, value: V)] {
    let statement = try db.statement(statement)
    defer { sqlite3_reset(statement.sqliteStatement) }
    var groups: [(key: Key, value: V)] = []
    while try statement.step() {
      guard let key = Key(cell: FieldCell(Columns(statement), 0)),
        let value = V(cell: FieldCell(Columns(statement), 1))
      else { continue }
      groups.append((key, value))
    }
    return groups
  }
}

/// What can be said about a group of entities.
public struct EntityGroupColumns<Model: Entity>: Sendable {
  private let table: EntityTable<Model>

  init(_ table: EntityTable<Model>) { self.table = table }

  /// The number of entities.
  public var count: EntityColumn<Model, Int> { EntityColumn(SQLFragment("count(*)"), .integer) }

  /// The sum of a property.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V>) -> EntityColumn<Model, V> {
    total(property)
  }

  /// The sum of an optional property over the entities that have a value; 0 if none has.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V?>) -> EntityColumn<Model, V> {
    total(property)
  }

  /// The average of a property.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, Double>
  {
    column("avg", property, .real)
  }

  /// The average of an optional property over the entities that have a value; nil if none has.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V?>)
    -> EntityColumn<Model, Double?>
  {
    column("avg", property, .real)
  }

  /// The least value of a property.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, V>
  {
    column("min", property, V.fieldType)
  }

  /// The least value of an optional property; nil if no entity of the group has a value.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityColumn<Model, V?>
  {
    column("min", property, V.fieldType)
  }

  /// The greatest value of a property.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, V>
  {
    column("max", property, V.fieldType)
  }

  /// The greatest value of an optional property; nil if no entity of the group has a value.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityColumn<Model, V?>
  {
    column("max", property, V.fieldType)
  }

  private func total<V: NumericFieldValue>(_ property: PartialKeyPath<Model>)
    -> EntityColumn<Model, V>
  {
    let column = table.column(property, as: String.self).fragment
    guard V.fieldType == .integer else { return EntityColumn("total(" + column + ")", .real) }
    return EntityColumn("ifnull(sum(" + column + "), 0)", .integer)
  }

  private func column<V>(
    _ function: String, _ property: PartialKeyPath<Model>, _ type: FieldType
  ) -> EntityColumn<Model, V> {
    let column = table.column(property, as: String.self).fragment
    return EntityColumn(function + "(" + column + ")", type)
  }
}
