import DaybookEventCore
import DaybookProjections
import Foundation
import GRDBSQLite

/// A row from which an entity reads its properties.
///
/// It is not generic, so that reading a property of the usual types is a plain call.
public final class EntityRow {
  private enum Source {
    /// A row whose columns are the id and then the fields.
    case columns(Columns)
    /// An entity, and the first names of the fields.
    case entity(StoredEntity, identities: [String])
  }

  private let source: Source
  /// The same row, if the source is one.
  private let row: Columns?
  /// Whether each column of the row is declared with its field's type, so that it holds that or
  /// NULL.
  private let isTyped: Bool
  /// The places of the fields that hold no value of their property's type.
  private(set) var unreadable: [Int] = []

  init(_ identities: [String], _ entity: StoredEntity) {
    source = .entity(entity, identities: identities)
    row = nil
    isTyped = false
  }

  init(_ row: Columns, isTyped: Bool = false) {
    source = .columns(row)
    self.row = row
    self.isTyped = isTyped
  }

  /// Returns what the row holds in a field.
  /// - Parameter field: the place of the field in the type's fields.
  public func cell(_ field: Int) -> FieldCell {
    switch source {
    case .columns(let row): FieldCell(row, Int32(field + 1))
    case .entity(let entity, let identities): FieldCell(entity[identity: identities[field]])
    }
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
  // The type of a column says what its cells hold, apart from NULL.

  // Of a number, 0 also stands for NULL, for which a property keeps its default. So most cells take
  // one call of SQLite's.

  /// Reads a field into a text, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout String) {
    guard let row else { return readValue(field, &property) }
    if let text = row.textIfAny(Int32(field + 1)) { property = text }
  }

  /// Reads a field into an optional text.
  public func read(_ field: Int, into property: inout String?) {
    guard let row else { return readValue(field, &property) }
    property = row.textIfAny(Int32(field + 1))
  }

  /// Reads a field into an integer, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout Int) {
    let column = Int32(field + 1)
    guard let row else { return readValue(field, &property) }
    if isTyped {
      let value = Int(row.integer(column))
      if value == property { return }
      if value != 0 {
        property = value
        return
      }
    }
    guard row.type(column) == SQLITE_INTEGER else { return readValue(field, &property) }
    property = Int(row.integer(column))
  }

  /// Reads a field into an optional integer.
  public func read(_ field: Int, into property: inout Int?) {
    let column = Int32(field + 1)
    guard let row else { return readValue(field, &property) }
    switch row.type(column) {
    case SQLITE_INTEGER: property = Int(row.integer(column))
    case SQLITE_NULL: property = nil
    default: readValue(field, &property)
    }
  }

  /// Reads a field into a boolean. The boolean keeps its value if the field holds no boolean.
  public func read(_ field: Int, into property: inout Bool) {
    let column = Int32(field + 1)
    guard let row else { return readValue(field, &property) }
    if isTyped {
      let value = row.integer(column) != 0
      if value == property { return }
      if value {
        property = true
        return
      }
    }
    guard row.type(column) == SQLITE_INTEGER else { return readValue(field, &property) }
    property = row.integer(column) != 0
  }

  /// Reads a field into a number, which stays as it is if the field holds none.
  public func read(_ field: Int, into property: inout Double) {
    let column = Int32(field + 1)
    guard let row else { return readValue(field, &property) }
    if isTyped {
      let value = row.real(column)
      if value == property { return }
      if value != 0 {
        property = value
        return
      }
    }
    guard row.type(column) == SQLITE_FLOAT else { return readValue(field, &property) }
    property = row.real(column)
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

  /// What is said about a property of a type that no field can hold.
  @available(
    *, unavailable,
    message: "no field can hold this type: make it Codable, or add @Transient to the property"
  )
  @_disfavoredOverload
  public func read<V>(_ field: Int, into property: inout V) { noteUnreadable(field) }

  /// Notes a field that holds something that cannot be read.
  private func note(_ field: Int, _ cell: FieldCell) {
    if !cell.isNull { noteUnreadable(field) }
  }

  /// Forgets what was noted, before the next row.
  func begin() { if !unreadable.isEmpty { unreadable.removeAll(keepingCapacity: true) } }
}
