import DaybookEventCore
import DaybookProjections
public import GRDB

/// A query for some properties of entities instead of the entities.
///
/// ```swift
/// let titles = try await store.fetch(Note.all.selecting(\.title))
/// for (title, folder) in try await store.fetch(Note.all.selecting(\.title, \.folder)) { … }
/// ```
public struct EntitySelection<Model: Entity, Element: Sendable>: Sendable {
  private let query: EntityQuery<Model>
  private let columns: [SQLFragment]
  /// Returns the properties of a row; nil if one cannot be read.
  private let decode: @Sendable (Columns) -> Element?
  private var isDistinct = false

  fileprivate init(
    _ query: EntityQuery<Model>, _ columns: [SQLFragment],
    _ decode: @escaping @Sendable (Columns) -> Element?
  ) {
    self.query = query
    self.columns = columns
    self.decode = decode
  }

  /// Returns the query for each of its values once, in their own order.
  ///
  /// In SQL: `SELECT DISTINCT`.
  public func distinct() -> EntitySelection {
    var copy = self
    copy.isDistinct = true
    return copy
  }

  /// The number of values.
  public func count() -> EntityAggregate<Int> {
    EntityAggregate(query.table.named("SELECT count(*) FROM (" + part + ")")) {
      Int($0.integer ?? 0)
    }
  }

  /// The statement, with `?` for each value.
  public var sql: String { statement.text }

  /// Returns the values, within a read or a transaction of the store.
  /// - Throws: ``StoreError`` `invalidQuery`; what SQLite throws.
  public func fetchAll(_ db: Database) throws -> [Element] { try hashed(db).elements }

  func hashed(_ db: Database) throws -> (elements: [Element], hashes: [RowHash]) {
    var elements: [Element] = []
    let hashes = try db.hashedRows(statement) { row in
      if let element = decode(row) { elements.append(element) }
    }
    return (elements, hashes)
  }

  var statement: SQLFragment {
    guard isDistinct else {
      return query.table.named(query.selecting(columns.joined(", "), isOrdered: true))
    }
    let order = columns.indices.map { "\($0 + 1)" }.joined(separator: ", ")
    return query.table.named(part + " ORDER BY \(order)")
  }

  /// The statement as a part of another one.
  var part: SQLFragment {
    guard isDistinct else { return query.selecting(columns.joined(", ")) }
    let named = columns.enumerated().map { $1 + " AS \"value \($0)\"" }
    return "SELECT DISTINCT * FROM (" + query.selecting(named.joined(", ")) + ")"
  }
}

/// Queries are equal if they are the same statement with the same values.
extension EntitySelection: Hashable {
  public static func == (a: EntitySelection, b: EntitySelection) -> Bool {
    a.statement.isSame(as: b.statement)
  }

  public func hash(into hasher: inout Hasher) { statement.hash(into: &hasher) }
}

extension EntityQuery {
  /// Returns the query for a property of its entities.
  ///
  /// In SQL: `SELECT column FROM …`.
  public func selecting<V: Sendable>(_ property: KeyPath<Model, V>) -> EntitySelection<Model, V> {
    let selected = SelectedProperty(property, of: table)
    return EntitySelection(self, [selected.column]) { selected.value($0, 0) }
  }

  /// Returns the query for several properties of its entities, as a tuple.
  ///
  /// In SQL: `SELECT column, column, … FROM …`.
  public func selecting<First: Sendable, Second: Sendable, each Other: Sendable>(
    _ first: KeyPath<Model, First>, _ second: KeyPath<Model, Second>,
    _ others: repeat KeyPath<Model, each Other>
  ) -> EntitySelection<Model, (First, Second, repeat each Other)> {
    let first = SelectedProperty(first, of: table)
    let second = SelectedProperty(second, of: table)
    let others = (repeat SelectedProperty(each others, of: table))
    var columns = [first.column, second.column]
    for other in repeat each others { columns.append(other.column) }
    return EntitySelection(self, columns) { row in
      var place: Int32 = 1
      func next() -> Int32 {
        place += 1
        return place
      }
      return (first.value(row, 0), second.value(row, 1), repeat (each others).value(row, next()))
    }
  }

  /// Returns the query for what a closure names of each entity: a field of an entity that is
  /// referred to, or what is computed of a field.
  ///
  /// ```swift
  /// Note.all.selecting { $0.folder.name }.distinct()
  /// ```
  public func selecting<V: FieldValue>(
    _ column: (EntityColumns<Model>) -> EntityColumn<Model, V>
  ) -> EntitySelection<Model, V> {
    EntitySelection(self, [column(EntityColumns(table)).shown]) { V(cell: FieldCell($0, 0)) }
  }
}

/// A property that a query selects, as an entity shows it.
///
/// Key paths are immutable.
private struct SelectedProperty<Model: Entity, V: Sendable>: @unchecked Sendable {
  private let property: KeyPath<Model, V>
  private let place: Int?
  let column: SQLFragment

  init(_ property: KeyPath<Model, V>, of table: EntityTable<Model>) {
    self.property = property
    place = EntityLayout<Model>.shared.place(of: property)
    column = table.column(of: property).shown
  }

  func value(_ row: Columns, _ column: Int32) -> V {
    var model = EntityQuery<Model>.blank
    let cell = FieldCell(row, column)
    if let place {
      _ = EntityLayout<Model>.shared.fields[place].read(cell, &model)
    } else {
      model.id = EntityID(rawValue: cell.text ?? "")
    }
    return model[keyPath: property]
  }
}

extension EntityColumn where V: FieldValue {
  /// Whether the field holds one of the values that another query selects.
  ///
  /// ```swift
  /// Note.where { $0.title.in(Folder.all.selecting(\.name)) }
  /// ```
  public func `in`<Other: Entity>(_ selection: EntitySelection<Other, V>) -> EntityCondition<Model>
  {
    EntityCondition(fragment + " IN (" + selection.part + ")")
  }
}
