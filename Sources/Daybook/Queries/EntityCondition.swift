import DaybookProjections

/// A condition on the entities of a type, or a boolean field as one.
public protocol EntityPredicate<Model>: Sendable {
  /// The type of the entities.
  associatedtype Model: Entity
  /// The condition.
  var condition: EntityCondition<Model> { get }
}

/// A condition on the entities of a type.
///
/// A condition is true or false, as in Swift: a comparison with a field that holds nothing is
/// false, and its negation is true.
public struct EntityCondition<Model: Entity>: EntityPredicate {
  fileprivate enum Junction: String {
    case and = " AND "
    case or = " OR "
  }

  /// One fragment, or what is joined.
  private let parts: [SQLFragment]
  private let junction: Junction

  init(_ fragment: SQLFragment) { self.init([fragment], .and) }

  private init(_ parts: [SQLFragment], _ junction: Junction) {
    self.parts = parts
    self.junction = junction
  }

  public var condition: EntityCondition<Model> { self }

  var fragment: SQLFragment { joined(parts[...]) }

  /// Returns the parts in brackets of which no pair is nested deeper than it must be, because
  /// SQLite's parser has room for a hundred.
  private func joined(_ parts: ArraySlice<SQLFragment>) -> SQLFragment {
    if parts.count == 1, let part = parts.first { return part }
    let middle = (parts.startIndex + parts.endIndex) / 2
    return "(" + joined(parts[..<middle]) + junction.rawValue + joined(parts[middle...]) + ")"
  }

  fileprivate func joined(_ junction: Junction, _ other: EntityCondition) -> EntityCondition {
    func parts(_ condition: EntityCondition) -> [SQLFragment] {
      condition.junction == junction ? condition.parts : [condition.fragment]
    }
    return EntityCondition(parts(self) + parts(other), junction)
  }
}

extension EntityColumn: EntityPredicate where V == Bool {
  public var condition: EntityCondition<Model> { EntityCondition(fragment + " = 1") }

  /// Whether the field is false.
  ///
  /// In SQL: `column = 0`.
  public static prefix func ! (column: EntityColumn) -> EntityCondition<Model> {
    EntityCondition(column.fragment + " = 0")
  }
}

extension EntityPredicate {
  /// Whether both conditions are true.
  ///
  /// In SQL: `a AND b`.
  public static func && (a: Self, b: some EntityPredicate<Model>) -> EntityCondition<Model> {
    a.condition.joined(.and, b.condition)
  }

  /// Whether at least one of the conditions is true.
  ///
  /// In SQL: `a OR b`.
  public static func || (a: Self, b: some EntityPredicate<Model>) -> EntityCondition<Model> {
    a.condition.joined(.or, b.condition)
  }

  /// Whether the condition is false.
  ///
  /// In SQL: `(condition) IS NOT TRUE`.
  public static prefix func ! (predicate: Self) -> EntityCondition<Model> {
    EntityCondition("(" + predicate.condition.fragment + ") IS NOT TRUE")
  }
}

/// How a condition of a query compares a property with a value.
public enum Comparison: String, CaseIterable, Sendable {
  /// The same.
  case equal = "="
  /// Not the same.
  case notEqual = "<>"
  /// Less than.
  case less = "<"
  /// Less than, or the same.
  case lessOrEqual = "<="
  /// Greater than.
  case greaterThan = ">"
  /// Greater than, or the same.
  case greaterOrEqual = ">="
}

/// The direction of an order.
public enum SortDirection: Sendable {
  /// Upwards, from the least, or downwards, from the greatest.
  case ascending, descending
}
