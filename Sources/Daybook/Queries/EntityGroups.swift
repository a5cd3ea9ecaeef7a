import DaybookEngine
import DaybookEventCore
import DaybookProjections
public import GRDB
import GRDBSQLite

// `grouped` is overloaded by what its closure returns.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension EntityQuery {
  /// Groups the entities by a property.
  ///
  /// ```swift
  /// let crowded = Note.all.grouped(by: \.folder).having { $0.count > 10 }.count()
  /// for (folder, count) in try await store.fetch(crowded) { … }
  /// ```
  ///
  /// In SQL: `SELECT key, … FROM … GROUP BY 1 ORDER BY 1`, where 1 is the key.
  public func grouped<Key: FieldValue>(by property: KeyPath<Model, Key>) -> EntityGroups<Model, Key>
  {
    EntityGroups(self, table.column(of: property).fragment) { Key(cell: $0) }
  }

  /// Groups the entities by an enumeration, or another property with a raw value.
  ///
  /// Entities with a case that this version of the app does not know are in the group of the case
  /// that they show.
  ///
  /// In SQL: `SELECT CASE WHEN key IN (?, …) THEN key ELSE ? END, … FROM … GROUP BY 1 ORDER BY 1`
  /// for an enumeration that lists its cases; else as for another property.
  @_disfavoredOverload
  public func grouped<Key: RawRepresentable & Codable & Sendable>(by property: KeyPath<Model, Key>)
    -> EntityGroups<Model, Key> where Key.RawValue: FieldValue
  {
    grouped(by: table.column(of: property))
  }

  /// Groups the entities by an optional enumeration, or another optional property with a raw value.
  ///
  /// In SQL: as for an enumeration that is not optional.
  @_disfavoredOverload
  public func grouped<Key: RawRepresentable & Codable & Sendable>(
    by property: KeyPath<Model, Key?>
  ) -> EntityGroups<Model, Key?> where Key.RawValue: FieldValue {
    grouped(by: table.column(of: property))
  }

  /// Groups the entities by what a closure names: a field of an entity that is referred to, the day
  /// of a date, or a text without case.
  ///
  /// ```swift
  /// Note.all.grouped { $0.modified.start(of: .month) }.count()
  /// Note.all.grouped { $0.folder.name }.order(.descending) { $0.count }.limit(5).count()
  /// ```
  ///
  /// In SQL: `SELECT key, … FROM … GROUP BY 1 ORDER BY 1`, where 1 is the key.
  public func grouped<Key: FieldValue>(
    _ key: (EntityColumns<Model>) -> EntityColumn<Model, Key>
  ) -> EntityGroups<Model, Key> {
    EntityGroups(self, key(EntityColumns(table)).fragment) { Key(cell: $0) }
  }

  /// Groups the entities by an enumeration that a closure names.
  ///
  /// In SQL: as for a property.
  @_disfavoredOverload
  public func grouped<Key: RawRepresentable & Codable & Sendable>(
    _ key: (EntityColumns<Model>) -> EntityColumn<Model, Key?>
  ) -> EntityGroups<Model, Key?> where Key.RawValue: FieldValue {
    grouped(by: key(EntityColumns(table)))
  }

  private func grouped<Key: RawRepresentable & Sendable>(by column: EntityColumn<Model, Key>)
    -> EntityGroups<Model, Key> where Key.RawValue: FieldValue
  {
    EntityGroups(self, column.shown) { Key.RawValue(cell: $0).flatMap(Key.init(rawValue:)) }
  }

  private func grouped<Key: RawRepresentable & Sendable>(by column: EntityColumn<Model, Key?>)
    -> EntityGroups<Model, Key?> where Key.RawValue: FieldValue
  {
    EntityGroups(self, column.shown) { cell in
      if cell.isNull { return .some(nil) }
      return Key.RawValue(cell: cell).flatMap(Key.init(rawValue:)).map { .some($0) }
    }
  }
}

/// The entities of a query in groups, each with one value of a property.
public struct EntityGroups<Model: Entity, Key: Sendable>: Sendable {
  private var query: EntityQuery<Model>
  private let key: SQLFragment
  /// Returns the key of a group; nil if the cell holds none.
  private let decode: @Sendable (FieldCell) -> Key?
  private var conditions: [SQLFragment] = []
  private var orders: [SQLFragment] = []
  private var limit: Int?

  fileprivate init(
    _ query: EntityQuery<Model>, _ key: SQLFragment,
    _ decode: @escaping @Sendable (FieldCell) -> Key?
  ) {
    self.query = query
    self.key = key
    self.decode = decode
  }

  /// Returns the groups that meet a condition on the group as a whole.
  ///
  /// In SQL: `HAVING condition`.
  public func having(
    _ condition: (EntityGroupColumns<Model>) -> some EntityPredicate<Model>
  ) -> EntityGroups {
    var copy = self
    copy.conditions.append(condition(EntityGroupColumns(query.table)).condition.fragment)
    return copy
  }

  /// Returns the groups in the order of a value about each, after the orders that they have
  /// already. The key decides at the end.
  ///
  /// ```swift
  /// Note.all.grouped(by: \.folder).order(.descending) { $0.count }.limit(5).count()
  /// ```
  ///
  /// In SQL: `ORDER BY value, 1`, or `ORDER BY value DESC, 1`, where 1 is the key.
  public func order<V>(
    _ direction: SortDirection = .ascending,
    _ value: (EntityGroupColumns<Model>) -> EntityColumn<Model, V>
  ) -> EntityGroups {
    var copy = self
    let column = value(EntityGroupColumns(query.table)).fragment
    copy.orders.append(direction == .descending ? column + " DESC" : column)
    return copy
  }

