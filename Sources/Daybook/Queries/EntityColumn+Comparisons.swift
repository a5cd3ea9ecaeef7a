extension EntityColumn where V: FieldValue {
  /// Whether the field holds a value. nil equals nil.
  ///
  /// In SQL: `column = ?`, or `column IS NULL`.
  public static func == (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.equals(value.storedValue)
  }

  /// Whether the field holds something else than a value. nil differs from every value.
  ///
  /// In SQL: `column IS NOT ?`, or `column IS NOT NULL`.
  public static func != (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.differs(value.storedValue)
  }

  /// Whether the field holds the same as another one, of this type or of one around it.
  ///
  /// In SQL: `a IS b`.
  public static func == <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS " + other.shown) }

  /// Whether the field holds something else than another one, of this type or of one around it.
  ///
  /// In SQL: `a IS NOT b`.
  public static func != <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS NOT " + other.shown) }

  /// Whether the field holds the same as an optional one; false if that holds nothing.
  ///
  /// In SQL: `a IS b`.
  public static func == <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V?>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS " + other.shown) }

  /// Whether the field holds something else than an optional one, or that holds nothing.
  ///
  /// In SQL: `a IS NOT b`.
  public static func != <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V?>
  ) -> EntityCondition<Model> { EntityCondition(column.shown + " IS NOT " + other.shown) }

  /// Whether the field holds one of these values.
  ///
  /// In SQL: `column IN (?, ?, …)`.
  public func `in`(_ values: some Sequence<V>) -> EntityCondition<Model> {
    isIn(values.map(\.storedValue))
  }
}

/// Comparisons sort texts by their bytes, and are false if a field holds nothing.
extension EntityColumn where V: FieldValue & Comparable {
  /// Whether the field holds less than a value.
  ///
  /// In SQL: `column < ?`.
  public static func < (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered("<", value)
  }

  /// Whether the field holds a value or less.
  ///
  /// In SQL: `column <= ?`.
  public static func <= (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered("<=", value)
  }

  /// Whether the field holds more than a value.
  ///
  /// In SQL: `column > ?`.
  public static func > (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered(">", value)
  }

  /// Whether the field holds a value or more.
  ///
  /// In SQL: `column >= ?`.
  public static func >= (column: EntityColumn, value: V) -> EntityCondition<Model> {
    column.ordered(">=", value)
  }

  /// Whether the field holds less than another field.
  ///
  /// In SQL: `a < b`.
  public static func < <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " < " + other.fragment) }

  /// Whether the field holds no more than another field.
  ///
  /// In SQL: `a <= b`.
  public static func <= <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " <= " + other.fragment) }

  /// Whether the field holds more than another field.
  ///
  /// In SQL: `a > b`.
  public static func > <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " > " + other.fragment) }

  /// Whether the field holds no less than another field.
  ///
  /// In SQL: `a >= b`.
  public static func >= <Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, V>
  ) -> EntityCondition<Model> { EntityCondition(column.fragment + " >= " + other.fragment) }

  /// Whether the field's value lies in a range.
  ///
  /// In SQL: `column >= ? AND column <= ?`.
  public func `in`(_ range: ClosedRange<V>) -> EntityCondition<Model> {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether the field's value lies in a range.
  ///
  /// In SQL: `column >= ? AND column < ?`.
  public func `in`(_ range: Range<V>) -> EntityCondition<Model> {
    self >= range.lowerBound && self < range.upperBound
  }
}

/// Comparisons sort texts by their bytes, and are false if a field holds nothing.
extension EntityColumn {
  /// Whether the field's value lies in a range; false if it holds nothing.
  ///
  /// In SQL: `column >= ? AND column <= ?`.
  public func `in`<W: FieldValue & Comparable>(_ range: ClosedRange<W>) -> EntityCondition<Model>
  where V == W? { self >= range.lowerBound && self <= range.upperBound }

  /// Whether the field's value lies in a range; false if it holds nothing.
  ///
  /// In SQL: `column >= ? AND column < ?`.
  public func `in`<W: FieldValue & Comparable>(_ range: Range<W>) -> EntityCondition<Model>
  where V == W? { self >= range.lowerBound && self < range.upperBound }

  /// Whether the field holds one of these values; false if it holds nothing.
  ///
  /// In SQL: `column IN (?, ?, …)`.
  @_disfavoredOverload
  public func `in`<W: FieldValue>(_ values: some Sequence<W>) -> EntityCondition<Model>
  where V == W? { isIn(values.map(\.storedValue)) }

  /// Whether the optional field holds the same as another one; false if it holds nothing.
  ///
  /// In SQL: `a IS b`.
  public static func == <W: FieldValue, Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, W>
  ) -> EntityCondition<Model> where V == W? {
    EntityCondition(column.shown + " IS " + other.shown)
  }

  /// Whether the optional field holds something else than another one, or nothing.
  ///
  /// In SQL: `a IS NOT b`.
  public static func != <W: FieldValue, Other: Entity>(
    column: EntityColumn, other: EntityColumn<Other, W>
  ) -> EntityCondition<Model> where V == W? {
    EntityCondition(column.shown + " IS NOT " + other.shown)
  }

  /// Whether the field holds less than a value; false if it holds nothing.
  ///
  /// In SQL: `column < ?`.
  public static func < <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered("<", value) }

  /// Whether the field holds a value or less; false if it holds nothing.
  ///
  /// In SQL: `column <= ?`.
  public static func <= <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered("<=", value) }

  /// Whether the field holds more than a value; false if it holds nothing.
  ///
  /// In SQL: `column > ?`.
  public static func > <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered(">", value) }

  /// Whether the field holds a value or more; false if it holds nothing.
  ///
  /// In SQL: `column >= ?`.
  public static func >= <W: FieldValue & Comparable>(
    column: EntityColumn, value: W
  ) -> EntityCondition<Model> where V == W? { column.ordered(">=", value) }
}
