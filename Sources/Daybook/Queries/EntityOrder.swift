import DaybookEventCore
import DaybookProjections

/// One of the fields that the entities of a query are in the order of.
struct EntityOrder<Model: Entity>: Sendable {
  /// The value of an entity in the order.
  enum Place {
    case value(Value)
    /// What the statement has to find out, which may be NULL.
    case computed(SQLFragment)
  }

  private let column: SQLFragment
  private let type: FieldType
  private let isDescending: Bool
  /// Returns the value of an entity, which need not exist any more.
  let value: @Sendable (Model) throws -> Place

  /// Makes the order of a column of a table, or of one that depends on that table's.
  init<V>(_ column: EntityColumn<Model, V>, of table: EntityTable<Model>, isDescending: Bool) {
    let sorting = column.sorting
    self.column = sorting
    type = column.sortingType
    self.isDescending = isDescending
    if let place = column.place, table.has(place) {
      value = { model in
        guard let field = place.field else { return .value(.text(model.id.rawValue)) }
        return .value(column.sorting(try EntityLayout<Model>.shared.fields[field].value(model)))
      }
    } else {
      value = { .computed(try table.value(of: sorting, for: $0)) }
    }
  }

  /// Makes the order of the ids.
  init(idOf table: EntityTable<Model>) {
    self.init(table.idColumn, of: table, isDescending: false)
  }

  var fragment: SQLFragment { isDescending ? column + " DESC" : column }

  /// Whether a row is behind a value; NULL is before all values.
  func isBehind(_ place: Place) -> SQLFragment {
    switch (place, isDescending) {
    case (.value(.null), false): return column + " IS NOT NULL"
    case (.value(.null), true): return SQLFragment("0")
    case (.value(let value), false):
      return column + " > " + SQLFragment(value, of: type, column)
    case (.value(let value), true):
      return "(" + column + " < " + SQLFragment(value, of: type, column) + " OR " + column
        + " IS NULL)"
    case (.computed(let value), false):
      return "(" + column + " > " + value + " OR (" + value + " IS NULL AND " + column
        + " IS NOT NULL))"
    case (.computed(let value), true):
      return "(" + column + " < " + value + " OR (" + column + " IS NULL AND " + value
        + " IS NOT NULL))"
    }
  }

  /// Whether a row is at a value.
  func isAt(_ place: Place) -> SQLFragment {
    switch place {
    case .value(.null): column + " IS NULL"
    case .value(let value): column + " = " + SQLFragment(value, of: type, column)
    case .computed(let value): column + " IS " + value
    }
  }
}