  /// Returns at most so many groups.
  ///
  /// In SQL: `LIMIT ?`.
  /// - Parameter count: at least 0.
  public func limit(_ count: Int) -> EntityGroups {
    var copy = self
    copy.limit = Swift.min(count, limit ?? .max)
    return copy
  }

  /// The number of entities in each group, in the order of the keys if there is no other.
  ///
  /// In SQL: `SELECT key, count(*) FROM … GROUP BY 1 ORDER BY 1`.
  public func count() -> EntityGroupAggregate<Key, Int> {
    aggregate(EntityGroupColumns(query.table).count)
  }

  /// A value about each group, in the order of the keys if there is no other.
  ///
  /// In SQL: `SELECT key, value FROM … GROUP BY 1 ORDER BY 1`.
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
    statement.append(SQLFragment(" GROUP BY 1"))
    if !conditions.isEmpty { statement.append(" HAVING " + conditions.joined(" AND ")) }
    let order: SQLFragment = (orders + [SQLFragment("1")]).joined(", ")
    statement.append(" ORDER BY " + order)
    if let limit {
      statement.append(SQLFragment(" LIMIT ?", [limit.databaseValue]))
      if limit < 0 {
        statement.error = statement.error ?? EntityQuery<Model>.negative("limit", limit)
      }
    }
    return .init(statement: query.table.named(statement), decode: decode)
  }
}

/// A query for one value about each group of entities.
public struct EntityGroupAggregate<Key: Sendable, V: FieldValue>: Sendable {
  let statement: SQLFragment
  /// Returns the key of a group; nil if the cell holds none.
  fileprivate let decode: @Sendable (FieldCell) -> Key?

  /// The statement, with `?` for each value.
  public var sql: String { statement.text }

  /// Returns the groups, within a read or a transaction of the store.
  ///
  /// A group whose key or value cannot be read is left out.
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  public func fetch(_ db: Database) throws -> [(key: Key, value: V)] { try hashed(db).groups }

  func hashed(_ db: Database) throws -> (groups: [(key: Key, value: V)], hashes: [RowHash]) {
    var groups: [(key: Key, value: V)] = []
    let hashes = try db.hashedRows(statement) { row in
      guard let key = decode(FieldCell(row, 0)), let value = V(cell: FieldCell(row, 1)) else {
        return
      }
      groups.append((key, value))
    }
    return (groups, hashes)
  }
}

extension Database {
  /// Calls `body` with each row of a query, and returns hashes of the rows.
  func hashedRows(_ fragment: SQLFragment, _ body: (Columns) throws -> Void) throws -> [RowHash] {
    let statement = try statement(fragment)
    defer { sqlite3_reset(statement.sqliteStatement) }
    let row = Columns(statement)
    var hashes: [RowHash] = []
    while try statement.step() {
      hashes.append(RowHash(row))
      try body(row)
    }
    return hashes
  }
}

/// What can be said about a group of entities.
public struct EntityGroupColumns<Model: Entity>: Sendable {
  private let table: EntityTable<Model>

  init(_ table: EntityTable<Model>) { self.table = table }

  /// The number of entities.
  ///
  /// In SQL: `count(*)`.
  public var count: EntityColumn<Model, Int> { EntityColumn(SQLFragment("count(*)"), .integer) }

  /// The sum of a property.
  ///
  /// In SQL: `ifnull(sum(column), 0)`, or `total(column)` of numbers with a fraction.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V>) -> EntityColumn<Model, V> {
    total(property)
  }

  /// The sum of an optional property over the entities that have a value; 0 if none has.
  ///
  /// In SQL: `ifnull(sum(column), 0)`, or `total(column)` of numbers with a fraction.
  public func sum<V: NumericFieldValue>(of property: KeyPath<Model, V?>) -> EntityColumn<Model, V> {
    total(property)
  }

  /// The average of a property.
  ///
  /// In SQL: `avg(column)`.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, Double>
  {
    column("avg", property, .real)
  }

  /// The average of an optional property over the entities that have a value; nil if none has.
  ///
  /// In SQL: `avg(column)`.
  public func average<V: NumericFieldValue>(of property: KeyPath<Model, V?>)
    -> EntityColumn<Model, Double?>
  {
    column("avg", property, .real)
  }

  /// The least value of a property.
  ///
  /// In SQL: `min(column)`.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, V>
  {
    column("min", property, V.fieldType)
  }

  /// The least value of an optional property; nil if no entity of the group has a value.
  ///
  /// In SQL: `min(column)`.
  public func min<V: FieldValue & Comparable>(of property: KeyPath<Model, V?>)
    -> EntityColumn<Model, V?>
  {
    column("min", property, V.fieldType)
  }

  /// The greatest value of a property.
  ///
  /// In SQL: `max(column)`.
  public func max<V: FieldValue & Comparable>(of property: KeyPath<Model, V>)
    -> EntityColumn<Model, V>
  {
    column("max", property, V.fieldType)
  }

  /// The greatest value of an optional property; nil if no entity of the group has a value.
  ///
  /// In SQL: `max(column)`.
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
