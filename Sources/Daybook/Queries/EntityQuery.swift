import DaybookEngine
import DaybookEventCore
import DaybookProjections
import GRDB

/// A query for entities of a type: which ones, in what order, and how many.
///
/// ```swift
/// let pinned = Note.where { $0.pinned && $0.tags.contains("shop") }
///   .order(by: \.modified, .descending).limit(50)
/// let notes = try await store.fetch(pinned)
/// ```
/// A query is one statement, and all values in it are bound. Entities that a rule hides, because
/// another entity has one of their unique values, are not found.
public struct EntityQuery<Model: Entity>: Sendable {
  /// The table of the entities.
  let table = EntityTable<Model>()
  private var conditions: [SQLFragment] = []
  private var orders: [EntityOrder<Model>] = []
  private var limit: Int?
  /// Whether the query begins behind an entity, so that an order has a meaning.
  private var isPaged = false
  private var offset = 0
  /// What is wrong with the query; nil if nothing is.
  private var error: StoreError?

  /// Whether the query is for all entities of its type.
  var isWhole: Bool { conditions.isEmpty && limit == nil }

  init() {}

  // MARK: - Building

  /// Returns the query with one more condition.
  ///
  /// In SQL: `WHERE condition AND condition`.
  public func `where`(
    _ condition: (EntityColumns<Model>) -> some EntityPredicate<Model>
  ) -> EntityQuery {
    meeting(condition(EntityColumns(table)).condition.fragment)
  }

  /// Returns the query with one more condition, on columns of its ``table``.
  func meeting(_ condition: SQLFragment) -> EntityQuery {
    var copy = self
    copy.conditions.append(condition)
    return copy
  }

  /// Returns the query with one more condition: a comparison of a property with a value.
  ///
  /// In SQL: `WHERE column = ?`, or with the comparison's operator; not equal is `IS NOT`.
  public func `where`<V: FieldValue & Comparable>(
    _ property: KeyPath<Model, V>, _ comparison: Comparison, _ value: V
  ) -> EntityQuery {
    let column = table.column(property, as: V.self)
    return self.where { _ in
      switch comparison {
      case .equal: column == value
      case .notEqual: column != value
      case .less: column < value
      case .lessOrEqual: column <= value
      case .greaterThan: column > value
      case .greaterOrEqual: column >= value
      }
    }
  }

  /// Returns the query with one more condition: whether a property of a type that has no order,
  /// such as `Bool` or an optional one, holds a value. nil equals nil.
  ///
  /// A comparison other than `equal` and `notEqual` makes the query fail with ``StoreError``
  /// `invalidQuery`.
  ///
  /// In SQL: `WHERE column = ?`, `IS NULL` for nil; `WHERE column IS NOT ?`, `IS NOT NULL` for nil.
  @_disfavoredOverload
  public func `where`<V: FieldValue>(
    _ property: KeyPath<Model, V>, _ comparison: Comparison, _ value: V
  ) -> EntityQuery {
    let column = table.column(property, as: V.self)
    return self.where { _ in
      switch comparison {
      case .equal: return column == value
      case .notEqual: return column != value
      case .less, .lessOrEqual, .greaterThan, .greaterOrEqual:
        var refused = column.fragment
        refused.error =
          refused.error
          ?? StoreError(
            .invalidQuery, "\(V.self) has no order, and \(column.fragment.shown) is asked for it",
            hint: "Ask for equal or notEqual")
        return EntityCondition(refused)
      }
    }
  }

  /// Returns the query in the order of a property, after the orders that it has already.
  ///
  /// What has no value comes first, or last if descending. Texts are in the order of their bytes.
  /// The id decides at the end, so that an order is always complete. Without any order, a query
  /// with a limit is in the order of ids, and another one is in no order that could be relied on.
  ///
  /// In SQL: `ORDER BY column, id`.
  public func order<V>(
    by property: KeyPath<Model, V>, _ direction: SortDirection = .ascending
  ) -> EntityQuery {
    ordered(by: table.column(property, as: V.self), direction)
  }

  /// Returns the query in the order of a field that a closure names, after the orders that it has
  /// already: a field of an entity that is referred to, or what is computed of a field.
  ///
  /// ```swift
  /// Note.all.order { $0.folder.name }.order(.descending) { $0.modified }
  /// ```
  /// What has no value comes first, or last if descending; see ``order(by:_:)``.
  ///
  /// In SQL: `ORDER BY column, id`, with a `LEFT JOIN` for an entity that is referred to.
  public func order<V>(
    _ direction: SortDirection = .ascending,
    _ column: (EntityColumns<Model>) -> EntityColumn<Model, V>
  ) -> EntityQuery {
    ordered(by: column(EntityColumns(table)), direction)
  }

  private func ordered<V>(by column: EntityColumn<Model, V>, _ direction: SortDirection)
    -> EntityQuery
  {
    var copy = self
    copy.orders.append(EntityOrder(column, of: table, isDescending: direction == .descending))
    return copy
  }

