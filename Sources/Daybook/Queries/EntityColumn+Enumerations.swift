import DaybookEventCore
import DaybookProjections

/// Enumerations, and other types with raw values.
///
/// A property shows its default if the field holds a case that this version of the app does not
/// know. So if a value is that default, the condition also has `OR column NOT IN (?, …)` with all
/// known cases, or ranges between them that an index serves. If fields are compared, each is
/// `CASE WHEN column IN (?, …) THEN column ELSE ? END`.
extension EntityColumn {
  /// Whether the field holds this case of its enumeration.
  ///
  /// In SQL: `column = ?`.
  @_disfavoredOverload
  public static func == (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    column.equals(value.rawValue.storedValue)
  }

  /// Whether the field does not hold this case of its enumeration.
  ///
  /// In SQL: `column IS NOT ?`.
  @_disfavoredOverload
  public static func != (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    column.differs(value.rawValue.storedValue)
  }

  /// Whether the field holds a case, or nothing if the case is nil.
  ///
  /// In SQL: `column = ?`, or `column IS NULL`.
  @_disfavoredOverload
  public static func == <W: RawRepresentable & Codable>(
    column: EntityColumn, value: W?
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.equals(value?.rawValue.storedValue ?? .null)
  }

  /// Whether the field holds something else than a case, or something if the case is nil.
  ///
  /// In SQL: `column IS NOT ?`, or `column IS NOT NULL`.
  @_disfavoredOverload
  public static func != <W: RawRepresentable & Codable>(
    column: EntityColumn, value: W?
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.differs(value?.rawValue.storedValue ?? .null)
  }

  /// Whether the field holds one of these values.
  ///
  /// In SQL: `column IN (?, ?, …)`.
  @_disfavoredOverload
  public func `in`(_ values: some Sequence<V>) -> EntityCondition<Model>
  where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    isIn(values.map(\.rawValue.storedValue))
  }

  /// Whether the field holds one of these values; nil equals nil.
  ///
  /// In SQL: `column IN (?, ?, …)`, with `OR column IS NULL` for nil.
  @_disfavoredOverload
  public func `in`<W: RawRepresentable & Codable>(
    _ values: some Sequence<W?>
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    isIn(values.map { $0?.rawValue.storedValue ?? .null })
  }

  /// Whether the field holds the same as another one.
  ///
  /// In SQL: `a IS b`.
  @_disfavoredOverload
  public static func == <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    EntityCondition(column.shown + " IS " + other.shown)
  }

  /// Whether the field holds something else than another one.
  ///
  /// In SQL: `a IS NOT b`.
  @_disfavoredOverload
  public static func != <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> where V: RawRepresentable & Codable, V.RawValue: FieldValue {
    EntityCondition(column.shown + " IS NOT " + other.shown)
  }

  /// Whether the field holds the same as another one; nil equals nil.
  ///
  /// In SQL: `a IS b`.
  @_disfavoredOverload
  public static func == <W: RawRepresentable & Codable, Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    EntityCondition(column.shown + " IS " + other.shown)
  }

  /// Whether the field holds something else than another one.
  ///
  /// In SQL: `a IS NOT b`.
  @_disfavoredOverload
  public static func != <W: RawRepresentable & Codable, Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    EntityCondition(column.shown + " IS NOT " + other.shown)
  }
}

/// Enumerations that have an order. One that lists its cases is compared as Swift compares it,
/// whatever its raw values are; another type by its raw values. Nothing is neither less nor more.
///
/// In SQL: `column IN (?, …)` with the cases that meet the comparison. Of another type, it is
/// `column < ?`.
extension EntityColumn {
  /// Whether the field holds less than a value.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column < ?`.
  @_disfavoredOverload
  public static func < (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    column.ranked("<", value) { $0 < value }
  }

