import Projections

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
  let fragment: SQLFragment

  init(_ fragment: SQLFragment) { self.fragment = fragment }

  public var condition: EntityCondition<Model> { self }
}

extension EntityColumn: EntityPredicate where V == Bool {
  public var condition: EntityCondition<Model> { EntityCondition(fragment + " = 1") }

  /// Whether the field is false.
  public static prefix func ! (column: EntityColumn) -> EntityCondition<Model> {
    EntityCondition(column.fragment + " = 0")
  }
}

extension EntityPredicate {
  /// Whether both conditions are true.
  public static func && (a: Self, b: some EntityPredicate<Model>) -> EntityCondition<Model> {
    EntityCondition(
      "(" + a.condition.fragment + " AND " + b.condition.fragment + ")")
  }

  /// Whether at least one of the conditions is true.
  public static func || (a: Self, b: some EntityPredicate<Model>) -> EntityCondition<Model> {
    EntityCondition("(" + a.condition.fragment + " OR " + b.condition.fragment + ")")
  }

  /// Whether the condition is false.
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
