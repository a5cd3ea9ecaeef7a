import DaybookEventCore
import DaybookProjections
import Foundation
public import GRDB
import GRDBSQLite

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
  ///
  /// In SQL: `SELECT count(*) FROM …`.
  public func count() -> EntityAggregate<Int> {
    EntityAggregate(aggregate("count(*)", SQLFragment("1 AS value"))) { Int($0.integer ?? 0) }
  }

  /// The sum of a property; 0 if there are no entities.
  ///
  /// In SQL: `SELECT ifnull(sum(column), 0) FROM …`, or `total(column)` of numbers with a fraction.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V>) -> EntityAggregate<V> {
    total(property)
  }

  /// The sum of an optional property over the entities that have a value; 0 if none has.
  ///
  /// In SQL: `SELECT ifnull(sum(column), 0) FROM …`, or `total(column)` of numbers with a fraction.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V?>) -> EntityAggregate<V> {
    total(property)
  }

  /// The average of a property; nil if there are no entities.
  ///
  /// In SQL: `SELECT avg(column) FROM …`.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V>)
    -> EntityAggregate<Double?>
  {
    EntityAggregate(aggregate("avg(value)", valueColumn(property))) { $0.real }
  }

  /// The average of an optional property over the entities that have a value; nil if none has.
  ///
  /// In SQL: `SELECT avg(column) FROM …`.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V?>)
    -> EntityAggregate<Double?>
  {
    EntityAggregate(aggregate("avg(value)", valueColumn(property))) { $0.real }
  }

  /// The least value of a property; nil if there are no entities. Texts compare by their bytes.
  ///
  /// In SQL: `SELECT min(column) FROM …`.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityAggregate<V?>
  {
    extreme("min(value)", property)
  }

  /// The least value of an optional property; nil if no entity has a value. Texts compare by their
  /// bytes.
  ///
  /// In SQL: `SELECT min(column) FROM …`.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityAggregate<V?>
  {
    extreme("min(value)", property)
  }

  /// The greatest value of a property; nil if there are no entities. Texts compare by their bytes.
  ///
  /// In SQL: `SELECT max(column) FROM …`.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityAggregate<V?>
  {
    extreme("max(value)", property)
  }

  /// The greatest value of an optional property; nil if no entity has a value. Texts compare by
  /// their bytes.
  ///
  /// In SQL: `SELECT max(column) FROM …`.
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
}