  /// Whether the field holds less than a value; false if it holds nothing.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column < ?`.
  @_disfavoredOverload
  public static func < <W: RawRepresentable & Codable & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.ranked("<", value) { $0 < value }
  }

  /// Whether the field holds a value or less.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column <= ?`.
  @_disfavoredOverload
  public static func <= (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    column.ranked("<=", value) { $0 <= value }
  }

  /// Whether the field holds a value or less; false if it holds nothing.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column <= ?`.
  @_disfavoredOverload
  public static func <= <W: RawRepresentable & Codable & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.ranked("<=", value) { $0 <= value }
  }

  /// Whether the field holds more than a value.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column > ?`.
  @_disfavoredOverload
  public static func > (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    column.ranked(">", value) { $0 > value }
  }

  /// Whether the field holds more than a value; false if it holds nothing.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column > ?`.
  @_disfavoredOverload
  public static func > <W: RawRepresentable & Codable & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.ranked(">", value) { $0 > value }
  }

  /// Whether the field holds a value or more.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column >= ?`.
  @_disfavoredOverload
  public static func >= (column: EntityColumn, value: V) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    column.ranked(">=", value) { $0 >= value }
  }

  /// Whether the field holds a value or more; false if it holds nothing.
  ///
  /// In SQL: `column IN (?, …)` with the cases that are, or `column >= ?`.
  @_disfavoredOverload
  public static func >= <W: RawRepresentable & Codable & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    column.ranked(">=", value) { $0 >= value }
  }

  /// Whether the field's value lies in a range.
  ///
  /// In SQL: both ends' conditions, joined by `AND`.
  @_disfavoredOverload
  public func `in`(_ range: ClosedRange<V>) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether the field's value lies in a range.
  ///
  /// In SQL: both ends' conditions, joined by `AND`.
  @_disfavoredOverload
  public func `in`(_ range: Range<V>) -> EntityCondition<Model>
  where V: RawRepresentable & Codable & Comparable, V.RawValue: FieldValue {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether the field's value lies in a range; false if it holds nothing.
  ///
  /// In SQL: both ends' conditions, joined by `AND`.
  @_disfavoredOverload
  public func `in`<W: RawRepresentable & Codable & Comparable>(
    _ range: ClosedRange<W>
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether the field's value lies in a range; false if it holds nothing.
  ///
  /// In SQL: both ends' conditions, joined by `AND`.
  @_disfavoredOverload
  public func `in`<W: RawRepresentable & Codable & Comparable>(
    _ range: Range<W>
  ) -> EntityCondition<Model> where V == W?, W.RawValue: FieldValue {
    self >= range.lowerBound && self < range.upperBound
  }

  private func ranked<W: RawRepresentable & Comparable>(
    _ comparison: String, _ value: W, _ isMet: (W) -> Bool
  ) -> EntityCondition<Model> where W.RawValue: FieldValue {
    guard let all = allCases(W.self) else { return ordered(comparison, value.rawValue) }
    return isIn(all.filter(isMet).map(\.rawValue.storedValue))
  }
}

/// Returns the cases of an enumeration; nil if it does not list them.
private func allCases<W>(_ type: W.Type) -> [W]? {
  func all<C: CaseIterable>(_ type: C.Type) -> [W] { Array(C.allCases).compactMap { $0 as? W } }
  return (W.self as? any CaseIterable.Type).map { all($0) }
}

/// Returns the stored values of the cases of an enumeration, or of an optional one, in the order in
/// which Swift compares them; nil if it has no order or does not list its cases.
func rankedCases<V>(_ type: V.Type) -> [Value]? {
  func ranked<W: RawRepresentable & Comparable>(_ type: W.Type) -> [Value]? {
    guard let raw = W.RawValue.self as? any FieldValue.Type, raw is any Comparable.Type else {
      return nil
    }
    return allCases(W.self)?.sorted().compactMap { ($0.rawValue as? any FieldValue)?.storedValue }
  }
  let wrapped = (V.self as? any OptionalType.Type)?.wrapped ?? V.self
  return (wrapped as? any (RawRepresentable & Comparable).Type).flatMap { ranked($0) }
}

private protocol OptionalType { static var wrapped: Any.Type { get } }
extension Optional: OptionalType { fileprivate static var wrapped: Any.Type { Wrapped.self } }

/// What a property shows that is an enumeration and lists its cases.
struct ShownCases: Sendable {
  /// The most cases for which the rest is written as ranges.
  static let rangesMax = 16

  /// The values that the property can show, in the order of SQLite.
  let cases: [Value]
  /// The value that it shows for any other.
  let other: Value
  /// Whether the field has an index of its own.
  let isIndexed: Bool
  /// The values in the order in which Swift compares the cases; nil if that is the order of SQLite.
  let ranked: [Value]?
}