  /// Returns the query for what follows an entity in the query's order: the next page of a list.
  ///
  /// Unlike ``offset(_:)`` this does not read what comes before, if an index has the order, and
  /// nothing is left out or repeated if entities before the place come or go.
  ///
  /// In SQL: `WHERE column > ? OR column IS ? AND id > ?`.
  /// - Parameter entity: the last entity of the page before. It need not exist any more.
  public func after(_ entity: Model) -> EntityQuery {
    var copy = self
    copy.isPaged = true
    do {
      var alternatives: [SQLFragment] = []
      var equal: [SQLFragment] = []
      for order in orders + [EntityOrder(idOf: table)] {
        let value = try order.value(entity)
        alternatives.append((equal + [order.isBehind(value)]).joined(" AND "))
        equal.append(order.isAt(value))
      }
      copy.conditions.append("(" + alternatives.joined(" OR ") + ")")
    } catch {
      copy.error = StoreError.surfacing(error) as? StoreError
    }
    return copy
  }

  /// Returns the query for at most so many entities.
  ///
  /// In SQL: `LIMIT ?`.
  /// - Parameter count: at least 0.
  public func limit(_ count: Int) -> EntityQuery {
    var copy = self
    copy.limit = Swift.min(count, limit ?? .max)
    if count < 0 { copy.error = Self.negative("limit", count) }
    return copy
  }

  /// Returns the query without its first entities.
  ///
  /// Cost: reads them all the same. For pages of a long list, use a condition on what the page
  /// before ended with.
  ///
  /// In SQL: `LIMIT -1 OFFSET ?`.
  /// - Parameter count: at least 0.
  public func offset(_ count: Int) -> EntityQuery {
    var copy = self
    let (sum, overflows) = offset.addingReportingOverflow(Swift.max(0, count))
    copy.offset = overflows ? .max : sum
    if count < 0 { copy.error = Self.negative("offset", count) }
    return copy
  }

  static func negative(_ name: String, _ count: Int) -> StoreError {
    StoreError(.invalidQuery, "the \(name) is \(count)", hint: "Give a number of at least 0")
  }

  // MARK: - The statement

  /// The statement, with `?` for each value.
  public var sql: String { statement.text }

  /// The statement that reads the id and all fields.
  var statement: SQLFragment {
    table.named(selecting(SQLFragment(EntityLayout<Model>.shared.columnList), isOrdered: true))
  }

  /// Returns the statement that reads something of each entity, for a part of another one.
  func selecting(_ columns: SQLFragment, isOrdered: Bool = false) -> SQLFragment {
    var statement = "SELECT " + columns + " FROM " + table.source
    statement.error = statement.error ?? error
    if !conditions.isEmpty { statement.append(" WHERE " + conditions.joined(" AND ")) }
    if isLimited || isOrdered && (!orders.isEmpty || isPaged) {
      statement.append(
        " ORDER BY " + (orders + [EntityOrder(idOf: table)]).map(\.fragment).joined(", "))
    }
    if isLimited {
      statement.append(SQLFragment(" LIMIT ?", [(limit ?? -1).databaseValue]))
      if offset > 0 { statement.append(SQLFragment(" OFFSET ?", [offset.databaseValue])) }
    }
    return statement
  }

  /// Whether the query leaves out entities that meet its conditions.
  var isLimited: Bool { limit != nil || offset > 0 }
}

/// Queries are equal if they are the same statement with the same values.
extension EntityQuery: Hashable {
  public static func == (a: EntityQuery, b: EntityQuery) -> Bool {
    a.statement.isSame(as: b.statement)
  }

  public func hash(into hasher: inout Hasher) { statement.hash(into: &hasher) }
}

extension Entity {
  /// The query for all entities of the type.
  ///
  /// In SQL: `SELECT … FROM table`.
  public static var all: EntityQuery<Self> { EntityQuery() }

  /// Returns the query for the entities that meet a condition.
  ///
  /// In SQL: `SELECT … FROM table WHERE condition`.
  public static func `where`(
    _ condition: (EntityColumns<Self>) -> some EntityPredicate<Self>
  ) -> EntityQuery<Self> {
    all.where(condition)
  }

  /// Returns the query for the entities whose property compares with a value.
  ///
  /// In SQL: `SELECT … FROM table WHERE column < ?`, or with another operator.
  public static func `where`<V: FieldValue & Comparable>(
    _ property: KeyPath<Self, V>, _ comparison: Comparison, _ value: V
  ) -> EntityQuery<Self> {
    all.where(property, comparison, value)
  }

  /// Returns the query for the entities whose property, of a type that has no order, holds a value,
  /// or does not.
  ///
  /// In SQL: `SELECT … FROM table WHERE column = ?`, or `column IS NOT ?`.
  @_disfavoredOverload
  public static func `where`<V: FieldValue>(
    _ property: KeyPath<Self, V>, _ comparison: Comparison, _ value: V
  ) -> EntityQuery<Self> {
    all.where(property, comparison, value)
  }
}
