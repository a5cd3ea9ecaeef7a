import EventCore
import Foundation
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
  /// - Parameter field: the place of the field in the type's fields.
  public func read<V: FieldValue>(_ field: Int, into property: inout V) {
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
