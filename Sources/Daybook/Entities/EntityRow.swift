import EventCore
import Foundation
import GRDBSQLite
import Projections

/// A row from which an entity reads its properties.
public final class EntityRow<Model: Entity> {
  let layout: EntityLayout<Model>
  /// A row whose columns are the id and then the fields.
  private let row: Columns?
  private let entity: StoredEntity?
  /// The places of the fields that hold no value of their property's type.
  private(set) var unreadable: [Int] = []

  init(_ layout: EntityLayout<Model>, _ entity: StoredEntity) {
    self.layout = layout
    self.entity = entity
    row = nil
  }

  init(_ layout: EntityLayout<Model>, _ row: Columns) {
    self.layout = layout
    entity = nil
    self.row = row
  }

  /// Returns what the row holds in a field.
  /// - Parameter field: the place of the field in the type's fields.
  public func cell(_ field: Int) -> FieldCell {
    guard let row else { return FieldCell(entity?[layout.names[field]] ?? .null) }
    return FieldCell(row, Int32(field + 1))
  }

  /// Notes that a field holds a value that is none of its property's type.
  func noteUnreadable(_ field: Int) { unreadable.append(field) }

  /// Reads a field into a property, which stays as it is if the field holds no value of its type.
  /// - Parameters:
  ///   - field: the place of the field in the type's fields.
  ///   - property: what gets the value.
  public func read<V: FieldValue>(_ field: Int, into property: inout V) {
    readValue(field, &property)
  }

  // These say what the generic method says, without its cost: most properties are of these types.

  /// Reads a field into a text, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout String) {
    readColumn(field, &property, SQLITE_TEXT) { $0.text($1) }
  }

  /// Reads a field into an optional text.
  public func read(_ field: Int, into property: inout String?) {
    readOptional(field, &property, SQLITE_TEXT) { $0.text($1) }
  }

  /// Reads a field into an integer, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout Int) {
    readColumn(field, &property, SQLITE_INTEGER) { Int($0.integer($1)) }
  }

  /// Reads a field into an optional integer.
  public func read(_ field: Int, into property: inout Int?) {
    readOptional(field, &property, SQLITE_INTEGER) { Int($0.integer($1)) }
  }

  /// Reads a field into a boolean, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout Bool) {
    readColumn(field, &property, SQLITE_INTEGER) { $0.integer($1) != 0 }
  }

  /// Reads a field into a number, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout Double) {
    guard let row, row.type(Int32(field + 1)) == SQLITE_FLOAT else {
      return readValue(field, &property)
    }
    property = row.real(Int32(field + 1))
  }

  /// Reads a column of a type; anything else takes the way of all types.
  private func readColumn<V: FieldValue>(
    _ field: Int, _ property: inout V, _ type: Int32, _ value: (Columns, Int32) -> V
  ) {
    let column = Int32(field + 1)
    guard let row, row.type(column) == type else { return readValue(field, &property) }
    property = value(row, column)
  }

  private func readOptional<V: FieldValue>(
    _ field: Int, _ property: inout V?, _ type: Int32, _ value: (Columns, Int32) -> V
  ) {
    let column = Int32(field + 1)
    guard let row, row.type(column) == type else { return readValue(field, &property) }
    property = value(row, column)
  }

  private func readValue<V: FieldValue>(_ field: Int, _ property: inout V) {
    let cell = cell(field)
    if let value = V(cell: cell) { property = value } else { note(field, cell) }
  }

  /// Reads a field into a property with a raw value, which stays as it is if there is no such case.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable & Sendable>(_ field: Int, into property: inout V)
  where V.RawValue: FieldValue {
    let cell = cell(field)
    if let value = V.RawValue(cell: cell).flatMap(V.init(rawValue:)) {
      property = value
    } else {
      note(field, cell)
    }
  }

  /// Reads a field into an optional property with a raw value.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable & Sendable>(_ field: Int, into property: inout V?)
  where V.RawValue: FieldValue {
    let cell = cell(field)
    if cell.isNull {
      property = nil
    } else if let value = V.RawValue(cell: cell).flatMap(V.init(rawValue:)) {
      property = value
    } else {
      noteUnreadable(field)
    }
  }

  /// Reads a field into a property that is encoded as JSON.
  @_disfavoredOverload
  public func read<V: Codable & Sendable>(_ field: Int, into property: inout V) {
    let cell = cell(field)
    if let value = JSONField.decode(V.self, cell) { property = value } else { note(field, cell) }
  }

  /// Reads a field into an optional property that is encoded as JSON.
  @_disfavoredOverload
  public func read<V: Codable & Sendable>(_ field: Int, into property: inout V?) {
    let cell = cell(field)
    if cell.isNull {
      property = nil
    } else if let value = JSONField.decode(V.self, cell) {
      property = value
    } else {
      noteUnreadable(field)
    }
  }

  /// Notes a field that holds something that cannot be read.
  private func note(_ field: Int, _ cell: FieldCell) {
    if !cell.isNull { noteUnreadable(field) }
  }

  /// Forgets what was noted, before the next row.
  func begin() { unreadable.removeAll(keepingCapacity: true) }
}
